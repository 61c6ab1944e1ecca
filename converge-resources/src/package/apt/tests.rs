mod lists;
pub(in crate::package) mod model;
mod upgrades;

use std::sync::Arc;
use std::time::Duration;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::RunId;
use converge_sdk::prelude::*;
use converge_sdk::system::{Command, ModelSystem, System, WriteFile};

use super::AptPreparer;
use crate::testing::{Written, apply, context, obeys_the_laws, plan, plan_pending, prepare, show};
use model::{EXTENDED_STATES, LIST, automatic, machine};

fn named(name: &str, extra: Written<'_>) -> Vec<(&'static str, Value)> {
    [("name", Value::from(name))].into_iter().chain(extra.iter().cloned()).collect()
}

fn list(names: &[&str]) -> Value {
    Value::List(names.iter().map(|name| Value::from(*name)).collect())
}

/// Returns a host with these packages in the database of dpkg.
fn with(packages: &[(&str, &str)]) -> ModelSystem {
    packages
        .iter()
        .fold(machine(), |machine, (name, state)| machine.with_file(format!("/model/dpkg/{name}"), *state))
}

/// Returns the calls that change something, without the options that are always there.
fn calls(model: &ModelSystem) -> Vec<String> {
    let is_change = |command: &Command| {
        ["apt-get", "apt-mark", "dpkg"].contains(&command.program.as_str())
            && !command.args.contains(&"--simulate".to_owned())
    };
    let command_line = |command: &Command| {
        let from = command
            .args
            .iter()
            .position(|arg| ["install", "update", "upgrade"].contains(&arg.as_str()))
            .unwrap_or(0);
        command.args[from..]
            .iter()
            .filter(|arg| *arg != "--fix-broken")
            .cloned()
            .collect::<Vec<_>>()
            .join(" ")
    };
    model.commands().iter().filter(|command| is_change(command)).map(command_line).collect()
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(with(&[
        ("liba", "install installed 1.0"),
        ("old", "deinstall config-files 1.0"),
        ("half", "install half-configured 1.0"),
        ("fixed", "hold installed 1.0"),
    ]));
    let check = async |name: &str, more: Written<'_>, expect: &str| {
        assert_eq!(plan::<AptPreparer>(&system, &named(name, more)).await, expect, "{name} {more:?}");
    };
    let absent = ("state", Value::from("absent"));
    check("liba", &[], "no change").await;
    check("liba", &[("version", "1.0".into())], "no change").await;
    check("liba=0:1.0", &[], "no change").await;
    check("hello", &[], "will change\nhello: \"absent\" => \"present\"").await;
    check("hello=1.0", &[], "will change\nhello: \"absent\" => \"1.0\"").await;
    check("hello", &[("version", "1.0".into())], "will change\nhello: \"absent\" => \"1.0\"").await;
    check("hello", std::slice::from_ref(&absent), "no change").await;
    check("nobody-knows-it", std::slice::from_ref(&absent), "no change").await;
    check("old", std::slice::from_ref(&absent), "no change").await;
    check(
        "old",
        &[absent.clone(), ("purge", true.into())],
        "will change\nold: \"only its configuration\" => \"absent\"",
    )
    .await;
    check(
        "half",
        std::slice::from_ref(&absent),
        "will change\nhalf: \"1.0 (half-configured)\" => \"absent\"",
    )
    .await;
    check("fixed", &[], "no change").await;
    let hold_error = "error: fixed is on hold, so it is not changed: `apt-mark unhold fixed` releases it";
    // A module that declares a hold may change packages on hold.
    let decided = |hold: bool| ("hold", Value::from(hold));
    check("fixed", &[decided(true)], "no change").await;
    check("fixed", &[decided(false)], "will change\nfixed is: \"on hold\" => \"not on hold\"").await;
    check("liba", &[decided(false)], "no change").await;
    check("liba", &[decided(true)], "will change\nliba is: \"not on hold\" => \"on hold\"").await;
    let both_changes = "hello: \"absent\" => \"present\"\nhello is: \"not on hold\" => \"on hold\"";
    check("hello", &[decided(true)], &format!("will change\n{both_changes}")).await;
    check("hello", &[decided(true), absent.clone()], "error: hold: an absent package cannot be on hold")
        .await;
    check("fixed", &[absent], &format!("can't change\nfixed: \"present\" => \"absent\"\n{hold_error}")).await;
    check("fixed=2.0", &[], &format!("can't change\nfixed: \"1.0\" => \"2.0\"\n{hold_error}")).await;
}

