//! Tests with another user of the machine who creates malicious links, folders and files.
//!
//! The tests run as root, and the other user is a separate process.
#![cfg(all(target_os = "linux", feature = "testing"))]
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test, which makes what the system works on"
)]

use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;
use std::{env, fs};

use converge_core::system::{
    Files, Follow, ForeignLink, Inherit, LocalSystem, Ownership, System as _, SystemError, SystemErrorKind,
    WriteFile,
};
use converge_core::testing::other_user::{JO, Place, Stranger};
use tempfile::TempDir;

/// The id of a third user, which nobody has either.
const MO: u32 = 53_212;

const ROUNDS: usize = 3000;

fn is_root(test: &str) -> bool {
    let root = nix::unistd::geteuid().is_root();
    if !root && let Some(report) = env::var_os("CONVERGE_TEST_SKIP_REPORT") {
        let mut report = fs::File::options().append(true).create(true).open(report).expect("the report");
        writeln!(report, "{test}: not root").expect("it can be written");
    }
    root
}

/// Performs all operations on a path and returns their results.
async fn everything(files: &dyn Files, path: &Path) -> Vec<(&'static str, Result<(), SystemError>)> {
    // The user is not changed: afterwards a user's link to the user's own file would lead to a file of root,
    // which is refused.
    let ours = Ownership { uid: None, gid: Some(0) };
    vec![
        ("look", files.metadata(path, Follow::Links).await.map(|_| ())),
        ("read", files.read(path).await.map(|_| ())),
        ("open", files.open(path).await.map(|_| ())),
        ("mode", files.set_mode(path, 0o640).await),
        ("owner", files.set_ownership(path, ours, Follow::Links).await),
        ("write", files.write(path, WriteFile::new(b"new")).await),
    ]
}

/// Returns a place in a directory that is removed after the test.
fn layout() -> (TempDir, Place) {
    let dir = tempfile::tempdir().expect("a directory");
    let place = Place::new(dir.path());
    place.dir("root", 0, 0o755);
    place.file("root/secret", 0, 0o600);
    place.file("root/of-jo", JO, 0o600);
    place.dir("home", JO, 0o755);
    place.dir("home/app", JO, 0o755);
    place.dir("tmp", 0, 0o1777);
    (dir, place)
}

#[tokio::test]
async fn honest_layouts_are_used() {
    if !is_root("honest layouts of files") {
        return;
    }
    let local = LocalSystem::new();
    let check = async |make: &dyn Fn(&Place), path: &str| {
        let (_dir, place) = layout();
        make(&place);
        for (operation, result) in everything(local.files(), &place.at(path)).await {
            assert_eq!(result, Ok(()), "{operation} {path}");
        }
    };
    let absolute = |place: &Place, path: &str, target: &str, uid| {
        place.link(path, place.at(target).to_str().expect("a name"), uid);
    };
    // Files of root and links of root to files and folders are followed, as with `/var/run`,
    // `/etc/alternatives` and `/home`.
    check(&|_| (), "root/secret").await;
    check(&|place| place.link("root/link", "secret", 0), "root/link").await;
    check(&|place| absolute(place, "root/link", "root/of-jo", 0), "root/link").await;
    check(&|place| place.link("run", "root", 0), "run/secret").await;
    check(&|place| absolute(place, "run", "home", 0), "run/../home/../root/secret").await;
    check(
        &|place| {
            absolute(place, "homes", "home", 0);
            place.file("home/rc", JO, 0o644);
        },
        "homes/rc",
    )
    .await;
    // In a user's home, files of the user and of root are accessible.
    check(&|place| place.file("home/app/conf", JO, 0o644), "home/app/conf").await;
    check(&|place| place.file("home/app/conf", 0, 0o600), "home/app/conf").await;
    check(&|place| place.file("home/app/conf", 0, 0o600), "home/app/../app/conf").await;
    // Links of a user to the user's own files are followed, wherever they are.
    check(
        &|place| {
            place.file("home/conf", JO, 0o644);
            place.link("home/app/conf", "../conf", JO);
        },
        "home/app/conf",
    )
    .await;
    check(
        &|place| {
            place.link("home/www", "app", JO);
            place.file("home/app/conf", 0, 0o600);
        },
        "home/www/conf",
    )
    .await;
    check(&|place| absolute(place, "home/link", "root/of-jo", JO), "home/link").await;
    check(
        &|place| {
            place.file("home/conf", JO, 0o644);
            place.link("home/app/conf", "../conf", 0);
        },
        "home/app/conf",
    )
    .await;
    // Links of root to files of root are followed in `/tmp`.
    check(
        &|place| {
            place.file("tmp/ours", 0, 0o600);
            place.link("tmp/link", "ours", 0);
        },
        "tmp/link",
    )
    .await;
    check(&|place| place.file("tmp/theirs", JO, 0o644), "tmp/theirs").await;
}

