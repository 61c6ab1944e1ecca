//! Tests of `user.user` and `user.group` on a machine with users.

use converge_tests::host::Host;

/// Returns a module with one resource.
fn module(kind: &str, fields: &str) -> String {
    format!("{kind} \"it\" {{\n{fields}\n}}\n")
}

/// Asserts that a plan announces exactly these differences, and that an apply makes them.
#[track_caller]
fn changes(host: &Host, kind: &str, fields: &str, expect: &[(&str, &str, &str)]) {
    let story = host.story(&module(kind, fields), &[]);
    let expect: Vec<_> =
        expect.iter().map(|(name, is, wanted)| ((*name).into(), (*is).into(), (*wanted).into())).collect();
    assert_eq!(story.plan.differences(&format!("{kind}.it")), expect, "{fields}");
}

/// Asserts that a plan refuses the module with this message, and that an apply changes nothing.
#[track_caller]
fn refused(host: &Host, kind: &str, fields: &str, expect: &str) {
    let before = accounts(host);
    for command in ["plan", "apply"] {
        let output = host.converge(command, &module(kind, fields), &[]);
        assert_eq!(output.code, Some(1), "{command} {fields}: {}", output.everything());
        let json_text = serde_json::to_string(expect).unwrap();
        assert!(
            output.stdout.contains(json_text.trim_matches('"')),
            "{command} {fields}: {}",
            output.everything()
        );
    }
    assert_eq!(accounts(host), before, "{fields}");
}

fn accounts(host: &Host) -> String {
    host.ok("cat /etc/passwd /etc/group /etc/shadow").stdout
}

fn line(host: &Host, database: &str, name: &str) -> String {
    host.ok(&format!("getent {database} {name}")).stdout.trim_end().to_owned()
}

#[test]
fn a_group_from_its_making_to_its_end() {
    let Some(host) = Host::plain("a_group_from_its_making_to_its_end") else { return };
    let kind = "user.group";
    let creation = [("state", "absent", "present"), ("name", "", "crew"), ("gid", "", "4100")];
    changes(&host, kind, "name = \"crew\"\ngid = 4100", &creation);
    assert_eq!(line(&host, "group", "crew"), "crew:x:4100:");
    host.ok("useradd --gid crew ada && useradd --groups crew grace");

    changes(&host, kind, "name = \"crew\"\ngid = 4200", &[("gid", "4100", "4200")]);
    assert_eq!(line(&host, "group", "crew"), "crew:x:4200:grace");
    assert_eq!(host.ok("id -g ada").stdout, "4200\n");

    changes(&host, kind, "name = \"crew\"\nnew_name = \"team\"", &[("name", "crew", "team")]);
    assert!(!host.has_group("crew"));
    assert_eq!(line(&host, "group", "team"), "team:x:4200:grace");

    refused(&host, kind, "name = \"team\"\ngid = 1", "the gid 1 belongs to the group \"daemon\"");
    refused(
        &host,
        kind,
        "name = \"team\"\nnew_name = \"daemon\"",
        "\"team\" cannot be renamed to \"daemon\": there is a group of either name",
    );
    let users = "the group \"team\" is the primary group of \"ada\"";
    refused(&host, kind, "name = \"team\"\nstate = \"absent\"", users);
    host.ok("userdel ada");
    changes(&host, kind, "name = \"team\"\nstate = \"absent\"", &[("state", "present", "absent")]);
    assert!(!host.has_group("team"));
    changes(&host, kind, "name = \"free\"", &[("state", "absent", "present"), ("name", "", "free")]);
}

