use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Machine, ModelSystem, Output, System};

use super::FirewalldPreparer;
use crate::testing::{Written, apply, assert_refused, plan, plan_pending};

/// Returns a host with a model of firewalld that is sufficient to test the decisions of the resource.
///
/// The elements of zones are lines `KIND=VALUE`: the current ones in `/model/now/ZONE` and the permanent ones
/// in `/model/kept/ZONE`. The model runs while `/model/running` exists. Tests on hosts cover the real
/// firewalld.
fn stopped() -> ModelSystem {
    let zone = "service=ssh\nservice=dhcpv6-client\n";
    ModelSystem::new()
        .with_file("/model/kept/public", zone)
        .with_file("/model/kept/trusted", "target=ACCEPT\n")
        .with_file("/model/kept/drop", "target=DROP\n")
        .with_file("/model/now/public", zone)
        .with_file("/model/now/trusted", "")
        .with_file("/model/now/drop", "")
        .with_program(answer)
}

fn machine() -> ModelSystem {
    stopped().with_file("/model/running", "")
}

fn read(machine: &Machine, path: &str) -> Option<String> {
    Some(String::from_utf8_lossy(machine.file(path)?).into_owned())
}

fn answer(command: &Command, machine: &mut Machine) -> Option<Output> {
    let is_offline = match command.program.as_str() {
        "firewall-cmd" => false,
        "firewall-offline-cmd" => true,
        _ => return None,
    };
    let is_running = machine.file("/model/running").is_some();
    let mut args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    if args == ["--state"] {
        return Some(if is_running {
            Output::success("running\n")
        } else {
            Output::failure(252, "not running\n")
        });
    }
    if is_offline == is_running {
        return Some(Output::failure(252, "FirewallD is not running\n"));
    }
    let is_kept = is_offline || args.first() == Some(&"--permanent");
    args.retain(|arg| *arg != "--permanent");
    if let ["--info-service=nothere"] = args.as_slice() {
        return Some(Output::failure(101, "Error: INVALID_SERVICE: nothere\n"));
    }
    let zone = args.iter().find_map(|arg| arg.strip_prefix("--zone=")).unwrap_or("public");
    let path = format!("/model/{}/{zone}", if is_kept { "kept" } else { "now" });
    let Some(text) = read(machine, &path) else {
        return Some(Output::failure(112, format!("Error: INVALID_ZONE: {zone}\n")));
    };
    let lines = |kind: &str| -> Vec<String> {
        text.lines()
            .filter_map(|line| line.strip_prefix(kind)?.strip_prefix('='))
            .map(str::to_owned)
            .collect()
    };
    let option = *args.last()?;
    let (verb, setting) = option.trim_start_matches("--").split_once('-').unwrap_or_default();
    let setting = if setting.contains('=') { setting.to_owned() } else { format!("{setting}=") };
    Some(match (verb, option) {
        (_, "--get-target") => {
            Output::success(lines("target").first().cloned().unwrap_or_else(|| "default".into()))
        }
        (_, "--list-services") => Output::success(lines("service").join(" ")),
        (_, "--list-ports") => Output::success(lines("port").join(" ")),
        (_, "--list-rich-rules") => Output::success(lines("rich-rule").join("\n")),
        ("info", _) => Output::success(""),
        ("query", _) if text.lines().any(|line| line == setting) => Output::success("yes\n"),
        ("query", _) => Output::failure(1, "no\n"),
        ("add", _) if !is_kept && machine.fact("now") == Some("refused") => {
            Output::failure(13, "Error: COMMAND_FAILED\n")
        }
        ("add", _) => {
            machine.put_file(path, format!("{text}{setting}\n"));
            Output::success("success\n")
        }
        _ => {
            let others = text.lines().filter(|line| *line != setting);
            let rest_of_lines = others.fold(String::new(), |kept, line| {
                kept + line
                    + "
"
            });
            machine.put_file(path, rest_of_lines);
            Output::success("success\n")
        }
    })
}

#[tokio::test]
async fn parts_of_a_zone() {
    let check = async |model: ModelSystem, written: Written<'_>, said: &str, kept: &str, now: &str| {
        let model = Arc::new(model);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        assert!(apply::<FirewalldPreparer>(&system, written).await.starts_with(said), "{written:?}");
        let repeat = plan::<FirewalldPreparer>(&system, written).await;
        assert!(repeat.starts_with("no change"), "{written:?}: {repeat}");
        let machine = model.machine();
        let start = "service=ssh\nservice=dhcpv6-client\n";
        assert_eq!(read(&machine, "/model/kept/public").unwrap(), format!("{start}{kept}"), "{written:?}");
        assert_eq!(read(&machine, "/model/now/public").unwrap(), format!("{start}{now}"), "{written:?}");
    };
    let creation = "will change\npermanent: \"absent\" => \"present\"\nimmediate: \"absent\" => \"present\"";
    let port = [("port", Value::from("8000-8100/tcp")), ("zone", "public".into())];
    check(machine(), &port, creation, "port=8000-8100/tcp\n", "port=8000-8100/tcp\n").await;
    let permanent_only = "will change\npermanent: \"absent\" => \"present\"";
    check(stopped(), &port, permanent_only, "port=8000-8100/tcp\n", "").await;
    let service = [("service", Value::from("https")), ("immediate", false.into())];
    check(machine(), &service, permanent_only, "service=https\n", "").await;
    let masquerade = [("masquerade", Value::from(true)), ("permanent", false.into())];
    check(machine(), &masquerade, "will change\nimmediate: ", "", "masquerade=\n").await;
    let rule = "rule family=ipv4 source address=192.0.2.0/24 port port=9100 protocol=tcp accept";
    let line = format!("rich-rule={rule}\n");
    check(machine(), &[("rich_rule", rule.into())], creation, &line, &line).await;
    let absent = [("service", Value::from("http")), ("state", "absent".into())];
    check(machine(), &absent, "no change", "", "").await;
}

