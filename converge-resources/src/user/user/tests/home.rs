//! Tests of home directories.

use std::path::Path;
use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{EntryKind, ModelSystem, System, User};

use super::{UserPreparer, model, with_defaults};
use crate::testing::{apply, obeys_the_laws, plan};

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

#[tokio::test]
async fn a_home_directory_that_is_gone_is_made_again() {
    let skeleton = |model: ModelSystem| {
        model
            .with_file("/srv/skel/bin/tool", "#!/bin/sh\n")
            .with_mode("/srv/skel/bin/tool", 0o755)
            .with_symlink("/srv/skel/link", "bin/tool")
            .with_file("/etc/login.defs", "HOME_MODE 0750\n")
            // An interrupted run left this directory.
            .with_file("/data/home/.grace.converge-tmp/old/file", "half")
            .with_symlink("/data/home/.grace.converge-tmp/welcome", "/etc/shadow")
    };
    let model = Arc::new(skeleton(model()));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let fields = [
        ("home_dir", Value::from("/data/home/grace")),
        ("create_home", true.into()),
        ("skel_dir", "/srv/skel".into()),
    ];
    apply::<UserPreparer>(&system, &with_defaults("grace", &fields)).await;
    let snapshot = model.snapshot();
    let home: Vec<_> = snapshot
        .iter()
        .filter(|(path, _)| path.starts_with("/data"))
        .map(|(path, entry)| format!("{} {:o} {}:{}", path.display(), entry.mode, entry.uid, entry.gid))
        .collect();
    insta::assert_snapshot!(home.join("\n"), @"
    /data 755 0:0
    /data/home 755 0:0
    /data/home/grace 750 4200:4200
    /data/home/grace/bin 755 4200:4200
    /data/home/grace/bin/tool 755 4200:4200
    /data/home/grace/link 777 4200:4200
    /data/home/grace/welcome 644 4200:4200
    ");
    assert_eq!(snapshot[Path::new("/data/home/grace/welcome")].kind, EntryKind::File(b"hi".into()));
    assert!(model.machine().file("/etc/shadow").unwrap().starts_with(b"root:"));
    obeys_the_laws::<UserPreparer>(|| skeleton(super::model()), &with_defaults("grace", &fields)).await;
}

#[tokio::test]
async fn a_home_directory_that_is_not_removed() {
    let check = async |model: ModelSystem, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        let fields = with_defaults("ada", &[("state", "absent".into()), ("remove_home", true.into())]);
        let output = plan::<UserPreparer>(&system, &fields).await;
        let expect = format!("error: the home directory /home/ada is not removed: {expect}");
        assert!(output.ends_with(&expect), "{output}");
    };
    check(model().with_owner("/home/ada", 0, 0), "it does not belong to \"ada\"").await;
    let guest = |model: ModelSystem| {
        model.with(|machine| {
            let user = machine.user("grace").cloned().unwrap();
            machine.put_user(User { home: "/home/ada/guest".into(), ..user });
        })
    };
    check(guest(model()), "\"grace\" has a home directory in it").await;
    let link = model().with(|machine| machine.remove("/home/ada")).with_symlink("/home/ada", "/");
    check(link, "it is not a directory").await;
}