#[test]
fn a_user_from_its_making_to_its_end() {
    let Some(host) = Host::plain("a_user_from_its_making_to_its_end") else { return };
    let kind = "user.user";
    host.ok("groupadd --gid 4100 crew && groupadd --gid 4200 team && mkdir -p /srv/skel/bin");
    host.put("/srv/skel/bin/hello", "#!/bin/sh\necho hello\n");
    let all_fields = "username = \"ada\"\nuid = 4100\ngroupname = \"crew\"\nname = \"Ada\"\nhome_dir = \"/data/ada\"\n\
               create_home = true\nskel_dir = \"/srv/skel\"\nexpiry = \"2099-01-31\"";
    let creation = [
        ("state", "absent", "present"),
        ("username", "", "ada"),
        ("uid", "", "4100"),
        ("groupname", "", "crew"),
        ("name", "", "Ada"),
        ("home_dir", "", "/data/ada"),
        ("create_home", "absent", "/data/ada"),
        ("expiry", "never", "2099-01-31"),
    ];
    changes(&host, kind, all_fields, &creation);
    assert_eq!(line(&host, "passwd", "ada"), "ada:x:4100:4100:Ada:/data/ada:/bin/sh");
    assert!(host.ok("LC_ALL=C chage -l ada").stdout.contains("Account expires\t\t\t\t\t\t: Jan 31, 2099"));
    host.file("/data/ada/bin/hello").has_owner("ada:crew").is("#!/bin/sh\necho hello\n");

    let check_change = |fields: &str, expect: &[(&str, &str, &str)]| {
        changes(&host, kind, &format!("username = \"ada\"\n{fields}"), expect);
    };
    check_change("uid = 4300", &[("uid", "4100", "4300")]);
    host.file("/data/ada/bin/hello").has_owner("ada:crew");
    check_change("groupname = \"team\"", &[("groupname", "crew", "team")]);
    host.file("/data/ada/bin/hello").has_owner("ada:team");
    check_change("gid = 4100", &[("gid", "4200", "4100")]);
    host.ok("usermod --comment 'Ada,12,555' ada");
    check_change("name = \"Ada Lovelace\"", &[("name", "Ada,12,555", "Ada Lovelace,12,555")]);
    check_change("expiry = \"2098-12-31\"", &[("expiry", "2099-01-31", "2098-12-31")]);
    check_change("home_dir = \"/data/none\"", &[("home_dir", "/data/ada", "/data/none")]);
    host.file("/data/none").is_absent();
    host.ok("usermod --home /data/ada ada");
    check_change("home_dir = \"/data/new\"\nmove_dir = true", &[("home_dir", "/data/ada", "/data/new")]);
    host.file("/data/ada").is_absent();
    host.file("/data/new/bin/hello").has_owner("ada:crew");
    check_change("new_username = \"lovelace\"", &[("username", "ada", "lovelace")]);
    assert!(!host.has_user("ada"));
    let entry = "lovelace:x:4300:4100:Ada Lovelace,12,555:/data/new:/bin/sh";
    assert_eq!(line(&host, "passwd", "lovelace"), entry);

    // The home directory was removed manually.
    host.ok("rm -r /data/new");
    let home = "username = \"lovelace\"\ncreate_home = true";
    changes(&host, kind, home, &[("create_home", "absent", "/data/new")]);
    host.file("/data/new").has_owner("lovelace:crew").has_mode("0755");
    host.file("/data/new/.profile").has_owner("lovelace:crew").has_mode("0644");

    let message = "the user \"lovelace\" has the uid 4300 and not 1, so it is not removed";
    refused(&host, kind, "username = \"lovelace\"\nuid = 1\nstate = \"absent\"", message);
    changes(
        &host,
        kind,
        "username = \"lovelace\"\nuid = 4300\nstate = \"absent\"",
        &[("state", "present", "absent")],
    );
    assert!(!host.has_user("lovelace"));
    host.ok("test -d /data/new");
}

