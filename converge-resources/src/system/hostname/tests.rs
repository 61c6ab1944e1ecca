use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Disk, ModelSystem, System};
use proptest::prelude::*;

use super::{HostnamePreparer, edit};
use crate::testing::{Written, apply, assert_refused, plan};

const FILE: &str = "/etc/hostname";
const INFO: &str = "/etc/machine-info";
const LIVE: &str = "/proc/sys/kernel/hostname";

#[test]
fn edits() {
    let check = |edit: fn(&str, &str) -> edit::Edited, value: &str, before: &str, expect: &str| {
        let edited = edit(before, value).text;
        assert_eq!(edited, expect, "{value:?} in {before:?}");
        assert_eq!(edit(&edited, value).text, edited, "twice: {value:?} in {before:?}");
    };
    check(edit::name, "db", "", "db\n");
    check(edit::name, "db", "web\n", "db\n");
    check(edit::name, "db", "db", "db");
    check(edit::name, "db", "# c\n\n web \nrest\n", "# c\n\ndb\nrest\n");
    check(edit::name, "db", "# c", "# c\ndb\n");
    check(edit::pretty, "A b", "", "PRETTY_HOSTNAME=\"A b\"\n");
    check(edit::pretty, "A b", "X=1\r\n", "X=1\r\nPRETTY_HOSTNAME=\"A b\"\r\n");
    check(edit::pretty, "A b", "PRETTY_HOSTNAME='A b'\nX=1", "PRETTY_HOSTNAME='A b'\nX=1");
    check(edit::pretty, "Ab", "PRETTY_HOSTNAME=Ab\n", "PRETTY_HOSTNAME=Ab\n");
    check(
        edit::pretty,
        "A",
        "PRETTY_HOSTNAME=x\nPRETTY_HOSTNAME=y\n",
        "PRETTY_HOSTNAME=x\nPRETTY_HOSTNAME=\"A\"\n",
    );
    check(edit::pretty, "$a `b` \"c\\", "", "PRETTY_HOSTNAME=\"\\$a \\`b\\` \\\"c\\\\\"\n");
    check(edit::pretty, "", "X=1\nPRETTY_HOSTNAME=x\n#PRETTY_HOSTNAME=y\n", "X=1\n#PRETTY_HOSTNAME=y\n");
}

proptest! {
    #[test]
    fn other_lines_are_kept(before in "((PRETTY_HOSTNAME=x|ICON_NAME=a|# c|)(\n|\r\n)){0,5}", value in "\\PC{0,8}") {
        let edited = edit::pretty(&before, &value).text;
        let others = |text: &str| -> Vec<String> {
            text.split_inclusive('\n').filter(|line| !line.starts_with("PRETTY")).map(str::to_owned).collect()
        };
        if value.is_empty() || before.contains("PRETTY") || before.is_empty() || before.ends_with('\n') {
            prop_assert_eq!(others(&edited), others(&before));
        }
        prop_assert_eq!(edit::pretty(&edited, &value).text, edited);
    }

    #[test]
    fn no_text_makes_it_panic(text in "([#='\"\\\\\n\r]|PRETTY_HOSTNAME=|\\PC){0,20}", value in "\\PC{0,8}") {
        edit::pretty(&text, &value);
        edit::name(&text, "db");
    }
}

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_file(FILE, "# mine\nold\n")
        .with_file(INFO, "CHASSIS=vm\n")
        .with_file(LIVE, "old\n")
}

#[tokio::test]
async fn names() {
    let mounted = model()
        .with_mounted_file(FILE, "# mine\nold\n")
        .with_file("/proc/self/mountinfo", "22 1 8:1 /x/hostname /etc/hostname rw - ext4 /dev/root rw\n");
    for model in [model(), mounted] {
        let model = Arc::new(model);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let check = async |written: Written<'_>, said: &str, live: &str, info: &str| {
            assert_eq!(apply::<HostnamePreparer>(&system, written).await, said, "{written:?}");
            assert_eq!(plan::<HostnamePreparer>(&system, written).await, "no change", "{written:?}");
            let machine = model.machine();
            let text = |path: &str| String::from_utf8_lossy(machine.file(path).unwrap()).into_owned();
            assert_eq!([text(FILE), text(LIVE), text(INFO)], ["# mine\ndb\n", live, info]);
        };
        let name = ("name", Value::from("db"));
        check(
            &[name.clone(), ("live", false.into())],
            "will change\n/etc/hostname: \"old\" => \"db\"",
            "old\n",
            "CHASSIS=vm\n",
        )
        .await;
        check(
            &[name.clone(), ("pretty", "The DB".into())],
            "will change\n/etc/machine-info: \"absent\" => \"The DB\"\nlive: \"old\" => \"db\"",
            "db\n",
            "CHASSIS=vm\nPRETTY_HOSTNAME=\"The DB\"\n",
        )
        .await;
        check(std::slice::from_ref(&name), "no change", "db\n", "CHASSIS=vm\nPRETTY_HOSTNAME=\"The DB\"\n")
            .await;
        check(
            &[name, ("pretty", "".into())],
            "will change\n/etc/machine-info: \"The DB\" => \"absent\"",
            "db\n",
            "CHASSIS=vm\n",
        )
        .await;
    }
}

#[tokio::test]
async fn mistakes() {
    let check = assert_refused::<HostnamePreparer>;
    let name = |name: &str| [("name", Value::from(name))];
    check(model(), &name("a b"), "name: \"a b\" is not the name of a host").await;
    check(model(), &name("a-.b"), "name: a part of it ends with `-`").await;
    let long = format!("{}.ab", "a".repeat(62));
    check(model(), &name(&long), "name: it has 65 bytes: Linux takes names of at most 64").await;
    let pretty = [("name", "db".into()), ("pretty", "a\nb".into())];
    check(model(), &pretty, "pretty: it has several lines, or other letters that control").await;
    let without_live_name = model().with(|machine| machine.remove(LIVE));
    check(without_live_name, &name("db"), "file \"/proc/sys/kernel/hostname\" does not exist").await;
    // A name that the kernel does not take now is not kept for the next boot.
    let refusing = model().with(|machine| machine.put_disk("/proc/sys/kernel", Disk::ReadOnly));
    let pretty = [("name", "db".into()), ("pretty", "The DB".into())];
    check(refusing, &pretty, "cannot write into /proc/sys/kernel/hostname").await;
    let full_disk = model().with(|machine| machine.put_disk("/", Disk::Full));
    let later = [("name", "db".into()), ("live", false.into())];
    check(full_disk, &later, "cannot write /etc/hostname").await;
    // A link of another user to a file of root is not followed.
    let link = model().with(|machine| {
        machine.put_file("/secret", "root's\n");
        machine.put_symlink(FILE, "/secret");
        machine.put_owner(FILE, 65534, 65534);
    });
    check(link, &name("db"), "cannot read /etc/hostname").await;
}

laws!(HostnamePreparer, start = model, values = ("name", ["db", "web.example.org"]));
