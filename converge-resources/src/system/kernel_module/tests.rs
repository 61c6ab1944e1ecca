use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Disk, ModelSystem, System};
use proptest::prelude::*;

use super::KernelModulePreparer;
use super::edit::{self, Topic};
use super::kernel_state::{self, ModuleKind};
use super::model::{LOADED, model};
use super::name::{ModuleName, ParameterName, ParameterValue};
use crate::testing::{Written, apply, assert_refused, plan, plan_pending};

const LOAD: &str = "/etc/modules-load.d/dummy.conf";
const OPTIONS: &str = "/etc/modprobe.d/zz-dummy.conf";

fn name(text: &str) -> ModuleName {
    text.parse().unwrap()
}

#[test]
fn words() {
    let check = |good: Result<(), String>, expect: bool, text: &str| {
        assert_eq!(good.is_ok(), expect, "{text:?}: {good:?}");
    };
    for text in ["dummy", "br-netfilter", "8021q", "snd_hda_intel"] {
        check(text.parse::<ModuleName>().map(drop), true, text);
    }
    for text in ["", "-r", "a b", "a/b", "../x", "a\n", "a.ko", "\u{e4}"] {
        check(text.parse::<ModuleName>().map(drop), false, text);
    }
    for (text, expect) in [("numdummies", true), ("a.b", true), ("", false), ("a=b", false), ("-a", false)] {
        check(text.parse::<ParameterName>().map(drop), expect, text);
    }
    for (text, expect) in
        [("2", true), ("a,b:c", true), ("", false), ("a b", false), ("a\"", false), ("a\n", false)]
    {
        check(text.parse::<ParameterValue>().map(drop), expect, text);
    }
}

#[test]
fn edits() {
    let check = |topic: Topic, wanted: Option<&str>, before: &str, expect: &str| {
        let edited = edit::edit(topic, &name("br-netfilter"), wanted, before).text;
        assert_eq!(edited, expect, "{topic:?} {wanted:?} in {before:?}");
        assert_eq!(
            edit::edit(topic, &name("br_netfilter"), wanted, &edited).text,
            edited,
            "twice: {before:?}"
        );
    };
    check(Topic::Load, Some(""), "", "br_netfilter\n");
    check(Topic::Load, Some(""), "# br_netfilter\r\nx", "# br_netfilter\r\nx\r\nbr_netfilter\r\n");
    check(Topic::Load, Some(""), " br-netfilter \n", " br-netfilter \n");
    check(Topic::Load, None, "a\nbr-netfilter\nbr_netfilter\nb", "a\nb");
    check(
        Topic::Blacklist,
        Some(""),
        "options br_netfilter a=1\n",
        "options br_netfilter a=1\nblacklist br_netfilter\n",
    );
    check(Topic::Blacklist, None, "blacklist\tbr-netfilter\nblacklist x\n", "blacklist x\n");
    check(
        Topic::Options,
        Some("a=1 b=2"),
        "options br_netfilter  a=1   b=2\n",
        "options br_netfilter  a=1   b=2\n",
    );
    check(
        Topic::Options,
        Some("a=1"),
        "options br-netfilter a=2\nx\noptions br_netfilter b=1\n",
        "options br_netfilter a=1\nx\n",
    );
    check(
        Topic::Options,
        Some("a=1 b=1"),
        "options br-netfilter a=1\noptions br_netfilter b=1",
        "options br-netfilter a=1\noptions br_netfilter b=1",
    );
    check(Topic::Options, None, "options br_netfilter a=1\noptions x a=1", "options x a=1");
}

proptest! {
    #[test]
    fn other_lines_are_kept(before in "((options dummy a=1|options x a=1|blacklist dummy|# c|dummy|)\n){0,5}", wanted in proptest::option::of("[ab]=[12]")) {
        let edited = edit::edit(Topic::Options, &name("dummy"), wanted.as_deref(), &before).text;
        let others = |text: &str| -> Vec<String> {
            text.split_inclusive('\n').filter(|line| !line.starts_with("options dummy")).map(str::to_owned).collect()
        };
        prop_assert_eq!(others(&edited), others(&before));
    }

    #[test]
    fn no_text_makes_it_panic(text in "([=.# \t\r\n-]|dummy|options|insmod|builtin|/|\\PC){0,30}") {
        for topic in [Topic::Load, Topic::Blacklist, Topic::Options] {
            edit::edit(topic, &name("dummy"), Some("a=1"), &text);
        }
        kernel_state::parse(&name("dummy"), &text);
        kernel_state::depends(&name("dummy"), &text);
    }
}

