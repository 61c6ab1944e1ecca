//! Names that other tools use for the same thing, for suggestions.

use super::suggest::question;

/// Fields of other tools and their equivalents here; the first one that the type has is suggested.
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
    (&["become_user", "run_as", "runas"], &["user", "owner"]),
    (&["chdir", "cwd", "working_directory"], &["dir", "working_dir"]),
    (&["executable"], &["interpreter"]),
    (&["environ", "envs", "interpolations"], &["env"]),
    (&["fail_msg", "msg", "fail_message"], &["message", "text"]),
    (&["that", "assertion"], &["condition"]),
    (&["insertafter"], &["insert_after"]),
    (&["insertbefore"], &["insert_before"]),
    (&["backrefs"], &["back_references"]),
    (&["block"], &["content"]),
    (&["force_create"], &["create"]),
    (&["update_cache"], &["update"]),
    (&["default_release", "enablerepo", "disablerepo"], &["options"]),
    (&["deb"], &["file"]),
    (&["createhome"], &["create_home"]),
    (&["update_password"], &["password_on_create"]),
    (&["password_expire_min"], &["password_min_days"]),
    (&["password_expire_max"], &["password_max_days"]),
    (&["password_expire_warn"], &["password_warn_days"]),
    (&["password_expire_account_disable"], &["password_inactive_days"]),
    (&["generate_ssh_key"], &["ssh_key"]),
    (&["expires"], &["expiry"]),
    (&["skeleton"], &["skel_dir"]),
    (&["cron_file"], &["file"]),
    (&["special_time"], &["special"]),
    (&["opts"], &["options"]),
    (&["fs_type", "filesystem"], &["fstype"]),
    (&["sysctl_file", "conf_file"], &["file"]),
    (&["sysctl_set", "reload_now"], &["live"]),
    (&["strip_components"], &["strip"]),
    (&["remote_src", "copy"], &["source"]),
    (&["patterns"], &["glob", "include"]),
    (&["paths"], &["glob", "path"]),
    (&["age"], &["min_age"]),
    (&["size"], &["min_size"]),
    (&["file_type"], &["kind"]),
    (&["follow_symlinks"], &["links"]),
    (&["repo", "repository"], &["uris", "baseurl"]),
    (&["baseurl", "mirror"], &["uris"]),
    (&["gpgkey"], &["key_url"]),
    (&["keyserver", "key_id"], &["key_fingerprint"]),
    (&["virtualenv"], &["venv"]),
    (&["version", "branch", "tag", "ref"], &["revision"]),
    (&["key_file", "ssh_key", "deploy_key"], &["key"]),
    (&["recursive"], &["submodules"]),
    (&["verify_commit"], &["verify"]),
    (&["status_code"], &["status"]),
    (&["search_regex"], &["body_matches"]),
    (&["sleep"], &["interval"]),
    (&["vtype"], &["type"]),
    (&["selection", "held", "on_hold"], &["hold"]),
];

/// Types of other tools and their equivalents here.
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
    (&["git", "git_clone", "git_repo", "vcsrepo"], &["git.checkout"]),
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
    (&["acl", "posix_acl", "setfacl"], &["file.acl"]),
    (&["xattr"], &["file.xattr"]),
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
    (&["wait_for", "wait", "wait_for_connection"], &["wait.port", "wait.query"]),
    (&["synchronize", "rsync"], &["file.copy"]),
    (&["assemble", "concat", "concat_file"], &["file.content"]),
    (&["package_facts"], &["package.query"]),
    (&["debconf"], &["package.debconf"]),
    (&["dpkg_selections", "apt_mark"], &["package.apt"]),
    (&["service_facts"], &["systemd.query"]),
    (&["getent"], &["user.query"]),
    (&["raw", "expect", "local_file"], &["task"]),
    (&["pam_limits", "limits"], &["file.line"]),
    (&["known_hosts_file"], &["user.known_host"]),
    (&["fail"], &["assert"]),
    (&["debug", "notify", "notice", "echo", "print"], &["message"]),
    (&["docker_container", "container"], &["docker.container"]),
    (&["docker_image", "image"], &["docker.image"]),
    (&["docker_network", "network"], &["docker.network"]),
    (&["docker_volume", "volume"], &["docker.volume"]),
    (&["lvg", "volume_group"], &["lvm.volumegroup"]),
    (&["lvol", "logical_volume"], &["lvm.logicalvolume"]),
];

/// Values of `state` in other tools and their equivalents; the first valid one is suggested.
static STATES: &[(&[&str], &[&str])] = &[
    (&["started", "start", "up", "on"], &["running"]),
    (&["stop", "down", "off"], &["stopped"]),
    (&["restart"], &["restarted"]),
    (&["installed", "install", "exists", "present", "enabled"], &["present"]),
    (&["removed", "remove", "deleted", "uninstalled", "disabled"], &["absent"]),
    (&["ephemeral"], &["mounted"]),
];

/// Values of `state` in other tools without an equivalent value, and the help to show.
static STATE_HELP: &[(&[&str], &str)] = &[
    (&["latest"], "for the newest version write latest = true"),
    (&["purged"], "write state = \"absent\" and purge = true"),
    (&["reloaded", "reload"], "write reload = true, and name in `on_change_of` what triggers the reload"),
    (
        &["file", "touch"],
        "for a file write a `file.content`, with `only_if_missing` to keep existing content",
    ),
    (&["directory"], "for a folder write a `file.directory` without `state`"),
    (&["link", "hard"], "a link is a `file.link`"),
];

