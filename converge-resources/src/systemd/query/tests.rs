use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, Platform, System};

use super::{UnitQuery, UnitQueryPreparer};
use crate::systemd::manager::Persistence;
use crate::systemd::model;
use crate::systemd::properties::Properties;
use crate::systemd::unit::snapshot::{Active, Facts, FileState, Load, UnitSnapshot};
use crate::testing::{Written, plan};

/// Returns the facts of a running service.
fn up() -> Facts {
    Facts {
        id: "app.service".to_owned(),
        load: Load::Loaded,
        active: Active::Active,
        sub: "running".to_owned(),
        file: FileState::Disabled,
        stale: false,
        can_start: true,
        can_stop: true,
        can_reload: true,
        ends_by_itself: false,
    }
}

#[test]
fn what_is_exported() {
    let check = |facts: Facts, expect: &str| {
        let mut task = UnitQuery::new("app".parse().unwrap());
        let debug_text = format!("{facts:?}");
        task.record(UnitSnapshot { facts, unit: Properties::default(), own: Properties::default() });
        let exports = task.exports();
        let names =
            ["exists", "running", "failed", "enabled", "masked", "filestate", "activestate", "substate"];
        let actual = names.map(|name| exports.get(&[name]).map(ToString::to_string).unwrap_or_default());
        assert_eq!(actual.join(" "), expect, "{debug_text}");
    };
    check(up(), r#"true true false false false "disabled" "active" "running""#);
    let enabled = FileState::Enabled(Persistence::Permanent);
    check(Facts { file: enabled, ..up() }, r#"true true false true false "enabled" "active" "running""#);
    let runtime = FileState::Enabled(Persistence::Runtime);
    check(
        Facts { file: runtime, ..up() },
        r#"true true false false false "enabled until the next boot" "active" "running""#,
    );
    let failed = Facts { active: Active::Failed, sub: "failed".to_owned(), ..up() };
    check(failed, r#"true false true false false "disabled" "failed" "failed""#);
    let inactive = Facts { active: Active::Inactive, sub: "dead".to_owned(), ..up() };
    let missing_unit = Facts { load: Load::NotFound, file: FileState::Missing, ..inactive.clone() };
    check(missing_unit, r#"false false false false false "missing" "inactive" "dead""#);
    let masked = Facts { load: Load::Masked, file: FileState::Masked(Persistence::Permanent), ..inactive };
    check(masked, r#"true false false false true "masked" "inactive" "dead""#);
}

#[tokio::test]
async fn where_it_cannot_look() {
    let check = async |model: ModelSystem, written: Written<'_>, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        assert_eq!(plan::<UnitQueryPreparer>(&system, written).await, format!("error: {expect}"));
    };
    let unit = [("unit", Value::from("app"))];
    check(
        ModelSystem::new(),
        &unit,
        "systemd.query is not supported on linux: systemd does not run this machine: there is no /run/systemd/system",
    )
    .await;
    check(
        ModelSystem::new().with_platform(Platform::new("darwin")),
        &unit,
        "systemd.query is not supported on darwin: systemd exists only on Linux",
    )
    .await;
    check(
        ModelSystem::new(),
        &[("unit", Value::from("a b"))],
        "unit: \"a b\" is not the name of a unit: ` ` is not allowed in the name of a unit: escape it with `systemd-escape`",
    )
    .await;
}

laws!(
    UnitQueryPreparer,
    start = model::packaged,
    start = model::in_use,
    start = model::failing,
    start = model::masked,
    values = ("unit", model::UNITS),
    only_looks = "it says what systemd says",
);
