use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Disk, ModelSystem, System};
use proptest::prelude::*;

use super::LocalePreparer;
use super::model::{LIST, machine};
use super::name::LocaleName;
use super::{edit, task};
use crate::testing::{Written, apply, assert_refused, plan, plan_pending};

fn name(text: &str) -> LocaleName {
    text.parse().unwrap()
}

#[test]
fn names() {
    let check = |text: &str, good: bool| assert_eq!(text.parse::<LocaleName>().is_ok(), good, "{text:?}");
    for text in ["C", "POSIX", "C.UTF-8", "de_DE", "de_DE.UTF-8", "ca_ES.UTF-8@valencia", "sr_RS@latin"] {
        check(text, true);
    }
    for text in ["", ".", "a..b", "de DE", "de_DE/x", "-a", "de\nLANG=x", "\u{e4}", &"a".repeat(65)] {
        check(text, false);
    }
    let check_same = |a: &str, b: &str, expect: bool| assert_eq!(name(a).matches(b), expect, "{a} {b}");
    check_same("de_DE.UTF-8", "de_DE.utf8", true);
    check_same("ca_ES.utf8@valencia", "ca_ES.UTF-8@valencia", true);
    check_same("de_DE", "de_DE.utf8", false);
    check_same("de_DE.UTF-8", "de_AT.utf8", false);
}

#[test]
fn lists() {
    let check = |before: &str, of: &str, made: &str, left: &str| {
        assert_eq!(edit::make(before, &name(of), "de_DE.UTF-8 UTF-8"), made, "{before:?}");
        assert_eq!(edit::comment_out(made, &name(of)), left, "{made:?}");
    };
    check("# de_DE.UTF-8 UTF-8\r\nx", "de_DE.UTF-8", "de_DE.UTF-8 UTF-8\r\nx", "# de_DE.UTF-8 UTF-8\r\nx");
    check("#de_DE.UTF-8 UTF-8  \n", "de_DE.utf8", "de_DE.UTF-8 UTF-8\n", "# de_DE.UTF-8 UTF-8\n");
    check(
        "# about de_DE.UTF-8",
        "de_DE.UTF-8",
        "# about de_DE.UTF-8\nde_DE.UTF-8 UTF-8\n",
        "# about de_DE.UTF-8\n# de_DE.UTF-8 UTF-8\n",
    );
    check("  de_DE.UTF-8 UTF-8", "de_DE.UTF-8", "  de_DE.UTF-8 UTF-8", "#   de_DE.UTF-8 UTF-8");
}

#[test]
fn settings() {
    let check = |before: &str, value: Option<&str>, after: &str| {
        assert_eq!(edit::value(before, "LANG"), value, "{before:?}");
        let edited = edit::assign(before, "LANG", &name("C.UTF-8"));
        assert_eq!(edited, after, "{before:?}");
        assert_eq!(edit::assign(&edited, "LANG", &name("C.UTF-8")), edited, "{before:?}");
    };
    check("", None, "LANG=C.UTF-8\n");
    check("# LANG=x\nLANGUAGE=y", None, "# LANG=x\nLANGUAGE=y\nLANG=C.UTF-8\n");
    check("LANG=\"C.UTF-8\"\nA=b\n", Some("C.UTF-8"), "LANG=\"C.UTF-8\"\nA=b\n");
    check("export LANG='x'\r\nA=b\r\n", Some("x"), "LANG=C.UTF-8\r\nA=b\r\n");
}

proptest! {
    #[test]
    fn other_lines_are_kept(before in "((LANG=x|de_DE[.]UTF-8 UTF-8|# c|LC_ALL=y|)(\n|\r\n)){0,6}") {
        let others = |text: &str, mine: &str| -> Vec<String> {
            text.split_inclusive('\n').filter(|line| !line.contains(mine)).map(str::to_owned).collect()
        };
        prop_assert_eq!(others(&edit::assign(&before, "LANG", &name("C")), "LANG="), others(&before, "LANG="));
        let de = name("de_DE.UTF-8");
        prop_assert_eq!(others(&edit::make(&before, &de, "de_DE.UTF-8 UTF-8"), "de_DE"), others(&before, "de_DE"));
        prop_assert_eq!(others(&edit::comment_out(&before, &de), "de_DE"), others(&before, "de_DE"));
    }

    #[test]
    fn no_text_makes_it_panic(text in "([A-Z_=.#@ \"'\n]|\\PC){0,30}") {
        let _ = text.parse::<LocaleName>();
        edit::assign(&edit::comment_out(&text, &name("C")), "LANG", &name("C"));
        edit::make(&text, &name("de_DE"), "de_DE ISO-8859-1");
    }
}

