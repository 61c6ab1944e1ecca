use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, Output, System};
use proptest::prelude::*;

use super::AlternativePreparer;
use super::group::Group;
use super::model::{EDITOR, machine};
use super::name::AlternativeName;
use crate::testing::{Written, apply, assert_refused, plan, plan_pending};

#[test]
fn names() {
    let check =
        |text: &str, good: bool| assert_eq!(text.parse::<AlternativeName>().is_ok(), good, "{text:?}");
    for text in ["editor", "x-www-browser", "editor.1.gz", "c++", "java_sdk_11"] {
        check(text, true);
    }
    for text in ["", "-x", "--all", "..", "a/b", "a b", "a\n", "\u{e4}", &"a".repeat(201)] {
        check(text, false);
    }
}

#[test]
fn groups() {
    let check =
        |group: &Group, link: Option<&str>, is_auto: bool, value: &str, choices: &[(&str, i32, usize)]| {
            assert_eq!(
                (group.link.as_deref(), group.is_auto, group.value.as_deref()),
                (link, is_auto, Some(value))
            );
            let actual = group
                .choices
                .iter()
                .map(|choice| (choice.path.as_str(), choice.priority, choice.slaves.len()));
            assert_eq!(actual.collect::<Vec<_>>(), choices);
        };
    let editors = [("/bin/ed", -100, 1), ("/bin/nano", 40, 0)];
    check(&Group::parse_query(EDITOR), Some("/usr/bin/editor"), true, "/bin/nano", &editors);
    let java = "java - status is manual.\n link currently points to /usr/lib/jvm/11/bin/java\n\
                /usr/lib/jvm/11/bin/java - family java-11.x86_64 priority 1100\n slave jre: /usr/lib/jvm/11\n\
                \u{20}follower man: (null)\n/opt/java - priority 3\nCurrent `best' version is /usr/lib/jvm/11/bin/java.\n";
    let javas = [("/usr/lib/jvm/11/bin/java", 1100, 1), ("/opt/java", 3, 0)];
    check(&Group::parse_display(java), None, false, "/usr/lib/jvm/11/bin/java", &javas);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "((Alternative|Priority|Slaves|Value): |/a| - priority | slave x: |\n|\\PC){0,12}") {
        Group::parse_query(&text);
        Group::parse_display(&text);
        let _ = text.parse::<AlternativeName>();
    }
}

fn slaves(parts: &[(&str, &str)]) -> Value {
    let parts = Value::Map(parts.iter().map(|(name, path)| ((*name).into(), Value::from(*path))).collect());
    Value::Map([("editor.1.gz".into(), parts)].into_iter().collect())
}

fn vim() -> Vec<(&'static str, Value)> {
    vec![
        ("name", "editor".into()),
        ("path", "/bin/vim".into()),
        ("link", "/usr/bin/editor".into()),
        ("priority", 60.into()),
        (
            "slaves",
            slaves(&[("link", "/usr/share/man/man1/editor.1.gz"), ("path", "/usr/share/man/man1/vim.1.gz")]),
        ),
    ]
}

