use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Acl, AclTag, ModelSystem, System};

use super::AclPreparer;
use super::entry::{EntryName, Permissions};
use crate::testing::{Written, apply, plan, plan_pending};

#[test]
fn names_and_permissions() {
    let check = |text: &str, expect: Result<&str, &str>| {
        let actual = text.parse::<EntryName>().map(|name| name.to_string());
        match expect {
            Ok(expect) => assert_eq!(actual.as_deref(), Ok(expect), "{text:?}"),
            Err(expect) => assert!(actual.as_ref().is_err_and(|error| error.contains(expect)), "{actual:?}"),
        }
    };
    check("user:deploy", Ok("user:deploy"));
    check("u:deploy", Ok("user:deploy"));
    check("d:g:web", Ok("default:group:web"));
    check("default:mask", Ok("default:mask"));
    check("user:", Ok("user"));
    check("o", Ok("other"));
    for text in ["", "deploy", "user:a b", "mask:x", "default", "group:a:b"] {
        check(text, Err("is not the name of an entry"));
    }
    let check = |text: &str, expect: Option<&str>| {
        assert_eq!(
            text.parse::<Permissions>().ok().map(|bits| bits.to_string()).as_deref(),
            expect,
            "{text:?}"
        );
    };
    for (text, expect) in
        [("rwx", "rwx"), ("xr", "r-x"), ("---", "---"), ("-", "---"), ("6", "rw-"), ("0", "---")]
    {
        check(text, Some(expect));
    }
    for text in ["", "rwxr", "rr", "8", "07", "X", "rw -"] {
        check(text, None);
    }
}

/// A host with a file whose list lets daemon write, a file without a list, and a directory.
fn model() -> ModelSystem {
    let mut acl = Acl::from_mode(0o640);
    acl.entries.extend([(AclTag::User(1), 6), (AclTag::Mask, 6)]);
    let model = ModelSystem::new().with_dir("/srv").with_symlink("/link", "/plain");
    ["/listed", "/plain"]
        .into_iter()
        .fold(model, |model, path| model.with_file(path, "").with_mode(path, 0o640))
        .with(|machine| machine.put_attribute("/listed", Acl::ACCESS, &acl.to_bytes()))
}

fn entries(entries: &[(&str, &str)]) -> (&'static str, Value) {
    ("entries", Value::Map(entries.iter().map(|(name, bits)| ((*name).into(), Value::from(*bits))).collect()))
}

#[tokio::test]
async fn lists() {
    let check = async |path: &str, written: Written<'_>, expect: &str, mode: u32, list: &str| {
        let model = Arc::new(model());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let written = [&[("destination", Value::from(path))], written].concat();
        assert_eq!(apply::<AclPreparer>(&system, &written).await, expect, "{written:?}");
        assert_eq!(plan::<AclPreparer>(&system, &written).await, "no change", "{written:?}");
        let machine = model.machine();
        let real_path = if path == "/link" { "/plain" } else { path };
        assert_eq!(machine.entry(real_path).map(|entry| entry.mode), Some(mode), "{written:?}");
        let shown =
            [("", Acl::ACCESS), ("default ", Acl::DEFAULT)].into_iter().filter_map(|(prefix, name)| {
                let acl = Acl::from_bytes(machine.attribute(path, name)?)?;
                let entries = acl.entries.iter().map(|(tag, bits)| format!("{tag:?}={bits}"));
                Some(format!("{prefix}{}", entries.collect::<Vec<_>>().join(" ")))
            });
        assert_eq!(shown.collect::<Vec<_>>().join("; "), list, "{written:?}");
    };
    let computed = "# the mask is computed: rw-, so the mode becomes 0660";
    for path in ["/plain", "/link"] {
        check(
            path,
            &[entries(&[("user:daemon", "rw")])],
            &format!(
                "will change\nuser:daemon: \"absent\" => \"rw-\"\nmask: \"absent\" => \"rw-\"\n{computed}"
            ),
            0o660,
            "Owner=6 User(1)=6 Group=4 Mask=6 Other=0",
        )
        .await;
    }
    check(
        "/listed",
        &[entries(&[("user:daemon", "6")])],
        "no change",
        0o660,
        "Owner=6 User(1)=6 Group=4 Mask=6 Other=0",
    )
    .await;
    check(
        "/listed",
        &[entries(&[("group:12", "r-x"), ("mask", "r--")])],
        "will change\ngroup:12: \"absent\" => \"r-x\"\nmask: \"rw-\" => \"r--\"\n# the mask is declared: r--, so the mode becomes 0640",
        0o640,
        "Owner=6 User(1)=6 Group=4 NamedGroup(12)=5 Mask=4 Other=0",
    )
    .await;
    let removed = "will change\nuser:daemon: \"rw-\" => \"absent\"\nmask: \"rw-\" => \"absent\"\n# the mode becomes 0640";
    let absent = ("absent", Value::List(vec!["user:daemon".into(), "user:nobody-here".into()]));
    check("/listed", &[absent], removed, 0o640, "").await;
    check("/listed", &[("exact", true.into())], removed, 0o640, "").await;
    check(
        "/srv",
        &[entries(&[("default:user:daemon", "rwx"), ("other", "---")])],
        "will change\nother: \"r-x\" => \"---\"\ndefault:user: \"absent\" => \"rwx\"\ndefault:user:daemon: \"absent\" => \
         \"rwx\"\ndefault:group: \"absent\" => \"r-x\"\ndefault:mask: \"absent\" => \"rwx\"\ndefault:other: \"absent\" => \
         \"r-x\"\n# the mode becomes 0750",
        0o750,
        "default Owner=7 User(1)=7 Group=5 Mask=7 Other=5",
    )
    .await;
}

