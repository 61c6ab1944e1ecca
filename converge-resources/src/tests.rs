#[cfg(all(unix, feature = "file", feature = "random", feature = "shell"))]
mod observed_reads;
#[cfg(all(unix, feature = "file", feature = "system", feature = "user"))]
mod overlapping_modules;

use converge_sdk::Registry;
use converge_sdk::schema::{ExportField, Field, Shape};

fn names(registry: &Registry) -> Vec<&'static str> {
    registry.iter().map(|resource_type| resource_type.name()).collect()
}

#[test]
fn every_resource_is_registered_once() {
    let explicit = names(&crate::registry().unwrap());
    assert_eq!(explicit, names(&Registry::automatic().unwrap()));
    let expect = [
        "assert",
        "cron.job",
        "docker.container",
        "docker.image",
        "docker.network",
        "docker.volume",
        "file.absent",
        "file.acl",
        "file.block",
        "file.capability",
        "file.content",
        "file.copy",
        "file.directory",
        "file.fetch",
        "file.ini",
        "file.line",
        "file.link",
        "file.mode",
        "file.owner",
        "file.query",
        "file.replace",
        "file.xattr",
        "file.yaml",
        "filesystem",
        "firewall.firewalld",
        "firewall.ufw",
        "git.checkout",
        "healthcheck.task",
        "http.request",
        "lvm.logicalvolume",
        "lvm.volumegroup",
        "message",
        "net.query",
        "package.apt",
        "package.apt_repo",
        "package.debconf",
        "package.install",
        "package.pip",
        "package.query",
        "package.rpm",
        "package.rpm_repo",
        "random.choice",
        "random.id",
        "random.integer",
        "random.password",
        "random.shuffle",
        "random.uuid",
        "system.alternative",
        "system.hostname",
        "system.hosts",
        "system.kernel_module",
        "system.locale",
        "system.mount",
        "system.reboot",
        "system.swap",
        "system.sysctl",
        "system.timezone",
        "systemd.query",
        "systemd.unit.file",
        "systemd.unit.state",
        "task",
        "task.query",
        "unarchive",
        "user.authorized_key",
        "user.group",
        "user.known_host",
        "user.query",
        "user.sudoers",
        "user.user",
        "wait.port",
        "wait.query",
    ];
    assert_eq!(explicit, expect);
}

#[test]
fn both_names_of_a_task_have_the_same_fields() {
    let registry = crate::registry().unwrap();
    let names = |name: &str| -> Vec<&str> {
        registry.get(name).unwrap().schema().fields.iter().map(|field| field.name).collect()
    };
    assert_eq!(names("task"), names("healthcheck.task"));
}

/// The results of a query are not known in a plan that may change them.
#[test]
fn what_is_found_is_known_after_an_apply() {
    // The kind of a unit is the suffix of its name, and a script is exported under another name.
    let from_fields = [("systemd.query", "type"), ("task.query", "task")];
    let registry = crate::registry().unwrap();
    let is_query =
        |name: &str| name.rsplit_once('.').is_some_and(|(family, kind)| kind == "query" && family != "wait");
    let queries = registry.iter().filter(|entry| is_query(entry.name()));
    let mut certain = Vec::new();
    for query in queries {
        let schema = query.schema();
        let is_given = |name: &str| {
            schema.fields.iter().any(|field| field.name == name) || from_fields.contains(&(schema.name, name))
        };
        let certain_exports =
            schema.exports.iter().filter(|export| !export.computed && !is_given(export.name));
        certain.extend(certain_exports.map(|export| format!("{}.{}", schema.name, export.name)));
    }
    assert_eq!(certain, [""; 0], "declare these `#[export(computed)]`");
}