#[tokio::test]
async fn what_comes_along_is_told_and_what_goes_is_a_difference() {
    let system: Arc<dyn System> = Arc::new(machine());
    assert_eq!(
        plan::<AptPreparer>(&system, &named("appa", &[])).await,
        "will change\nappa: \"absent\" => \"present\"\n# also installs liba 1.0"
    );
    let model = with(&[("liba", "install installed 1.0"), ("appa", "install installed 1.0")]);
    let system: Arc<dyn System> = Arc::new(model);
    assert_eq!(
        plan::<AptPreparer>(&system, &named("liba", &[("state", "absent".into())])).await,
        "will change\nliba: \"present\" => \"absent\"\nappa: \"1.0\" => \"absent\""
    );
}

#[tokio::test]
async fn what_apt_does_not_have() {
    let model = machine().with_file(LIST, "").with_file("/model/new/soon", "1.0");
    // These lists were fetched before this run.
    model.advance(Duration::from_secs(1));
    let system: Arc<dyn System> = Arc::new(model);
    let unknown = |name: &str| {
        format!(
            "apt knows no package {name:?}: check the spelling, the repositories in /etc/apt, and whether their lists are up to date (`update = true` fetches them)"
        )
    };
    let differs =
        |level: &str, name: &str, wanted: &str| format!("{level}\n{name}: \"absent\" => {wanted:?}");
    let check = async |name: &str, more: Written<'_>, expect: String| {
        assert_eq!(plan::<AptPreparer>(&system, &named(name, more)).await, expect, "{name} {more:?}");
    };
    let cannot = |name: &str| differs("can't change", name, "present");
    check("soon", &[], format!("{}\nerror: {}", cannot("soon"), unknown("soon"))).await;
    check(
        "hello=3.0",
        &[],
        format!(
            "{}\nerror: apt knows no version \"3.0\" of \"hello\": it knows 2.0, 1.0",
            differs("can't change", "hello", "3.0")
        ),
    )
    .await;
    check(
        "vmail",
        &[],
        format!(
            "{}\nerror: \"vmail\" is a virtual package, which is never installed itself: name the package that provides \
             it, mta",
            cannot("vmail")
        ),
    )
    .await;
    let change = differs("will change", "soon", "present");
    let first =
        format!("{change}\n# the lists of packages are fetched first, as apt knows no package \"soon\" yet");
    check("soon", &[("update", true.into())], first).await;
    assert_eq!(
        plan_pending::<AptPreparer>(&system, &named("soon", &[])).await,
        format!(
            "{}\n# apt cannot tell yet what that takes: {}",
            differs("may change", "soon", "present"),
            unknown("soon")
        )
    );
}

#[tokio::test]
async fn a_machine_without_apt() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let reason = "there is no dpkg-query, which Debian and its relatives have";
    let output = plan::<AptPreparer>(&system, &named("hello", &[])).await;
    assert!(
        output.starts_with("error: package.apt is not supported on ") && output.ends_with(reason),
        "{output}"
    );
    let output = plan_pending::<AptPreparer>(&system, &named("hello", &[])).await;
    assert_eq!(output, "may change\n# dpkg-query does not exist yet");
}

#[tokio::test]
async fn fields() {
    let system: Arc<dyn System> = Arc::new(machine());
    let check = async |written: Written<'_>, expect: &str| {
        let output = plan::<AptPreparer>(&system, written).await;
        assert!(output.contains(expect), "{written:?}: {output}");
    };
    check(&[("name", list(&[]))], "error: name: `name` must not be empty").await;
    check(&[("name", "".into())], "error: name: \"\" is not the name of a Debian package").await;
    check(&[("name", list(&["hello", "Hi"]))], "error: name[1]: \"Hi\" is not the name of a Debian package")
        .await;
    check(&[("name", list(&["hello", "hello=1.0"]))], "error: name[1]: hello is named twice").await;
    let version = ("version", Value::from("1.0"));
    check(&[("name", list(&["hello", "liba"])), version.clone()], "error: version: it is for one package")
        .await;
    check(&[("name", "hello=1.0".into()), version.clone()], "error: version: `name` has a version already")
        .await;
    check(
        &[("name", "hello".into()), version, ("state", "absent".into())],
        "error: state: an absent package",
    )
    .await;
    check(&[("names", list(&["hello", "liba"]))], "will change\nhello: \"absent\" => \"present\"\nliba:")
        .await;
}