#[test]
fn groups_passwords_and_keys_of_users() {
    let Some(host) = Host::plain("groups_passwords_and_keys_of_users") else { return };
    let module = r#"
param "hash" {
  default = "$1$salt$qJH7.N4xYta3aEG/dfqo/0"
}

user.group "crew" {
  name   = "crew"
  system = true
}

user.group "team" {
  name = "team"
}

user.user "ada" {
  username      = "ada"
  system        = true
  gecos         = "Ada,12"
  shell         = "/bin/bash"
  groups        = [user.group.crew.name, user.group.team.name]
  password_hash = param.hash
  create_home   = true
  ssh_key       = true
}

user.group "all" {
  name    = "all"
  members = [user.user.ada.username, "daemon"]
}

file.content "public" {
  destination = "/srv/ada.pub"
  content     = user.user.ada.sshpublickey
}
"#;
    host.story(module, &[]);
    assert!(line(&host, "passwd", "ada").ends_with(":Ada,12:/home/ada:/bin/bash"));
    host.ok("test $(id -u ada) -lt 1000");
    // The order is that of `/etc/group`: two independent groups are created in any order.
    assert_eq!(host.ok("id -Gn ada | tr ' ' '\n' | sort").stdout, "ada\nall\ncrew\nteam\n");
    assert!(line(&host, "shadow", "ada").starts_with("ada:$1$salt$qJH7.N4xYta3aEG/dfqo/0:"));
    assert!(line(&host, "group", "all").ends_with(":ada,daemon"));
    host.file("/home/ada/.ssh").has_owner("ada:ada").has_mode("0700");
    host.file("/home/ada/.ssh/id_ed25519").has_owner("ada:ada").has_mode("0600");
    host.ok("test \"$(ssh-keygen -y -f /home/ada/.ssh/id_ed25519)\" = \"$(cat /srv/ada.pub)\"");

    let hash = "password_hash = \"$1$salt$AJH7.N4xYta3aEG/dfqo/0\"";
    let check_change = |fields: &str, expect: &[(&str, &str, &str)]| {
        changes(&host, "user.user", &format!("username = \"ada\"\n{fields}"), expect);
    };
    check_change(
        &format!("{hash}\nlock = true"),
        &[("password_hash", "another", "(sensitive)"), ("lock", "false", "true")],
    );
    assert!(line(&host, "shadow", "ada").starts_with("ada:!$1$salt$AJH7"));
    check_change("lock = false", &[("lock", "true", "false")]);
    check_change(&format!("{hash}\nchange_password = true"), &[("change_password", "false", "true")]);
    assert!(line(&host, "shadow", "ada").starts_with("ada:$1$salt$AJH7.N4xYta3aEG/dfqo/0:0:"));
    check_change(
        "password_max_days = 90\npassword_inactive_days = 30",
        &[("password_max_days", "none", "90"), ("password_inactive_days", "none", "30")],
    );
    check_change("password_max_days = -1", &[("password_max_days", "90", "none")]);
    assert!(line(&host, "shadow", "ada").ends_with("/0:0::::30::"), "{}", line(&host, "shadow", "ada"));
    check_change("groups = [\"daemon\"]", &[("groups", "all, crew, team", "all, crew, daemon, team")]);
    check_change("groups = []\nexact_groups = true", &[("groups", "all, crew, daemon, team", "")]);
    assert_eq!(host.ok("id -Gn ada").stdout, "ada\n");
    let members = "name = \"team\"\nmembers = [\"ada\", \"daemon\"]";
    changes(&host, "user.group", members, &[("members", "", "ada, daemon")]);
    changes(
        &host,
        "user.group",
        "name = \"team\"\nmembers = []\nexact = true",
        &[("members", "ada, daemon", "")],
    );

    // A symbolic link that the user has placed is not followed.
    host.ok("cd /home/ada && rm -r .ssh && ln -s /root .ssh && chown -h ada:ada .ssh");
    let output = host.converge("apply", &module_of("ada"), &[]);
    assert_eq!(output.code, Some(1), "{}", output.everything());
    host.file("/root/id_ed25519").is_absent();

    host.ok("useradd --no-create-home --home-dir /home/ada/guest guest");
    let removal = "username = \"ada\"\nstate = \"absent\"\nremove_home = true";
    let guest = "the home directory /home/ada is not removed: \"guest\" has a home directory in it";
    refused(&host, "user.user", removal, guest);
    host.ok("userdel guest");
    let removal = removal.split_once('\n').unwrap().1;
    check_change(removal, &[("state", "present", "absent"), ("remove_home", "/home/ada", "absent")]);
    host.file("/home/ada").is_absent();
}

fn module_of(name: &str) -> String {
    module("user.user", &format!("username = \"{name}\"\nssh_key = true"))
}

