use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Machine, ModelSystem, Output, System};

use super::UfwPreparer;
use super::rule::Rule;
use crate::testing::{Written, apply, plan, plan_pending};

const RULES: &str = "/model/rules";
const DEFAULTS: &str = "/etc/default/ufw";
const CONFIG: &str = "/etc/ufw/ufw.conf";

/// Returns a host with a model of ufw that is sufficient to test the decisions of the resource.
///
/// `/model/rules` has the rules, and `/model/active` exists while the firewall is active. Tests on hosts
/// cover the real ufw.
fn machine() -> ModelSystem {
    ModelSystem::new()
        .with_file(RULES, "ufw allow 53\nufw route allow in on eth0 out on eth1\n")
        .with_file(DEFAULTS, "DEFAULT_INPUT_POLICY=\"ACCEPT\"\nDEFAULT_OUTPUT_POLICY=\"ACCEPT\"\nDEFAULT_FORWARD_POLICY=\"DROP\"\n")
        .with_file(CONFIG, "ENABLED=no\n")
        .with_program(answer)
}

/// Returns a host with an active firewall that denies by default and has these rules.
fn on(rules: &str) -> ModelSystem {
    machine()
        .with_file(RULES, rules)
        .with_file(DEFAULTS, "DEFAULT_INPUT_POLICY=\"DROP\"\n")
        .with_file(CONFIG, "ENABLED=yes\n")
        .with_file("/model/active", "")
}

fn map(fields: &[(&str, &str)]) -> Value {
    Value::Map(fields.iter().map(|(name, value)| ((*name).into(), Value::from(*value))).collect())
}

fn read(machine: &Machine, path: &str) -> String {
    String::from_utf8_lossy(machine.file(path).unwrap_or_default()).into_owned()
}

fn set(machine: &mut Machine, path: &str, name: &str, value: &str) {
    let text = read(machine, path);
    let others = text.lines().filter(|line| !line.starts_with(name));
    let text = others.fold(String::new(), |text, line| {
        text + line
            + "
"
    }) + &format!(
        "{name}={value}
"
    );
    machine.put_file(path, text);
}

fn answer(command: &Command, machine: &mut Machine) -> Option<Output> {
    if command.program != "ufw" {
        return None;
    }
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let (args, is_forced) = match args.as_slice() {
        ["--force", args @ ..] => (args, true),
        args => (args, false),
    };
    match args {
        ["status"] => {
            let active = if machine.file("/model/active").is_some() { "active" } else { "inactive" };
            return Some(Output::success(format!("Status: {active}\n")));
        }
        ["show", "added"] => {
            return Some(Output::success(format!(
                "Added user rules (see 'ufw status'):\n{}",
                read(machine, RULES)
            )));
        }
        ["default", policy, direction] => {
            let name = match *direction {
                "incoming" => "DEFAULT_INPUT_POLICY",
                "outgoing" => "DEFAULT_OUTPUT_POLICY",
                _ => "DEFAULT_FORWARD_POLICY",
            };
            let word = match *policy {
                "allow" => "\"ACCEPT\"",
                "deny" => "\"DROP\"",
                _ => "\"REJECT\"",
            };
            set(machine, DEFAULTS, name, word);
        }
        ["enable"] if is_forced => {
            machine.put_file("/model/active", "");
            set(machine, CONFIG, "ENABLED", "yes");
        }
        ["disable"] => {
            machine.remove("/model/active");
            set(machine, CONFIG, "ENABLED", "no");
        }
        ["delete", words @ ..] if is_forced => {
            let rule = Rule::parse(&format!("ufw {}", words.join(" ")))?;
            let is_other = |line: &&str| {
                !Rule::parse(line).is_some_and(|rule_of_line| rule_of_line.has_same_connections(&rule))
            };
            let rules = read(machine, RULES);
            let rest_of_rules = rules.lines().filter(is_other).fold(String::new(), |kept, line| {
                kept + line
                    + "
"
            });
            machine.put_file(RULES, rest_of_rules);
        }
        words => {
            let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            if let Some(position) = words.iter().position(|word| word == "comment") {
                words[position + 1] = format!("'{}'", words[position + 1]);
            }
            let line = format!("ufw {}", words.join(" "));
            let Some(rule) = Rule::parse(&line) else {
                return Some(Output::failure(1, "ERROR: Invalid syntax\n"));
            };
            let mut lines: Vec<String> = read(machine, RULES).lines().map(str::to_owned).collect();
            match lines.iter_mut().find(|line| {
                Rule::parse(line).is_some_and(|rule_of_line| rule_of_line.has_same_connections(&rule))
            }) {
                Some(existing_line) => *existing_line = line,
                None => lines.push(line),
            }
            machine.put_file(RULES, lines.join("\n") + "\n");
        }
    }
    Some(Output::success(""))
}

