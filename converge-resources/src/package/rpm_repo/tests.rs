use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::RpmRepoPreparer;
use crate::package::openpgp::samples::{ONE, ONE_FINGERPRINT};
use crate::testing::{Written, apply, plan, plan_pending};

const FILE: &str = "/etc/yum.repos.d/it.repo";
const KEY: &str = "/etc/yum.repos.d/it.asc";
const KEY_URL: &str = "https://rpm.example.com/key.asc";

fn model() -> ModelSystem {
    ModelSystem::new().with_dir("/etc/yum.repos.d").with_url(KEY_URL, ONE)
}

/// Returns these fields with defaults for the others; null omits a field.
fn with_defaults(fields: Written<'_>) -> Vec<(&'static str, Value)> {
    let usual = [
        ("name", Value::from("it")),
        ("baseurl", "https://rpm.example.com/el9".into()),
        ("key", ONE.into()),
        ("key_fingerprint", ONE_FINGERPRINT.into()),
    ];
    let others = usual.into_iter().filter(|(name, _)| fields.iter().all(|(field, _)| field != name));
    others.chain(fields.iter().cloned()).filter(|(_, value)| *value != Value::Null).collect()
}

#[tokio::test]
async fn files_of_a_repository() {
    let check = async |fields: Written<'_>, expect: &str, key: Option<&str>| {
        let model = Arc::new(model());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        apply::<RpmRepoPreparer>(&system, &with_defaults(fields)).await;
        assert_eq!(
            apply::<RpmRepoPreparer>(&system, &with_defaults(fields)).await,
            "no change",
            "{fields:?}"
        );
        let text =
            |path: &str| model.machine().file(path).map(|text| String::from_utf8(text.to_vec()).unwrap());
        assert_eq!(text(FILE).as_deref(), Some(expect), "{fields:?}");
        assert_eq!(text(KEY).as_deref(), key, "{fields:?}");
        let absent = [("name", Value::from("it")), ("state", "absent".into())];
        apply::<RpmRepoPreparer>(&system, &absent).await;
        assert_eq!((text(FILE), text(KEY)), (None, None), "{fields:?}");
    };
    let head = "[it]\nname=it\nbaseurl=https://rpm.example.com/el9\nenabled=1\ngpgcheck=1\n\
                gpgkey=file:///etc/yum.repos.d/it.asc\n";
    check(&[], head, Some(ONE)).await;
    check(&[("key", Value::Null), ("gpgkey", KEY_URL.into())], head, Some(ONE)).await;
    check(&[("priority", 10.into())], &format!("{head}priority=10\n"), Some(ONE)).await;
    let unsigned = [
        ("key", Value::Null),
        ("key_fingerprint", Value::Null),
        ("gpgcheck", false.into()),
        ("accept_unsigned", true.into()),
        ("enabled", false.into()),
        ("description", "It is = it".into()),
    ];
    let text = "[it]\nname=It is = it\nbaseurl=https://rpm.example.com/el9\nenabled=0\ngpgcheck=0\n";
    check(&unsigned, text, None).await;
}

#[tokio::test]
async fn what_is_refused() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |fields: Written<'_>, expect: &str| {
        let output = plan::<RpmRepoPreparer>(&system, &with_defaults(fields)).await;
        assert!(output.starts_with("error: ") && output.contains(expect), "{fields:?}: {output}");
    };
    check(&[("gpgcheck", false.into())], "to accept that, write").await;
    check(&[("accept_unsigned", true.into())], "it has no effect without `gpgcheck = false`").await;
    check(&[("key", Value::Null)], "key: the key is missing").await;
    check(&[("key_fingerprint", Value::Null)], "key: it has the fingerprint").await;
    check(&[("key_fingerprint", "00".repeat(20).into())], "key: it has the fingerprint").await;
    let by_url =
        [("key", Value::Null), ("gpgkey", KEY_URL.into()), ("key_fingerprint", "00".repeat(20).into())];
    check(&by_url, "the key at https://rpm.example.com/key.asc is refused: it has the fingerprint").await;
    let unnamed = [("key", Value::Null), ("gpgkey", KEY_URL.into()), ("key_fingerprint", Value::Null)];
    check(&unnamed, "a key is taken by its fingerprint").await;
    check(&[("baseurl", "rpm.example.com".into())], "is not a URL that begins with").await;
    check(&[("baseurl", "http://a\n[other]".into())], "is not a URL that begins with").await;
    check(&[("description", "a\n[other]".into())], "is not one line").await;
    check(&[("name", "a]b".into())], "is not a name of a repository").await;
    let without_rpm: Arc<dyn System> = Arc::new(ModelSystem::new());
    let output = plan::<RpmRepoPreparer>(&without_rpm, &with_defaults(&[])).await;
    assert!(output.ends_with("have their repositories: is one of them installed?"), "{output}");
    assert!(
        plan_pending::<RpmRepoPreparer>(&without_rpm, &with_defaults(&[])).await.starts_with("may change")
    );
}

laws!(
    RpmRepoPreparer,
    start = model,
    start = || model().with_file(KEY, "another"),
    beside = (FILE, "the name is only a part of the path"),
    beside = (KEY, "the name is only a part of the path"),
    values = ("name", ["it"]),
    values = ("baseurl", ["https://rpm.example.com/el9"]),
    values = ("key", [ONE]),
    values = ("gpgkey", [KEY_URL]),
    values = ("key_fingerprint", [ONE_FINGERPRINT])
);
