//! Tests of home directories that move.

use std::sync::Arc;

use converge_sdk::system::System;

use super::{UserPreparer, model, with_defaults};
use crate::testing::{apply, plan};

/// A home directory that could not be moved must not stay registered.
///
/// `usermod` registers the new one before it moves the content.
#[tokio::test]
async fn a_home_directory_moves_or_stays() {
    let model = Arc::new(model().with_file("/srv/file", ""));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let moved = |to: &str| with_defaults("ada", &[("home_dir", to.into()), ("move_dir", true.into())]);
    for _ in 0..2 {
        let output = apply::<UserPreparer>(&system, &moved("/srv/file/ada")).await;
        assert!(output.contains("error: "), "{output}");
    }
    assert_eq!(model.machine().user("ada").map(|user| user.home.clone()), Some("/home/ada".into()));
    let output = apply::<UserPreparer>(&system, &moved("/srv/new/deep/ada")).await;
    assert!(output.starts_with("will change\nhome_dir: ") && !output.contains("error"), "{output}");
    assert_eq!(model.machine().file("/srv/new/deep/ada/notes"), Some(&b"hello"[..]));
    assert_eq!(plan::<UserPreparer>(&system, &moved("/srv/new/deep/ada")).await, "no change");
}