/// Returns the help line for a value that another tool uses.
#[doc(hidden)]
pub fn suggest_state<'a>(input: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<&str> = names.collect();
    let local_word = find_equivalents(STATES, input).iter().find(|word| names.contains(word));
    let other_words = || STATE_HELP.iter().find(|(words, _)| words.contains(&input));
    let is_state = names.contains(&"present") || names.contains(&"running");
    match local_word {
        Some(word) => Some(format!("did you mean \"{word}\"?")),
        None if is_state => other_words().map(|(_, help)| (*help).to_owned()),
        None => None,
    }
}

/// Whether `field` is the equivalent of another tool's field `given`.
#[doc(hidden)]
pub fn is_foreign_field(input: &str, field: &str) -> bool {
    find_equivalents(FIELDS, input).contains(&field)
}

/// Returns the help line for a field that another tool uses.
#[doc(hidden)]
pub fn suggest_field<'a>(input: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<&str> = names.collect();
    question(
        &find_equivalents(FIELDS, input)
            .iter()
            .filter(|name| names.contains(name))
            .take(1)
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
    )
}

/// Returns the help line for a type that another tool uses.
#[doc(hidden)]
pub fn suggest_type(input: &str, is_known: impl Fn(&str) -> bool) -> Option<String> {
    let input = without_collection(input);
    question(
        &find_equivalents(TYPES, input)
            .iter()
            .filter(|name| is_known(name))
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
    )
}

/// The Ansible collections that may prefix a module name.
const COLLECTIONS: [&str; 7] = [
    "ansible.builtin.",
    "ansible.legacy.",
    "ansible.posix.",
    "community.crypto.",
    "community.docker.",
    "community.general.",
    "community.mysql.",
];

/// Returns a name without its Ansible collection.
#[doc(hidden)]
pub fn without_collection(input: &str) -> &str {
    COLLECTIONS.iter().find_map(|collection| input.strip_prefix(collection)).unwrap_or(input)
}

/// Types of other tools that have no equivalent here.
static SCRIPTS: &[&str] = &[
    "apache2_module",
    "at",
    "bower",
    "bundler",
    "composer",
    "cpanm",
    "dnf_module",
    "flatpak",
    "gem",
    "gconftool2",
    "getsebool",
    "homebrew",
    "htpasswd",
    "interfaces_file",
    "java_cert",
    "java_keystore",
    "make",
    "nmcli",
    "npm",
    "openssl_dhparam",
    "pamd",
    "parted",
    "patch",
    "pear",
    "pecl",
    "portage",
    "seboolean",
    "sefcontext",
    "selinux",
    "selinux_permissive",
    "seport",
    "snap",
    "ssh_config",
    "subversion",
    "supervisorctl",
    "tempfile",
    "xml",
    "yarn",
];

/// Returns the help line for a type without an equivalent: use a `task`.
#[doc(hidden)]
pub fn suggest_task(input: &str) -> Option<String> {
    SCRIPTS.contains(&without_collection(input)).then(|| {
        "no type does that: write a `task` whose `check` succeeds when nothing is left to do and whose `apply` does the work".to_owned()
    })
}

fn find_equivalents(table: &[(&[&str], &'static [&'static str])], input: &str) -> &'static [&'static str] {
    table.iter().find(|(names, _)| names.contains(&input)).map_or(&[], |(_, here)| here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_there_once() {
        for table in [FIELDS, TYPES, STATES] {
            let mut names: Vec<&str> = table.iter().flat_map(|(names, _)| *names).copied().collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }

    #[test]
    fn words_of_states() {
        let check = |given: &str, known: &[&str], expect: Option<&str>| {
            assert_eq!(suggest_state(given, known.iter().copied()).as_deref(), expect, "{given}");
        };
        let (ensure, unit) = (["present", "absent"], ["running", "stopped", "restarted"]);
        check("started", &unit, Some("did you mean \"running\"?"));
        check("installed", &ensure, Some("did you mean \"present\"?"));
        check("latest", &ensure, Some("for the newest version write latest = true"));
        check("directory", &ensure, Some("for a folder write a `file.directory` without `state`"));
        check("started", &ensure, None);
        check("latest", &["first", "last"], None);
        check("presnt", &ensure, None);
    }

    #[test]
    fn what_only_scripts_do() {
        assert!(suggest_task("community.general.xml").is_some() && suggest_task("seboolean").is_some());
        for (names, _) in TYPES {
            assert!(!names.iter().any(|name| suggest_task(name).is_some()), "{names:?}");
        }
    }

    #[test]
    fn the_first_that_a_type_has() {
        let check = |given: &str, known: &[&str], expect: Option<&str>| {
            let actual = suggest_field(given, known.iter().copied());
            assert_eq!(actual.as_deref(), expect, "{given}");
        };
        check("path", &["destination", "mode"], Some("did you mean `destination`?"));
        check("path", &["mode"], None);
        check("cmd", &["check", "apply"], Some("did you mean `apply`?"));
        check("unheard", &["destination"], None);
        assert!(is_foreign_field("src", "source") && !is_foreign_field("src", "destination"));
    }

    #[test]
    fn types_that_are_there() {
        let check = |given: &str, expect: Option<&str>| {
            let actual = suggest_type(given, |name| name != "file.copy");
            assert_eq!(actual.as_deref(), expect, "{given}");
        };
        check("service", Some("did you mean `systemd.unit.state`?"));
        check("copy", Some("did you mean `file.content`?"));
        check("wait_for", Some("did you mean `wait.port` or `wait.query`?"));
        check("ansible.builtin.lineinfile", Some("did you mean `file.line`?"));
        check("community.general.ini_file", Some("did you mean `file.ini`?"));
        check("ansible.posix.synchronize", None);
        check("unheard", None);
    }
}
