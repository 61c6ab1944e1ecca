use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::KnownHostPreparer;
use crate::testing::{Written, apply, plan, plan_pending};
use crate::user::model::machine;
use crate::user::public_key::samples::{ONE, OTHER};

const OF_ALL: &str = "/etc/ssh/ssh_known_hosts";
const OF_ADA: &str = "/home/ada/.ssh/known_hosts";

fn model() -> ModelSystem {
    machine()
        .with_user("ada", 4100, 4100)
        .with_dir("/home/ada")
        .with_owner("/home/ada", 4100, 4100)
        .with_file(OF_ALL, format!("example.com {OTHER}\n"))
        .with_mode(OF_ALL, 0o644)
}

fn with_defaults(fields: Written<'_>) -> Vec<(&'static str, Value)> {
    let usual = [("host", Value::from("example.com")), ("key", ONE.into())];
    let others = usual.into_iter().filter(|(name, _)| fields.iter().all(|(field, _)| field != name));
    others.chain(fields.iter().cloned()).collect()
}

#[tokio::test]
async fn keys_of_a_machine() {
    let check = async |fields: Written<'_>, said: &str, path: &str, expect: &str| {
        let model = Arc::new(model());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let output = apply::<KnownHostPreparer>(&system, &with_defaults(fields)).await;
        assert_eq!(output.replace(ONE, "ONE").replace(OTHER, "OTHER"), said, "{fields:?}");
        let machine = model.machine();
        let text = String::from_utf8(machine.file(path).unwrap_or_default().to_vec()).unwrap();
        assert_eq!(text.replace(ONE, "ONE").replace(OTHER, "OTHER"), expect, "{fields:?}");
        if path == OF_ADA {
            assert_eq!(machine.entry(path).map(|entry| (entry.uid, entry.mode)), Some((4100, 0o600)));
        }
    };
    let absent = || ("state", Value::from("absent"));
    let changed = "will change\nexample.com: \"OTHER\" => \"ONE\"";
    check(&[], changed, OF_ALL, "example.com ONE\n").await;
    check(&[absent()], "no change", OF_ALL, "example.com OTHER\n").await;
    let removal = "will change\nexample.com: \"OTHER\" => \"\"";
    check(&[("key", OTHER.into()), absent()], removal, OF_ALL, "").await;
    let addition = "will change\nexample.com: \"\" => \"ONE\"";
    check(&[("user", "ada".into())], addition, OF_ADA, "example.com ONE\n").await;
    check(&[("file", "/etc/ssh/other".into())], addition, "/etc/ssh/other", "example.com ONE\n").await;
}

#[tokio::test]
async fn what_is_in_the_way() {
    let check = async |model: ModelSystem, fields: Written<'_>, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        let output = plan::<KnownHostPreparer>(&system, &with_defaults(fields)).await;
        assert!(output.starts_with("error: ") && output.contains(expect), "{fields:?}: {output}");
    };
    check(
        model().with_file(OF_ALL, format!("@revoked * {ONE}\n")),
        &[],
        "line 1 says that this key is revoked",
    )
    .await;
    check(model(), &[("user", "ghost".into())], "the user \"ghost\" does not exist").await;
    check(model(), &[("user", "".into())], "`user` must not be empty").await;
    check(model(), &[("file", "/none/known".into())], "the directory /none does not exist").await;
    check(model(), &[("host", "*.example.com".into())], "is not a name or address of a machine").await;
    check(model(), &[("key", "x".into())], "not a public key of SSH").await;
    check(
        model().with_symlink(OF_ADA, OF_ALL),
        &[("user", "ada".into())],
        "is not a regular file; symbolic links are not followed",
    )
    .await;
    let system: Arc<dyn System> = Arc::new(model());
    let output =
        plan_pending::<KnownHostPreparer>(&system, &with_defaults(&[("user", "ghost".into())])).await;
    assert_eq!(output, "may change\n# the user \"ghost\" does not exist yet");
}

laws!(
    KnownHostPreparer,
    start = model,
    beside = ("/home/ada/.ssh", "the file is in the folder of the user, which is made"),
    beside = (OF_ALL, "where neither a user nor a file is named"),
    values = ("host", ["example.com", "[example.com]:2222"]),
    values = ("key", [ONE, OTHER]),
    values = ("user", ["ada", "ghost"]),
    values = ("file", ["", "/etc/ssh/other"])
);