#[tokio::test]
async fn locales() {
    let model = Arc::new(machine());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |written: Written<'_>, said: &str, list: &str, default: &str| {
        assert_eq!(apply::<LocalePreparer>(&system, written).await, said, "{written:?}");
        assert_eq!(plan::<LocalePreparer>(&system, written).await, "no change", "{written:?}");
        let machine = model.machine();
        let text = |path: &str| String::from_utf8_lossy(machine.file(path).unwrap_or_default()).into_owned();
        assert_eq!(text(task::MADE), list, "{written:?}");
        assert_eq!(text(task::DEBIAN), default, "{written:?}");
        assert_eq!(machine.file(task::CONF), None);
    };
    let german = ("name", Value::from("de_DE.utf8"));
    let generated_list = LIST.replace("# de_DE.UTF-8", "de_DE.UTF-8");
    let default = "#  ours\nLANG=de_DE.UTF-8\nLANGUAGE=de\n";
    check(
        &[german.clone(), ("lang", "de_DE.UTF-8".into())],
        "will change\nde_DE.utf8: \"absent\" => \"present\"\nLANG: \"C.UTF-8\" => \"de_DE.UTF-8\"",
        &generated_list,
        default,
    )
    .await;
    let categories = Value::Map([("LC_TIME".into(), Value::from("en_US.UTF-8"))].into_iter().collect());
    let with_time = format!("{default}LC_TIME=en_US.UTF-8\n");
    check(
        &[("categories", categories)],
        "will change\nLC_TIME: \"absent\" => \"en_US.UTF-8\"",
        &generated_list,
        &with_time,
    )
    .await;
    check(&[("name", "C.UTF-8".into())], "no change", &generated_list, &with_time).await;
    check(
        &[german, ("state", "absent".into())],
        "will change\nde_DE.utf8: \"present\" => \"absent\"",
        LIST,
        &with_time,
    )
    .await;
}

/// A locale that cannot be generated is not in the list of the next generation.
#[tokio::test]
async fn a_failure_leaves_the_list() {
    for (how, expect) in [
        ("fails", "`locale-gen --keep-existing` ended with exit code 1"),
        ("does nothing", "`locale-gen` succeeded and did not make de_DE.UTF-8"),
    ] {
        for has_list in [true, false] {
            let model = machine().with(|machine| {
                machine.put_fact("locale-gen", how);
                if !has_list {
                    machine.remove(task::MADE);
                }
            });
            let fields = [("name", Value::from("de_DE.UTF-8")), ("lang", "de_DE.UTF-8".into())];
            assert_refused::<LocalePreparer>(model, &fields, expect).await;
        }
    }
}

#[tokio::test]
async fn mistakes() {
    let check = async |model: ModelSystem, written: Written<'_>, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        let output = plan::<LocalePreparer>(&system, written).await;
        assert!(output.starts_with(&format!("error: {expect}")), "{written:?}: {output}");
    };
    check(machine(), &[], "name: it is required, unless `lang` or `categories` is given").await;
    let klingon = ("name", Value::from("tlh.UTF-8"));
    check(
        machine(),
        std::slice::from_ref(&klingon),
        "the machine cannot make the locale tlh.UTF-8: /usr/share/i18n/SUPPORTED does not have it",
    )
    .await;
    check(
        machine().with(|machine| machine.remove("/usr/sbin/locale-gen")),
        &[("name", "de_DE.UTF-8".into())],
        "the machine has no locale de_DE.UTF-8, and no `locale-gen` to make it: install the package `locales`, or on Fedora \
         and Red Hat `glibc-langpack-de`",
    )
    .await;
    check(
        machine(),
        &[("lang", "de_DE.UTF-8".into())],
        "LANG cannot be de_DE.UTF-8: the machine has no such",
    )
    .await;
    let absent = ("state", Value::from("absent"));
    check(machine(), &[("name", "C".into()), absent.clone()], "name: C is part of the C library").await;
    check(machine(), &[klingon.clone(), ("lang", "C".into()), absent], "state: \"absent\" is about `name`")
        .await;
    let categories = Value::Map([("LC_TINE".into(), Value::from("C"))].into_iter().collect());
    check(machine(), &[("categories", categories)], "categories: there is no \"LC_TINE\"").await;
    let system: Arc<dyn System> = Arc::new(machine());
    let output = plan_pending::<LocalePreparer>(&system, &[klingon]).await;
    assert!(output.starts_with("may change\n# the machine cannot make"), "{output}");
}

/// A locale from a package exists without a list.
#[tokio::test]
async fn a_machine_without_lists() {
    let model = ModelSystem::new()
        .with_query(["locale", "-a"], converge_sdk::system::Output::success("de_DE.utf8\n"));
    let model = Arc::new(model);
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let fields = [("name", Value::from("de_DE.UTF-8")), ("lang", "de_DE.UTF-8".into())];
    let output = apply::<LocalePreparer>(&system, &fields).await;
    assert_eq!(output, "will change\nLANG: \"absent\" => \"de_DE.UTF-8\"");
    assert_eq!(model.machine().file(task::CONF), Some(&b"LANG=de_DE.UTF-8\n"[..]));
}

#[tokio::test]
async fn a_full_disk_leaves_what_was_there() {
    let model = Arc::new(machine().with_disk("/etc", Disk::Full));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let output = apply::<LocalePreparer>(&system, &[("name", "de_DE.UTF-8".into())]).await;
    assert!(output.contains("error: "), "{output}");
    assert_eq!(model.machine().file(task::MADE), Some(LIST.as_bytes()));
}

laws!(
    LocalePreparer,
    start = machine,
    values = ("name", ["de_DE.UTF-8", "en_US.UTF-8"]),
    values = ("lang", ["de_DE.UTF-8", "en_US.UTF-8", "C"]),
    values =
        ("categories", [Value::Map([("LC_TIME".into(), Value::from("en_US.UTF-8"))].into_iter().collect())]),
    beside = ("/usr/lib/locale", "`locale-gen` makes the locales there")
);