/// A rule that cannot be made now must not come with the next boot.
#[tokio::test]
async fn a_refused_rule_is_not_kept() {
    let refusing = machine().with(|machine| machine.put_fact("now", "refused"));
    let port = [("port", Value::from("8000/tcp")), ("zone", "public".into())];
    assert_refused::<FirewalldPreparer>(refusing, &port, "`firewall-cmd").await;
}

#[tokio::test]
async fn nobody_locks_himself_out() {
    let check = async |model: ModelSystem, written: Written<'_>, is_refused: bool| {
        let model = model.with_env("SSH_CONNECTION", "192.0.2.7 50222 198.51.100.1 22");
        let system: Arc<dyn System> = Arc::new(model);
        let output = apply::<FirewalldPreparer>(&system, written).await;
        assert_eq!(
            output.contains("this may lock out the session from 192.0.2.7 to port 22"),
            is_refused,
            "{written:?}: {output}"
        );
        assert_eq!(output.starts_with("can't change\n"), is_refused, "{written:?}: {output}");
        if is_refused {
            let output = plan_pending::<FirewalldPreparer>(&system, written).await;
            assert!(output.starts_with("may change\n"), "{output}");
            let override_fields = [written, &[("lock_out", true.into())]].concat();
            let output = apply::<FirewalldPreparer>(&system, &override_fields).await;
            assert!(output.starts_with("will change\n") && !output.contains("error"), "{output}");
        }
    };
    let absent = ("state", Value::from("absent"));
    let ssh = [("service", Value::from("ssh")), absent.clone()];
    let machine_with = |line: &str| {
        let text = format!("service=ssh\n{line}\n");
        machine().with_file("/model/kept/public", text.clone()).with_file("/model/now/public", text)
    };
    check(machine(), &ssh, true).await;
    check(stopped(), &ssh, true).await;
    check(machine_with("port=20-30/tcp"), &ssh, false).await;
    check(machine_with("port=22/udp"), &ssh, true).await;
    check(machine_with("rich-rule=rule service name=\"ssh\" accept"), &ssh, false).await;
    check(machine_with("rich-rule=rule source address=\"10.0.0.1\" service name=\"ssh\" accept"), &ssh, true)
        .await;
    check(machine(), &[("service", "dhcpv6-client".into()), absent], false).await;
    let zone =
        |name: &str, field: &'static str, value: &str| [("zone", Value::from(name)), (field, value.into())];
    check(machine(), &zone("drop", "source", "192.0.2.0/24"), true).await;
    check(machine(), &zone("drop", "source", "192.0.3.0/24"), false).await;
    check(machine(), &zone("trusted", "source", "192.0.2.0/24"), false).await;
    check(machine(), &zone("drop", "interface", "eth0"), true).await;
    check(machine(), &zone("public", "interface", "eth0"), false).await;
    check(machine(), &[("rich_rule", "rule family=ipv4 source address=192.0.2.7 drop".into())], true).await;
    check(machine(), &[("rich_rule", "rule service name=http reject".into())], false).await;
}

#[tokio::test]
async fn mistakes() {
    let check = async |model: ModelSystem, written: Written<'_>, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        let output = plan::<FirewalldPreparer>(&system, written).await;
        assert!(output.starts_with("error: ") && output.contains(expect), "{written:?}: {output}");
    };
    let port = ("port", Value::from("80/tcp"));
    check(machine(), &[], "").await;
    check(machine(), &[port.clone(), ("service", "http".into())], "").await;
    check(machine(), &[("port", "80".into())], "\"80\" is not a port with its protocol, such as 80/tcp")
        .await;
    check(machine(), &[("service", "--reload".into())], "service: ").await;
    check(machine(), &[("rich_rule", "drop".into())], "rich_rule: ").await;
    check(machine(), &[("masquerade", false.into())], "masquerade: write `true`").await;
    check(machine(), &[("service", "nothere".into())], "INVALID_SERVICE: nothere").await;
    check(machine(), &[port.clone(), ("zone", "nope".into())], "INVALID_ZONE: nope").await;
    let neither = [port.clone(), ("permanent", false.into()), ("immediate", false.into())];
    check(machine(), &neither, "permanent: nothing is left").await;
    let immediate = [port.clone(), ("permanent", false.into())];
    check(
        stopped(),
        &immediate,
        "firewalld does not run, so only the permanent configuration changes: start it first",
    )
    .await;
    check(ModelSystem::new(), std::slice::from_ref(&port), "there is no `firewall-cmd`: install the package")
        .await;
    let system: Arc<dyn System> = Arc::new(stopped());
    let output = plan_pending::<FirewalldPreparer>(&system, &immediate).await;
    assert_eq!(output, "may change\n# firewalld does not run yet");
}

laws!(
    FirewalldPreparer,
    start = machine,
    start = stopped,
    start = || machine().with_file("/model/kept/public", "port=22/tcp\nport=80/tcp\n"),
    values = ("zone", ["public", "trusted"]),
    values = ("service", ["ssh", "https", "nothere"]),
    values = ("port", ["80/tcp", "22/tcp"]),
    values = ("source", ["192.0.2.0/24"]),
    values = ("interface", ["eth0"]),
    values = ("rich_rule", ["rule service name=http reject"])
);
