//! What other tools call the same thing.

use super::suggest::question;

/// Names of fields elsewhere, and what the same is called here: of several the first that a type has.
static FIELDS: &[(&[&str], &[&str])] = &[
    (&["path", "dest", "target", "file", "filename", "location", "directory"], &["destination"]),
    (&["src", "from", "url", "uri"], &["source"]),
    (&["contents", "text", "body", "data"], &["content"]),
    (&["permissions", "permission", "perms", "chmod"], &["mode"]),
    (&["owner"], &["user"]),
    (&["user", "usr"], &["owner", "username"]),
    (&["name", "service", "daemon"], &["unit", "username", "destination"]),
    (&["login"], &["username"]),
    (&["pkg", "pkgs", "package", "packages"], &["name"]),
    (
        &["command", "cmd", "script", "run", "exec", "shell", "execute"],
        &["apply", "check", "query", "command"],
    ),
    (&["unless", "onlyif", "only_if", "not_if", "creates"], &["check"]),
    (&["ensure", "present"], &["state"]),
    (&["enable", "on_boot"], &["enabled"]),
    (&["regexp", "regex", "pattern"], &["match", "pattern"]),
    (&["recurse", "parents", "make_parents"], &["recursive", "create_all"]),
    (&["home", "managehome", "manage_home"], &["home_dir", "create_home"]),
    (&["comment", "full_name", "fullname"], &["gecos", "name"]),
    (&["password", "passwd"], &["password_hash"]),
    (&["checksum", "sha256", "sha256sum"], &["hash"]),
    (&["option", "value"], &["key", "value"]),
    (&["marker_start"], &["marker_begin"]),
    (&["job"], &["command"]),
    (&["from_ip"], &["from"]),
    (&["to_ip"], &["to"]),
    (&["to_port", "dport"], &["port"]),
    (&["protocol"], &["proto"]),
    (&["policy"], &["default"]),
    (&["upgrade"], &["upgrade_all"]),
    (&["install_options"], &["options"]),
];

/// Names of types elsewhere, and what does the same here.
static TYPES: &[(&[&str], &[&str])] = &[
    (
        &["service", "systemd", "systemd_service", "systemd_unit", "daemon", "systemd.unit"],
        &["systemd.unit.state"],
    ),
    (&["unit", "timer"], &["systemd.unit.file"]),
    (&["package", "packages", "pkg"], &["package.install"]),
    (&["apt", "apt_package", "deb"], &["package.apt"]),
    (&["yum", "dnf", "rpm", "zypper"], &["package.rpm"]),
    (&["apt_repository", "apt_repo", "apt_key"], &["package.apt_repo"]),
    (&["yum_repository", "yumrepo", "rpm_key"], &["package.rpm_repo"]),
    (&["pip", "pip3"], &["package.pip"]),
    (&["ufw"], &["firewall.ufw"]),
    (&["firewalld"], &["firewall.firewalld"]),
    (&["firewall", "iptables"], &["firewall.ufw", "firewall.firewalld"]),
    (&["copy"], &["file.copy", "file.content"]),
    (&["template", "file"], &["file.content", "file.directory"]),
    (&["lineinfile", "line", "file_line"], &["file.line"]),
    (&["blockinfile"], &["file.block"]),
    (&["replace"], &["file.replace"]),
    (&["ini_file", "ini_setting", "ini"], &["file.ini"]),
    (&["yaml", "yedit"], &["file.yaml"]),
    (&["directory", "dir", "folder", "mkdir"], &["file.directory"]),
    (&["link", "symlink"], &["file.link"]),
    (&["stat", "find", "slurp"], &["file.query"]),
    (&["get_url", "remote_file", "download", "fetch", "wget", "curl"], &["file.fetch"]),
    (&["archive", "extract", "untar", "ark"], &["unarchive"]),
    (&["uri", "http", "http_request", "webhook"], &["http.request"]),
    (&["exec", "execute", "command", "shell", "script", "run", "bash"], &["task"]),
    (&["cron", "cronjob"], &["cron.job"]),
    (&["user", "account"], &["user.user"]),
    (&["group"], &["user.group"]),
    (&["authorized_key", "ssh_authorized_key"], &["user.authorized_key"]),
    (&["known_hosts", "known_host", "sshkey"], &["user.known_host"]),
    (&["sudo", "sudoers"], &["user.sudoers"]),
    (&["sysctl"], &["system.sysctl"]),
    (&["timezone"], &["system.timezone"]),
    (&["locale", "locale_gen"], &["system.locale"]),
    (&["alternatives", "alternative"], &["system.alternative"]),
    (&["capabilities", "capability", "file_capability"], &["file.capability"]),
    (&["reboot"], &["system.reboot"]),
    (&["host", "hosts"], &["system.hosts"]),
    (&["hostname"], &["system.hostname"]),
    (&["modprobe", "kernel_module", "kmod", "kernel_blacklist"], &["system.kernel_module"]),
    (&["mount", "mountpoint", "fstab"], &["system.mount"]),
    (&["swap", "swapfile", "swap_file"], &["system.swap"]),
    (&["random_password", "random_string", "password"], &["random.password"]),
    (&["random_integer", "random", "fqdn_rand"], &["random.integer"]),
    (&["random_id", "random_bytes", "random_pet"], &["random.id"]),
    (&["random_uuid", "uuid"], &["random.uuid"]),
    (&["random_choice"], &["random.choice"]),
    (&["random_shuffle", "shuffle"], &["random.shuffle"]),
    (&["wait_for", "wait"], &["wait.port", "wait.query"]),
    (&["fail"], &["assert"]),
    (&["debug", "notify", "notice", "echo", "print"], &["message"]),
    (&["docker_container", "container"], &["docker.container"]),
    (&["docker_image", "image"], &["docker.image"]),
    (&["docker_network", "network"], &["docker.network"]),
    (&["docker_volume", "volume"], &["docker.volume"]),
    (&["lvg", "volume_group"], &["lvm.volumegroup"]),
    (&["lvol", "logical_volume"], &["lvm.logicalvolume"]),
];

