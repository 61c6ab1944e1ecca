use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::AptRepoPreparer;
use crate::package::openpgp::samples::{ONE, ONE_FINGERPRINT};
use crate::testing::{Written, apply, plan, plan_pending};

const FILE: &str = "/etc/apt/sources.list.d/it.sources";
const PREFERENCES: &str = "/etc/apt/preferences.d/it.pref";
const PROXY: &str = "/etc/apt/apt.conf.d/90-it-proxy.conf";
const KEY_URL: &str = "https://deb.example.com/key.asc";

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_dir("/etc/apt/sources.list.d")
        .with_dir("/etc/apt/preferences.d")
        .with_dir("/etc/apt/apt.conf.d")
        .with_url(KEY_URL, ONE)
}

fn words(words: &[&str]) -> Value {
    Value::List(words.iter().map(|word| Value::from(*word)).collect())
}

/// Returns these fields with defaults for the others; null omits a field.
fn with_defaults(fields: Written<'_>) -> Vec<(&'static str, Value)> {
    let usual = [
        ("name", Value::from("it")),
        ("uris", words(&["https://deb.example.com/debian"])),
        ("suites", words(&["bookworm"])),
        ("key", ONE.into()),
        ("key_fingerprint", ONE_FINGERPRINT.into()),
    ];
    let others = usual.into_iter().filter(|(name, _)| fields.iter().all(|(field, _)| field != name));
    others.chain(fields.iter().cloned()).filter(|(_, value)| *value != Value::Null).collect()
}

fn by_url() -> [(&'static str, Value); 2] {
    [("key", Value::Null), ("key_url", KEY_URL.into())]
}

fn text(model: &ModelSystem, path: &str) -> Option<String> {
    model.machine().file(path).map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
}

#[tokio::test]
async fn files_come_and_go() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let all_fields = with_defaults(&[("priority", 400.into()), ("proxy", "http://proxy:3128".into())]);
    apply::<AptRepoPreparer>(&system, &all_fields).await;
    assert_eq!(apply::<AptRepoPreparer>(&system, &all_fields).await, "no change");
    let file = text(&model, FILE).unwrap();
    let head = "Types: deb\nURIs: https://deb.example.com/debian\nSuites: bookworm\nComponents: main\nSigned-By:\n \
                -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mDME";
    assert!(file.starts_with(head), "{file}");
    let preferences = "Package: *\nPin: origin \"deb.example.com\"\nPin-Priority: 400\n";
    assert_eq!(text(&model, PREFERENCES).as_deref(), Some(preferences));
    assert!(
        text(&model, PROXY).is_some_and(|proxy| proxy.contains("::deb.example.com \"http://proxy:3128\";"))
    );

    let output = apply::<AptRepoPreparer>(&system, &with_defaults(&[])).await;
    assert!(output.starts_with("will change\npriority: ") && output.contains("\nproxy: "), "{output}");
    assert_eq!((text(&model, PREFERENCES), text(&model, PROXY)), (None, None));

    let absent = [("name", Value::from("it")), ("state", "absent".into())];
    apply::<AptRepoPreparer>(&system, &absent).await;
    assert_eq!(text(&model, FILE), None);
    assert_eq!(apply::<AptRepoPreparer>(&system, &absent).await, "no change");
}

#[tokio::test]
async fn kinds_of_repositories() {
    let check = async |fields: Written<'_>, expect: &str| {
        let model = Arc::new(model());
        apply::<AptRepoPreparer>(&(Arc::clone(&model) as _), &with_defaults(fields)).await;
        let file = text(&model, FILE).unwrap_or_default();
        assert_eq!(file.split("Signed-By").next(), Some(expect), "{fields:?}");
    };
    check(&[("suites", words(&["./"]))], "Types: deb\nURIs: https://deb.example.com/debian\nSuites: ./\n")
        .await;
    check(
        &[
            ("uris", Value::Null),
            ("ppa", "owner/archive".into()),
            ("architectures", words(&["amd64", "arm64"])),
        ],
        "Types: deb\nURIs: https://ppa.launchpadcontent.net/owner/archive/ubuntu\nSuites: bookworm\n\
         Components: main\nArchitectures: amd64 arm64\n",
    )
    .await;
}

