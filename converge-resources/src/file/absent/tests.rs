use std::path::Path;
use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Effect, ModelSystem, System, User};

use super::AbsentPreparer;
use crate::testing::{Written, apply, context, is_root, local, plan, plan_behind, prepare, show};

const MOUNTS: &str = "1 0 8:1 / / rw - ext4 /dev/root rw\n2 1 8:2 / /srv/disk/in rw - xfs /dev/sdb1 rw\n";

fn with_home(name: &str, uid: u32, home: &str) -> User {
    let (comment, shell) = (String::new(), "/bin/false".into());
    User { name: name.to_owned(), uid, gid: uid, comment, home: home.into(), shell }
}

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_user("jo", 1000, 1000)
        .with_file("/proc/self/mountinfo", MOUNTS)
        .with(|machine| machine.put_user(with_home("www", 33, "/var/www")))
        .with_file("/etc/old.conf", "old")
        .with_file("/srv/app/a/deep/file", "")
        .with_file("/srv/app/b", "")
        .with_symlink("/srv/app/link", "/etc")
        .with_dir("/srv/empty")
        .with_dir("/srv/disk/in")
        .with_dir("/var/www/html")
        .with_dir("/home/jo")
        .with_owner("/home/jo", 1000, 1000)
        .with_symlink("/now", "/srv")
        .with_symlink("/srv/loop", "loop")
}

fn at(destination: &str, recursive: bool) -> Vec<(&'static str, Value)> {
    vec![("destination", Value::from(destination)), ("recursive", Value::from(recursive))]
}

#[tokio::test]
async fn a_plan_names_what_goes_up_to_a_limit() {
    let model = (10..33).fold(model(), |model, number| model.with_file(format!("/srv/many/{number}"), ""));
    let system: Arc<dyn System> = Arc::new(model);
    let output = plan::<AbsentPreparer>(&system, &at("/srv/many", true)).await;
    let names: Vec<String> = (10..30).map(|number| number.to_string()).collect();
    let message = format!("# 23 entries in it are removed, too: {} and 3 more", names.join(", "));
    assert!(output.ends_with(&message), "{output}");
}

#[tokio::test]
async fn what_is_removed_and_what_stays() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, recursive: bool, expect: &str| {
        let output = plan::<AbsentPreparer>(&system, &at(destination, recursive)).await;
        let removal = "will change\nstate: \"present\" => \"absent\"";
        let refusal = "can't change\nstate: \"present\" => \"absent\"\nerror: ";
        let expect = expect.replace("GONE", removal).replace("KEPT ", refusal);
        assert_eq!(output, expect, "{destination} {recursive}");
    };
    check("/etc/none", false, "no change").await;
    check("/none/at/all", true, "no change").await;
    check("/etc/old.conf/x", true, "no change").await;
    check("/etc/old.conf", false, "GONE").await;
    check("/etc/old.conf", true, "GONE").await;
    check("/srv/app/link", true, "GONE\n# it is a link: what it points to stays").await;
    check("/srv/loop", false, "GONE\n# it is a link: what it points to stays").await;
    check("/srv/empty", true, "GONE\n# the folder is empty").await;
    check("/srv/app", true, "GONE\n# 5 entries in it are removed, too: a, b, link, a/deep, a/deep/file")
        .await;
    check("/now/app/a/deep", true, "GONE\n# 1 entry in it is removed, too: file").await;
    check(
        "/srv/app",
        false,
        "KEPT /srv/app is a folder: `recursive = true` removes it with everything in it, and `file.directory` with \
         `state = \"absent\"` removes it when it is empty",
    )
    .await;
    for path in ["/", "/srv/..", "..", "/srv/app/../../.."] {
        check(
            path,
            true,
            &format!(
                "KEPT {path} cannot be removed: the path does not end in the name of a file or directory"
            ),
        )
        .await;
    }
    check("/etc", true, "KEPT /etc is a folder of the system, and is never removed").await;
    check("/now/../etc/", true, "KEPT /etc is a folder of the system, and is never removed").await;
    check("/srv/disk/in", true, "KEPT /srv/disk/in is a mount point, of /dev/sdb1").await;
    check("/now/disk/in", true, "KEPT /now/disk/in is a mount point, of /dev/sdb1").await;
    check("/srv/disk", true, "KEPT /srv/disk has a mount point in it: /srv/disk/in, of /dev/sdb1").await;
    check("/home/jo", true, "KEPT /home/jo is the home of the user jo").await;
    check("/var/www", true, "KEPT /var/www is the home of the user www").await;
    check("/var/www/html", true, "GONE\n# the folder is empty").await;
    check("", false, "error: destination: `destination` must not be empty").await;
}