#[test]
fn what_cannot_be_is_said_by_the_plan() {
    let Some(host) = Host::plain("what_cannot_be_is_said_by_the_plan") else { return };
    host.ok("useradd --uid 4100 --create-home ada && useradd --uid 4200 grace && groupadd alone && mkdir /srv/taken");
    let user = |fields: &str, expect: &str| refused(&host, "user.user", fields, expect);
    user("username = \"ada\"\nuid = 4200", "the uid 4200 belongs to the user \"grace\"");
    user("username = \"new\"\nuid = 4200", "the uid 4200 belongs to the user \"grace\"");
    user("username = \"new\"\ngroupname = \"ghosts\"", "group \"ghosts\" does not exist");
    user("username = \"new\"\ngid = 4999", "there is no group with the gid 4999");
    user(
        "username = \"alone\"",
        "there is a group \"alone\" already: `groupname = \"alone\"` makes it the primary group of the new user",
    );
    user(
        "username = \"ada\"\nnew_username = \"grace\"",
        "\"ada\" cannot be renamed to \"grace\": there is a user of either name",
    );
    user(
        "username = \"ada\"\nhome_dir = \"/srv/taken\"\nmove_dir = true",
        "the home directory \"/home/ada\" cannot be moved to \"/srv/taken\": that exists already",
    );
    host.ok("mv /usr/sbin/useradd /usr/sbin/useradd.away");
    user("username = \"new\"", "`useradd` is not installed; it comes with the package `passwd` (Debian)");
    host.ok("mv /usr/sbin/useradd.away /usr/sbin/useradd");

    host.put("/srv/expiry.hcl", module("user.user", "username = \"ada\"\nexpiry = \"2099-01-31\""));
    let output = host.run("setpriv --reuid grace --clear-groups env HOME=/tmp converge plan /srv/expiry.hcl");
    assert_eq!(output.code, Some(1), "{}", output.everything());
    let expect =
        "only root can read when the account of \"ada\" expires: cannot read /etc/shadow: permission denied";
    assert!(output.everything().contains(expect), "{}", output.everything());
}

#[test]
fn what_a_program_says_is_shown() {
    let Some(host) = Host::plain("what_a_program_says_is_shown") else { return };
    host.put("/srv/new.hcl", module("user.user", "username = \"new\""));
    let output = host.run("setpriv --reuid daemon --clear-groups env HOME=/tmp PATH=/usr/bin:/usr/local/bin converge apply /srv/new.hcl");
    assert_eq!(output.code, Some(1), "{}", output.everything());
    let expect = "`useradd` ended with exit code 1: useradd: Permission denied.";
    assert!(output.everything().contains(expect), "{}", output.everything());
    assert!(!host.has_user("new"));
}

#[test]
fn users_and_groups_that_wait_for_each_other() {
    let Some(host) = Host::plain("users_and_groups_that_wait_for_each_other") else { return };
    let make = r#"
user.group "crew" {
  name = "crew"
}

user.user "crew" {
  for_each    = ["ada", "grace", "mary"]
  username    = each.key
  groupname   = user.group.crew.name
  create_home = true
}

file.owner "notes" {
  destination = "/srv"
  user        = "ada"
  depends     = ["user.user.crew"]
}
"#;
    let story = host.story(make, &[]);
    assert_eq!(story.plan.with_outcome("may-change"), ["file.owner.notes"]);
    host.file("/srv").has_owner("ada:root");

    // Files keep the old id of a group whose id was changed manually.
    let numbered = make.replace("\"crew\"\n}", "\"crew\"\n  gid  = 4321\n}")
        + r#"
file.content "notes" {
  destination = "/srv/notes"
  content     = "by all of them"
  group       = user.group.crew.name
}
"#;
    host.story(&numbered, &[]);
    host.ok("groupmod --gid 4322 crew");
    let story = host.story(&numbered, &[]);
    assert_eq!(story.plan.with_outcome("will-change"), ["user.group.crew"]);
    assert_eq!(story.plan.with_outcome("may-change"), ["file.content.notes"]);
    assert_eq!(story.apply.with_outcome("changed"), ["user.group.crew"]);

    let remove = r#"
user.user "crew" {
  for_each = ["ada", "grace", "mary"]
  username = each.key
  state    = "absent"
}

user.group "crew" {
  name    = "crew"
  state   = "absent"
  depends = ["user.user.crew"]
}
"#;
    let story = host.story(remove, &[]);
    assert_eq!(story.plan.with_outcome("may-change"), ["user.group.crew"]);
    assert!(!host.has_group("crew"));
}
