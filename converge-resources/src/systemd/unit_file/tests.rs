use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Machine, ModelSystem, Output, System};

use super::UnitFilePreparer;
use super::name::{DropIn, UnitFileName};
use crate::systemd::model;
use crate::testing::{Written, apply, plan, plan_pending};

const FOLDER: &str = "/etc/systemd/system";
const UNIT: &str = "[Service]\nExecStart=/bin/true\n\n[Install]\nWantedBy=multi-user.target\n";

fn model() -> ModelSystem {
    model::booted().with_program(verify)
}

/// Returns a host with a running unit, whose files have changed since systemd read them.
fn runs() -> ModelSystem {
    model().with(|machine| {
        machine.put_file(format!("{FOLDER}/app.service"), "[Service]\nExecStart=/usr/sbin/app\n");
        model::systemctl_action(machine, "start", "app.service");
        machine.put_file(format!("{FOLDER}/app.service"), UNIT);
    })
}

fn verify(command: &Command, machine: &mut Machine) -> Option<Output> {
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    Some(match (command.program.as_str(), args.as_slice()) {
        ("systemd-analyze", ["verify", .., path]) if path.starts_with('/') => {
            let text = String::from_utf8_lossy(machine.file(path).unwrap_or_default()).into_owned();
            match text.lines().position(|line| line.starts_with("Bad")) {
                None => Output::success(""),
                // The message is that of systemd 252.
                Some(line_index) => Output::failure(
                    1,
                    format!(
                        "{path}:{}: Unknown key name 'Bad' in section 'Service', ignoring.\n",
                        line_index + 1
                    ),
                ),
            }
        }
        ("systemd-analyze", ["verify", ..]) => Output::success(""),
        _ => return None,
    })
}

#[test]
fn names() {
    let check = |text: &str, drop_in: Option<&str>, expect: &str| {
        let drop_in = drop_in.map(str::parse::<DropIn>).transpose();
        let actual = match (text.parse::<UnitFileName>(), drop_in) {
            (Ok(name), Ok(drop_in)) => name.path(drop_in.as_ref()).display().to_string(),
            (Err(error), _) | (_, Err(error)) => error,
        };
        assert_eq!(actual, expect, "{text} {drop_in:?}", drop_in = ());
    };
    check("app", None, "/etc/systemd/system/app.service");
    check("app.timer", None, "/etc/systemd/system/app.timer");
    check("app@", None, "/etc/systemd/system/app@.service");
    check("app@.socket", None, "/etc/systemd/system/app@.socket");
    check("app@one.socket", Some("10-more.conf"), "/etc/systemd/system/app@one.socket.d/10-more.conf");
    check("nginx", Some("limits"), "/etc/systemd/system/nginx.service.d/limits.conf");
    check("dev-sda.device", None, "\"dev-sda.device\" cannot have a file: systemd makes such units itself");
    let no_unit = "\"../app\" is not the name of a unit: `/` is not allowed in the name of a unit: escape it with `systemd-escape`";
    check("../app", None, no_unit);
    for name in ["../x", ".x", "", "a/b", "a b"] {
        let expect = format!(
            "{name:?} is not the name of a drop-in: it has letters, digits, `-`, `_` and `.`, and no dot first"
        );
        check("app", Some(name), &expect);
    }
}

fn unit(extra: Written<'_>) -> Vec<(&'static str, Value)> {
    [("unit", Value::from("app"))].into_iter().chain(extra.iter().cloned()).collect()
}

#[tokio::test]
async fn a_unit_is_made_changed_and_removed() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |more: Written<'_>, expect: &str| {
        let fields = unit(more);
        assert_eq!(apply::<UnitFilePreparer>(&system, &fields).await, expect, "{more:?}");
        assert_eq!(plan::<UnitFilePreparer>(&system, &fields).await, "no change");
    };
    let content = |text: &str| ("content", Value::from(text));
    let enabled = |enabled: bool| ("enabled", Value::from(enabled));
    check(
        &[content(UNIT), enabled(true)],
        &format!("will change\ncontent: \"absent\" => {UNIT:?}\nenabled: \"false\" => \"true\""),
    )
    .await;
    check(&[content(UNIT), enabled(false)], "will change\nenabled: \"true\" => \"false\"").await;
    check(&[content(UNIT)], "no change").await;
    let changed_unit = UNIT.replace("true", "false");
    check(&[content(&changed_unit)], &format!("will change\ncontent: {UNIT:?} => {changed_unit:?}")).await;
    assert_eq!(model.machine().entry("/etc/systemd/system/app.service").unwrap().mode, 0o644);
    check(&[content(&changed_unit), enabled(true)], "will change\nenabled: \"false\" => \"true\"").await;
    let absent = ("state", Value::from("absent"));
    check(&[absent], "will change\nstate: \"present\" => \"absent\"\nenabled: \"true\" => \"false\"").await;
    assert!(model.machine().entry("/etc/systemd/system/app.service").is_none());
}