/// Uses output recorded from kmod 30 and Linux 6.1.
#[test]
fn what_programs_print() {
    let check = |text: &str, printed: &str, expect: ModuleKind| {
        assert_eq!(kernel_state::depends(&name(text), printed), expect, "{printed:?}");
    };
    let bridge = "insmod /lib/modules/6.1.0/kernel/net/bridge/bridge.ko \n\
                  insmod /lib/modules/6.1.0/kernel/net/bridge/br_netfilter.ko a=1\n";
    check("br_netfilter", bridge, ModuleKind::Module);
    check("bridge-nf", bridge, ModuleKind::Alias("br_netfilter".to_owned()));
    check("loop", "builtin loop\n", ModuleKind::BuiltIn);
    check(
        "dummy",
        "insmod /lib/modules/6.12/kernel/drivers/net/dummy.ko.xz numdummies=0 \n",
        ModuleKind::Module,
    );
    check("dummy", "install /bin/true\n", ModuleKind::Module);

    let list = "dummy 16384 0 - Live 0x0000000000000000\n\
                bridge 311296 1 br_netfilter, Live 0x0000000000000000\n\
                nvme 57344 3 - Live 0x0000000000000000\n\
                crc 57344 1 - Live 0x0000000000000000 [permanent],\n";
    let reference_of = |text: &str| kernel_state::parse(&name(text), list).map(|state| state.held);
    assert_eq!(reference_of("dummy"), Some(None));
    assert_eq!(reference_of("bridge"), Some(Some("it is in use by br_netfilter".to_owned())));
    assert_eq!(reference_of("nvme"), Some(Some("it is in use 3 times".to_owned())));
    assert_eq!(reference_of("dumm"), None);

    let is_same = |shown: &str, given: &str| kernel_state::is_same(shown, &given.parse().unwrap());
    assert!(is_same("Y", "1") && is_same("N", "n") && is_same("16", "0x10") && is_same("a", "a"));
    assert!(!is_same("Y", "0") && !is_same("1", "2"));
}

fn map(entries: &[(&str, &str)]) -> Value {
    let entries = entries.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value)));
    Value::Map(entries.collect())
}

#[tokio::test]
async fn modules() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |written: Written<'_>, said: &str, is_loaded: bool, files: [&str; 2]| {
        assert_eq!(apply::<KernelModulePreparer>(&system, written).await, said, "{written:?}");
        let machine = model.machine();
        let text = |path: &str| String::from_utf8_lossy(machine.file(path).unwrap_or_default()).into_owned();
        assert_eq!(text(LOADED).contains("dummy "), is_loaded, "{written:?}");
        assert_eq!([text(LOAD), text(OPTIONS)], files, "{written:?}");
        let actual = [LOAD, OPTIONS].map(|path| machine.entry(path).is_some());
        assert_eq!(actual, files.map(|text| !text.is_empty()), "{written:?}");
    };
    let name = ("name", Value::from("dummy"));
    check(
        &[name.clone(), ("parameters", map(&[("numdummies", "2")]))],
        "will change\nparameters: \"(none)\" => \"numdummies=2\"\nat boot: \"false\" => \"true\"\nloaded: \"false\" => \"true\"",
        true,
        ["dummy\n", "options dummy numdummies=2\n"],
    )
    .await;
    let output =
        apply::<KernelModulePreparer>(&system, &[name.clone(), ("parameters", map(&[("numdummies", "3")]))])
            .await;
    let warning = "warning: dummy is loaded with numdummies = 2: it has 3 when it is loaded the next time";
    let expect = format!(
        "will change\nparameters: \"numdummies=2\" => \"numdummies=3\"\n{warning}\nand after apply: no change\n{warning}"
    );
    assert_eq!(output, expect);
    check(
        &[name.clone(), ("parameters", map(&[]))],
        "will change\nparameters: \"numdummies=3\" => \"(none)\"",
        true,
        ["dummy\n", ""],
    )
    .await;
    let absent = ("state", Value::from("absent"));
    check(
        &[name.clone(), absent.clone(), ("persistent", false.into())],
        "will change\nloaded: \"true\" => \"false\"",
        false,
        ["dummy\n", ""],
    )
    .await;
    check(
        &[name.clone(), absent.clone(), ("blacklisted", true.into())],
        "will change\nblacklisted: \"false\" => \"true\"\nat boot: \"true\" => \"false\"",
        false,
        ["", "blacklist dummy\n"],
    )
    .await;
    check(
        &[name.clone(), ("persistent", false.into())],
        "will change\nloaded: \"false\" => \"true\"",
        true,
        ["", "blacklist dummy\n"],
    )
    .await;
    model.alter(|machine| {
        machine.put_file("/etc/modules", "# c\ndummy\n");
        machine.put_file("/etc/modprobe.d/other.conf", "blacklist dummy\n");
        machine.put_file("/etc/modprobe.d/other.bak", "blacklist dummy\n");
    });
    let warning = "warning: /etc/modprobe.d/other.conf blacklists it, so it is not loaded at boot";
    assert_eq!(
        plan::<KernelModulePreparer>(&system, std::slice::from_ref(&name)).await,
        format!("will change\nblacklisted: \"true\" => \"false\"\nat boot: \"false\" => \"true\"\n{warning}")
    );
    let output = plan::<KernelModulePreparer>(&system, &[name, absent]).await;
    assert!(output.ends_with("\nwarning: /etc/modules loads it at boot"), "{output}");
}

