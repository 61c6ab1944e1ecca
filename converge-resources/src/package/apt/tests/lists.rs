//! Tests of package lists, for resources that name no package.

use std::sync::Arc;
use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::system::{System, WriteFile};

use super::calls;
use super::model::{LIST, machine};
use crate::package::apt::AptPreparer;
use crate::testing::{Written, apply, plan};

fn age() -> [(&'static str, Value); 1] {
    [("cache_valid_time", Value::from("1h"))]
}

const DUE: &str = "will change\nlists of packages: \"too old\" => \"fetched\"";

#[tokio::test]
async fn they_are_fetched_when_they_are_too_old_and_not_again() {
    let check = async |older: u64, changed_after: Option<&str>, expect: &str| {
        let model = Arc::new(machine().with_file(LIST, "").with_file("/etc/apt/sources.list", ""));
        model.files().create_dir("/etc/apt/sources.list.d".as_ref(), 0o755).await.unwrap();
        model.advance(Duration::from_secs(older));
        if let Some(path) = changed_after {
            model.files().write(path.as_ref(), WriteFile::new(b"deb")).await.unwrap();
        }
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        assert_eq!(plan::<AptPreparer>(&system, &age()).await, expect, "{older} {changed_after:?}");
        assert_eq!(calls(&model), [""; 0], "a plan fetches nothing");
        assert_eq!(apply::<AptPreparer>(&system, &age()).await, expect, "{older} {changed_after:?}");
        let commands = calls(&model);
        assert_eq!(commands.len(), usize::from(expect == DUE), "{commands:?}");
        assert!(commands.iter().all(|call| call.starts_with("update ")), "{commands:?}");
        assert_eq!(plan::<AptPreparer>(&system, &age()).await, "no change");
    };
    check(3600, None, "no change").await;
    check(3601, None, DUE).await;
    check(60, Some("/etc/apt/sources.list.d/x.sources"), DUE).await;
    check(60, Some("/etc/apt/apt.conf"), "no change").await;
}

#[tokio::test]
async fn a_repository_that_cannot_be_reached() {
    let system: Arc<dyn System> = Arc::new(machine().with_file("/model/unreachable", ""));
    let failed = "error: apt could not fetch http://repository/InRelease: connection refused";
    assert_eq!(apply::<AptPreparer>(&system, &age()).await, format!("{DUE}\n{failed}"));
}

#[tokio::test]
async fn what_would_be_done_in_every_apply_is_refused() {
    let system: Arc<dyn System> = Arc::new(machine());
    let check = async |written: Written<'_>, expect: &str| {
        assert_eq!(plan::<AptPreparer>(&system, written).await, expect, "{written:?}");
    };
    let alone = "error: name: it is missing, and without it `update` would fetch the lists in every apply: name a package, or write \
                 `cache_valid_time = \"1h\"` alone, which fetches them when they are older";
    check(&[("update", true.into())], alone).await;
    let missing =
        "error: name: it is missing: name a package, or write `file`, `upgrade_all` or `autoremove`";
    check(&[("update", false.into())], missing).await;
    let [age] = age();
    check(&[age, ("state", "absent".into())], "error: state: name the packages that are to be absent").await;
}