#[tokio::test]
async fn rules_come_and_go() {
    let model = Arc::new(machine());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |written: Written<'_>, said: &str, rules: &str| {
        assert_eq!(apply::<UfwPreparer>(&system, written).await, said, "{written:?}");
        assert_eq!(plan::<UfwPreparer>(&system, written).await, "no change", "{written:?}");
        let rules_left = read(&model.machine(), RULES);
        assert_eq!(rules_left, format!("ufw allow 53\nufw route allow in on eth0 out on eth1\n{rules}"));
    };
    let ssh = [("action", Value::from("allow")), ("port", 22.into()), ("proto", "tcp".into())];
    let line = "allow in proto tcp from any to any port 22";
    check(&ssh, &format!("will change\nrule: \"absent\" => \"{line}\""), &format!("ufw {line}\n")).await;
    let limited = [
        ("rule", Value::from("limit")),
        ("port", "22".into()),
        ("proto", "tcp".into()),
        ("comment", "x y".into()),
    ];
    let after = "limit in proto tcp from any to any port 22 comment 'x y'";
    check(&limited, &format!("will change\nrule: \"{line}\" => \"{after}\""), &format!("ufw {after}\n"))
        .await;
    let absent = ("state", Value::from("absent"));
    // The existing rule with another action is the one to remove.
    check(&[ssh.as_slice(), std::slice::from_ref(&absent)].concat(), "no change", &format!("ufw {after}\n"))
        .await;
    let removed = [limited.as_slice(), &[absent]].concat();
    check(&removed, &format!("will change\nrule: \"{after}\" => \"absent\""), "").await;
    check(&[("action", "allow".into()), ("port", 53.into())], "no change", "").await;
}

#[tokio::test]
async fn policies_and_whether_it_is_on() {
    let model = Arc::new(machine());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let defaults = map(&[("incoming", "reject"), ("routed", "deny")]);
    let fields = [("default", defaults), ("enabled", true.into())];
    let change = "will change\ndefault incoming: \"allow\" => \"reject\"\nenabled: \"false\" => \"true\"";
    assert_eq!(apply::<UfwPreparer>(&system, &fields).await, change);
    assert_eq!(plan::<UfwPreparer>(&system, &fields).await, "no change");
    let disable = [("enabled", Value::from(false))];
    assert_eq!(apply::<UfwPreparer>(&system, &disable).await, "will change\nenabled: \"true\" => \"false\"");
    assert_eq!(read(&model.machine(), CONFIG), "ENABLED=no\n");
}

