//! Tests of the user that runs scripts.

use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Follow, ModelSystem, Output, RunAs, System};

use crate::shell::query::QueryPreparer;
use crate::shell::script::ScriptPreparer;
use crate::shell::wait::WaitPreparer;
use crate::testing::{Written, apply, local, plan, plan_pending};

/// Returns a host with users, on which every program succeeds.
fn machine() -> ModelSystem {
    ModelSystem::new()
        .with_user("web", 1200, 1200)
        .with_group("web", 1200)
        .with_group("log", 1300)
        .with_dir("/home/web")
        .with_user("homeless", 1201, 1200)
        .with_program(|_, _| Some(Output::success("")))
}

/// Returns the command that a plan of `task` runs.
async fn command(fields: Written<'_>) -> Command {
    let model = Arc::new(machine());
    let fields: Vec<_> = fields.iter().cloned().chain([("check", Value::from("true"))]).collect();
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    assert_eq!(plan::<ScriptPreparer>(&system, &fields).await, "no change");
    model.commands().pop().unwrap()
}

#[tokio::test]
async fn a_script_has_the_user_and_the_environment_that_are_said() {
    let check = async |written: Written<'_>, user: Option<(&str, u32, u32, &[u32])>, env: &str, dir: &str| {
        let command = command(written).await;
        let expect = user.map(|(name, uid, gid, groups)| RunAs {
            name: name.to_owned(),
            uid,
            gid,
            groups: groups.to_vec(),
        });
        assert_eq!(command.run_as, expect, "{written:?}");
        let variables: Vec<_> = command.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cleared = if command.clear_env { "only " } else { "" };
        assert_eq!(format!("{cleared}{}", variables.join(" ")), env, "{written:?}");
        assert_eq!(command.dir.unwrap_or_default().to_str(), Some(dir), "{written:?}");
    };
    let user = || ("user", Value::from("web"));
    let environment = "HOME=/home/web LOGNAME=web SHELL=/bin/sh USER=web";
    let path = "PATH=/usr/local/bin:/usr/bin:/bin";
    let web = Some(("web", 1200, 1200, [1200].as_slice()));
    check(&[], None, "", "").await;
    check(&[user()], web, &format!("only {environment} {path}"), "/home/web").await;
    check(&[user(), ("clear_env", false.into())], web, environment, "/home/web").await;
    let root_path = "only PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    check(&[("clear_env", true.into())], None, root_path, "").await;
    check(
        &[user(), ("run_group", "log".into())],
        Some(("web", 1200, 1300, &[1200, 1300])),
        &format!("only {environment} {path}"),
        "/home/web",
    )
    .await;
    let env = super::env(&[("PATH", "/opt"), ("HOME", "/x")]);
    check(
        &[user(), ("env", env), ("dir", "/home".into())],
        web,
        "only PATH=/opt HOME=/x LOGNAME=web SHELL=/bin/sh USER=web",
        "/home",
    )
    .await;
    let homeless = command(&[("user", "homeless".into())]).await;
    assert_eq!(homeless.dir.as_deref(), Some("/".as_ref()));
}

#[tokio::test]
async fn who_is_not_there() {
    let system: Arc<dyn System> = Arc::new(machine());
    let check = async |written: Written<'_>, expect: &str, pending: &str| {
        let fields_with = |name: &'static str| {
            written.iter().cloned().chain([(name, Value::from("true"))]).collect::<Vec<_>>()
        };
        let outputs = [
            plan::<ScriptPreparer>(&system, &fields_with("check")).await,
            plan::<QueryPreparer>(&system, &fields_with("query")).await,
            plan::<WaitPreparer>(&system, &fields_with("check")).await,
            apply::<ScriptPreparer>(&system, &fields_with("check")).await,
        ];
        assert_eq!(outputs, [expect; 4], "{written:?}");
        let outputs = [
            plan_pending::<ScriptPreparer>(&system, &fields_with("check")).await,
            plan_pending::<QueryPreparer>(&system, &fields_with("query")).await,
            plan_pending::<WaitPreparer>(&system, &fields_with("check")).await,
        ];
        assert_eq!(outputs, [pending; 3], "{written:?}");
    };
    check(
        &[("user", "ghost".into())],
        "error: user \"ghost\" does not exist",
        "may change\n# the user \"ghost\" does not exist yet",
    )
    .await;
    check(
        &[("user", "web".into()), ("run_group", "ghosts".into())],
        "error: group \"ghosts\" does not exist",
        "may change\n# the group \"ghosts\" does not exist yet",
    )
    .await;
    let alone = "error: run_group: `run_group` requires `user`";
    let output =
        plan::<ScriptPreparer>(&system, &[("check", "true".into()), ("run_group", "web".into())]).await;
    assert!(output.starts_with(alone), "{output}");
}

/// Only a real kernel can verify the change of user.
///
/// `tests/tenants.rs` of the core has more such tests, and reports if they were skipped.
#[tokio::test]
async fn the_change_of_user_is_real() {
    let metadata = local().files().metadata("/proc/self".as_ref(), Follow::Links).await.unwrap();
    if metadata.is_none_or(|metadata| metadata.uid != 0) {
        return;
    }
    let script = "[ \"$(id -un)/$USER/$PWD\" = nobody/nobody// ]";
    let fields = [("check", Value::from(script)), ("user", "nobody".into())];
    assert_eq!(plan::<ScriptPreparer>(&local(), &fields).await, "no change");
    let fields = [("check", Value::from("[ -z \"$CARGO_PKG_NAME\" ]")), ("user", "nobody".into())];
    assert_eq!(plan::<ScriptPreparer>(&local(), &fields).await, "no change");
}
