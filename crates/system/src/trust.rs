//! The rules for following links and changing files of other users, shared by all systems.
//!
//! The owner of a link, or of its directory, decides where the link leads, and may change that at any moment.
//! Root acting through the link of another user acts on that user's behalf, so it may only touch files of
//! that user. A second name of a file has the same effect as a link if the file itself is changed.

use super::files::{CommitFile, Inherit, Ownership};
#[cfg(any(unix, test, feature = "testing"))]
use super::metadata::FileKind;
use super::metadata::Metadata;

/// The mode bit of a directory in which users may remove only their own files.
const STICKY: u32 = 0o1000;
const WRITABLE_BY_ALL: u32 = 0o002;
const WRITABLE_BY_OTHERS: u32 = 0o022;
#[cfg(any(unix, test, feature = "testing"))]
const READABLE_BY_ALL: u32 = 0o004;
const SET_ID_BITS: u32 = 0o6000;

const NEW_FILE_MODE: u32 = 0o600;

/// The decision about a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Following {
    /// The link is followed anywhere.
    Freely,
    /// The link is followed to files of this user only.
    OnlyTo(u32),
    /// The link of this user is not followed.
    Never(u32),
}

/// The trust rules of a process: root and the user of the process are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trust {
    pub(super) runs_as: u32,
}

impl Trust {
    fn trusts(self, uid: u32) -> bool {
        uid == 0 || uid == self.runs_as
    }

    /// Decides about a link in this directory.
    pub(super) fn following(self, folder: &Metadata, link: &Metadata) -> Following {
        let foreign_owner = |uid| (!self.trusts(uid)).then_some(uid);
        // Linux does the same if `fs.protected_symlinks` is set.
        if is_shared_place(folder) && link.uid != self.runs_as && link.uid != folder.uid {
            return Following::Never(link.uid);
        }
        match (foreign_owner(link.uid), foreign_owner(folder.uid)) {
            (None, None) => Following::Freely,
            (Some(link), Some(folder)) if link != folder => Following::Never(link),
            (Some(uid), _) | (None, Some(uid)) => Following::OnlyTo(uid),
        }
    }

    /// Whether a user who may not change the file may have given it this name in the directory.
    #[cfg(any(unix, test, feature = "testing"))]
    pub(super) fn is_foreign_name(self, folder: &Metadata, file: &Metadata) -> bool {
        file.kind != FileKind::Directory
            && file.links > 1
            && (folder.mode & WRITABLE_BY_ALL != 0 || !self.trusts(folder.uid) && file.uid != folder.uid)
    }

    /// Like [`is_foreign_name`](Self::is_foreign_name), for a file that not everybody may read.
    #[cfg(any(unix, test, feature = "testing"))]
    pub(super) fn is_foreign_secret(self, folder: &Metadata, file: &Metadata) -> bool {
        file.mode & READABLE_BY_ALL == 0 && self.is_foreign_name(folder, file)
    }

    /// Whether a new file inherits owner and mode from the file that it replaces in this directory.
    pub(super) fn is_inherited(self, folder: &Metadata, replaced: &Metadata, inherit: Inherit) -> bool {
        // If nobody else can create files in the directory, the owner of the existing file was set by a
        // trusted user.
        let is_given = self.trusts(folder.uid) && folder.mode & WRITABLE_BY_OTHERS == 0;
        self.trusts(replaced.uid) || is_given || inherit == Inherit::FromAnyone && !is_shared_place(folder)
    }

    /// Whether another user may replace one of our files in this directory by renaming.
    #[cfg(any(unix, test))]
    pub(super) fn can_rename_in(self, folder: &Metadata) -> bool {
        !self.trusts(folder.uid) || folder.mode & WRITABLE_BY_OTHERS != 0 && folder.mode & STICKY == 0
    }

    /// Returns the mode and ownership of a new file.
    ///
    /// Missing values are taken from `kept`; `None` means no change.
    pub(super) fn attributes(old: Option<&Metadata>, commit: &CommitFile) -> (u32, Ownership) {
        let ownership = Ownership {
            uid: commit.ownership.uid.or(old.map(|old| old.uid)),
            gid: commit.ownership.gid.or(old.map(|old| old.gid)),
        };
        let mode = commit.mode.or_else(|| {
            let old = old?;
            // A program that changes its owner must no longer run as its owner.
            let is_same_owner = ownership == Ownership { uid: Some(old.uid), gid: Some(old.gid) };
            Some(if is_same_owner { old.mode } else { old.mode & !SET_ID_BITS })
        });
        (mode.unwrap_or(NEW_FILE_MODE) & 0o7777, ownership)
    }
}