#[tokio::test]
async fn nobody_locks_himself_out() {
    let session = "192.0.2.7 50222 198.51.100.1 2222";
    let check = async |model: ModelSystem, written: Written<'_>, is_refused: bool| {
        let model = Arc::new(model);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let before = model.machine().entries();
        let output = apply::<UfwPreparer>(&system, written).await;
        assert_eq!(output.contains("this would lock out"), is_refused, "{written:?}: {output}");
        assert_eq!(model.machine().entries() == before, is_refused, "{written:?}: {output}");
        if is_refused {
            assert!(output.starts_with("can't change\n"), "{output}");
            let output = plan_pending::<UfwPreparer>(&system, written).await;
            assert!(output.starts_with("may change\n"), "{output}");
            let override_fields = [written, &[("lock_out", true.into())]].concat();
            let output = apply::<UfwPreparer>(&system, &override_fields).await;
            assert!(output.starts_with("will change\n") && !output.contains("error"), "{output}");
        }
    };
    let in_session = |model: ModelSystem| model.with_env("SSH_CONNECTION", session);
    let enable = [("enabled", Value::from(true))];
    let deny = [("default", map(&[("incoming", "deny")])), ("enabled", true.into())];
    check(machine(), &deny, false).await;
    check(in_session(machine()), &enable, false).await;
    check(in_session(machine()), &deny, true).await;
    check(in_session(machine().with_file(RULES, "ufw allow 2222/tcp\n")), &deny, false).await;
    check(in_session(machine().with_file(RULES, "ufw allow 2222/udp\n")), &deny, true).await;
    check(in_session(machine().with_file(RULES, "ufw limit from 192.0.2.0/24\n")), &deny, false).await;
    check(in_session(machine().with_file(RULES, "ufw allow from 192.0.3.0/24\n")), &deny, true).await;
    check(in_session(machine().with_file(RULES, "ufw deny from 192.0.2.7\nufw allow 2222\n")), &enable, true)
        .await;
    // The session is hidden, so the port of sshd counts.
    let sshd = || machine().with_file("/etc/ssh/sshd_config", "Port 2222\n");
    check(sshd(), &deny, true).await;
    check(sshd().with_file(RULES, "ufw allow 2222/tcp\n"), &deny, false).await;
    // Connections that are blocked already cannot belong to the session.
    check(in_session(on("ufw allow 53\n")), &[("action", "allow".into()), ("port", 80.into())], false).await;

    let removed = [("action", Value::from("allow")), ("port", 2222.into()), ("state", "absent".into())];
    check(in_session(on("ufw allow 2222\n")), &removed, true).await;
    check(in_session(on("ufw allow 2222\nufw allow from 192.0.2.7\n")), &removed, false).await;
    let denied = [("action", Value::from("deny")), ("port", 2222.into())];
    check(in_session(on("ufw allow 2222\n")), &denied, true).await;
    check(in_session(on("ufw allow 2222/tcp\n")), &denied, false).await;
}

#[tokio::test]
async fn mistakes() {
    let system: Arc<dyn System> = Arc::new(machine());
    let check = async |written: Written<'_>, expect: &str| {
        let output = plan::<UfwPreparer>(&system, written).await;
        assert!(output.starts_with(&format!("error: {expect}")), "{written:?}: {output}");
    };
    let allow_with = |more: Written<'_>| [&[("action", Value::from("allow"))], more].concat();
    check(&[], "action: nothing is declared").await;
    check(&[("default", map(&[]))], "action: nothing is declared").await;
    check(&[("enabled", true.into()), ("state", "absent".into())], "state: it belongs to a rule").await;
    check(&allow_with(&[("port", "80,443".into())]), "proto: several ports need").await;
    check(&allow_with(&[("port", 22.into()), ("proto", "gre".into())]), "proto: this protocol has no ports")
        .await;
    check(&allow_with(&[("from", "10.0.0.1".into()), ("to", "::1".into())]), "to: `from` and `to` are").await;
    check(&allow_with(&[("port", "ssh".into())]), "port: \"ssh\" is not a port").await;
    check(&allow_with(&[("from", "-x".into())]), "from: \"-x\" is neither an address").await;
    check(&allow_with(&[("interface", "eth0; reboot".into())]), "interface: ").await;
    check(&allow_with(&[("comment", "it's".into())]), "comment: ").await;
    check(&[("port", 22.into()), ("enabled", true.into())], "").await;
    let empty_system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let enable = [("enabled", Value::from(true))];
    let output = plan::<UfwPreparer>(&empty_system, &enable).await;
    assert_eq!(output, "error: there is no `ufw`: install the package `ufw`");
    assert_eq!(
        plan_pending::<UfwPreparer>(&empty_system, &enable).await,
        "may change\n# there is no `ufw` yet"
    );
}

laws!(
    UfwPreparer,
    start = machine,
    start = || on("ufw allow 22/tcp comment 'mine'\nufw deny 80\n"),
    values = ("port", ["22", "80", "80,443"]),
    values = ("from", ["192.0.2.0/24"]),
    values = ("to", ["198.51.100.1"]),
    values = ("from_port", ["1024"]),
    values = ("interface", ["eth0"]),
    values = ("comment", ["people"])
);
