//! Tests of files with another name in the directory of a user who may not change them.
//!
//! A plan reports the same refusal as an apply.
#![expect(clippy::disallowed_methods, reason = "a test, which makes what the system works on")]

use std::fs;

use converge_core::testing::other_user::{JO, Place};
use converge_sdk::prelude::*;

use super::content::ContentPreparer;
use super::mode::ModePreparer;
use super::owner::OwnerPreparer;
use crate::testing::{Written, apply, is_root, local, plan};

/// Creates a home with a file of its user, and a file of root that the user has linked to.
fn layout() -> (tempfile::TempDir, Place) {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::new(dir.path());
    place.dir("root", 0, 0o755);
    place.file("root/conf", 0, 0o644);
    place.dir("home", JO, 0o755);
    place.dir("home/app", JO, 0o755);
    place.file("home/app/a", JO, 0o644);
    fs::hard_link(place.at("root/conf"), place.at("home/app/conf")).unwrap();
    (dir, place)
}

/// Checks that plan and apply report the same error, and change nothing.
async fn check<R: Resource>(destination: &str, fields: Written<'_>) {
    let (_dir, place) = layout();
    let before = (place.state("root"), place.state("home"));
    let mut values = vec![("destination", Value::from(place.at(destination).display().to_string()))];
    values.extend(fields.iter().cloned());
    let expect = format!(
        "error: cannot change {}: it is a hard link to a file of root",
        place.at("home/app/conf").display()
    );
    let planned = plan::<R>(&local(), &values).await;
    assert!(planned.starts_with(&expect), "{planned}");
    assert_eq!(apply::<R>(&local(), &values).await, planned);
    assert_eq!((place.state("root"), place.state("home")), before, "{values:?}");
}

#[tokio::test]
async fn hard_links_are_refused_by_the_plan() {
    if !is_root("hard links of strangers in a plan") {
        return;
    }
    let uid = ("uid", Value::from(JO));
    check::<OwnerPreparer>("home/app/conf", std::slice::from_ref(&uid)).await;
    // Paths before the refused one in the tree are not changed either.
    let gid = ("gid", Value::from(0));
    check::<OwnerPreparer>("home", &[uid, gid, ("recursive", true.into())]).await;
    check::<ModePreparer>("home/app/conf", &[("mode", "0666".into())]).await;
    check::<ContentPreparer>("home/app/conf", &[("content", "root/conf".into()), ("mode", "0666".into())])
        .await;
    #[cfg(feature = "net")]
    {
        let (_dir, place) = layout();
        let source = Value::from(place.at("root/conf").display().to_string());
        let fields = [("source", source), ("mode", "0666".into())];
        check::<crate::net::fetch::FetchPreparer>("home/app/conf", &fields).await;
    }
}

/// Hard links that are as declared are accepted, and so are those of the user.
#[tokio::test]
async fn hard_links_that_are_in_order_are_no_error() {
    if !is_root("hard links in a tree that is in order") {
        return;
    }
    let (_dir, place) = layout();
    fs::hard_link(place.at("home/app/a"), place.at("home/app/b")).unwrap();
    let check = async |destination: &str, fields: Written<'_>, expect: &str| {
        let mut values = vec![("destination", Value::from(place.at(destination).display().to_string()))];
        values.extend(fields.iter().cloned());
        let output = plan::<OwnerPreparer>(&local(), &values).await;
        assert!(output.starts_with(expect), "{output}");
    };
    check("home/app/conf", &[("uid", 0.into())], "no change").await;
    check("home/app/b", &[("uid", 0.into())], "will change").await;
}