#[tokio::test]
async fn exports() {
    let cx = context(Arc::new(with(&[("liba", "install installed 1.0")])), RunMode::Plan);
    let check = async |name: Value, expect: [Value; 3]| {
        let mut task = prepare::<AptPreparer>(&cx, &[("name", name)]).await.unwrap();
        show(&task.check(&cx, &FakeRenderer::new()).await);
        let exports = task.exports();
        let actual = ["name", "state", "version"].map(|name| exports.get(&[name]).cloned().unwrap());
        assert_eq!(actual, expect);
    };
    check("liba".into(), ["liba".into(), "present".into(), "1.0".into()]).await;
    check("hello".into(), ["hello".into(), "present".into(), Value::Null]).await;
    let versions = Value::List(vec!["1.0".into(), Value::Null]);
    check(list(&["liba", "hello=1.0"]), [list(&["liba", "hello=1.0"]), "present".into(), versions]).await;
}

#[tokio::test]
async fn laws() {
    let check = async |machine: fn() -> ModelSystem, fields: Written<'_>| {
        obeys_the_laws::<AptPreparer>(machine, fields).await;
    };
    check(machine, &named("hello", &[])).await;
    check(machine, &named("appa", &[("update", true.into()), ("recommends", false.into())])).await;
    check(machine, &[("name", list(&["hello=1.0", "appa"]))]).await;
    check(|| with(&[("hello", "install installed 2.0")]), &named("hello=1.0", &[])).await;
    check(|| with(&[("hello", "install half-configured 2.0")]), &named("hello", &[])).await;
    check(|| with(&[("hello", "install installed 2.0")]), &named("hello", &[("state", "absent".into())]))
        .await;
    let purge = [("state", "absent".into()), ("purge", true.into())];
    check(|| with(&[("hello", "deinstall config-files 2.0")]), &named("hello", &purge)).await;
}

