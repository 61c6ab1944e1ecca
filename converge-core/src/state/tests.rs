//! Folders that are to be trusted, and the lock within one process. What other processes do is in `tests/tests/system`.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;
use crate::testing::private_folder;

/// A user, and a group, that nothing here belongs to.
const NOBODY: u32 = 65534;

/// A folder that nobody else can write to, as one for temporary files is not.
fn private() -> tempfile::TempDir {
    let this = std::env::current_exe().unwrap();
    tempfile::tempdir_in(private_folder(this.parent().unwrap()).unwrap()).unwrap()
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
    let at = root.path().join("a");
    let check = |mode, is_trusted: bool| {
        set_mode(&at, mode);
        let expect = (!is_trusted).then_some((at.clone(), WrongOwner::Writable(mode)));
        assert_eq!(untrusted(&state), expect, "{mode:o}");
    };
    check(0o755, true);
    check(0o700, true);
    check(0o777, false);
    check(0o1777, false);
    // Only root can say whose group it is.
    if rustix::process::geteuid().is_root() {
        check(0o775, true);
        std::os::unix::fs::chown(&at, None, Some(NOBODY)).unwrap();
        check(0o775, false);
        std::os::unix::fs::chown(&at, Some(NOBODY), Some(0)).unwrap();
        set_mode(&at, 0o755);
        assert_eq!(untrusted(&state), Some((at, WrongOwner::Owner(NOBODY))));
    }
}

#[test]
fn links_are_looked_through() {
    let root = private();
    let (real, open, link) = (root.path().join("real"), root.path().join("open"), root.path().join("link"));
    fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    assert_eq!(untrusted(&link.join("state")), None);
    fs::create_dir(&open).unwrap();
    set_mode(&open, 0o777);
    fs::remove_file(&link).unwrap();
    symlink("open/../real", &link).unwrap();
    assert_eq!(untrusted(&link.join("state")), Some((open, WrongOwner::Writable(0o777))));
    fs::remove_file(&link).unwrap();
    symlink("link", &link).unwrap();
    assert!(matches!(untrusted(&link), Some((_, WrongOwner::Unusable(_)))));
    fs::write(real.join("file"), "").unwrap();
    assert!(matches!(untrusted(&real.join("file")), Some((_, WrongOwner::Unusable(_)))));
}

#[test]
fn a_folder_for_everybody_is_never_trusted() {
    let found = untrusted(Path::new("/tmp/converge/state"));
    assert!(matches!(found, Some((_, WrongOwner::Writable(0o1777)))), "{found:?}");
}

#[test]
fn the_lock_is_had_once_and_says_who_has_it() {
    let root = private();
    let state = State::create(root.path().join("state")).unwrap();
    assert_eq!(state.holder(), None);
    let TryLock::Locked(lock) = state.try_lock("/srv/site.hcl").unwrap() else { panic!("it is free") };
    let TryLock::HeldBy(holder) = state.try_lock("/srv/other.hcl").unwrap() else { panic!("it is not") };
    assert_eq!(state.holder().as_ref(), Some(&holder));
    let Holder::Run { pid, module, .. } = holder else { panic!("a run has it: {holder:?}") };
    assert_eq!((pid, module.as_str()), (std::process::id(), "/srv/site.hcl"));
    // Another state has nothing to do with it.
    let other = State::create(root.path().join("other")).unwrap();
    assert!(matches!(other.try_lock("x").unwrap(), TryLock::Locked(_)));
    drop(lock);
    assert_eq!(state.holder(), None);
    assert!(matches!(state.try_lock("x").unwrap(), TryLock::Locked(_)));
}

#[test]
fn nothing_is_made_where_nothing_is_asked_for() {
    let root = private();
    assert_eq!(State::find(root.path().join("state")).unwrap(), None);
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
}
