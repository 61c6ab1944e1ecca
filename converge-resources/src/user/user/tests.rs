mod home;
mod passwords;

use std::path::Path;
use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::{Group, ModelSystem, System, WriteFile};

use super::UserPreparer;
use crate::testing::{Written, apply, context, obeys_the_laws, plan, plan_pending, prepare, show};
use crate::user::model::machine;

/// Returns a host with the user `ada`.
///
/// She has the uid 4100, the primary group `crew`, and a home directory with two files, one of which does not
/// belong to her.
fn model() -> ModelSystem {
    machine()
        .with_group("crew", 4100)
        .with_group("team", 4200)
        .with_user("ada", 4100, 4100)
        .with_user("grace", 4200, 4200)
        .with_file("/home/ada/notes", "hello")
        .with_file("/home/ada/kept", "root's")
        .with_owner("/home/ada", 4100, 4100)
        .with_owner("/home/ada/notes", 4100, 4100)
        .with_file("/srv/skel/welcome", "hi")
        .with_file(
            "/etc/shadow",
            "root:*:18262:0:99999:7:::\nada:!:18262:0:99999:7:::\ngrace:!:18262:0:99999:7::20484:\n",
        )
}

fn with_defaults(name: &'static str, fields: Written<'_>) -> Vec<(&'static str, Value)> {
    [("username", Value::from(name))].into_iter().chain(fields.iter().cloned()).collect()
}

#[tokio::test]
async fn differences_of_a_user() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |name: &'static str, fields: Written<'_>, expect: &[&str]| {
        let level = if expect.iter().any(|line| line.contains("=>")) { "will change" } else { "no change" };
        let expect: Vec<_> = [level].iter().chain(expect).copied().collect();
        assert_eq!(
            plan::<UserPreparer>(&system, &with_defaults(name, fields)).await,
            expect.join("\n"),
            "{name} {fields:?}"
        );
    };
    check("ada", &[], &[]).await;
    check("ada", &[("uid", 4100.into()), ("groupname", "crew".into())], &[]).await;
    check("ada", &[("gid", 4100.into()), ("home_dir", "/home/ada".into())], &[]).await;
    check("ada", &[("uid", 4300.into())], &["uid: \"4100\" => \"4300\""]).await;
    check("ada", &[("groupname", "team".into())], &["groupname: \"crew\" => \"team\""]).await;
    check("ada", &[("gid", 4200.into())], &["gid: \"4100\" => \"4200\""]).await;
    check("ada", &[("name", "Ada".into())], &["name: \"\" => \"Ada\""]).await;
    check("ada", &[("home_dir", "/srv/ada".into())], &["home_dir: \"/home/ada\" => \"/srv/ada\""]).await;
    check(
        "ada",
        &[("home_dir", "/srv/ada".into()), ("move_dir", true.into())],
        &["home_dir: \"/home/ada\" => \"/srv/ada\"", "# the content of /home/ada moves to /srv/ada"],
    )
    .await;
    check(
        "grace",
        &[("home_dir", "/srv/grace".into()), ("move_dir", true.into())],
        &[
            "home_dir: \"/home/grace\" => \"/srv/grace\"",
            "# there is nothing to move: /home/grace does not exist",
        ],
    )
    .await;
    check("ada", &[("home_dir", "/home/ada".into()), ("move_dir", true.into())], &[]).await;
    check("ada", &[("create_home", true.into())], &[]).await;
    check("grace", &[("create_home", true.into())], &["create_home: \"absent\" => \"/home/grace\""]).await;
    check("ada", &[("expiry", "2026-01-31".into())], &["expiry: \"never\" => \"2026-01-31\""]).await;
    check("grace", &[("expiry", "2026-01-31T23:00:00Z".into())], &[]).await;
    for never in ["never", "", "-1"] {
        check("ada", &[("expiry", never.into())], &[]).await;
        check("grace", &[("expiry", never.into())], &["expiry: \"2026-01-31\" => \"never\""]).await;
    }
    check("grace", &[("expiry", (-1).into())], &["expiry: \"2026-01-31\" => \"never\""]).await;
    check("grace", &[("expiry", "2026-02-01".into())], &["expiry: \"2026-01-31\" => \"2026-02-01\""]).await;
    check("ada", &[("new_username", "lovelace".into())], &["username: \"ada\" => \"lovelace\""]).await;
    check("gone", &[("new_username", "ada".into())], &[]).await;
    check("gone", &[("new_username", "ada".into()), ("uid", 4300.into())], &["uid: \"4100\" => \"4300\""])
        .await;
    check("ada", &[("new_username", "ada".into())], &[]).await;
    check("ada", &[("state", "absent".into())], &["state: \"present\" => \"absent\""]).await;
    check("ada", &[("state", "absent".into()), ("uid", 4100.into())], &["state: \"present\" => \"absent\""])
        .await;
    check("gone", &[("state", "absent".into())], &[]).await;
    check(
        "gone",
        &[("state", "absent".into()), ("new_username", "ada".into())],
        &["warning: `new_username` means nothing with `state = \"absent\"`"],
    )
    .await;
}