#[tokio::test]
async fn a_home_somewhere_in_a_folder() {
    let system: Arc<dyn System> = Arc::new(
        model()
            .with_dir("/data/homes/jo")
            .with(|machine| machine.put_user(with_home("kim", 7, "/homes/jo")))
            .with_symlink("/homes", "/data/homes"),
    );
    let home = "has the home of the user kim in it, /homes/jo";
    assert_eq!(
        plan::<AbsentPreparer>(&system, &at("/data", true)).await,
        format!("can't change\nstate: \"present\" => \"absent\"\nerror: /data {home}")
    );
    // A pending change may remove the user.
    assert_eq!(
        plan_behind::<AbsentPreparer>("user.user.kim", &system, &at("/data", true)).await,
        format!("may change\nstate: \"present\" => \"absent\"\n# /data {home} yet")
    );
}

#[tokio::test]
async fn without_a_table_of_mounts_no_folder_is_removed() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new().with_file("/srv/app/b", ""));
    assert_eq!(
        plan::<AbsentPreparer>(&system, &at("/srv/app", true)).await,
        "can't change\nstate: \"present\" => \"absent\"\nerror: without /proc/self/mountinfo it is unknown whether /srv/app contains a mount point"
    );
    assert_eq!(
        apply::<AbsentPreparer>(&system, &at("/srv/app/b", true)).await,
        "will change\nstate: \"present\" => \"absent\""
    );
}

#[tokio::test]
async fn only_what_is_in_the_folder_is_removed() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let output = apply::<AbsentPreparer>(&system, &at("/now/app", true)).await;
    assert!(output.ends_with("# 6 entries removed"), "{output}");
    let removed: Vec<_> = model
        .effects()
        .into_iter()
        .map(|effect| match effect {
            Effect::RemoveFile { path } | Effect::RemoveDir { path } => path,
            other => panic!("{other:?}"),
        })
        .collect();
    let expect =
        ["/srv/app/b", "/srv/app/link", "/srv/app/a/deep/file", "/srv/app/a/deep", "/srv/app/a", "/srv/app"];
    assert_eq!(removed, expect.map(Path::new));
    assert!(model.machine().entry("/etc/old.conf").is_some());
}

/// A path that was a file in the check is not removed if it is a directory by the time of the apply.
#[tokio::test]
async fn what_changed_since_the_check_stays() {
    let check = async |alter: fn(&mut converge_sdk::system::Machine), expect: &str| {
        let model = Arc::new(model());
        let cx = context(Arc::clone(&model) as _, RunMode::Apply);
        let mut task = prepare::<AbsentPreparer>(&cx, &at("/etc/old.conf", true)).await.unwrap();
        task.check(&cx, &converge_core::testing::FakeRenderer::new()).await.unwrap();
        model.alter(alter);
        assert_eq!(show(&task.apply(&cx).await), expect);
    };
    check(
        |machine| {
            machine.remove("/etc/old.conf");
            machine.put_file("/etc/old.conf/precious", "");
        },
        "error: cannot remove /etc/old.conf: another process keeps changing it",
    )
    .await;
    check(|machine| machine.remove("/etc/old.conf"), "no change").await;
    check(|machine| machine.remove("/etc"), "no change").await;
}

