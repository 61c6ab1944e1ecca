use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Disk, ModelSystem, System};
use proptest::prelude::*;

use super::SysctlPreparer;
use super::edit::{Key, Setting};
use crate::testing::{Written, apply, assert_refused, plan, plan_pending};

const FILE: &str = "/etc/sysctl.d/99-converge.conf";

#[test]
fn names() {
    let check = |text: &str, expect: &str| {
        let actual = match text.parse::<Key>() {
            Ok(key) => format!("{key} {}", key.path().display()),
            Err(error) => error,
        };
        assert_eq!(actual, expect, "{text}");
    };
    check("vm.swappiness", "vm.swappiness /proc/sys/vm/swappiness");
    check("vm/swappiness", "vm.swappiness /proc/sys/vm/swappiness");
    let vlan = "net.ipv4.conf.eth0/1.forwarding /proc/sys/net/ipv4/conf/eth0.1/forwarding";
    check("net/ipv4/conf/eth0.1/forwarding", vlan);
    check("net.ipv4.conf.eth0/1.forwarding", vlan);
    for text in ["vm", "vm.", "/vm/x", "vm/../x", "vm..x", "a b.c", "vm.x\n", "vm.x=1", "vm.\u{e4}"] {
        check(
            text,
            &format!("{text:?} is not the name of a setting of the kernel, such as `net.ipv4.ip_forward`"),
        );
    }
}

fn setting(value: Option<&str>) -> Setting {
    Setting { key: "vm.swappiness".parse().unwrap(), value: value.map(str::to_owned) }
}

#[test]
fn edits() {
    let check = |value: Option<&str>, before: &str, expect: &str| {
        let edited = setting(value).edit(before).text;
        assert_eq!(edited, expect, "{value:?} in {before:?}");
        assert_eq!(setting(value).edit(&edited).text, edited, "twice: {value:?} in {before:?}");
    };
    let ten = Some("10");
    check(ten, "", "vm.swappiness = 10\n");
    check(ten, "# c\r\n", "# c\r\nvm.swappiness = 10\r\n");
    check(ten, "a.b=1", "a.b=1\nvm.swappiness = 10\n");
    check(ten, "vm.swappiness=60\na.b = 2\n", "vm.swappiness = 10\na.b = 2\n");
    check(ten, "-vm/swappiness\t=\t10", "-vm/swappiness\t=\t10");
    check(ten, "vm.swappiness=1\nvm.swappiness=2\n", "vm.swappiness=1\nvm.swappiness = 10\n");
    check(
        ten,
        "#vm.swappiness=1\n;vm.swappiness=1\n",
        "#vm.swappiness=1\n;vm.swappiness=1\nvm.swappiness = 10\n",
    );
    check(None, "x\nvm.swappiness=1\ny=\nvm/swappiness = 2", "x\ny=\n");
    check(None, "", "");
}

proptest! {
    #[test]
    fn other_lines_are_kept(before in "((vm[.]swappiness=1|-a.b = 2|# c|;|)(\n|\r\n)){0,6}", is_there: bool) {
        let edited = setting(is_there.then_some("10")).edit(&before).text;
        let others = |text: &str| -> Vec<String> {
            text.split_inclusive('\n').filter(|line| !line.starts_with("vm.")).map(str::to_owned).collect()
        };
        prop_assert_eq!(others(&edited), others(&before));
    }

    #[test]
    fn no_text_makes_it_panic(text in "([./=;#\n-]|\\PC){0,30}") {
        setting(Some("1")).edit(&text);
        let _ = text.parse::<Key>();
    }
}

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_dir("/etc/sysctl.d")
        .with_file("/proc/sys/vm/swappiness", "60\n")
        .with_file("/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n")
}

#[tokio::test]
async fn settings() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |written: Written<'_>, said: &str, live: &str, file: &str| {
        assert_eq!(apply::<SysctlPreparer>(&system, written).await, said, "{written:?}");
        assert_eq!(plan::<SysctlPreparer>(&system, written).await, "no change", "{written:?}");
        let machine = model.machine();
        let text = |path: &str| String::from_utf8_lossy(machine.file(path).unwrap_or_default()).into_owned();
        assert_eq!(text("/proc/sys/vm/swappiness"), live);
        assert_eq!(text(FILE), file);
    };
    let name = ("name", Value::from("vm.swappiness"));
    check(
        &[name.clone(), ("value", 10.into())],
        &format!("will change\nlive: \"60\" => \"10\"\n{FILE}: \"absent\" => \"10\""),
        "10\n",
        "vm.swappiness = 10\n",
    )
    .await;
    check(
        &[name.clone(), ("value", "20".into()), ("live", false.into())],
        &format!("will change\n{FILE}: \"10\" => \"20\""),
        "10\n",
        "vm.swappiness = 20\n",
    )
    .await;
    check(
        &[("name", "net.ipv4.tcp_rmem".into()), ("value", "4096 131072  6291456".into())],
        &format!("will change\n{FILE}: \"absent\" => \"4096 131072 6291456\""),
        "10\n",
        "vm.swappiness = 20\nnet.ipv4.tcp_rmem = 4096 131072 6291456\n",
    )
    .await;
    check(
        &[name, ("state", "absent".into())],
        &format!("will change\n{FILE}: \"20\" => \"absent\""),
        "10\n",
        "net.ipv4.tcp_rmem = 4096 131072 6291456\n",
    )
    .await;
}

#[tokio::test]
async fn mistakes() {
    let system: Arc<dyn System> = Arc::new(model());
    let name = ("name", Value::from("vm.swappiness"));
    let check = async |written: Written<'_>, expect: &str| {
        assert_eq!(plan::<SysctlPreparer>(&system, written).await, format!("error: {expect}"), "{written:?}");
    };
    let missing_key = [("name", Value::from("vm.none")), ("value", 1.into())];
    check(&missing_key, "setting of the kernel \"vm.none\" does not exist").await;
    assert_eq!(
        plan_pending::<SysctlPreparer>(&system, &missing_key).await,
        "may change\n# the kernel has no vm.none yet"
    );
    check(std::slice::from_ref(&name), "value: `value` is required, as `state` is \"present\"").await;
    check(&[name.clone(), ("value", "1\nkernel.x = 2".into())], "value: it has several lines").await;
    check(&[name, ("value", " ".into())], "value: it is empty").await;
}

/// A value that the kernel refuses now must not come with the next boot.
#[tokio::test]
async fn a_refused_value_is_not_kept() {
    let refusing = model().with(|machine| machine.put_disk("/proc/sys/vm", Disk::ReadOnly));
    let fields = [("name", Value::from("vm.swappiness")), ("value", 10.into())];
    assert_refused::<SysctlPreparer>(refusing, &fields, "cannot write into /proc/sys/vm/swappiness").await;
}

laws!(
    SysctlPreparer,
    start = model,
    values = ("name", ["vm.swappiness", "net.ipv4.tcp_rmem"]),
    values = ("value", ["10", "4096 131072 6291456"]),
    values = ("file", [FILE])
);