#[tokio::test]
async fn slaves_that_are_not_declared() {
    let system: Arc<dyn System> = Arc::new(machine());
    apply::<AlternativePreparer>(&system, &vim()).await;
    let without = |extra: &[(&'static str, Value)]| {
        let mut fields = vim();
        fields.retain(|(name, _)| *name != "slaves" && extra.iter().all(|(other, _)| name != other));
        [&fields, extra].concat()
    };
    assert_eq!(plan::<AlternativePreparer>(&system, &without(&[])).await, "no change");
    // A new priority keeps the slaves.
    let priority = without(&[("priority", 70.into())]);
    let changed = "will change\npriority: \"60\" => \"70\"";
    assert_eq!(apply::<AlternativePreparer>(&system, &priority).await, changed);
    let none = without(&[("slaves", Value::Map([].into_iter().collect())), ("priority", 70.into())]);
    let removed = "will change\neditor.1.gz: \"/usr/share/man/man1/vim.1.gz\" => \"absent\"";
    assert_eq!(apply::<AlternativePreparer>(&system, &none).await, removed);
    assert_eq!(plan::<AlternativePreparer>(&system, &none).await, "no change");
    let fields = [
        ("name", Value::from("editor")),
        ("path", "/bin/ed".into()),
        ("slaves", Value::Map([].into_iter().collect())),
    ];
    let refused = "error: link: it is required, as `priority` or `slaves` is given";
    assert_eq!(plan::<AlternativePreparer>(&system, &fields).await, refused);
}

#[tokio::test]
async fn alternatives() {
    let model = Arc::new(machine());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |written: Written<'_>, said: &str, value: &str, is_auto: bool| {
        assert_eq!(apply::<AlternativePreparer>(&system, written).await, said, "{written:?}");
        assert_eq!(plan::<AlternativePreparer>(&system, written).await, "no change", "{written:?}");
        let machine = model.machine();
        let text =
            String::from_utf8_lossy(machine.file("/var/lib/dpkg/alternatives/editor").unwrap()).into_owned();
        let group = Group::parse_query(&text);
        assert_eq!((group.value.as_deref(), group.is_auto), (Some(value), is_auto), "{written:?}");
        assert_eq!(group.choice("/bin/ed").unwrap().priority, -100);
    };
    let name = ("name", Value::from("editor"));
    check(
        &[name.clone(), ("path", "/bin/ed".into())],
        "will change\npath: \"/bin/nano\" => \"/bin/ed\"\nmode: \"auto\" => \"manual\"",
        "/bin/ed",
        false,
    )
    .await;
    check(
        &[name.clone(), ("auto", true.into())],
        "will change\nmode: \"manual\" => \"auto\"",
        "/bin/nano",
        true,
    )
    .await;
    let slave =
        "editor.1.gz: \"absent\" => \"/usr/share/man/man1/editor.1.gz -> /usr/share/man/man1/vim.1.gz\"";
    check(
        &vim(),
        &format!(
            "will change\n/bin/vim: \"absent\" => \"priority 60\"\n{slave}\npath: \"/bin/nano\" => \"/bin/vim\"\nmode: \
             \"auto\" => \"manual\""
        ),
        "/bin/vim",
        false,
    )
    .await;
    let mut lower = vim();
    lower[3].1 = 7.into();
    check(&lower, "will change\npriority: \"60\" => \"7\"", "/bin/vim", false).await;
    let absent = [name.clone(), ("path", "/bin/vim".into()), ("state", "absent".into())];
    check(&absent, "will change\n/bin/vim: \"priority 7\" => \"absent\"", "/bin/nano", true).await;
    check(&[name, ("path", "/none".into()), ("state", "absent".into())], "no change", "/bin/nano", true)
        .await;
}

/// The record of `update-alternatives` is not the fact: programs use the link.
#[tokio::test]
async fn what_is_in_the_place_of_the_link() {
    let auto = [("name", Value::from("editor")), ("auto", true.into())];
    for (link, before) in [(None, "absent"), (Some("/bin/ed"), "/bin/ed")] {
        let model = Arc::new(machine().with(|machine| {
            machine.remove("/usr/bin/editor");
            if let Some(target) = link {
                machine.put_symlink("/usr/bin/editor", target);
            }
        }));
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let expect = format!("will change\n/usr/bin/editor: {before:?} => \"/bin/nano\"");
        assert_eq!(apply::<AlternativePreparer>(&system, &auto).await, expect);
        assert_eq!(plan::<AlternativePreparer>(&system, &auto).await, "no change");
    }
    let blocked = |path: &str| machine().with(|machine| machine.put_file(path, "x"));
    for path in ["/usr/bin/editor", "/usr/share/man/man1/editor.1.gz"] {
        let expect = format!("{path} is not a link, and a link never replaces it: move it away");
        assert_refused::<AlternativePreparer>(blocked(path), &vim(), &expect).await;
    }
}

