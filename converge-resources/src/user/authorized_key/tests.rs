use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{EntryKind, ModelSystem, System};

use super::AuthorizedKeyPreparer;
use crate::testing::{Written, apply, plan, plan_pending};
use crate::user::model::machine;
use crate::user::public_key::samples::{ONE, OTHER};

const FILE: &str = "/home/ada/.ssh/authorized_keys";

fn model() -> ModelSystem {
    machine().with_user("ada", 4100, 4100).with_dir("/home/ada").with_owner("/home/ada", 4100, 4100)
}

fn with_file(text: &str) -> ModelSystem {
    model().with_file(FILE, text).with_owner(FILE, 4100, 4100).with_mode(FILE, 0o664)
}

fn with_defaults(user: &str, fields: Written<'_>) -> Vec<(&'static str, Value)> {
    [("user", Value::from(user)), ("key", ONE.into())].into_iter().chain(fields.iter().cloned()).collect()
}

#[tokio::test]
async fn keys_of_a_user() {
    let check = async |start: ModelSystem, fields: Written<'_>, said: &str, expect: &str| {
        let model = Arc::new(start);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let shorten = |text: &str| text.replace(ONE, "ONE").replace(OTHER, "OTHER");
        let output = apply::<AuthorizedKeyPreparer>(&system, &with_defaults("ada", fields)).await;
        assert_eq!(shorten(&output), said, "{fields:?}");
        let text = model.machine().file(FILE).map(|bytes| String::from_utf8(bytes.to_vec()).unwrap());
        assert_eq!(shorten(&text.unwrap_or_default()), expect, "{fields:?}");
        if said != "no change" {
            let entry = |path: &str| model.machine().entry(path).map(|entry| (entry.uid, entry.mode));
            let mode = if output.contains("key: \"\" =>") { 0o600 } else { 0o644 };
            assert_eq!(entry(FILE), Some((4100, mode)), "{fields:?}");
        }
    };
    check(model(), &[], "will change\nkey: \"\" => \"ONE\"", "ONE\n").await;
    check(with_file(&format!("{ONE} ada\n")), &[], "no change", "ONE ada\n").await;
    let absent = ("state", Value::from("absent"));
    check(model(), std::slice::from_ref(&absent), "no change", "").await;
    check(
        with_file(&format!("{ONE} ada\n{OTHER}\n")),
        &[absent],
        "will change\nkey: \"ONE ada\" => \"\"",
        "OTHER\n",
    )
    .await;
    check(
        with_file(&format!("{ONE} ada\n{OTHER} grace\n")),
        &[
            ("exact", true.into()),
            ("comment", "lovelace".into()),
            ("options", vec![Value::from("no-pty")].into()),
        ],
        "will change\nkey: \"ONE ada\" => \"no-pty ONE lovelace\"\nother_keys: \"grace\" => \"\"",
        "no-pty ONE lovelace\n",
    )
    .await;
}

#[tokio::test]
async fn the_folder_belongs_to_the_user() {
    let model = Arc::new(model().with_file("/home/ada/.ssh.converge-tmp/left", ""));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    apply::<AuthorizedKeyPreparer>(&system, &with_defaults("ada", &[])).await;
    let entry = |path: &str| model.machine().entry(path).map(|entry| (entry.uid, entry.mode));
    assert_eq!(entry("/home/ada/.ssh"), Some((4100, 0o700)));
    assert_eq!(entry(FILE), Some((4100, 0o600)));
    assert_eq!(entry("/home/ada/.ssh.converge-tmp"), None);
    assert_eq!(entry("/home/ada/.ssh/left"), None);
}

#[tokio::test]
async fn what_cannot_be_written() {
    let check = async |model: ModelSystem, user: &str, expect: &str| {
        let model = Arc::new(model.with_file("/etc/kept", "root's"));
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let output = apply::<AuthorizedKeyPreparer>(&system, &with_defaults(user, &[])).await;
        assert!(output.starts_with("error: ") && output.contains(expect), "{output}");
        assert_eq!(model.machine().file("/etc/kept"), Some(&b"root's"[..]));
        assert!(model.machine().entry("/etc/authorized_keys").is_none());
    };
    check(model(), "ghost", "the user \"ghost\" does not exist").await;
    check(
        model().with(|machine| machine.remove("/home/ada")),
        "ada",
        "the home directory /home/ada of \"ada\"",
    )
    .await;
    check(model().with_symlink("/home/ada/.ssh", "/etc"), "ada", "/home/ada/.ssh").await;
    check(
        model().with_symlink(FILE, "/etc/kept"),
        "ada",
        "is not a regular file; symbolic links are not followed",
    )
    .await;
    check(model().with_file(FILE, [0xff, 0xfe]), "ada", "is not UTF-8 text").await;

    let system: Arc<dyn System> = Arc::new(model());
    let output = plan_pending::<AuthorizedKeyPreparer>(&system, &with_defaults("ghost", &[])).await;
    assert_eq!(output, "may change\n# the user \"ghost\" does not exist yet");
    let absent = with_defaults("ghost", &[("state", "absent".into())]);
    assert_eq!(plan::<AuthorizedKeyPreparer>(&system, &absent).await, "no change");
}

#[tokio::test]
async fn a_file_of_the_machine() {
    let path = "/etc/ssh/keys/ada";
    let model = Arc::new(model().with_dir("/etc/ssh/keys"));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let fields = with_defaults("ada", &[("file", path.into())]);
    apply::<AuthorizedKeyPreparer>(&system, &fields).await;
    let entry = model.machine().entry(path).unwrap();
    assert_eq!((entry.uid, entry.mode, entry.kind), (0, 0o644, EntryKind::File(format!("{ONE}\n").into())));
    let missing_file = with_defaults("ada", &[("file", "/etc/none/ada".into())]);
    let output = plan::<AuthorizedKeyPreparer>(&system, &missing_file).await;
    assert_eq!(output, "error: the directory /etc/none does not exist");
}

#[tokio::test]
async fn values_that_are_refused() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |field: &'static str, value: Value, expect: &str| {
        let mut fields = with_defaults("ada", &[]);
        fields.retain(|(name, _)| *name != field);
        fields.push((field, value));
        let output = plan::<AuthorizedKeyPreparer>(&system, &fields).await;
        assert!(
            output.starts_with(&format!("error: {field}")) && output.contains(expect),
            "{field}: {output}"
        );
    };
    check("key", "ssh-rsa hunter2".into(), "not a public key of SSH").await;
    check("options", vec![Value::from("from=x")].into(), "is not an option of a key").await;
    check("comment", "a\nb".into(), "is not a comment").await;
    check("file", "keys".into(), "is not an absolute path").await;
    check("user", "".into(), "").await;
}

laws!(
    AuthorizedKeyPreparer,
    start = || with_file(&format!("{OTHER} grace\n")).with_dir("/etc/ssh/keys"),
    beside = ("/home/ada/.ssh", "the file is in the folder of the user, which is made"),
    values = ("user", ["ada", "ghost"]),
    values = ("key", [ONE, OTHER]),
    values = ("options", [Vec::<String>::new(), vec!["no-pty".to_owned()]]),
    values = ("file", ["", "/etc/ssh/keys/ada"])
);