/// A module that the kernel does not load now must not come with the next boot.
#[tokio::test]
async fn a_refused_module_is_not_kept() {
    let refusing = model().with(|machine| machine.put_fact("modprobe", "refuses"));
    let fields = [("name", Value::from("dummy")), ("parameters", map(&[("numdummies", "2")]))];
    assert_refused::<KernelModulePreparer>(
        refusing,
        &fields,
        "`modprobe dummy numdummies=2` ended with exit code 1",
    )
    .await;
}

#[tokio::test]
async fn mistakes() {
    let check = assert_refused::<KernelModulePreparer>;
    let fields_of =
        |name: &str, more: &[(&'static str, Value)]| [&[("name", Value::from(name))], more].concat();
    let absent = ("state", Value::from("absent"));
    let blacklisted = ("blacklisted", Value::from(true));
    check(
        model(),
        &fields_of("no/dummy", &[]),
        "name: \"no/dummy\" is not the name of a module of the kernel",
    )
    .await;
    check(
        model(),
        &fields_of("dummy", std::slice::from_ref(&blacklisted)),
        "blacklisted: a module that is blacklisted is not loaded at boot",
    )
    .await;
    let contradiction = [absent.clone(), blacklisted, ("persistent", false.into())];
    check(model(), &fields_of("dummy", &contradiction), "blacklisted: it needs a file").await;
    let numbers = ("parameters", map(&[("number", "2")]));
    check(
        model(),
        &fields_of("dummy", &[absent.clone(), numbers.clone()]),
        "parameters: an absent module has no parameters",
    )
    .await;
    check(
        model(),
        &fields_of("dummy", std::slice::from_ref(&numbers)),
        "dummy has no parameter number; it has numdummies",
    )
    .await;
    check(
        model(),
        &fields_of("bridge", std::slice::from_ref(&absent)),
        "bridge cannot be unloaded: it is in use by other",
    )
    .await;
    check(model(), &fields_of("loop", &[absent]), "loop is built into the kernel: it cannot be unloaded")
        .await;
    check(
        model(),
        &fields_of("loop", &[numbers]),
        "loop is built into the kernel: its parameters are on the command line",
    )
    .await;
    check(model(), &fields_of("net-pf-10", &[]), "net_pf_10 is an alias of the module ipv6: write ipv6")
        .await;
    let nothing = "the kernel has no module nothing: modprobe: FATAL: Module nothing not found in directory /lib/modules/6.1";
    check(model(), &fields_of("nothing", &[]), nothing).await;
    let system: Arc<dyn System> = Arc::new(model());
    assert_eq!(
        plan_pending::<KernelModulePreparer>(&system, &fields_of("nothing", &[])).await,
        "may change\n# the kernel has no module nothing yet"
    );
    let full_disk = model().with(|machine| machine.put_disk("/", Disk::Full));
    check(full_disk, &fields_of("pcspkr", &[]), "cannot write /etc/modules-load.d/pcspkr.conf").await;
    let link = model().with(|machine| {
        machine.put_file("/secret", "root's\n");
        machine.put_symlink(LOAD, "/secret");
        machine.put_owner(LOAD, 65534, 65534);
    });
    check(link, &fields_of("dummy", &[]), "cannot read /etc/modules-load.d/dummy.conf").await;
    let no_kmod = ModelSystem::new().with_file(LOADED, "");
    check(no_kmod, &fields_of("dummy", &[]), "there is no `modprobe`: install the package `kmod`").await;
}

laws!(
    KernelModulePreparer,
    start = model,
    values = ("name", ["dummy", "pcspkr", "br_netfilter"]),
    values = ("parameters", [map(&[])]),
    beside = ("/sys/module", "the kernel shows there what it has loaded")
);