#[tokio::test]
async fn a_key_from_a_url() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let fields = with_defaults(&by_url());
    apply::<AptRepoPreparer>(&system, &fields).await;
    let file = text(&model, FILE).unwrap();
    assert!(file.contains(" mDME"), "{file}");
    // The key is in the file now, and is not fetched again.
    let offline = ModelSystem::new().with_file(FILE, &*file).with_mode(FILE, 0o644);
    assert_eq!(plan::<AptRepoPreparer>(&(Arc::new(offline) as _), &fields).await, "no change");

    let check = async |model: ModelSystem, fingerprint: &str, expect: &str| {
        let model = Arc::new(model);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let fields = with_defaults(&[&by_url()[..], &[("key_fingerprint", fingerprint.into())]].concat());
        let output = apply::<AptRepoPreparer>(&system, &fields).await;
        assert!(output.starts_with("error: the key at https://deb.example.com/key.asc"), "{output}");
        assert!(output.contains(expect), "{output}");
        assert_eq!(text(&model, FILE), None);
    };
    let wrong_fingerprint = "00".repeat(20);
    check(
        self::model(),
        &wrong_fingerprint,
        &format!("it has the fingerprint {ONE_FINGERPRINT}, and {wrong_fingerprint} is expected"),
    )
    .await;
    check(self::model().with_url(KEY_URL, "<html>"), ONE_FINGERPRINT, "not a public key of OpenPGP").await;
    check(self::model().with_url(KEY_URL, vec![b'x'; 2 << 20]), ONE_FINGERPRINT, "cannot be fetched").await;
    let empty_apt = ModelSystem::new().with_dir("/etc/apt/sources.list.d");
    check(empty_apt, ONE_FINGERPRINT, "cannot be fetched").await;
}

#[tokio::test]
async fn what_is_refused() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |fields: Written<'_>, expect: &str| {
        let output = plan::<AptRepoPreparer>(&system, &with_defaults(fields)).await;
        assert!(output.starts_with("error: ") && output.contains(expect), "{fields:?}: {output}");
    };
    check(&[("key", Value::Null)], "key: the key is missing").await;
    check(&[("key", "hello".into())], "key: it is not a public key of OpenPGP").await;
    check(&[("key_fingerprint", "00".repeat(20).into())], "key: it has the fingerprint").await;
    check(&[("key_fingerprint", "5D57C0C3".into())], "is not a fingerprint of a key").await;
    check(&[("key_fingerprint", Value::Null)], "key_fingerprint").await;
    check(&[("uris", Value::Null)], "uris: there is none").await;
    check(&[("uris", words(&["ftp://x"]))], "begins with none of").await;
    check(&[("ppa", "owner/archive".into())], "mutually exclusive").await;
    check(&[("uris", Value::Null), ("ppa", "owner".into())], "is not the name of an archive").await;
    check(&[("suites", words(&["./"])), ("components", words(&["main"]))], "has no components").await;
    check(&[("name", "../it".into())], "is not a name of a file that apt reads").await;
    check(&[("proxy", "x\"y".into())], "neither a URL nor DIRECT").await;
    let without_apt: Arc<dyn System> = Arc::new(ModelSystem::new());
    let output = plan::<AptRepoPreparer>(&without_apt, &with_defaults(&[])).await;
    assert!(
        output.ends_with("the directory /etc/apt/sources.list.d does not exist: apt is not installed"),
        "{output}"
    );
    assert!(
        plan_pending::<AptRepoPreparer>(&without_apt, &with_defaults(&[])).await.starts_with("may change")
    );
}

laws!(
    AptRepoPreparer,
    start = model,
    start = || model().with_file(PREFERENCES, "Package: *\n"),
    beside = (FILE, "the name is only a part of the path"),
    beside = (PREFERENCES, "the name is only a part of the path"),
    beside = (PROXY, "the name is only a part of the path"),
    values = ("name", ["it"]),
    values = ("uris", [vec!["https://deb.example.com/debian".to_owned()]]),
    values = ("ppa", ["owner/archive"]),
    values = ("suites", [vec!["bookworm".to_owned()]]),
    values = ("components", [vec!["main".to_owned()]]),
    values = ("key", [ONE]),
    values = ("key_url", [KEY_URL]),
    values = ("key_fingerprint", [ONE_FINGERPRINT]),
    values = ("architectures", [vec!["amd64".to_owned()]]),
    values = ("proxy", ["DIRECT"])
);