#[tokio::test]
async fn links_of_strangers_are_not_followed() {
    if !is_root("links of strangers") {
        return;
    }
    let local = LocalSystem::new();
    let check = async |make: &dyn Fn(&Place), path: &str, link: &str, owner: u32| {
        let (_dir, place) = layout();
        make(&place);
        let before = place.state("root");
        for (operation, result) in everything(local.files(), &place.at(path)).await {
            let kind = result.map_err(|error| error.kind);
            let Err(SystemErrorKind::ForeignLink(refused)) = kind else {
                panic!("{operation} {path}: {kind:?}")
            };
            let ForeignLink { link: named, owner: user } = *refused;
            assert_eq!((named, user.uid), (place.at(link), owner), "{operation} {path}");
        }
        let listed = local.files().read_dir(&place.at(path)).await.map_err(|error| error.kind);
        assert!(matches!(listed, Err(SystemErrorKind::ForeignLink(_))), "{path}: {listed:?}");
        assert!(local.files().open_dir(&place.at(path)).await.is_err(), "{path}");
        assert_eq!(place.state("root"), before, "{path}");
    };
    let link = "home/app/conf";
    check(&|place| place.link(link, "../../root/secret", JO), link, link, JO).await;
    check(&|place| place.link(link, "/etc/shadow", JO), link, link, JO).await;
    check(&|place| place.link(link, "../../root/new", JO), link, link, JO).await;
    check(&|place| place.link(link, "../../root", JO), link, link, JO).await;
    check(&|place| place.link("home/etc", "../root", JO), "home/etc/secret", "home/etc", JO).await;
    check(&|place| place.link("home/etc", "../root", JO), "home/etc/../home/app", "home/etc", JO).await;
    // Links of root in a folder of another user, and links of a third user, are refused.
    check(&|place| place.link(link, "../../root/secret", 0), link, link, JO).await;
    check(&|place| place.link(link, "../../root/of-jo", MO), link, link, MO).await;
    check(&|place| place.link("root/link", "secret", JO), "root/link", "root/link", JO).await;
    // The link is reached through a link of root.
    let chain = |place: &Place| {
        place.link("root/way", "../home/app/conf", 0);
        place.link(link, "../../root/secret", JO);
    };
    check(&chain, "root/way", link, JO).await;
    // The kernel applies the same rule where `protected_symlinks` is set.
    let squat = |place: &Place| {
        place.file("home/conf", JO, 0o644);
        place.link("tmp/conf", "../home/conf", JO);
    };
    check(&squat, "tmp/conf", "tmp/conf", JO).await;
}

#[tokio::test]
async fn names_that_strangers_gave_are_not_used() {
    if !is_root("hard links of strangers") {
        return;
    }
    let local = LocalSystem::new();
    let files = local.files();
    for folder in ["home", "tmp"] {
        let (_dir, place) = layout();
        let path = place.at(folder).join("conf");
        fs::hard_link(place.at("root/secret"), &path).expect("it can be made");
        let before = place.state("root");
        let ours = Ownership { uid: Some(JO), gid: None };
        for result in [
            files.read(&path).await.map(|_| ()),
            files.open(&path).await.map(|_| ()),
            files.set_mode(&path, 0o644).await,
            files.set_ownership(&path, ours, Follow::Links).await,
            files.set_ownership(&path, ours, Follow::Never).await,
        ] {
            let kind = result.expect_err("it is refused").kind;
            assert!(matches!(kind, SystemErrorKind::ForeignName(_)), "{kind:?}");
        }
        let directory =
            files.open_dir(&place.at(folder)).await.expect("it can be opened").expect("it is there");
        directory.set_ownership("conf".as_ref(), ours).await.expect_err("it is refused");
        directory.set_mode("conf".as_ref(), 0o644).await.expect_err("it is refused");
        assert_eq!(place.state("root"), before);
        // Replacing the file by a new one is harmless.
        files.write(&path, WriteFile::new(b"new")).await.expect("it is replaced");
        assert_eq!(place.state("root"), before);
    }
    let (_dir, place) = layout();
    fs::hard_link(place.at("root/of-jo"), place.at("home/conf")).expect("it can be made");
    files.set_mode(&place.at("home/conf"), 0o600).await.expect("it is Jo's");
}

#[tokio::test]
async fn who_was_there_first_gets_nothing() {
    if !is_root("squatted names") {
        return;
    }
    let local = LocalSystem::new();
    let check = async |path: &str, inherit: Inherit, expect: (u32, u32)| {
        let (_dir, place) = layout();
        let target = place.at(path);
        place.file(path, JO, 0o644);
        let write = WriteFile { inherit, ..WriteFile::new(b"new") };
        local.files().write(&target, write).await.expect("it can be written");
        let metadata = fs::metadata(&target).expect("it is there");
        assert_eq!((metadata.uid(), metadata.mode() & 0o7777), expect, "{path} {inherit:?}");
    };
    check("tmp/conf", Inherit::FromAnyone, (0, 0o600)).await;
    check("tmp/conf", Inherit::FromTrusted, (0, 0o600)).await;
    check("home/conf", Inherit::FromTrusted, (0, 0o600)).await;
    check("home/conf", Inherit::FromAnyone, (JO, 0o644)).await;
}

