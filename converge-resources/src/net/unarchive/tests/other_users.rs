//! Tests of archives that root unpacks in the directory of another user, who changes it meanwhile.
#![expect(clippy::disallowed_methods, reason = "a test, which makes what the system works on")]

use std::fs;
use std::os::unix::fs::symlink as make_link;

use converge_core::testing::other_user::{JO, Place, Stranger};
use converge_sdk::prelude::*;

use super::*;
use crate::net::unarchive::UnarchivePreparer;
use crate::testing::{apply, is_root, local, plan};

/// The number of rounds in which the archive is unpacked while the other user changes the destination.
const ROUNDS: usize = 2000;

/// The factor by which the rounds are extended if none or all of them succeeded.
const PATIENT: usize = 20;

/// Creates a directory that only root controls, and a home with the destination in it.
fn layout() -> (tempfile::TempDir, Place, Vec<(&'static str, Value)>) {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::new(dir.path());
    place.dir("root", 0, 0o755);
    place.dir("root/sub", 0, 0o755);
    place.file("root/conf", 0, 0o600);
    place.file("root/sub/file", 0, 0o600);
    place.dir("home", JO, 0o755);
    place.dir("home/app", JO, 0o755);
    place.dir("home/app/sub", JO, 0o755);
    let entries = [
        file("conf", "of the archive"),
        directory("sub").mode(0o700),
        file("sub/file", "of the archive").mode(0o666),
        hard_link("sub/again", "conf"),
        symlink("sub/link", "../conf"),
        file("sub/new/deep/file", "deep"),
    ];
    fs::write(place.at("archive"), tar(&entries)).unwrap();
    let path = |path: &str| Value::from(place.at(path).display().to_string());
    let fields = vec![("source", path("archive")), ("destination", path("home/app")), ("force", true.into())];
    (dir, place, fields)
}

#[tokio::test]
async fn a_link_of_a_stranger_is_no_destination() {
    if !is_root("an archive behind a stranger's link") {
        return;
    }
    let check = async |make: &dyn Fn(&Place), link: &str| {
        let (_dir, place, fields) = layout();
        make(&place);
        let before = place.state("root");
        let output = apply::<UnarchivePreparer>(&local(), &fields).await;
        let expect = format!("{} is a symbolic link of user id {JO}", place.at(link).display());
        assert!(output.starts_with("error: ") && output.contains(&expect), "{output}");
        assert_eq!(place.state("root"), before);
    };
    check(
        &|place| {
            fs::remove_dir(place.at("home/app/sub")).unwrap();
            fs::remove_dir(place.at("home/app")).unwrap();
            place.link("home/app", "../root", JO);
        },
        "home/app",
    )
    .await;
    // A directory of root in the destination does not belong to the user, and may have come there by a
    // rename.
    check(
        &|place| {
            fs::remove_dir(place.at("home/app/sub")).unwrap();
            fs::rename(place.at("root/sub"), place.at("home/app/of-root")).unwrap();
            place.link("home/app/sub", "of-root", JO);
        },
        "home/app/sub",
    )
    .await;
    // A link of the user may lead to files of the same user.
    let (_dir, place, fields) = layout();
    fs::rename(place.at("home/app/sub"), place.at("home/app/theirs")).unwrap();
    place.link("home/app/sub", "theirs", JO);
    apply::<UnarchivePreparer>(&local(), &fields).await;
    assert_eq!(plan::<UnarchivePreparer>(&local(), &fields).await, "no change");
    assert!(place.at("home/app/theirs/new/deep/file").exists());
}

/// Changes the destination, as the other user; not a test. See [`nothing_outside_is_changed`].
#[test]
fn swap() {
    let Some(place) = Place::of_stranger() else { return };
    let (home, root) = (place.at("home"), place.at("root"));
    let (app, sub) = (home.join("app"), home.join("app/sub"));
    place.work(|| {
        // Each of these may fail, because the archive is unpacked meanwhile.
        let _ = fs::rename(&app, home.join("away"));
        let _ = make_link(&root, &app);
        let _ = fs::remove_file(&app);
        let _ = fs::rename(home.join("away"), &app);
        for target in [root.join("sub"), home.join("app/bus")] {
            let _ = fs::rename(&sub, app.join("bus"));
            let _ = make_link(target, &sub);
            let _ = fs::remove_file(&sub);
            let _ = fs::rename(app.join("bus"), &sub);
        }
        let _ = fs::remove_file(app.join("conf"));
        let _ = make_link(root.join("conf"), app.join("conf"));
        let _ = fs::remove_file(app.join("conf"));
        let _ = fs::remove_file(sub.join("file"));
        let _ = make_link(root.join("sub/file"), sub.join("file"));
        let _ = fs::remove_file(sub.join("file"));
    });
}

#[tokio::test]
async fn nothing_outside_is_changed() {
    if !is_root("an archive under a stranger's hands") {
        return;
    }
    let (_dir, place, fields) = layout();
    let before = place.state("root");
    let jo = Stranger::start(&place, "net::unarchive::tests::other_users::swap");
    let (mut successes, mut failed) = (0, 0);
    // The outcome of a round depends on timing. The test goes on until it has seen both success and failure.
    for round in 0..PATIENT * ROUNDS {
        if round >= ROUNDS && successes > 0 && failed > 0 {
            break;
        }
        let output = apply::<UnarchivePreparer>(&local(), &fields).await;
        if output.contains("error: ") { failed += 1 } else { successes += 1 }
    }
    let swaps = jo.end();
    assert_eq!(place.state("root"), before, "{successes} done, {failed} failed, {swaps} swaps");
    assert!(successes > 0 && failed > 0 && swaps > 0, "{successes} done, {failed} failed, {swaps} swaps");
    // Without interference, an apply succeeds.
    apply::<UnarchivePreparer>(&local(), &fields).await;
    assert_eq!(plan::<UnarchivePreparer>(&local(), &fields).await, "no change");
    assert_eq!(fs::read(place.at("home/app/sub/again")).unwrap(), b"of the archive");
}