#[tokio::test]
async fn mistakes() {
    let check = async |written: Written<'_>, expect: &str| {
        let system: Arc<dyn System> = Arc::new(machine());
        let output = plan::<AlternativePreparer>(&system, written).await;
        assert!(output.starts_with(&format!("error: {expect}")), "{written:?}: {output}");
    };
    let editor = ("name", Value::from("editor"));
    let vim = ("path", Value::from("/bin/vim"));
    check(
        &[editor.clone(), vim.clone()],
        "/bin/vim is not an alternative of editor, which has /bin/ed, /bin/nano: `link` makes it one",
    )
    .await;
    let pager = ("name", Value::from("pager"));
    check(&[pager.clone(), vim.clone()], "there are no alternatives pager: `link` makes /bin/vim the first")
        .await;
    check(&[pager.clone(), ("auto", true.into())], "there are no alternatives pager").await;
    let link = ("link", Value::from("/usr/bin/pager"));
    check(&[pager, ("path", "/bin/none".into()), link.clone()], "file \"/bin/none\" does not exist").await;
    check(std::slice::from_ref(&editor), "path: it is required, unless `auto` is true").await;
    check(&[editor.clone(), vim.clone(), ("priority", 1.into())], "link: it is required").await;
    check(&[editor.clone(), ("auto", true.into()), link.clone()], "path: it is required, as `link`").await;
    check(
        &[editor.clone(), vim.clone(), link.clone(), ("state", "absent".into())],
        "state: \"absent\" removes",
    )
    .await;
    let slaves = ("slaves", slaves(&[("link", "/a"), ("path", "b")]));
    check(&[editor.clone(), vim.clone(), link, slaves], "slaves: \"editor.1.gz\" has no `path`, an absolute")
        .await;
    let system: Arc<dyn System> = Arc::new(machine());
    let output = plan_pending::<AlternativePreparer>(&system, &[editor.clone(), vim.clone()]).await;
    assert!(output.starts_with("may change\n# /bin/vim is not an alternative"), "{output}");
    let without_program: Arc<dyn System> = Arc::new(ModelSystem::new());
    let output = plan::<AlternativePreparer>(&without_program, &[editor, vim]).await;
    assert!(output.starts_with("error: there is no `update-alternatives`"), "{output}");
}

/// The program of Fedora has its own syntax.
#[tokio::test]
async fn another_program() {
    let listing = "java - status is auto.\n link currently points to /opt/a\n/opt/a - priority 2\n/opt/b - priority 1\n";
    let model = ModelSystem::new()
        .with_file("/usr/sbin/alternatives", "")
        .with_file("/opt/b", "")
        .with_query(["alternatives", "--display", "java"], Output::success(listing))
        .with_command(["alternatives", "--set", "java", "/opt/b"], Output::success(""));
    let model = Arc::new(model);
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let output =
        apply::<AlternativePreparer>(&system, &[("name", "java".into()), ("path", "/opt/b".into())]).await;
    assert!(output.starts_with("will change\npath: \"/opt/a\" => \"/opt/b\""), "{output}");
    assert_eq!(model.effects().len(), 1, "{:?}", model.effects());
}

laws!(
    AlternativePreparer,
    start = machine,
    values = ("name", ["editor", "pager"]),
    values = ("path", ["/bin/ed", "/bin/nano", "/bin/vim"]),
    values = ("link", ["/usr/bin/editor"]),
    values = (
        "slaves",
        [slaves(&[("link", "/usr/share/man/man1/editor.1.gz"), ("path", "/usr/share/man/man1/vim.1.gz")])]
    ),
    beside = ("/var/lib/dpkg/alternatives", "`update-alternatives` keeps there what it knows"),
    beside = ("/usr/bin/editor", "it makes the link")
);