/// The code of the other user's process, used by [`nothing_outside_is_changed`]; not a test itself.
#[test]
fn swap() {
    let Some(place) = Place::of_stranger() else { return };
    let (home, root) = (place.at("home"), place.at("root"));
    place.work(|| {
        // Each call may fail, because the test works on the files at the same time.
        let _ = fs::rename(home.join("app"), home.join("away"));
        let _ = symlink(&root, home.join("app"));
        let _ = fs::remove_file(home.join("app"));
        let _ = fs::rename(home.join("away"), home.join("app"));
        let conf = home.join("app/conf");
        let _ = fs::remove_file(&conf);
        let _ = symlink(root.join("secret"), &conf);
        let _ = fs::remove_file(&conf);
        let _ = symlink(root.join("new"), &conf);
        let _ = fs::remove_file(&conf);
        let _ = fs::hard_link(root.join("secret"), &conf);
        let _ = fs::remove_file(&conf);
        let _ = fs::write(&conf, "of Jo");
        let _ = fs::rename(home.join("app/sub"), home.join("app/bus"));
        let _ = symlink(&root, home.join("app/sub"));
        let _ = fs::remove_file(home.join("app/sub"));
        let _ = fs::rename(home.join("app/bus"), home.join("app/sub"));
    });
}

#[tokio::test]
async fn nothing_outside_is_changed() {
    if !is_root("files under a stranger's hands") {
        return;
    }
    let (_dir, place) = layout();
    place.dir("home/app/sub", JO, 0o755);
    let before = place.state("root");
    let jo = Stranger::start(&place, "swap");
    let local = LocalSystem::new();
    let files = local.files();
    let (conf, sub) = (place.at("home/app/conf"), place.at("home/app/sub/file"));
    let mine = Ownership { uid: Some(MO), gid: Some(MO) };
    let (mut successes, mut refused) = (0, 0);
    // Success depends on scheduling, so there are more rounds if needed.
    for round in 0..20 * ROUNDS {
        if round >= ROUNDS && successes > ROUNDS && refused > 0 {
            break;
        }
        let read = files.read(&conf).await;
        if let Ok(Some(read)) = &read {
            assert_ne!(read.bytes, b"root/secret", "what a link leads to was read");
        }
        let mut results = vec![read.map(|_| ())];
        for path in [&conf, &sub] {
            results.push(files.write(path, WriteFile::new(b"ours")).await);
            results.push(files.set_mode(path, 0o666).await);
            results.push(files.set_ownership(path, mine, Follow::Links).await);
            results.push(files.remove_file(path).await);
        }
        results.push(files.create_dir(&place.at("home/app/sub/dir"), 0o777).await);
        results.push(files.remove_dir(&place.at("home/app/sub/dir")).await);
        results.push(tree(files, &place.at("home")).await);
        for result in results {
            match result {
                Ok(()) => successes += 1,
                Err(SystemError { kind: SystemErrorKind::ForeignLink(_), .. }) => refused += 1,
                Err(_) => {}
            }
        }
    }
    let swaps = jo.end();
    assert_eq!(place.state("root"), before, "{successes} done, {refused} refused, {swaps} swaps");
    assert!(
        successes > ROUNDS && refused > 0 && swaps > 0,
        "{successes} done, {refused} refused, {swaps} swaps"
    );
}

/// Gives everything in a tree to Mo, except the directories that Jo needs.
async fn tree(files: &dyn Files, root: &Path) -> Result<(), SystemError> {
    let mut open: Vec<_> = files.open_dir(root).await?.into_iter().collect();
    while let Some(directory) = open.pop() {
        for entry in directory.entries().await? {
            if let Ok(Some(inner)) = directory.open_dir(&entry.name).await {
                open.push(inner);
            } else {
                let mine = Ownership { uid: Some(MO), gid: Some(MO) };
                directory.set_ownership(&entry.name, mine).await?;
                directory.set_mode(&entry.name, 0o666).await?;
            }
        }
    }
    Ok(())
}

/// The code of Jo's process, used by [`own_links_are_followed`]; not a test itself.
#[test]
fn follow() {
    let Some(place) = Place::of_stranger() else { return };
    let local = LocalSystem::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for path in ["home/link", "home/etc/open"] {
        let read = runtime.block_on(local.files().read(&place.at(path))).expect("it is followed");
        assert_eq!(read.expect("it is there").bytes, b"root/open", "{path}");
    }
}

#[test]
fn own_links_are_followed() {
    if !is_root("links of the user who runs converge") {
        return;
    }
    let (_dir, place) = layout();
    place.file("root/open", 0, 0o644);
    place.link("home/link", "../root/open", JO);
    place.link("home/etc", "../root", JO);
    assert!(Stranger::start(&place, "follow").wait().success());
}
