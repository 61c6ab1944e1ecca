use std::sync::Arc;
use std::time::Duration;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::DebconfPreparer;
use super::model::machine;
use crate::testing::{Written, apply, plan, plan_pending};

fn mailname(extra: Written<'_>) -> Vec<(&'static str, Value)> {
    let mut all_fields: Vec<(&'static str, Value)> = vec![
        ("name", "postfix".into()),
        ("question", "postfix/mailname".into()),
        ("type", "string".into()),
        ("value", "example.org".into()),
    ];
    for (name, value) in extra {
        all_fields.retain(|(have, _)| have != name);
        all_fields.push((name, value.clone()));
    }
    all_fields
}

#[tokio::test]
async fn answers() {
    let system: Arc<dyn System> = Arc::new(machine());
    let check = async |more: Written<'_>, expect: &str| {
        let fields = mailname(more);
        assert_eq!(apply::<DebconfPreparer>(&system, &fields).await, expect, "{more:?}");
        assert_eq!(plan::<DebconfPreparer>(&system, &fields).await, "no change", "{more:?}");
    };
    let seen_change = "seen: \"no\" => \"yes\"";
    check(&[], &format!("will change\nvalue: \"old.example.org\" => \"example.org\"\n{seen_change}")).await;
    check(&[], "no change").await;
    let proposed = [
        ("question", "a/b".into()),
        ("type", "boolean".into()),
        ("value", "true".into()),
        ("seen", false.into()),
    ];
    check(&proposed, "will change\nvalue: \"absent\" => \"true\"").await;
    let question = [("question", "a/b".into()), ("type", "boolean".into()), ("value", "true".into())];
    check(&question, &format!("will change\n{seen_change}")).await;
    let several =
        [("question", "a/c/d".into()), ("type", "multiselect".into()), ("value", "one, two".into())];
    check(&several, &format!("will change\nvalue: \"absent\" => \"one, two\"\n{seen_change}")).await;
    let empty = [("question", "a/e".into()), ("value", "".into())];
    check(&empty, &format!("will change\nvalue: \"absent\" => \"\"\n{seen_change}")).await;
    // The other answers are unchanged.
    check(&[], "no change").await;
}

/// The records of other packages do not matter.
#[tokio::test]
async fn other_answers_may_be_in_any_encoding() {
    let others =
        b"Name: other/name\nValue: \xff\xfe\n\nName: postfix/mailname\nValue: example.org\nFlags: seen\n\n";
    let system: Arc<dyn System> = Arc::new(machine().with_file("/var/cache/debconf/config.dat", others));
    assert_eq!(plan::<DebconfPreparer>(&system, &mailname(&[])).await, "no change");
}

#[tokio::test]
async fn secrets_are_shown_nowhere() {
    let model = Arc::new(machine());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let password =
        [("question", "mysql/root".into()), ("type", "password".into()), ("value", "hunter2".into())];
    let fields = mailname(&password);
    let output = apply::<DebconfPreparer>(&system, &fields).await;
    assert!(output.starts_with("will change\nvalue: ") && !output.contains("hunter2"), "{output}");
    assert_eq!(plan::<DebconfPreparer>(&system, &fields).await, "no change");
    let commands = model.commands();
    assert!(commands.iter().all(|command| !command.args.iter().any(|arg| arg.contains("hunter2"))));
    let refused = mailname(&[password[1].clone(), password[2].clone(), ("name", "refused".into())]);
    let output = apply::<DebconfPreparer>(&system, &refused).await;
    assert!(
        output.ends_with("error: debconf-set-selections failed") && !output.contains("hunter2"),
        "{output}"
    );
}

#[tokio::test]
async fn another_program_is_waited_for() {
    let check = async |tries: &str, timeout: Option<&str>, expect: &str, waited: u64| {
        let model = Arc::new(machine().with_file("/model/debconf-lock", tries).with_flowing_time());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let before = model.machine().now();
        let timeout = timeout.map(|timeout| ("lock_timeout", Value::from(timeout)));
        let output = apply::<DebconfPreparer>(&system, &mailname(timeout.as_slice())).await;
        assert_eq!(output.lines().skip(3).collect::<String>(), expect);
        assert_eq!(model.machine().now().duration_since(before).unwrap(), Duration::from_secs(waited));
    };
    check("0", None, "", 0).await;
    check("7", None, "", 7).await;
    let timeout_message = "error: another program has worked with debconf for more than 2s: end it, or give it more time with `lock_timeout`";
    check("99", Some("2s"), timeout_message, 2).await;
}

#[tokio::test]
async fn mistakes() {
    let system: Arc<dyn System> = Arc::new(machine());
    let check = async |more: Written<'_>, expect: &str| {
        let output = plan::<DebconfPreparer>(&system, &mailname(more)).await;
        assert!(output.starts_with(&format!("error: {expect}")), "{more:?}: {output}");
    };
    check(&[("value", "a\nb c string x".into())], "value: it has a line break").await;
    check(&[("value", " a".into())], "value: debconf does not keep blanks").await;
    check(&[("value", "a\\".into())], "value: debconf reads a `\\`").await;
    check(&[("type", "boolean".into()), ("value", "yes".into())], "value: the answer to a question of type")
        .await;
    check(&[("type", "note".into())], "type: ").await;
    check(&[("question", "mailname".into())], "question: ").await;
    check(&[("question", "a/b c".into())], "question: ").await;
    check(&[("name", "Postfix x".into())], "name: ").await;
}

#[tokio::test]
async fn where_there_is_no_debconf() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let output = plan::<DebconfPreparer>(&system, &mailname(&[])).await;
    assert!(output.contains("there is no debconf, which Debian and its relatives have"), "{output}");
    let output = plan_pending::<DebconfPreparer>(&system, &mailname(&[])).await;
    assert_eq!(output, "may change\n# debconf does not exist yet");
}

laws!(
    DebconfPreparer,
    start = machine,
    start = || machine().with_file("/model/debconf-lock", "0"),
    values = ("name", ["postfix", "mysql-server"]),
    values = ("question", ["postfix/mailname", "a/b"]),
    values = ("value", ["example.org", "true", ""]),
    beside = ("/var/cache/debconf", "debconf keeps its answers there")
);
