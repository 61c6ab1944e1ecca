use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};
use proptest::prelude::*;

use super::HostsPreparer;
use super::edit::HostEntry;
use crate::system::host_name::HostName;
use crate::testing::{Written, apply, plan};

const FOUND: &str =
    "127.0.0.1\tlocalhost\n::1     localhost ip6-localhost # the loop\n\n10.0.0.1 db.example.org db\n";

fn entry(ip: &str, aliases: &[&str], is_wanted: bool) -> HostEntry {
    HostEntry {
        name: "db".parse().unwrap(),
        ip: ip.parse().ok(),
        aliases: aliases.iter().map(|alias| alias.parse().unwrap()).collect(),
        is_wanted,
    }
}

#[test]
fn names() {
    let check = |text: &str, good: bool| assert_eq!(text.parse::<HostName>().is_ok(), good, "{text:?}");
    for text in ["db", "db.example.org", "DB-1", "a_b", &"a".repeat(63)] {
        check(text, true);
    }
    for text in ["", ".", "a.", "-a", "a b", "a\n", "a#b", "\u{e4}", &"a".repeat(64), &"a.".repeat(130)] {
        check(text, false);
    }
}

#[test]
fn edits() {
    let check = |entry: HostEntry, before: &str, expect: &str| {
        let actual = entry.edit(before).map_or_else(|error| format!("error: {error}"), |edited| edited.text);
        assert_eq!(actual, expect, "{entry:?} in {before:?}");
        if !actual.starts_with("error") {
            assert_eq!(entry.edit(&actual).unwrap().text, actual, "twice: {entry:?} in {before:?}");
        }
    };
    check(entry("10.0.0.1", &[], true), "", "10.0.0.1 db\n");
    check(entry("10.0.0.1", &["d"], true), "# c", "# c\n10.0.0.1 db d\n");
    check(entry("10.0.0.1", &[], true), "::1 x\r\n", "::1 x\r\n10.0.0.1 db\r\n");
    check(entry("10.0.0.1", &["d"], true), "10.0.0.1\tdb   d  # c", "10.0.0.1\tdb   d  # c");
    check(entry("10.0.0.2", &["d"], true), "10.0.0.1\tdb   e  # c\nx", "10.0.0.2 db d  # c\nx");
    check(entry("::2", &[], true), "10.0.0.1 db\n", "10.0.0.1 db\n::2 db\n");
    check(entry("10.0.0.2", &[], true), "#10.0.0.1 db\n", "#10.0.0.1 db\n10.0.0.2 db\n");
    check(entry("10.0.0.2", &[], true), "10.0.0.1 x db\n", "10.0.0.1 x db\n10.0.0.2 db\n");
    check(
        entry("10.0.0.2", &[], true),
        "10.0.0.1 db\n10.0.0.3 DB\n",
        "error: \"db\" is there several times, in lines 1, 2",
    );
    check(entry("", &[], false), "10.0.0.1 db\nx\n::1 db e", "x\n");
    check(entry("10.0.0.1", &[], false), "10.0.0.1 db\n10.0.0.2 db\n", "10.0.0.2 db\n");
    check(entry("", &[], false), "", "");
}

proptest! {
    #[test]
    fn other_lines_are_kept(before in "((10.0.0.1 db|::1 db x|1.1.1.1 x db|# c|)(\n|\r\n)){0,5}", is_wanted: bool) {
        let Ok(edited) = entry("10.0.0.9", &[], is_wanted).edit(&before) else { return Ok(()) };
        let others = |text: &str| -> Vec<String> {
            text.split_inclusive('\n').filter(|line| !line.starts_with("10.")).map(str::to_owned).collect()
        };
        prop_assert_eq!(others(&edited.text), others(&before));
    }

    #[test]
    fn no_text_makes_it_panic(text in "([0-9.:#% \t\r\n]|db|\\PC){0,30}") {
        let _ = entry("10.0.0.9", &[], true).edit(&text);
    }
}

fn model() -> ModelSystem {
    ModelSystem::new().with_file("/etc/hosts", FOUND)
}

#[tokio::test]
async fn entries() {
    let mounted = ModelSystem::new()
        .with_mounted_file("/etc/hosts", FOUND)
        .with_file("/proc/self/mountinfo", "22 1 8:1 /x/hosts /etc/hosts rw - ext4 /dev/root rw\n");
    for model in [model(), mounted] {
        let model = Arc::new(model);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let check = async |written: Written<'_>, said: &str, last: &str| {
            assert_eq!(apply::<HostsPreparer>(&system, written).await, said, "{written:?}");
            assert_eq!(plan::<HostsPreparer>(&system, written).await, "no change", "{written:?}");
            let machine = model.machine();
            let text = String::from_utf8_lossy(machine.file("/etc/hosts").unwrap()).into_owned();
            let unchanged_text = FOUND.strip_suffix("10.0.0.1 db.example.org db\n").unwrap();
            assert_eq!(text.strip_prefix(unchanged_text), Some(last), "{written:?}");
        };
        let name = ("name", Value::from("db.example.org"));
        check(
            &[name.clone(), ("ip", "10.0.0.2".into())],
            "will change\nentry: \"10.0.0.1 db.example.org db\" => \"10.0.0.2 db.example.org\"",
            "10.0.0.2 db.example.org\n",
        )
        .await;
        check(
            &[name, ("state", "absent".into())],
            "will change\nentry: \"10.0.0.2 db.example.org\" => \"absent\"",
            "",
        )
        .await;
    }
}

#[tokio::test]
async fn mistakes() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |written: Written<'_>, expect: &str| {
        let output = plan::<HostsPreparer>(&system, written).await;
        assert!(output.starts_with(&format!("error: {expect}")), "{written:?}: {output}");
    };
    let name = ("name", Value::from("db"));
    check(std::slice::from_ref(&name), "ip: `ip` is required, as `state` is \"present\"").await;
    check(&[name.clone(), ("ip", "10.0.0".into())], "ip: ").await;
    check(&[("name", "a b".into()), ("ip", "10.0.0.1".into())], "name: \"a b\" is not the name of a host")
        .await;
    let binary: Arc<dyn System> = Arc::new(ModelSystem::new().with_file("/etc/hosts", [0]));
    let output = plan::<HostsPreparer>(&binary, &[name, ("ip", "10.0.0.1".into())]).await;
    assert_eq!(output, "error: /etc/hosts is not text: byte 0 is 0");
}

laws!(
    HostsPreparer,
    start = model,
    values = ("name", ["db.example.org", "web"]),
    values = ("ip", ["10.0.0.2", "::2"]),
    values = ("aliases", [Value::List(vec!["db".into()])]),
    values = ("file", ["/etc/hosts"])
);
