use std::sync::Arc;
use std::time::Duration;

use converge_core::laws;
use converge_core::prelude::*;
use converge_core::system::{ModelSystem, System};

use super::DebconfPreparer;
use super::model::machine;
use crate::testing::{Written, apply, plan, plan_pending};

fn mailname(more: Written<'_>) -> Vec<(&'static str, Value)> {
    let mut all: Vec<(&'static str, Value)> = vec![
        ("name", "postfix".into()),
        ("question", "postfix/mailname".into()),
        ("type", "string".into()),
        ("value", "example.org".into()),
    ];
    for (name, value) in more {
        all.retain(|(have, _)| have != name);
        all.push((name, value.clone()));
    }
    all
}

#[tokio::test]
async fn answers() {
    let system: Arc<dyn System> = Arc::new(machine());
    let check = async |more: Written<'_>, expect: &str| {
        let written = mailname(more);
        assert_eq!(apply::<DebconfPreparer>(&system, &written).await, expect, "{more:?}");
        assert_eq!(plan::<DebconfPreparer>(&system, &written).await, "no change", "{more:?}");
    };
    let seen = "seen: \"no\" => \"yes\"";
    check(&[], &format!("will change\nvalue: \"old.example.org\" => \"example.org\"\n{seen}")).await;
    check(&[], "no change").await;
    let proposed = [
        ("question", "a/b".into()),
        ("type", "boolean".into()),
        ("value", "true".into()),
        ("seen", false.into()),
    ];
    check(&proposed, "will change\nvalue: \"absent\" => \"true\"").await;
    let asked = [("question", "a/b".into()), ("type", "boolean".into()), ("value", "true".into())];
    check(&asked, &format!("will change\n{seen}")).await;
    let several =
        [("question", "a/c/d".into()), ("type", "multiselect".into()), ("value", "one, two".into())];
    check(&several, &format!("will change\nvalue: \"absent\" => \"one, two\"\n{seen}")).await;
    let empty = [("question", "a/e".into()), ("value", "".into())];
    check(&empty, &format!("will change\nvalue: \"absent\" => \"\"\n{seen}")).await;
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
    let written = mailname(&password);
    let shown = apply::<DebconfPreparer>(&system, &written).await;
    assert!(shown.starts_with("will change\nvalue: ") && !shown.contains("hunter2"), "{shown}");
    assert_eq!(plan::<DebconfPreparer>(&system, &written).await, "no change");
    let commands = model.commands();
    assert!(commands.iter().all(|command| !command.args.iter().any(|arg| arg.contains("hunter2"))));
    let refused = mailname(&[password[1].clone(), password[2].clone(), ("name", "refused".into())]);
    let shown = apply::<DebconfPreparer>(&system, &refused).await;
    assert!(shown.ends_with("error: debconf-set-selections failed") && !shown.contains("hunter2"), "{shown}");
}

#[tokio::test]
async fn another_program_is_waited_for() {
    let check = async |tries: &str, timeout: Option<&str>, expect: &str, waited: u64| {
        let model = Arc::new(machine().with_file("/model/debconf-lock", tries).with_flowing_time());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let before = model.machine().now();
        let timeout = timeout.map(|timeout| ("lock_timeout", Value::from(timeout)));
        let shown = apply::<DebconfPreparer>(&system, &mailname(timeout.as_slice())).await;
        assert_eq!(shown.lines().skip(3).collect::<String>(), expect);
        assert_eq!(model.machine().now().duration_since(before).unwrap(), Duration::from_secs(waited));
    };
    check("0", None, "", 0).await;
    check("7", None, "", 7).await;
    let over = "error: another program has worked with debconf for more than 2s: end it, or give it more time with `lock_timeout`";
    check("99", Some("2s"), over, 2).await;
}

#[tokio::test]
async fn mistakes() {
    let system: Arc<dyn System> = Arc::new(machine());
    let check = async |more: Written<'_>, expect: &str| {
        let shown = plan::<DebconfPreparer>(&system, &mailname(more)).await;
        assert!(shown.starts_with(&format!("error: {expect}")), "{more:?}: {shown}");
    };
    check(&[("value", "a\nb c string x".into())], "value: it has a line break").await;
    check(&[("value", " a".into())], "value: debconf keeps no blanks").await;
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
    let shown = plan::<DebconfPreparer>(&system, &mailname(&[])).await;
    assert!(shown.contains("there is no debconf, which Debian and its relatives have"), "{shown}");
    let shown = plan_pending::<DebconfPreparer>(&system, &mailname(&[])).await;
    assert_eq!(shown, "may change\n# debconf does not exist yet");
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