#[tokio::test]
async fn sections_and_drop_ins() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let list = Value::List(vec!["".into(), "/bin/true".into()]);
    let service = Value::Map([("ExecStart".to_owned(), list)].into_iter().collect());
    let sections = Value::Map([("Service".to_owned(), service)].into_iter().collect());
    let fields = [("unit", Value::from("nginx")), ("drop_in", "start".into()), ("sections", sections)];
    apply::<UnitFilePreparer>(&system, &fields).await;
    assert_eq!(plan::<UnitFilePreparer>(&system, &fields).await, "no change");
    let machine = model.machine();
    let text = machine.file("/etc/systemd/system/nginx.service.d/start.conf").unwrap();
    assert_eq!(String::from_utf8_lossy(text), "[Service]\nExecStart=\nExecStart=/bin/true\n");
}

#[tokio::test]
async fn a_bad_one_is_not_placed() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let fields = unit(&[("content", Value::from("[Service]\nBad=1\n"))]);
    let output = apply::<UnitFilePreparer>(&system, &fields).await;
    assert!(
        output.ends_with(
            "error: `systemd-analyze verify` refuses it: app.service:2: Unknown key name 'Bad' in section 'Service', ignoring."
        ),
        "{output}"
    );
    assert!(model.machine().entry("/etc/systemd/system/app.service").is_none());
    let secret = unit(&[("content", Value::from("[Service]\nBad=hunter2\n").into_secret())]);
    let output = apply::<UnitFilePreparer>(&system, &secret).await;
    assert!(output.contains("may show the secret") && !output.contains("hunter2"), "{output}");
}

#[tokio::test]
async fn a_killed_run_is_finished() {
    let system: Arc<dyn System> = Arc::new(runs());
    let fields = unit(&[("content", Value::from(UNIT))]);
    let expect = "will change\nsystemd: \"has read an older file\" => \"has read the file\"";
    assert_eq!(apply::<UnitFilePreparer>(&system, &fields).await, expect);
    assert_eq!(plan::<UnitFilePreparer>(&system, &fields).await, "no change");
}

#[tokio::test]
async fn mistakes() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |more: Written<'_>, expect: &str| {
        let output = plan::<UnitFilePreparer>(&system, &unit(more)).await;
        assert_eq!(output, format!("error: {expect}"), "{more:?}");
    };
    check(&[], "content: write `content` or `sections`").await;
    check(
        &[("content", "[Service]\n".into()), ("enabled", true.into())],
        "enabled: a unit without a section `[Install]` cannot be enabled",
    )
    .await;
    check(
        &[("state", "absent".into()), ("enabled", true.into())],
        "enabled: a unit whose file is removed cannot be enabled",
    )
    .await;
    let without_verify: Arc<dyn System> = Arc::new(ModelSystem::new().with_file("/usr/bin/systemctl", ""));
    let fields = unit(&[("content", UNIT.into())]);
    let output = plan::<UnitFilePreparer>(&without_verify, &fields).await;
    assert_eq!(output, "error: systemd.unit.file is not supported on linux: systemd is not running");
    let empty: Arc<dyn System> = Arc::new(ModelSystem::new());
    let output = plan_pending::<UnitFilePreparer>(&empty, &fields).await;
    assert_eq!(output, "may change\n# there is no `systemctl` yet");
}

laws!(
    UnitFilePreparer,
    start = model,
    values = ("unit", ["app.service", "app.timer"]),
    values = ("content", [UNIT]),
);

/// The unit runs, because systemd keeps the files only of loaded units.
mod of_what_runs {
    use super::*;

    laws!(UnitFilePreparer, start = runs, values = ("unit", ["app.service"]), values = ("content", [UNIT]),);
}
