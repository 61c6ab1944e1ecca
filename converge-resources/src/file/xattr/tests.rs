use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::XattrPreparer;
use crate::testing::{Written, apply, plan, plan_pending};

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_file("/file", "")
        .with_symlink("/link", "/file")
        .with(|machine| machine.put_attribute("/file", "user.old", b"1"))
}

fn attributes(values: &[(&str, &str)]) -> (&'static str, Value) {
    (
        "attributes",
        Value::Map(values.iter().map(|(name, value)| ((*name).into(), Value::from(*value))).collect()),
    )
}

#[tokio::test]
async fn values() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |written: Written<'_>, expect: &str, held: [Option<&str>; 2]| {
        let written = [&[("destination", Value::from("/link"))], written].concat();
        assert_eq!(apply::<XattrPreparer>(&system, &written).await, expect, "{written:?}");
        assert_eq!(plan::<XattrPreparer>(&system, &written).await, "no change", "{written:?}");
        let machine = model.machine();
        let value =
            |name| machine.attribute("/file", name).map(|value| String::from_utf8_lossy(value).into_owned());
        assert_eq!(
            [value("user.old"), value("user.new")],
            held.map(|text| text.map(str::to_owned)),
            "{written:?}"
        );
    };
    check(
        &[attributes(&[("user.new", "a")])],
        "will change\nuser.new: \"absent\" => \"a\"",
        [Some("1"), Some("a")],
    )
    .await;
    check(&[attributes(&[("user.old", "1")])], "no change", [Some("1"), Some("a")]).await;
    check(
        &[
            attributes(&[("user.new", "")]),
            ("absent", Value::List(vec!["user.old".into(), "user.none".into()])),
        ],
        "will change\nuser.new: \"a\" => \"\"\nuser.old: \"1\" => \"absent\"",
        [None, Some("")],
    )
    .await;
}

#[tokio::test]
async fn mistakes() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |written: Written<'_>, expect: &str| {
        let output = plan::<XattrPreparer>(&system, written).await;
        assert!(output.contains(expect), "{written:?}: {output}");
    };
    let file = ("destination", Value::from("/file"));
    check(std::slice::from_ref(&file), "there is nothing to do without `attributes` or `absent`").await;
    for (name, expect) in [
        ("comment", "is not the name of an attribute, such as `user.comment`"),
        ("user.", "is not the name of an attribute"),
        ("system.posix_acl_access", "is an attribute of the kernel: see `file.acl`"),
        ("security.capability", "is an attribute of the kernel: see `file.capability`"),
    ] {
        check(&[file.clone(), attributes(&[(name, "x")])], expect).await;
    }
    let missing = [("destination", Value::from("/none")), attributes(&[("user.a", "x")])];
    check(&missing, "error: file \"/none\" does not exist").await;
    assert_eq!(
        plan_pending::<XattrPreparer>(&system, &missing).await,
        "may change\n# /none does not exist yet"
    );
}

laws!(
    XattrPreparer,
    start = model,
    values = ("destination", ["/file", "/link", "/"]),
    values = ("attributes", [attributes(&[("user.old", "2")]).1, attributes(&[("user.new", "a")]).1])
);