/// Lists all fields and exports, so that no public name is lost by accident.
#[test]
#[expect(clippy::too_many_lines, reason = "a list of what there is")]
fn fields_and_exports() {
    let field = |field: &Field| {
        let required = if field.required { "!" } else { "" };
        format!("{}{required}", field.name)
    };
    let export = |export: &ExportField| {
        let computed = if export.computed { "?" } else { "" };
        match &export.shape {
            Shape::Struct(inner) => {
                let inner: Vec<_> = inner.iter().map(|export| export.name).collect();
                format!("{}{computed}.{{{}}}", export.name, inner.join(" "))
            }
            _ => format!("{}{computed}", export.name),
        }
    };
    let registry = crate::registry().unwrap();
    let lines: Vec<String> = registry
        .iter()
        .filter(|resource_type| !["module", "param", "switch"].contains(&resource_type.name()))
        .map(|resource_type| {
            let schema = resource_type.schema();
            let fields: Vec<_> = schema.fields.iter().map(field).collect();
            let exports: Vec<_> = schema.exports.iter().map(export).collect();
            format!("{}: {}\n    -> {}", schema.name, fields.join(" "), exports.join(" "))
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    assert: condition! message
        -> condition
    cron.job: name! user command minute hour day month weekday special env file disabled state
        -> name user command file state
    docker.container: name! image! entrypoint command working_dir env expose links ports dns network_mode networks volumes volumes_from publish_all_ports status force
        -> name image entrypoint command workingdir env expose links portbindings dns volumes volumesfrom publishallports networkmode networks status force
    docker.image: name! tag inactivity_timeout
        -> name tag
    docker.network: name! driver labels options ipam_driver ipam_config internal ipv6 state force
        -> name driver labels options ipam.{driver config} internal ipv6 state force
    docker.volume: name! driver labels options state force
        -> name driver labels options state force
    file.absent: destination! recursive
        -> destination recursive
    file.acl: destination! entries absent exact
        -> destination entries
    file.block: destination! content marker marker_begin marker_end insert_after insert_before state create mode owner group backup validate only_if_missing follow
        -> destination content state
    file.capability: destination! capabilities state
        -> destination capabilities state
    file.content: destination! content mode owner group backup validate only_if_missing follow
        -> destination content
    file.copy: source! destination! include exclude purge only_if_missing follow links mode dir_mode owner group
        -> source destination
    file.directory: destination! create_all mode owner group recursive state
        -> destination createall
    file.fetch: source! hash_type hash headers inactivity_timeout min_rate auth ca client_cert client_key insecure accept_unverified destination! force only_if_missing follow max_size mode owner group
        -> source destination hash_type hash force
    file.ini: destination! section which key! value state create mode owner group backup validate only_if_missing follow
        -> destination section key value state
    file.line: destination! line match back_references which insert_after insert_before state create mode owner group backup validate only_if_missing follow
        -> destination line state
    file.link: destination! target! hard force
        -> destination target
    file.mode: destination! mode! recursive
        -> destination mode recursive
    file.owner: destination! user uid group gid recursive verbose
        -> destination username uid group gid recursive
    file.query: path glob kind min_age max_age min_size max_size contains content_limit hash
        -> path glob exists? kind? link? mode? owner? group? size? modified? hash? content? paths? files? Found?.{exists kind link mode owner group size modified hash content paths files}
    file.replace: destination! pattern! replacement! count create mode owner group backup validate only_if_missing follow
        -> destination replacement
    file.xattr: destination! attributes absent
        -> destination attributes
    file.yaml: destination! key! value state create mode owner group backup validate only_if_missing follow
        -> destination key value state
    filesystem: device! mount! fstype! options requiredBy wantedBy before
        -> device mount fstype
    firewall.firewalld: zone service port source interface rich_rule masquerade permanent immediate state lock_out
        -> zone kind value state
    firewall.ufw: action port from from_port to proto direction interface comment state default enabled lock_out
        -> rule state
    git.checkout: repository! destination! revision! update depth submodules force key known_hosts verify bare user run_group clear_env
        -> repository destination revision commit?
    healthcheck.task: check! apply interpreter check_flags exec_flags timeout dir env user run_group clear_env
        -> check apply dir env status?.{exitstatus stdout stderr stdin} checkstatus.{exitstatus stdout stderr stdin} healthstatus?
    http.request: url! check apply headers auth ca client_cert client_key insecure accept_unverified max_size
        -> url status? headers? body?
    lvm.logicalvolume: group! name! size! resizefs
        -> group name size device
    lvm.volumegroup: name! devices remove forceRemove overwrite
        -> name devices
    message: text!
        -> text
    net.query: port! protocol
        -> port protocol listening? addresses? user?
    package.apt: name state version purge hold recommends update cache_valid_time latest only_upgrade upgrade_all autoremove options file hash lock_timeout
        -> name state version?
    package.apt_repo: name! uris ppa suites components key key_url key_fingerprint architectures priority proxy state
        -> name path state
    package.debconf: name! question! type! value! seen lock_timeout
        -> name question
    package.install: name! state version latest only_upgrade update cache_valid_time lock_timeout
        -> name state version?
    package.pip: name requirements venv user system python extra_args version state
        -> name state version?
    package.query: name!
        -> name installed? version? versions? database?
    package.rpm: name state version update cache_max_age latest only_upgrade upgrade_all autoremove options file hash lock_timeout
        -> name state version?
    package.rpm_repo: name! description baseurl key gpgkey key_fingerprint enabled gpgcheck accept_unsigned priority state
        -> name path state
    random.choice: from! keepers state
        -> value?
    random.id: bytes keepers state
        -> hex? base64url?
    random.integer: min! max! keepers state
        -> value?
    random.password: length! lower upper digits special special_characters min_lower min_upper min_digits min_special keepers state
        -> value?
    random.shuffle: from! count keepers state
        -> values?
    random.uuid: keepers state
        -> value?
    system.alternative: name! path link priority slaves auto state
        -> name path link auto state
    system.hostname: name! pretty live
        -> name pretty
    system.hosts: name! ip aliases file state
        -> name ip aliases file state
    system.kernel_module: name! parameters persistent blacklisted state
        -> name persistent blacklisted state
    system.locale: name lang categories state
        -> name lang state
    system.mount: destination! source fstype options dump pass state file
        -> destination source fstype state file
    system.reboot: message delay shutdown_timeout when_file_exists
        -> message when_file_exists
    system.swap: source! size priority state
        -> source size priority state
    system.sysctl: name! value file live state
        -> name value file state
    system.timezone: name!
        -> name
    systemd.query: unit!
        -> unit type exists? running? failed? enabled? masked? filestate? activestate? substate? path? description? global_properties? properties?
    systemd.unit.file: unit! content sections drop_in enabled state
        -> unit destination content state
    systemd.unit.state: unit! state reload signal_name signal_number enabled masked daemon_reload
        -> unit state reload signal_name signal_number path? description? activestate? loadstate? type status? global_properties? service_properties? socket_properties? device_properties? mount_properties? automount_properties? swap_properties? path_properties? timer_properties? slice_properties? scope_properties? OwnProperties?.{service_properties socket_properties device_properties mount_properties automount_properties swap_properties path_properties timer_properties slice_properties scope_properties}
    task: check apply interpreter check_flags exec_flags timeout dir env user run_group clear_env
        -> check apply dir env status?.{exitstatus stdout stderr stdin} checkstatus.{exitstatus stdout stderr stdin} healthstatus?
    task.query: query! interpreter check_flags exec_flags timeout dir env user run_group clear_env
        -> task status?.{exitstatus stdout stderr stdin} checkstatus?.{exitstatus stdout stderr stdin}
    unarchive: source! hash_type hash headers inactivity_timeout min_rate auth ca client_cert client_key insecure accept_unverified destination! force only_if_missing strip include exclude max_entries max_size max_ratio mode dir_mode owner group
        -> source destination hash_type hash force
    user.authorized_key: user! key! options comment exact file state
        -> user key state
    user.group: name! new_name gid system members exact state
        -> name newname gid members state
    user.known_host: host! key! user file state
        -> host key state
    user.query: name!
        -> name exists? uid? gid? group? groups? gecos? home? shell?
    user.sudoers: name! content state
        -> name path state
    user.user: username! new_username uid groupname gid name gecos shell groups exact_groups password_hash password_on_create change_password password_min_days password_max_days password_warn_days password_inactive_days lock system create_home skel_dir home_dir move_dir ssh_key remove_home expiry state
        -> username newusername uid groupname gid name shell createhome skeldir homedir movedir expiry state sshpublickey?
    wait.port: host port! interval grace_period max_retry
        -> host port
    wait.query: check! interpreter check_flags exec_flags timeout dir env user run_group clear_env interval grace_period max_retry
        -> status?.{exitstatus stdout stderr stdin}
    ");
}
