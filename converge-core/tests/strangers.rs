//! Another user of the machine, with links, folders and files that are not what they seem. The tests are root, and that
//! user is a process of its own.
#![cfg(target_os = "linux")]
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test, which makes what the system works on"
)]

use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, lchown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::{env, fs};

use converge_core::system::{
    Files, Follow, ForeignLink, Inherit, LocalSystem, Ownership, System as _, SystemError, SystemErrorKind,
    WriteFile,
};

/// Nobody has these ids.
const JO: u32 = 53_211;
const MO: u32 = 53_212;

/// How often the tree is worked on while somebody changes it.
const ROUNDS: usize = 3000;

/// Names the directory in which the stranger works, in the process of the stranger.
const STRANGER: &str = "CONVERGE_TEST_STRANGER";

fn is_root(test: &str) -> bool {
    let root = nix::unistd::geteuid().is_root();
    if !root && let Some(report) = env::var_os("CONVERGE_TEST_SKIP_REPORT") {
        let mut report = fs::File::options().append(true).create(true).open(report).expect("the report");
        writeln!(report, "{test}: not root").expect("it can be written");
    }
    root
}

/// A directory of root that everybody can enter.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).expect("it is ours");
        Self(dir)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn dir(&self, path: &str, uid: u32, mode: u32) {
        fs::create_dir(self.at(path)).expect("it can be made");
        chown(self.at(path), Some(uid), Some(uid)).expect("we are root");
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(mode)).expect("we are root");
    }

    fn file(&self, path: &str, uid: u32, mode: u32) {
        fs::write(self.at(path), path).expect("it can be written");
        chown(self.at(path), Some(uid), Some(uid)).expect("we are root");
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(mode)).expect("we are root");
    }

    fn link(&self, path: &str, target: &str, uid: u32) {
        symlink(target, self.at(path)).expect("it can be made");
        lchown(self.at(path), Some(uid), Some(uid)).expect("we are root");
    }

    /// What is in the directory of root that nobody else has a say in.
    fn state(&self, path: &str) -> Vec<(PathBuf, u32, u32, Vec<u8>)> {
        let mut state: Vec<_> = fs::read_dir(self.at(path))
            .expect("it can be listed")
            .map(|entry| {
                let path = entry.expect("an entry").path();
                let found = path.symlink_metadata().expect("it is there");
                (path.clone(), found.mode(), found.uid(), fs::read(&path).unwrap_or_default())
            })
            .collect();
        state.sort();
        let own = fs::metadata(self.at(path)).expect("it is there");
        state.push((self.at(path), own.mode(), own.uid(), Vec::new()));
        state
    }
}

/// All that is done to a path, with what came of it.
async fn everything(files: &dyn Files, path: &Path) -> Vec<(&'static str, Result<(), SystemError>)> {
    // Not the user: a link to what is theirs would lead to what is ours from then on.
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

fn layout() -> Place {
    let place = Place::new();
    place.dir("root", 0, 0o755);
    place.file("root/secret", 0, 0o600);
    place.file("root/of-jo", JO, 0o600);
    place.dir("home", JO, 0o755);
    place.dir("home/app", JO, 0o755);
    place.dir("tmp", 0, 0o1777);
    place
}

#[tokio::test]
async fn honest_layouts_are_used() {
    if !is_root("honest layouts of files") {
        return;
    }
    let local = LocalSystem::new();
    let check = async |make: &dyn Fn(&Place), path: &str| {
        let place = layout();
        make(&place);
        for (what, done) in everything(local.files(), &place.at(path)).await {
            assert_eq!(done, Ok(()), "{what} {path}");
        }
    };
    let absolute = |place: &Place, path: &str, target: &str, uid| {
        place.link(path, place.at(target).to_str().expect("a name"), uid);
    };
    // Root's own, with links of root to files and folders: `/var/run`, `/etc/alternatives`, `/home`.
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
    // In somebody's home: what is theirs, and what is root's.
    check(&|place| place.file("home/app/conf", JO, 0o644), "home/app/conf").await;
    check(&|place| place.file("home/app/conf", 0, 0o600), "home/app/conf").await;
    check(&|place| place.file("home/app/conf", 0, 0o600), "home/app/../app/conf").await;
    // Their links to what is theirs, wherever that is.
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
    // Root's in `/tmp`.
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
        let place = layout();
        make(&place);
        let before = place.state("root");
        for (what, done) in everything(local.files(), &place.at(path)).await {
            let kind = done.map_err(|error| error.kind);
            let Err(SystemErrorKind::ForeignLink(refused)) = kind else { panic!("{what} {path}: {kind:?}") };
            let ForeignLink { link: named, owner: user } = *refused;
            assert_eq!((named, user.uid), (place.at(link), owner), "{what} {path}");
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
    // A link of root that somebody may put anywhere, and one of somebody else.
    check(&|place| place.link(link, "../../root/secret", 0), link, link, JO).await;
    check(&|place| place.link(link, "../../root/of-jo", MO), link, link, MO).await;
    check(&|place| place.link("root/link", "secret", JO), "root/link", "root/link", JO).await;
    // By way of a link of root.
    let chain = |place: &Place| {
        place.link("root/way", "../home/app/conf", 0);
        place.link(link, "../../root/secret", JO);
    };
    check(&chain, "root/way", link, JO).await;
    // As the kernel does where it may.
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
        let place = layout();
        let path = place.at(folder).join("conf");
        fs::hard_link(place.at("root/secret"), &path).expect("it can be made");
        let before = place.state("root");
        let ours = Ownership { uid: Some(JO), gid: None };
        for done in [
            files.read(&path).await.map(|_| ()),
            files.open(&path).await.map(|_| ()),
            files.set_mode(&path, 0o644).await,
            files.set_ownership(&path, ours, Follow::Links).await,
            files.set_ownership(&path, ours, Follow::Never).await,
        ] {
            let kind = done.expect_err("it is refused").kind;
            assert!(matches!(kind, SystemErrorKind::ForeignName(_)), "{kind:?}");
        }
        let directory =
            files.open_dir(&place.at(folder)).await.expect("it can be opened").expect("it is there");
        directory.set_ownership("conf".as_ref(), ours).await.expect_err("it is refused");
        directory.set_mode("conf".as_ref(), 0o644).await.expect_err("it is refused");
        assert_eq!(place.state("root"), before);
        // A new file in its place is no harm.
        files.write(&path, WriteFile::new(b"new")).await.expect("it is replaced");
        assert_eq!(place.state("root"), before);
    }
    let place = layout();
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
        let place = layout();
        let at = place.at(path);
        place.file(path, JO, 0o644);
        let write = WriteFile { inherit, ..WriteFile::new(b"new") };
        local.files().write(&at, write).await.expect("it can be written");
        let found = fs::metadata(&at).expect("it is there");
        assert_eq!((found.uid(), found.mode() & 0o7777), expect, "{path} {inherit:?}");
    };
    check("tmp/conf", Inherit::FromAnyone, (0, 0o600)).await;
    check("tmp/conf", Inherit::FromTrusted, (0, 0o600)).await;
    check("home/conf", Inherit::FromTrusted, (0, 0o600)).await;
    check("home/conf", Inherit::FromAnyone, (JO, 0o644)).await;
}