/// Applies resources together, and returns the result of each.
async fn apply_batch(model: &Arc<ModelSystem>, members: &[Vec<(&'static str, Value)>]) -> Vec<String> {
    let cx = context(Arc::clone(model) as _, RunMode::Apply);
    let mut tasks = Vec::new();
    for fields in members {
        let mut task = prepare::<AptPreparer>(&cx, fields).await.unwrap();
        task.check(&cx, &FakeRenderer::new()).await.unwrap();
        tasks.push(task);
    }
    let mut batch: Vec<_> = tasks.iter_mut().collect();
    Batch::apply_batch(&mut batch, &cx).await.iter().map(show).collect()
}

#[tokio::test]
async fn a_batch_is_one_transaction_and_only_the_guilty_fail() {
    let check = async |names: &[&str], expect: &[&str], expect_calls: &[&str]| {
        let model =
            Arc::new(machine().with_file(LIST, "").with_file("/model/dpkg/liba", "install installed 1.0"));
        let members: Vec<_> = names
            .iter()
            .map(|name| match name.strip_prefix('-') {
                Some(name) => named(name, &[("state", "absent".into())]),
                None => named(name, &[]),
            })
            .collect();
        assert_eq!(apply_batch(&model, &members).await, expect, "{names:?}");
        assert_eq!(calls(&model), expect_calls, "{names:?}");
    };
    check(&["hello", "mta", "-liba"], &["no change"; 3], &["install -- hello mta liba-"]).await;
    let failed = "error: dpkg failed with bad: its script failed";
    let despite = "no change\nwarning: this was done, but apt-get failed with other packages: dpkg failed with bad: its \
                   script failed";
    check(&["hello", "bad", "mta"], &[despite, failed, despite], &["install -- hello bad mta"]).await;
    check(&["bad"], &[failed], &["install -- bad"]).await;
    let unknown = "error: apt knows no package \"gone\": check the spelling, the repositories in /etc/apt, and whether their lists are up to date (`update = true` fetches them)";
    check(&["hello", "gone"], &["no change", unknown], &["install -- hello"]).await;
}

#[tokio::test]
async fn a_batch_removes_only_what_the_checks_have_shown() {
    let model = Arc::new(with(&[("liba", "install installed 1.0")]));
    let cx = context(Arc::clone(&model) as _, RunMode::Apply);
    let fields = named("liba", &[("state", "absent".into())]);
    let mut task = prepare::<AptPreparer>(&cx, &fields).await.unwrap();
    task.check(&cx, &FakeRenderer::new()).await.unwrap();
    // Another process installs a dependent package after the check.
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    apply::<AptPreparer>(&system, &named("appa", &[])).await;
    let output = show(&task.apply(&cx).await);
    assert!(
        output.starts_with("error: this would also remove appa, which the check did not show"),
        "{output}"
    );
    assert_eq!(calls(&model), ["install -- appa"]);
}

#[tokio::test]
async fn lists_are_fetched_once_in_a_run() {
    let model =
        Arc::new(machine().with_file("/model/new/soon", "1.0").with_file("/etc/apt/sources.list", ""));
    let update = ("update", Value::from(true));
    let run = || context(Arc::clone(&model) as _, RunMode::Apply);
    let apply = async |cx: &Context, name: &str| {
        let mut task = prepare::<AptPreparer>(cx, &named(name, std::slice::from_ref(&update))).await.unwrap();
        crate::testing::apply_task(cx, &mut task).await;
    };
    let first = run();
    apply(&first, "soon").await;
    apply(&first, "hello").await;
    // A resource of the same run adds a repository.
    model.advance(Duration::from_secs(1));
    model.files().create_dir("/etc/apt/sources.list.d".as_ref(), 0o755).await.unwrap();
    apply(&first, "appa").await;
    model.advance(Duration::from_secs(1));
    apply(&run(), "mta").await;
    let calls = calls(&model);
    let commands: Vec<&str> = calls.iter().map(|call| call.split(" -o").next().unwrap()).collect();
    let expect = [
        "update",
        "install -- soon",
        "install -- hello",
        "update",
        "install -- appa",
        "update",
        "install -- mta",
    ];
    assert_eq!(commands, expect);
}

#[tokio::test]
async fn lists_are_fetched_where_there_are_none_and_something_needs_them() {
    let check = async |file: &str, name: &str, more: Written<'_>, expect: &[&str]| {
        let model = Arc::new(machine().with_file(file, "").with_file("/model/new/soon", "1.0"));
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        apply::<AptPreparer>(&system, &named(name, more)).await;
        let calls = calls(&model);
        let commands: Vec<&str> = calls.iter().map(|call| call.split(" -o").next().unwrap()).collect();
        assert_eq!(commands, expect, "{file} {name} {more:?}");
    };
    check("/etc/hostname", "soon", &[], &["update", "install -- soon"]).await;
    check("/var/lib/apt/lists/lock", "soon", &[], &["update", "install -- soon"]).await;
    check(LIST, "soon", &[], &[]).await;
    // Packages from other sources need no lists.
    check("/etc/hostname", "hello", &[], &["install -- hello"]).await;
    check("/etc/hostname", "soon", &[("update", false.into())], &[]).await;
    check("/etc/hostname", "soon", &[("state", "absent".into())], &[]).await;
}

#[tokio::test]
async fn lists_are_fetched_when_they_are_old() {
    let check = async |older: u64, changed_after: Option<&str>, expect: bool| {
        let model =
            Arc::new(machine().with_file("/var/lib/apt/lists/x", "").with_file("/etc/apt/sources.list", ""));
        model.files().create_dir("/etc/apt/sources.list.d".as_ref(), 0o755).await.unwrap();
        model.advance(Duration::from_secs(older));
        if let Some(path) = changed_after {
            let write = WriteFile::new(b"deb");
            model.files().write(path.as_ref(), write).await.unwrap();
        }
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        apply::<AptPreparer>(&system, &named("hello", &[("cache_valid_time", "1h".into())])).await;
        assert_eq!(calls(&model)[0].starts_with("update"), expect, "{older} {changed_after:?}");
    };
    check(3600, None, false).await;
    check(3601, None, true).await;
    check(60, Some("/etc/apt/sources.list.d/x.sources"), true).await;
    check(60, Some("/etc/apt/sources.list"), true).await;
    check(60, Some("/etc/apt/apt.conf"), false).await;
}

#[tokio::test]
async fn lists_that_cannot_be_fetched() {
    let model = Arc::new(machine().with_file("/model/unreachable", ""));
    let update = ("update", Value::from(true));
    let outputs = apply_batch(&model, &[named("hello", &[update]), named("mta", &[])]).await;
    let failed = "error: apt could not fetch http://repository/InRelease: connection refused";
    assert_eq!(outputs, [failed, "no change"]);
}

#[tokio::test]
async fn locks_are_waited_for() {
    let check = async |held: &str, timeout: Option<&str>, expect: &str, waited: u64| {
        let model = Arc::new(machine().with_file("/model/lock", held).with_flowing_time());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let before = model.machine().now();
        let timeout = timeout.map(|timeout| ("lock_timeout", Value::from(timeout)));
        let output = apply::<AptPreparer>(&system, &named("hello", timeout.as_slice())).await;
        assert_eq!(output, format!("will change\nhello: \"absent\" => \"present\"{expect}"));
        assert_eq!(model.machine().now().duration_since(before).unwrap(), Duration::from_secs(waited));
    };
    check("0", None, "", 0).await;
    check("299", None, "", 299).await;
    let timeout_message = |after: &str| {
        format!(
            "\nerror: process 7 (aptitude) has held the lock /var/lib/dpkg/lock-frontend for more than {after}: end it, or \
             give it more time with `lock_timeout`"
        )
    };
    check("9999", None, &timeout_message("300s"), 300).await;
    check("9999", Some("2s"), &timeout_message("2s"), 2).await;
    check("9999", Some("0s"), &timeout_message("0ns"), 0).await;
}

#[tokio::test]
async fn a_cancelled_run_waits_for_no_lock() {
    let model = Arc::new(machine().with_file("/model/lock", "9999"));
    let cx = Context::new(model as _, RunId::new("test"), RunMode::Apply);
    let mut task = prepare::<AptPreparer>(&cx, &named("hello", &[])).await.unwrap();
    task.check(&cx, &FakeRenderer::new()).await.unwrap();
    cx.cancellation().cancel();
    assert_eq!(show(&task.apply(&cx).await), "error: cancelled");
}

#[tokio::test]
async fn nothing_can_ask() {
    let model = Arc::new(machine().with_env("PATH", "/usr/bin:/sbin"));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    apply::<AptPreparer>(&system, &named("hello=1.0", &[("recommends", false.into())])).await;
    let commands = model.commands();
    let install = commands
        .iter()
        .find(|command| command.program == "apt-get" && command.args[2] != "--simulate")
        .unwrap();
    insta::assert_snapshot!(install.args.join(" "), @"-y -q -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold install --fix-broken --no-install-recommends --allow-downgrades -- hello=1.0");
    assert_eq!(install.env["DEBIAN_FRONTEND"], "noninteractive");
    assert_eq!(install.env["PATH"], "/usr/bin:/sbin:/usr/local/sbin:/usr/sbin");
    assert!(install.stdin.is_empty());
}

laws!(
    AptPreparer,
    start = machine,
    start = || with(&[("hello", "install installed 2.0")]),
    start = || with(&[("hello", "install half-configured 2.0")]),
    start = || with(&[("hello", "hold installed 2.0"), ("liba", "hold installed 1.0")]),
    start = || with(&[("hello", "install installed 1.0"), ("liba", "install installed 1.0")])
        .with_file(EXTENDED_STATES, automatic("liba")),
    values = ("name", ["hello", "appa", "hello=1.0", "bad"]),
    values = ("file", ["/srv/hello.deb", "/srv/none.deb"]),
    values = ("hash", ["00"]),
    values = ("options", [Vec::<String>::new(), vec!["--target-release=sid".to_owned()]]),
    beside = ("/var", "apt keeps its lists there"),
    beside = ("/model", "what apt and dpkg have, dependencies among it"),
    values = ("version", ["1.0"])
);
