//! Tests of trusted folders and of the lock within one process.
//!
//! Tests with other processes are in `tests/tests/system`.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;
use converge_system::testing::private_folder;

/// The id of a user and group that own nothing here.
const NOBODY: u32 = 65534;

/// Creates a folder that nobody else can write to, unlike the system's temporary directory.
fn private() -> tempfile::TempDir {
    let executable = std::env::current_exe().unwrap();
    tempfile::tempdir_in(private_folder(executable.parent().unwrap()).unwrap()).unwrap()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn untrusted(folder: &Path) -> Option<(PathBuf, WrongOwner)> {
    examine(folder).err().map(|untrusted| (untrusted.at, untrusted.problem))
}

#[test]
fn a_folder_is_trusted_when_nobody_else_can_write_on_the_way_to_it() {
    let root = private();
    let state = root.path().join("a/b/state");
    assert_eq!(untrusted(&state), None, "it will be made where nobody else can");
    State::create(&state).unwrap();
    assert_eq!(fs::metadata(&state).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(untrusted(&state), None);
    let folder = root.path().join("a");
    let check = |mode, is_trusted: bool| {
        set_mode(&folder, mode);
        let expect = (!is_trusted).then_some((folder.clone(), WrongOwner::Writable(mode)));
        assert_eq!(untrusted(&state), expect, "{mode:o}");
    };
    check(0o755, true);
    check(0o700, true);
    check(0o777, false);
    // Nobody else can replace the folder below, which belongs to this user.
    check(0o1777, true);
    // Only root can change the group of the file.
    if rustix::process::geteuid().is_root() {
        check(0o775, true);
        std::os::unix::fs::chown(&folder, None, Some(NOBODY)).unwrap();
        check(0o775, false);
        std::os::unix::fs::chown(&folder, Some(NOBODY), Some(0)).unwrap();
        set_mode(&folder, 0o755);
        assert_eq!(untrusted(&state), Some((folder, WrongOwner::Owner(NOBODY))));
    }
}

#[test]
fn links_are_looked_through() {
    let root = private();
    let (real_folder, open, link) =
        (root.path().join("real"), root.path().join("open"), root.path().join("link"));
    fs::create_dir(&real_folder).unwrap();
    symlink(&real_folder, &link).unwrap();
    assert_eq!(untrusted(&link.join("state")), None);
    fs::create_dir(&open).unwrap();
    set_mode(&open, 0o777);
    fs::remove_file(&link).unwrap();
    symlink("open/../real", &link).unwrap();
    assert_eq!(untrusted(&link.join("state")), Some((open, WrongOwner::Writable(0o777))));
    fs::remove_file(&link).unwrap();
    symlink("link", &link).unwrap();
    assert!(matches!(untrusted(&link), Some((_, WrongOwner::Unusable(_)))));
    fs::write(real_folder.join("file"), "").unwrap();
    assert!(matches!(untrusted(&real_folder.join("file")), Some((_, WrongOwner::Unusable(_)))));
}

#[test]
fn a_folder_for_everybody_is_never_trusted() {
    let problem = untrusted(Path::new("/tmp/converge/state"));
    assert!(matches!(problem, Some((_, WrongOwner::Writable(0o1777)))), "{problem:?}");
}

#[test]
fn the_lock_is_had_once_and_says_who_has_it() {
    let root = private();
    let state = State::create(root.path().join("state")).unwrap();
    assert_eq!(state.holder(), None);
    // Another `State` value has its own queue, like another process.
    let same_state = State::create(root.path().join("state")).unwrap();
    let try_lock = |state: &State, module| {
        state.try_lock(module, Arc::clone(state.turn()).try_acquire_owned().unwrap()).unwrap()
    };
    let TryLock::Locked(lock) = try_lock(&state, "/srv/site.hcl") else { panic!("it is free") };
    let TryLock::HeldBy(holder, _) = try_lock(&same_state, "/srv/other.hcl") else { panic!("it is not") };
    assert_eq!(state.holder().as_ref(), Some(&holder));
    let Holder::Run { pid, module, .. } = holder else { panic!("a run has it: {holder:?}") };
    assert_eq!((pid, module.as_str()), (std::process::id(), "/srv/site.hcl"));
    // Another state is independent.
    let other_state = State::create(root.path().join("other")).unwrap();
    assert!(matches!(try_lock(&other_state, "x"), TryLock::Locked(_)));
    // An owner in this state is independent too.
    let blue = state.of_owner(&"blue".parse().unwrap());
    assert_eq!(blue.holder(), None);
    assert!(matches!(try_lock(&blue, "x"), TryLock::Locked(_)));
    drop(lock);
    assert_eq!(state.holder(), None);
    assert!(matches!(try_lock(&state, "x"), TryLock::Locked(_)));
}

#[test]
fn nothing_is_made_where_nothing_is_asked_for() {
    let root = private();
    assert_eq!(State::find(root.path().join("state")).unwrap(), None);
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
}

#[test]
fn values_of_one_state_take_turns_for_each_owner() {
    let root = private();
    let state = State::create(root.path().join("state")).unwrap();
    let take_turn = |state: &State| Arc::clone(state.turn()).try_acquire_owned().ok();
    let [blue, green] = ["blue", "green"].map(|name| name.parse().unwrap());
    let blue_turn = take_turn(&state.clone().of_owner(&blue)).unwrap();
    assert!(take_turn(&state.of_owner(&blue)).is_none(), "a run of blue has it");
    assert!(take_turn(&state.of_owner(&green)).is_some());
    assert!(take_turn(&state).is_some());
    drop(blue_turn);
    assert!(take_turn(&state.of_owner(&blue)).is_some());
}

#[test]
fn many_owners_and_groups_that_are_gone_leave_nothing() {
    let root = private();
    let (state, locks) = (State::create(root.path().join("state")).unwrap(), Locks::new());
    for number in 0..10_000 {
        let owner: Owner = format!("owner-{number}").parse().unwrap();
        drop(state.of_owner(&owner));
        drop(locks.get(&LockName::Group { owner: Some(owner), name: "deploy".into() }));
    }
    assert!(state.turns.lock().unwrap().len() < 16);
    assert!(locks.len() < 16);
}

async fn takes(locks: &Locks, name: &LockName) -> Option<LockGuard> {
    let acquisition = locks.get(name).take();
    tokio::select! { biased; held = acquisition => Some(held.unwrap()), () = std::future::ready(()) => None }
}

/// Returns two pairs: locks shared in one process, and locks shared by files as between two processes.
fn pairs(root: &Path) -> [(Locks, Locks); 2] {
    let shared = Locks::new();
    let [first, second] = [0; 2].map(|_| Locks::in_state(&State::create(root.join("state")).unwrap()));
    [(shared.clone(), shared), (first, second)]
}

#[tokio::test]
async fn who_shares_locks_has_each_of_them_once() {
    let root = private();
    let group = |owner: Option<&str>, name: &str| LockName::Group {
        owner: owner.map(|owner| owner.parse().unwrap()),
        name: name.into(),
    };
    for (first, second) in pairs(root.path()) {
        let guard = takes(&first, &LockName::Type("apt")).await.unwrap();
        assert!(takes(&second, &LockName::Type("apt")).await.is_none());
        assert!(takes(&second, &LockName::Type("pip")).await.is_some());
        let blue = takes(&first, &group(Some("blue"), "apt")).await.unwrap();
        assert!(takes(&second, &group(Some("blue"), "apt")).await.is_none());
        assert!(takes(&second, &group(Some("green"), "apt")).await.is_some());
        assert!(takes(&second, &group(None, "apt")).await.is_some());
        drop((guard, blue));
        assert!(takes(&second, &LockName::Type("apt")).await.is_some());
        assert!(takes(&second, &group(Some("blue"), "apt")).await.is_some());
        assert!(takes(&Locks::new(), &LockName::Type("apt")).await.is_some());
    }
}

#[tokio::test]
async fn a_lock_tells_whether_somebody_had_it_since() {
    let root = private();
    for (first, second) in pairs(root.path()) {
        let (apt, second_lock) = (LockName::Type("apt"), second.get(&LockName::Type("apt")));
        let sequence = second_lock.sequence();
        let first_guard = takes(&first, &apt).await.unwrap();
        assert_eq!(first_guard.before, sequence, "nobody");
        let sequence_in_use = second_lock.sequence();
        assert_ne!(sequence_in_use, sequence);
        drop(first_guard);
        let second_guard = takes(&second, &apt).await.unwrap();
        assert!(
            second_guard.before != sequence && second_guard.before != sequence_in_use,
            "the first, since either"
        );
    }
}

#[tokio::test]
async fn what_somebody_was_killed_with_is_not_as_it_was() {
    let root = private();
    let locks = Locks::in_state(&State::create(root.path().join("state")).unwrap());
    let lock = locks.get(&LockName::Type("apt"));
    drop(takes(&locks, lock.name()).await);
    // The file is in this state when the process that holds the lock is killed.
    fs::write(root.path().join("state/locks/apt"), 3_u64.to_le_bytes()).unwrap();
    let sequence = lock.sequence();
    let guard = takes(&locks, lock.name()).await.unwrap();
    assert_eq!((sequence, guard.before), (3, 4));
}