/// Starts a test of this program in another process, as Jo.
fn as_jo(place: &Place, test: &str) -> Child {
    // What was built need not be where everybody may go.
    let program = place.at("program");
    fs::copy(env::current_exe().expect("a path"), &program).expect("it can be copied");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture"]).env(STRANGER, place.0.path()).current_dir("/");
    command.uid(JO).gid(JO).spawn().expect("it can be started")
}

/// Not a test, but what the stranger does: see [`nothing_outside_is_changed`].
#[test]
fn swap() {
    let Some(place) = env::var_os(STRANGER).map(PathBuf::from) else { return };
    let home = place.join("home");
    let root = place.join("root");
    while home.exists() {
        // Each of them fails now and then, as the files are worked on meanwhile.
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
    }
}

#[tokio::test]
async fn nothing_outside_is_changed() {
    if !is_root("files under a stranger's hands") {
        return;
    }
    let place = layout();
    place.dir("home/app/sub", JO, 0o755);
    let before = place.state("root");
    let mut jo = as_jo(&place, "swap");
    let local = LocalSystem::new();
    let files = local.files();
    let (conf, sub) = (place.at("home/app/conf"), place.at("home/app/sub/file"));
    let mine = Ownership { uid: Some(MO), gid: Some(MO) };
    let (mut done, mut refused) = (0, 0);
    for _ in 0..ROUNDS {
        let read = files.read(&conf).await;
        if let Ok(Some(read)) = &read {
            assert_ne!(read.bytes, b"root/secret", "what a link leads to was read");
        }
        let mut all = vec![read.map(|_| ())];
        for path in [&conf, &sub] {
            all.push(files.write(path, WriteFile::new(b"ours")).await);
            all.push(files.set_mode(path, 0o666).await);
            all.push(files.set_ownership(path, mine, Follow::Links).await);
            all.push(files.remove_file(path).await);
        }
        all.push(files.create_dir(&place.at("home/app/sub/dir"), 0o777).await);
        all.push(files.remove_dir(&place.at("home/app/sub/dir")).await);
        all.push(tree(files, &place.at("home")).await);
        for result in all {
            match result {
                Ok(()) => done += 1,
                Err(SystemError { kind: SystemErrorKind::ForeignLink(_), .. }) => refused += 1,
                Err(_) => {}
            }
        }
    }
    let ended = jo.try_wait().expect("a child");
    assert_eq!(ended, None, "nobody was there to swap anything");
    jo.kill().expect("it is ours");
    jo.wait().expect("a child");
    assert_eq!(place.state("root"), before, "{done} done, {refused} refused");
    assert!(done > ROUNDS && refused > 0, "{done} done, {refused} refused");
}

/// Gives all that is in a tree to Mo, but not the directories that Jo needs.
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

/// Not a test, but what Jo does: see [`own_links_are_followed`].
#[test]
fn follow() {
    let Some(place) = env::var_os(STRANGER).map(PathBuf::from) else { return };
    let local = LocalSystem::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for path in ["home/link", "home/etc/open"] {
        let read = runtime.block_on(local.files().read(&place.join(path))).expect("it is followed");
        assert_eq!(read.expect("it is there").bytes, b"root/open", "{path}");
    }
}

#[test]
fn own_links_are_followed() {
    if !is_root("links of the user who runs converge") {
        return;
    }
    let place = layout();
    place.file("root/open", 0, 0o644);
    place.link("home/link", "../root/open", JO);
    place.link("home/etc", "../root", JO);
    assert!(as_jo(&place, "follow").wait().expect("a child").success());
}
