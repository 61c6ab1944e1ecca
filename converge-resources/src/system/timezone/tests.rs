use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Disk, EntryKind, ModelSystem, System};
use proptest::prelude::*;

use super::TimezonePreparer;
use super::zone::{ZoneName, named_by};
use crate::testing::{apply, plan, plan_pending};

const RULES: &str = "TZif2...";

#[test]
fn names() {
    let check = |text: &str, good: bool| assert_eq!(text.parse::<ZoneName>().is_ok(), good, "{text:?}");
    for text in
        ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+1", "Etc/GMT-14", "EST5EDT"]
    {
        check(text, true);
    }
    for text in
        ["", "/", "/UTC", "UTC/", "a//b", "..", "../shadow", "a/../b", "zone.tab", "a b", "-a", "localtime"]
    {
        check(text, false);
    }
    check(&"a".repeat(256), false);
}

#[test]
fn targets() {
    let check = |target: &str, expect: Option<&str>| {
        assert_eq!(named_by(Path::new("/etc"), Path::new(target)).as_deref(), expect, "{target}");
    };
    check("/usr/share/zoneinfo/Europe/Berlin", Some("Europe/Berlin"));
    check("../usr/share/zoneinfo/UTC", Some("UTC"));
    check("/usr/share/./zoneinfo/a/../UTC", Some("UTC"));
    check("/usr/share/zoneinfo/../shadow", None);
    check("UTC", None);
}

proptest! {
    #[test]
    fn no_name_leads_out(text in "([a-z./+-]|\\PC){0,20}") {
        if let Ok(name) = text.parse::<ZoneName>() {
            prop_assert_eq!(named_by(Path::new("/etc"), &name.path()), Some(text));
        }
    }
}

fn bare() -> ModelSystem {
    ModelSystem::new()
        .with_dir("/etc")
        .with_file("/usr/share/zoneinfo/UTC", RULES)
        .with_file("/usr/share/zoneinfo/Europe/Berlin", RULES)
        .with_file("/usr/share/zoneinfo/tzdata", "no rules")
}

fn model() -> ModelSystem {
    bare().with_symlink("/etc/localtime", "/usr/share/zoneinfo/UTC").with_file("/etc/timezone", "Etc/UTC\n")
}

fn link(model: &ModelSystem) -> Option<PathBuf> {
    match model.machine().entry("/etc/localtime")?.kind {
        EntryKind::Symlink(target) => Some(target),
        _ => None,
    }
}

#[tokio::test]
async fn zones() {
    let check = async |model: ModelSystem, said: &str, has_name: bool| {
        let model = Arc::new(model);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let fields = [("name", Value::from("Europe/Berlin"))];
        assert_eq!(apply::<TimezonePreparer>(&system, &fields).await, said);
        assert_eq!(plan::<TimezonePreparer>(&system, &fields).await, "no change");
        let target = link(&model).unwrap();
        assert_eq!(named_by(Path::new("/etc"), &target).as_deref(), Some("Europe/Berlin"));
        let expect = has_name.then_some(&b"Europe/Berlin\n"[..]);
        assert_eq!(model.machine().file("/etc/timezone"), expect);
        assert_eq!(model.machine().file("/usr/share/zoneinfo/UTC"), Some(RULES.as_bytes()));
    };
    let name = "/etc/timezone: \"Etc/UTC\" => \"Europe/Berlin\"\n";
    check(model(), &format!("will change\n{name}zone: \"UTC\" => \"Europe/Berlin\""), true).await;
    check(bare(), "will change\nzone: \"absent\" => \"Europe/Berlin\"", false).await;
    check(
        bare().with_file("/etc/localtime", RULES),
        "will change\nzone: \"(a copy of rules)\" => \"Europe/Berlin\"",
        false,
    )
    .await;
    let relative = bare().with_symlink("/etc/localtime", "../usr/share/zoneinfo/Europe/Berlin");
    check(relative, "no change", false).await;
    // A link of another user, and a leftover of a killed run, are replaced and not followed.
    let hostile = bare()
        .with_symlink("/etc/localtime", "/usr/share/zoneinfo/UTC")
        .with_symlink("/etc/.converge-link.localtime", "/usr/share/zoneinfo/UTC");
    check(hostile, "will change\nzone: \"UTC\" => \"Europe/Berlin\"", false).await;
}

#[tokio::test]
async fn mistakes() {
    let check = async |model: ModelSystem, name: &str, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        let output = plan::<TimezonePreparer>(&system, &[("name", name.into())]).await;
        assert!(output.starts_with(&format!("error: {expect}")), "{name}: {output}");
    };
    check(model(), "Europe/Berln", "/usr/share/zoneinfo has no time zone Europe/Berln: `timedatectl").await;
    check(model(), "Europe", "Europe is a folder with time zones, not one of them").await;
    check(model(), "tzdata", "/usr/share/zoneinfo/tzdata has no rules of a time zone").await;
    check(model(), "../../etc/shadow", "name: \"../../etc/shadow\" is not the name of a time zone").await;
    check(ModelSystem::new(), "UTC", "there is no /usr/share/zoneinfo: install the package `tzdata`").await;
    check(
        bare().with_dir("/etc/localtime"),
        "UTC",
        "/etc/localtime is a folder, which a link never replaces",
    )
    .await;
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let output = plan_pending::<TimezonePreparer>(&system, &[("name", "UTC".into())]).await;
    assert!(output.starts_with("may change\n# there is no /usr/share/zoneinfo"), "{output}");
}

#[tokio::test]
async fn a_full_disk_leaves_what_was_there() {
    let model = Arc::new(model().with_disk("/etc", Disk::Full));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let output = apply::<TimezonePreparer>(&system, &[("name", "Europe/Berlin".into())]).await;
    assert!(output.contains("error: "), "{output}");
    assert_eq!(link(&model).unwrap(), Path::new("/usr/share/zoneinfo/UTC"));
    assert_eq!(model.machine().file("/etc/timezone"), Some(&b"Etc/UTC\n"[..]));
}

laws!(
    TimezonePreparer,
    start = model,
    values = ("name", ["UTC", "Europe/Berlin"]),
    beside = ("/etc/.converge-link.localtime", "the link has this name before it takes its place")
);