#[tokio::test]
async fn a_read_only_disk_is_told() {
    let model = Arc::new(model());
    model.fail_once_after(1);
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let output = apply::<AbsentPreparer>(&system, &at("/srv/app", true)).await;
    assert!(output.ends_with("error: cannot remove /srv/app/link: no space left on device"), "{output}");
    let output = apply::<AbsentPreparer>(&system, &at("/srv/app", true)).await;
    assert!(output.ends_with("# 5 entries removed"), "{output}");
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test makes what the resource works on")]
async fn on_the_real_machine() {
    let dir = tempfile::tempdir().unwrap();
    let deep = (0..200).fold(dir.path().join("tree"), |path, _| path.join("d"));
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(dir.path().join("outside"), "kept").unwrap();
    std::os::unix::fs::symlink(dir.path().join("outside"), deep.join("link")).unwrap();
    let tree = at(dir.path().join("tree").to_str().unwrap(), true);
    let output = apply::<AbsentPreparer>(&local(), &tree).await;
    assert!(output.ends_with("# 202 entries removed"), "{output}");
    assert_eq!(apply::<AbsentPreparer>(&local(), &tree).await, "no change");
    assert_eq!(std::fs::read(dir.path().join("outside")).unwrap(), b"kept");
    // The path leads to a mount point that every Linux has, but is not its usual name.
    let fields: Written<'_> = &at("/proc/self/../self/../../proc/sys/..", true);
    assert!(plan::<AbsentPreparer>(&local(), fields).await.contains("does not end in the name"));
    let output = plan::<AbsentPreparer>(&local(), &at("/proc", true)).await;
    assert!(output.contains("error: /proc is a folder of the system"), "{output}");
}

laws!(
    AbsentPreparer,
    start = model,
    values = ("destination", ["/srv/app", "/srv/empty", "/etc/old.conf", "/srv/loop", "/srv/none"]),
    values = ("recursive", [true, false])
);

/// Root removes a directory while its unprivileged owner replaces its contents by links.
mod strangers {
    #![expect(clippy::disallowed_methods, reason = "a test, which makes what the system works on")]

    use std::fs;
    use std::os::unix::fs::symlink;

    use converge_core::testing::other_user::{JO, Place, Stranger};

    use super::*;

    /// The number of times that the directory is removed.
    const REMOVED: usize = 100;
    const ROUNDS: usize = 1_000_000;

    /// Replaces contents by links, as the other user; not a test. See [`nothing_outside_is_removed`].
    #[test]
    fn swap() {
        let Some(place) = Place::of_stranger() else { return };
        let (home, root) = (place.at("home"), place.at("root"));
        place.work(|| {
            // Each of these may fail, because the directory is removed meanwhile.
            let _ = fs::create_dir(home.join("app"));
            let _ = fs::create_dir(home.join("app/sub"));
            let _ = fs::write(home.join("app/sub/file"), "");
            let _ = fs::rename(home.join("app/sub"), home.join("away"));
            let _ = symlink(root.join("sub"), home.join("app/sub"));
            let _ = fs::remove_file(home.join("app/sub"));
            let _ = fs::rename(home.join("away"), home.join("app/sub"));
            let _ = fs::rename(home.join("app"), home.join("ppa"));
            let _ = symlink(&root, home.join("app"));
            let _ = fs::remove_file(home.join("app"));
            let _ = fs::rename(home.join("ppa"), home.join("app"));
        });
    }

    #[tokio::test]
    async fn nothing_outside_is_removed() {
        if !is_root("a folder that is removed under a stranger's hands") {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let place = Place::new(dir.path());
        place.dir("root", 0, 0o755);
        place.dir("root/sub", 0, 0o755);
        place.file("root/sub/file", 0, 0o600);
        place.dir("home", JO, 0o755);
        let before = place.state("root");
        let fields = at(place.at("home/app").to_str().unwrap(), true);
        let jo = Stranger::start(&place, "file::absent::tests::strangers::swap");
        let (mut removals, mut rounds) = (0, 0);
        while removals < REMOVED && rounds < ROUNDS {
            rounds += 1;
            let output = apply::<AbsentPreparer>(&local(), &fields).await;
            removals += usize::from(output.contains("entries removed"));
        }
        let swaps = jo.end();
        assert_eq!(place.state("root"), before, "{removals} done, {swaps} swaps");
        assert!(removals == REMOVED && swaps > 0, "{removals} done in {rounds} rounds, {swaps} swaps");
    }
}