#[tokio::test]
async fn differences_of_a_new_user() {
    let system: Arc<dyn System> = Arc::new(model());
    insta::assert_snapshot!(plan::<UserPreparer>(&system, &with_defaults("new", &[])).await, @r#"
    will change
    state: "absent" => "present"
    username: "" => "new"
    "#);
    let everything = [
        ("new_username", Value::from("newer")),
        ("uid", 4300.into()),
        ("groupname", "crew".into()),
        ("name", "New One".into()),
        ("home_dir", "/srv/new".into()),
        ("create_home", true.into()),
        ("skel_dir", "/srv/skel".into()),
        ("move_dir", true.into()),
        ("expiry", "2026-01-31".into()),
    ];
    insta::assert_snapshot!(apply::<UserPreparer>(&system, &with_defaults("new", &everything)).await, @r#"
    will change
    state: "absent" => "present"
    username: "" => "newer"
    uid: "" => "4300"
    groupname: "" => "crew"
    name: "" => "New One"
    home_dir: "" => "/srv/new"
    create_home: "absent" => "/srv/new"
    expiry: "never" => "2026-01-31"
    "#);
    assert_eq!(apply::<UserPreparer>(&system, &with_defaults("new", &everything)).await, "no change");
    let home = [("create_home", Value::from(true)), ("home_dir", "/srv/new".into())];
    insta::assert_snapshot!(plan::<UserPreparer>(&system, &with_defaults("other", &home)).await, @r#"
    will change
    state: "absent" => "present"
    username: "" => "other"
    home_dir: "" => "/srv/new"
    # /srv/new exists already: its owner and content stay
    "#);
}

#[tokio::test]
async fn what_is_in_the_way() {
    let system: Arc<dyn System> = Arc::new(
        model().with_dir("/srv/taken").with_symlink("/srv/link", "/nowhere").with_group("new", 4900),
    );
    let check = async |name: &'static str, fields: Written<'_>, expect: &str| {
        let all_fields = with_defaults(name, fields);
        let alone = plan::<UserPreparer>(&system, &all_fields).await;
        let (_, error) =
            alone.split_once("\nerror: ").unwrap_or_else(|| panic!("{name} {fields:?}: {alone}"));
        assert_eq!(error, expect, "{name} {fields:?}");
        let pending = plan_pending::<UserPreparer>(&system, &all_fields).await;
        // The creation of a new user is certain, because no pending change creates the user.
        let is_new = system.users().user_by_name(name).await.unwrap().is_none();
        let level = if is_new { "will change" } else { "may change" };
        assert!(pending.starts_with(level), "{name} {fields:?}: {pending}");
        for obstacle in expect.lines() {
            let message = format!("\n# not possible yet: {obstacle}");
            assert!(pending.contains(&message), "{name} {fields:?}: {pending}");
        }
        // An apply with an obstacle changes nothing.
        let before = system.users().user_by_name(name).await.unwrap();
        apply::<UserPreparer>(&system, &all_fields).await;
        assert_eq!(system.users().user_by_name(name).await.unwrap(), before);
    };
    check("ada", &[("uid", 4200.into())], "the uid 4200 belongs to the user \"grace\"").await;
    check("newer", &[("uid", 4200.into())], "the uid 4200 belongs to the user \"grace\"").await;
    check("ada", &[("groupname", "ghosts".into())], "group \"ghosts\" does not exist").await;
    check("newer", &[("groupname", "ghosts".into())], "group \"ghosts\" does not exist").await;
    check("ada", &[("gid", 7.into())], "there is no group with the gid 7").await;
    check("newer", &[("gid", 7.into())], "there is no group with the gid 7").await;
    check(
        "new",
        &[],
        "there is a group \"new\" already: `groupname = \"new\"` makes it the primary group of the new user",
    )
    .await;
    check(
        "ada",
        &[("new_username", "grace".into())],
        "\"ada\" cannot be renamed to \"grace\": there is a user of either name",
    )
    .await;
    check(
        "ada",
        &[("home_dir", "/srv/taken".into()), ("move_dir", true.into())],
        "the home directory \"/home/ada\" cannot be moved to \"/srv/taken\": that exists already",
    )
    .await;
    let dangling =
        "the home directory /srv/link cannot be made: there is a symbolic link to what does not exist";
    check("newer", &[("create_home", true.into()), ("home_dir", "/srv/link".into())], dangling).await;
    check("ada", &[("create_home", true.into()), ("home_dir", "/srv/link".into())], dangling).await;
    check(
        "newer",
        &[("create_home", true.into()), ("skel_dir", "/srv/none".into())],
        "the directory \"/srv/none\" does not exist, and `skel_dir` names it",
    )
    .await;
    check(
        "ada",
        &[("state", "absent".into()), ("uid", 7.into())],
        "the user \"ada\" has the uid 4100 and not 7, so it is not removed",
    )
    .await;
    check(
        "ada",
        &[("uid", 4200.into()), ("gid", 7.into())],
        "the uid 4200 belongs to the user \"grace\"\nthere is no group with the gid 7",
    )
    .await;
}

#[tokio::test]
async fn values_that_are_refused() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |fields: Written<'_>, expect: &str| {
        let output = plan::<UserPreparer>(&system, &with_defaults("ada", fields)).await;
        assert_eq!(output, format!("error: {expect}"), "{fields:?}");
    };
    check(
        &[("gid", 1.into()), ("groupname", "crew".into())],
        "gid: `groupname` and `gid` are mutually exclusive",
    )
    .await;
    check(&[("move_dir", true.into())], "move_dir: `move_dir` requires `home_dir`").await;
    check(&[("skel_dir", "/srv/skel".into())], "skel_dir: `skel_dir` requires `create_home`").await;
    check(
        &[("skel_dir", "/srv/skel".into()), ("create_home", false.into())],
        "skel_dir: `skel_dir` requires `create_home`",
    )
    .await;
    check(&[("home_dir", "srv".into())], "home_dir: \"srv\" is not an absolute path without a colon").await;
    check(
        &[("name", "a:b".into())],
        "name: \"a:b\" is not a full name or description: one line without a colon",
    )
    .await;
    check(&[("state", "gone".into())], "state: \"gone\" is not one of present, absent").await;
    check(&[("uid", 4_294_967_295_i64.into())], "uid: 4294967295 is out of range: at most 4294967294").await;
}

#[tokio::test]
async fn an_expiry_needs_the_shadow_file() {
    let without_shadow: Arc<dyn System> =
        Arc::new(machine().with_user("ada", 4100, 1).with(|m| m.remove("/etc/shadow")));
    let fields = with_defaults("ada", &[("expiry", "2026-01-31".into())]);
    assert_eq!(
        plan::<UserPreparer>(&without_shadow, &fields).await,
        "error: file \"/etc/shadow\" does not exist"
    );
}

#[tokio::test]
async fn every_attribute_changes_in_one_call() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let everything = [
        ("new_username", Value::from("lovelace")),
        ("uid", 4300.into()),
        ("groupname", "team".into()),
        ("name", "Ada Lovelace".into()),
        ("home_dir", "/srv/ada".into()),
        ("move_dir", true.into()),
        ("expiry", "2026-02-01".into()),
    ];
    insta::assert_snapshot!(apply::<UserPreparer>(&system, &with_defaults("ada", &everything)).await, @r#"
    will change
    username: "ada" => "lovelace"
    uid: "4100" => "4300"
    groupname: "crew" => "team"
    name: "" => "Ada Lovelace"
    home_dir: "/home/ada" => "/srv/ada"
    expiry: "never" => "2026-02-01"
    # the content of /home/ada moves to /srv/ada
    "#);
    assert_eq!(model.effects().len(), 1);
    let machine = model.machine();
    let owner = |path: &str| machine.entry(path).map(|entry| (entry.uid, entry.gid));
    assert_eq!(owner("/srv/ada/notes"), Some((4300, 4200)));
    assert_eq!(owner("/srv/ada/kept"), Some((0, 0)));
    assert_eq!(owner("/home/ada"), None);
    assert_eq!(apply::<UserPreparer>(&system, &with_defaults("ada", &everything)).await, "no change");
}

#[tokio::test]
async fn exports() {
    let check = async |name: &'static str, fields: Written<'_>, expect: [Value; 4]| {
        let cx = context(Arc::new(model()), RunMode::Plan).with_pending([]);
        let mut task = prepare::<UserPreparer>(&cx, &with_defaults(name, fields)).await.unwrap();
        show(&task.check(&cx, &FakeRenderer::new()).await);
        let exports = task.exports();
        let actual =
            ["uid", "groupname", "gid", "homedir"].map(|name| exports.get(&[name]).cloned().unwrap());
        assert_eq!(actual, expect, "{name} {fields:?}");
    };
    let unknown_for = Value::unknown;
    check("ada", &[], [4100.into(), "crew".into(), 4100.into(), "/home/ada".into()]).await;
    check("ada", &[("uid", 7.into())], [7.into(), "crew".into(), 4100.into(), "/home/ada".into()]).await;
    check("ada", &[("gid", 4200.into())], [4100.into(), "team".into(), 4200.into(), "/home/ada".into()])
        .await;
    check(
        "gone",
        &[("new_username", "ada".into())],
        [4100.into(), "crew".into(), 4100.into(), "/home/ada".into()],
    )
    .await;
    check(
        "new",
        &[],
        [unknown_for("useradd"), unknown_for("useradd"), unknown_for("useradd"), "/home/new".into()],
    )
    .await;
    check(
        "new",
        &[("groupname", "later".into())],
        [unknown_for("useradd"), "later".into(), unknown_for("groupadd"), "/home/new".into()],
    )
    .await;
    check(
        "new",
        &[("gid", 7.into())],
        [unknown_for("useradd"), unknown_for("groupadd"), 7.into(), "/home/new".into()],
    )
    .await;
    let null = || Value::Null;
    check("new", &[("state", "absent".into())], [null(), null(), null(), null()]).await;
}

#[tokio::test]
async fn stories_that_keep_the_laws() {
    let check = async |name: &'static str, fields: Written<'_>| {
        obeys_the_laws::<UserPreparer>(model, &with_defaults(name, fields)).await;
    };
    check("new", &[]).await;
    check("new", &[("create_home", true.into()), ("skel_dir", "/srv/skel".into()), ("gid", 4100.into())])
        .await;
    check("new", &[("new_username", "newer".into()), ("uid", 4300.into()), ("expiry", "2026-01-31".into())])
        .await;
    check(
        "ada",
        &[
            ("new_username", "lovelace".into()),
            ("uid", 4300.into()),
            ("gid", 4200.into()),
            ("name", "Ada".into()),
            ("home_dir", "/srv/ada".into()),
            ("move_dir", true.into()),
            ("expiry", "2026-01-31".into()),
        ],
    )
    .await;
    check("ada", &[("uid", 4300.into()), ("home_dir", "/srv/ada".into()), ("create_home", true.into())])
        .await;
    check("ada", &[("state", "absent".into())]).await;
    check("ada", &[("state", "absent".into()), ("remove_home", true.into())]).await;
    check("ada", &[("password_hash", HASH.into()), ("lock", false.into()), ("ssh_key", true.into())]).await;
    let groups = vec![Value::from("team"), "nogroup".into()];
    check("new", &[("password_hash", HASH.into()), ("groups", groups.into()), ("system", true.into())]).await;
}

const HASH: &str = "$1$salt$qJH7.N4xYta3aEG/dfqo/0";

/// Attributes that are not only in the line of `/etc/passwd`.
#[tokio::test]
async fn more_attributes() {
    let model = || {
        model().with(|machine| {
            let group = machine.group("team").cloned().unwrap();
            machine.put_group(Group { members: vec!["ada".to_owned()], ..group });
        })
    };
    let check = async |name: &'static str, fields: Written<'_>, expect: &[&str]| {
        let system: Arc<dyn System> = Arc::new(model());
        let level = if expect.iter().any(|line| line.contains("=>")) { "will change" } else { "no change" };
        let expect: Vec<_> = [level].iter().chain(expect).copied().collect();
        let actual = apply::<UserPreparer>(&system, &with_defaults(name, fields)).await;
        assert_eq!(actual, expect.join("\n"), "{name} {fields:?}");
        assert_eq!(
            apply::<UserPreparer>(&system, &with_defaults(name, fields)).await,
            "no change",
            "{name} {fields:?}"
        );
    };
    let list = |names: &[&str]| Value::from(names.iter().map(|name| Value::from(*name)).collect::<Vec<_>>());
    check("ada", &[("shell", "/bin/sh".into())], &[]).await;
    check("ada", &[("shell", "/bin/bash".into())], &["shell: \"/bin/sh\" => \"/bin/bash\""]).await;
    check("ada", &[("gecos", "Ada,12".into())], &["gecos: \"\" => \"Ada,12\""]).await;
    check("ada", &[("gecos", "".into())], &[]).await;
    check("ada", &[("groups", list(&["team"]))], &[]).await;
    check("ada", &[("groups", list(&["crew"]))], &[]).await;
    check("ada", &[("groups", list(&["nogroup"]))], &["groups: \"team\" => \"nogroup, team\""]).await;
    let exact = ("exact_groups", Value::from(true));
    check("ada", &[("groups", list(&["team", "crew"])), exact.clone()], &[]).await;
    check("ada", &[("groups", list(&["nogroup"])), exact.clone()], &["groups: \"team\" => \"nogroup\""])
        .await;
    check("ada", &[("groups", list(&[])), exact], &["groups: \"team\" => \"\""]).await;
    let hash = || ("password_hash", Value::from(HASH));
    let password = "password_hash: \"none\" => \"(sensitive)\"";
    check("ada", &[hash()], &[password]).await;
    check("ada", &[hash(), ("lock", true.into())], &[password]).await;
    check("ada", &[hash(), ("lock", false.into())], &[password]).await;
    check("ada", &[("lock", true.into())], &[]).await;
    check("root", &[("lock", true.into())], &["lock: \"false\" => \"true\""]).await;
    let change = ("change_password", Value::from(true));
    check("ada", &[hash(), change.clone()], &[password, "change_password: \"false\" => \"true\""]).await;
    let ages = [
        ("password_min_days", Value::from(1)),
        ("password_max_days", 90.into()),
        ("password_warn_days", 7.into()),
        ("password_inactive_days", 30.into()),
    ];
    check(
        "ada",
        &ages,
        &[
            "password_min_days: \"0\" => \"1\"",
            "password_max_days: \"99999\" => \"90\"",
            "password_inactive_days: \"none\" => \"30\"",
        ],
    )
    .await;
    check("ada", &[("password_max_days", (-1).into())], &["password_max_days: \"99999\" => \"none\""]).await;
    let key = "ssh_key: \"absent\" => \"/home/ada/.ssh/id_ed25519\"";
    check("ada", &[("ssh_key", true.into())], &[key]).await;
    let moved = [("ssh_key", Value::from(true)), ("home_dir", "/srv/ada".into()), ("move_dir", true.into())];
    check(
        "ada",
        &moved,
        &[
            "home_dir: \"/home/ada\" => \"/srv/ada\"",
            "ssh_key: \"absent\" => \"/srv/ada/.ssh/id_ed25519\"",
            "# the content of /home/ada moves to /srv/ada",
        ],
    )
    .await;
    let absent = [("state", Value::from("absent")), ("remove_home", true.into())];
    check(
        "ada",
        &absent,
        &[
            "state: \"present\" => \"absent\"",
            "remove_home: \"/home/ada\" => \"absent\"",
            "# /home/ada is removed with kept, notes",
        ],
    )
    .await;
    check("grace", &absent, &["state: \"present\" => \"absent\""]).await;
}

#[tokio::test]
async fn everything_of_a_new_user() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let fields = with_defaults(
        "new",
        &[
            ("shell", "/bin/bash".into()),
            ("gecos", "New,1".into()),
            ("groups", vec![Value::from("crew"), "team".into()].into()),
            ("password_hash", HASH.into()),
            ("password_on_create", true.into()),
            ("change_password", true.into()),
            ("password_max_days", 90.into()),
            ("lock", true.into()),
            ("system", true.into()),
            ("create_home", true.into()),
            ("ssh_key", true.into()),
        ],
    );
    insta::assert_snapshot!(apply::<UserPreparer>(&system, &fields).await, @r#"
    will change
    state: "absent" => "present"
    username: "" => "new"
    gecos: "" => "New,1"
    shell: "" => "/bin/bash"
    groups: "" => "crew, team"
    create_home: "absent" => "/home/new"
    password_hash: "none" => "(sensitive)"
    password_max_days: "" => "90"
    change_password: "false" => "true"
    ssh_key: "absent" => "/home/new/.ssh/id_ed25519"
    "#);
    assert_eq!(apply::<UserPreparer>(&system, &fields).await, "no change");
    let machine = model.machine();
    let shadow = String::from_utf8(machine.file("/etc/shadow").unwrap().to_vec()).unwrap();
    assert!(shadow.contains(&format!("\nnew:!{HASH}:")), "{shadow}");
    let user = machine.user("new").unwrap();
    assert_eq!((user.uid, &*user.comment, user.shell.to_str()), (999, "New,1", Some("/bin/bash")));
    let entry = |path: &str| machine.entry(path).map(|entry| (entry.uid, entry.mode));
    assert_eq!(entry("/home/new/.ssh"), Some((999, 0o700)));
    assert_eq!(entry("/home/new/.ssh/id_ed25519"), Some((999, 0o600)));
    assert_eq!(entry("/home/new/.ssh/id_ed25519.pub"), Some((999, 0o644)));
    // A password that somebody changed later stays.
    let (new_hash, old_hash) = (HASH.replace("$qJ", "$Qj"), HASH);
    let changed = machine.file("/etc/shadow").unwrap().to_vec();
    let changed = String::from_utf8(changed).unwrap().replace(old_hash, &new_hash);
    let write = WriteFile::new(changed.as_bytes());
    system.files().write(Path::new("/etc/shadow"), write).await.unwrap();
    assert_eq!(plan::<UserPreparer>(&system, &fields).await, "no change");
}

#[tokio::test]
async fn more_that_is_refused() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |name: &'static str, fields: Written<'_>, expect: &str| {
        let output = plan::<UserPreparer>(&system, &with_defaults(name, fields)).await;
        assert!(output.contains(expect), "{fields:?}: {output}");
    };
    let list = |name: &str| ("groups", Value::from(vec![Value::from(name)]));
    check("ada", &[list("ghosts")], "error: group \"ghosts\" does not exist").await;
    check("ada", &[list("a,b")], "error: groups: \"a,b\" is not the name of a group").await;
    check("ada", &[("exact_groups", true.into())], "requires `groups`").await;
    check("ada", &[("password_on_create", true.into())], "requires `password_hash`").await;
    check("ada", &[("change_password", true.into())], "requires `password_hash`").await;
    check("ada", &[("password_max_days", (-2).into())], "password_max_days").await;
    check("ada", &[("name", "A".into()), ("gecos", "A".into())], "mutually exclusive").await;
    check("ada", &[("shell", "bash".into())], "is not an absolute path").await;
    for field in ["new_username", "groupname", "name", "shell", "skel_dir", "home_dir"] {
        check("ada", &[(field, "".into())], &format!("`{field}` must not be empty")).await;
    }
    check("grace", &[("ssh_key", true.into())], "error: the home directory /home/grace does not exist").await;
}

#[tokio::test]
async fn a_link_in_the_place_of_the_folder_of_keys_is_not_followed() {
    let model = Arc::new(model().with_symlink("/home/ada/.ssh", "/etc").with_file("/etc/kept", ""));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let output = apply::<UserPreparer>(&system, &with_defaults("ada", &[("ssh_key", true.into())])).await;
    assert!(output.starts_with("error: ") && output.contains("/home/ada/.ssh"), "{output}");
    assert!(model.machine().entry("/etc/id_ed25519").is_none());
}

laws!(
    UserPreparer,
    start = model,
    beside = ("/etc/shadow", "the programs keep it"),
    beside = ("/home", "usermod gives the files of a user to the new id"),
    values = ("username", ["new", "ada"]),
    values = ("home_dir", ["/home/ada", "/home/moved"]),
    values = (
        "groups",
        [Vec::<String>::new(), vec!["team".to_owned()], vec!["crew".to_owned(), "team".to_owned()]]
    ),
    values = ("password_hash", [HASH, "*"]),
    values = ("new_username", ["newer"])
);