#[tokio::test]
async fn mistakes() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, written: Written<'_>, expect: &str| {
        let written = [&[("destination", Value::from(destination))], written].concat();
        assert_eq!(plan::<AclPreparer>(&system, &written).await, format!("error: {expect}"), "{written:?}");
    };
    let daemon = || entries(&[("user:daemon", "r")]);
    check("/plain", &[], "entries: there is nothing to do without `entries`, `absent` or `exact`").await;
    check("/none", &[daemon()], "file \"/none\" does not exist").await;
    check("/plain", &[entries(&[("user:ghost", "r")])], "user \"ghost\" does not exist").await;
    let both = [daemon(), ("absent", Value::List(vec!["user:daemon".into()]))];
    check("/plain", &both, "absent: user:daemon is in `entries` as well").await;
    let base = [("absent", Value::List(vec!["other".into()]))];
    check("/plain", &base, "absent: every list has the entry other").await;
    let default = entries(&[("default:user:daemon", "r")]);
    check("/plain", &[default], "/plain is not a directory, and only a directory has `default:` entries")
        .await;
    let written = [("destination", Value::from("/none")), daemon()];
    let output = plan_pending::<AclPreparer>(&system, &written).await;
    assert_eq!(output, "may change\n# /none does not exist yet");
}

/// The same on a real file system, if it supports lists.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_real_list() {
    use converge_sdk::system::Follow;

    let (dir, system) = (tempfile::tempdir().unwrap(), crate::testing::local());
    let path = dir.path().to_str().unwrap().to_owned();
    let fields = [
        ("destination", Value::from(path.clone())),
        entries(&[("user:1", "rwx"), ("default:group:1", "r-x"), ("default:mask", "rwx")]),
    ];
    system.files().set_mode(dir.path(), 0o700).await.unwrap();
    let output = apply::<AclPreparer>(&system, &fields).await;
    if output.contains("the file system has no attributes") {
        return;
    }
    assert!(output.starts_with("will change\nuser:") && !output.contains("error"), "{output}");
    assert_eq!(plan::<AclPreparer>(&system, &fields).await, "no change");
    let mode =
        async || system.files().metadata(dir.path(), Follow::Links).await.unwrap().unwrap().mode & 0o777;
    assert_eq!(mode().await, 0o770, "the mask is in the mode");
    let exact = [("destination", Value::from(path)), ("exact", true.into())];
    let output = apply::<AclPreparer>(&system, &exact).await;
    assert!(output.contains("mask: \"rwx\" => \"absent\"") && !output.contains("error"), "{output}");
    assert_eq!(mode().await, 0o700);
}

laws!(
    AclPreparer,
    start = model,
    values = ("destination", ["/plain", "/listed", "/link", "/srv"]),
    values = (
        "entries",
        [entries(&[("user:daemon", "rw-")]).1, entries(&[("group", "r--"), ("user:1", "r--")]).1]
    )
);