fn is_shared_place(folder: &Metadata) -> bool {
    folder.mode & STICKY != 0 && folder.mode & WRITABLE_BY_ALL != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: u32 = 0;
    const ME: u32 = 10;
    const JO: u32 = 20;
    const MO: u32 = 30;

    fn known(kind: FileKind, uid: u32, mode: u32) -> Metadata {
        Metadata { kind, mode, uid, gid: uid, len: 0, modified: None, links: 1 }
    }

    #[test]
    fn links() {
        let check = |folder: u32, mode: u32, link: u32, expect: Following| {
            let folder = known(FileKind::Directory, folder, mode);
            let link = known(FileKind::Symlink, link, 0o777);
            assert_eq!(Trust { runs_as: ME }.following(&folder, &link), expect, "{folder:?} {link:?}");
        };
        for trusted in [ROOT, ME] {
            check(trusted, 0o755, ROOT, Following::Freely);
            check(trusted, 0o755, ME, Following::Freely);
            check(trusted, 0o775, JO, Following::OnlyTo(JO));
        }
        check(JO, 0o755, JO, Following::OnlyTo(JO));
        check(JO, 0o755, ROOT, Following::OnlyTo(JO));
        check(JO, 0o777, MO, Following::Never(MO));
        check(ROOT, 0o1777, ROOT, Following::Freely);
        check(ROOT, 0o1777, ME, Following::Freely);
        check(ROOT, 0o1777, JO, Following::Never(JO));
        check(ROOT, 0o1775, JO, Following::OnlyTo(JO));
        check(JO, 0o1777, JO, Following::OnlyTo(JO));
    }

    #[test]
    fn names() {
        let check = |folder: (u32, u32), file: u32, links: u64, expect: bool| {
            let folder = known(FileKind::Directory, folder.0, folder.1);
            let file = Metadata { links, ..known(FileKind::File, file, 0o600) };
            let trust = Trust { runs_as: ROOT };
            assert_eq!(trust.is_foreign_name(&folder, &file), expect, "{folder:?} {file:?}");
            assert_eq!(trust.is_foreign_secret(&folder, &file), expect, "{folder:?} {file:?}");
            let open = Metadata { mode: 0o644, ..file };
            assert!(!trust.is_foreign_secret(&folder, &open));
        };
        check((ROOT, 0o755), ROOT, 2, false);
        check((ROOT, 0o755), JO, 2, false);
        check((JO, 0o755), JO, 2, false);
        check((JO, 0o755), ROOT, 1, false);
        check((JO, 0o755), ROOT, 2, true);
        check((JO, 0o755), MO, 2, true);
        check((ROOT, 0o1777), ROOT, 1, false);
        check((ROOT, 0o1777), ROOT, 2, true);
    }

    #[test]
    fn who_may_rename() {
        let check = |folder: u32, mode: u32, expect: bool| {
            let folder = known(FileKind::Directory, folder, mode);
            assert_eq!(Trust { runs_as: ME }.can_rename_in(&folder), expect, "{folder:?}");
        };
        check(ROOT, 0o1777, false);
        check(ROOT, 0o755, false);
        check(ME, 0o700, false);
        check(ME, 0o1770, false);
        check(ROOT, 0o777, true);
        check(ME, 0o770, true);
        check(JO, 0o700, true);
        check(JO, 0o1777, true);
    }

    #[test]
    fn owners_and_modes_of_new_files() {
        let check =
            |folder: u32, replaced: Option<(u32, u32)>, commit: CommitFile, expect: (u32, Option<u32>)| {
                let folder = known(FileKind::Directory, ROOT, folder);
                let replaced = replaced.map(|(uid, mode)| known(FileKind::File, uid, mode));
                let trust = Trust { runs_as: ROOT };
                let old = replaced
                    .as_ref()
                    .filter(|replaced| trust.is_inherited(&folder, replaced, commit.inherit));
                let (mode, ownership) = Trust::attributes(old, &commit);
                assert_eq!((mode, ownership.uid), expect, "{folder:?} {replaced:?} {commit:?}");
            };
        let defaults = CommitFile::default();
        let secret = CommitFile { inherit: Inherit::FromTrusted, ..defaults };
        let with_owner = CommitFile { ownership: Ownership { uid: Some(MO), gid: None }, ..defaults };
        check(0o755, None, defaults, (0o600, None));
        check(0o755, None, with_owner, (0o600, Some(MO)));
        check(0o755, Some((JO, 0o4755)), defaults, (0o4755, Some(JO)));
        check(0o755, Some((JO, 0o4755)), with_owner, (0o755, Some(MO)));
        check(0o755, Some((JO, 0o644)), secret, (0o644, Some(JO)));
        check(0o775, Some((JO, 0o644)), secret, (0o600, None));
        check(0o775, Some((JO, 0o644)), defaults, (0o644, Some(JO)));
        check(0o755, Some((ROOT, 0o644)), secret, (0o644, Some(ROOT)));
        check(0o1777, Some((JO, 0o644)), defaults, (0o600, None));
        check(0o1777, Some((ROOT, 0o644)), defaults, (0o644, Some(ROOT)));
    }
}