/// Whether a field is what another tool calls `given`.
pub(crate) fn is_field_elsewhere(given: &str, field: &str) -> bool {
    of(FIELDS, given).contains(&field)
}

/// The help line for a field that is called so elsewhere.
pub(crate) fn field_elsewhere<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.collect();
    question(
        &of(FIELDS, given)
            .iter()
            .filter(|name| known.contains(name))
            .take(1)
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
    )
}

/// The help line for a type that is called so elsewhere.
pub(crate) fn type_elsewhere(given: &str, is_known: impl Fn(&str) -> bool) -> Option<String> {
    let given = given.rsplit_once("ansible.builtin.").map_or(given, |(_, name)| name);
    question(
        &of(TYPES, given).iter().filter(|name| is_known(name)).map(ToString::to_string).collect::<Vec<_>>(),
    )
}

fn of(table: &[(&[&str], &'static [&'static str])], given: &str) -> &'static [&'static str] {
    table.iter().find(|(names, _)| names.contains(&given)).map_or(&[], |(_, here)| here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_there_once() {
        for table in [FIELDS, TYPES] {
            let mut names: Vec<&str> = table.iter().flat_map(|(names, _)| *names).copied().collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }

    #[test]
    fn the_first_that_a_type_has() {
        let check = |given: &str, known: &[&str], expect: Option<&str>| {
            let found = field_elsewhere(given, known.iter().copied());
            assert_eq!(found.as_deref(), expect, "{given}");
        };
        check("path", &["destination", "mode"], Some("did you mean `destination`?"));
        check("path", &["mode"], None);
        check("cmd", &["check", "apply"], Some("did you mean `apply`?"));
        check("unheard", &["destination"], None);
        assert!(is_field_elsewhere("src", "source") && !is_field_elsewhere("src", "destination"));
    }

    #[test]
    fn types_that_are_there() {
        let check = |given: &str, expect: Option<&str>| {
            let found = type_elsewhere(given, |name| name != "file.copy");
            assert_eq!(found.as_deref(), expect, "{given}");
        };
        check("service", Some("did you mean `systemd.unit.state`?"));
        check("copy", Some("did you mean `file.content`?"));
        check("wait_for", Some("did you mean `wait.port` or `wait.query`?"));
        check("ansible.builtin.lineinfile", Some("did you mean `file.line`?"));
        check("unheard", None);
    }
}
