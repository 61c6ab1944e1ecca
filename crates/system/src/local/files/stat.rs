//! What is known of a file without reading it.

use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, Mode, Stat};

use crate::{FileKind, Metadata, SpecialFile, SystemErrorKind};

/// Permission bits with set-uid, set-gid and sticky.
pub(super) const MODE_BITS: u32 = 0o7777;

pub(super) type Outcome<T> = Result<T, SystemErrorKind>;

/// Nothing at the path is an answer, also when the path goes on below something that is no directory.
pub(super) fn there<T>(found: Outcome<T>) -> Outcome<Option<T>> {
    match found {
        Err(SystemErrorKind::NotFound | SystemErrorKind::NotADirectory) => Ok(None),
        found => found.map(Some),
    }
}

pub(super) fn describe(stat: &Stat) -> Metadata {
    Metadata {
        kind: kind(FileType::from_raw_mode(stat.st_mode)),
        mode: bits(stat.st_mode) & MODE_BITS,
        uid: stat.st_uid,
        gid: stat.st_gid,
        len: u64::try_from(stat.st_size).unwrap_or_default(),
        modified: modified(stat),
        links: wide(stat.st_nlink),
    }
}

/// How wide these numbers are, and whether they have a sign, differs from one system to another; none is negative.
fn wide(number: impl TryInto<u64>) -> u64 {
    number.try_into().unwrap_or_default()
}

/// A mode is a number of sixteen bits on some systems.
fn bits(mode: impl Into<u32>) -> u32 {
    mode.into()
}

/// Permission bits for a call.
pub(super) fn mode(bits: u32) -> Mode {
    fn narrow<T: TryFrom<u32> + Default>(bits: u32) -> T {
        T::try_from(bits).unwrap_or_default()
    }
    Mode::from_raw_mode(narrow(bits & MODE_BITS))
}

/// The seconds may be before 1970; the nanoseconds count forward in any case.
fn modified(stat: &Stat) -> Option<SystemTime> {
    let seconds = Duration::from_secs(stat.st_mtime.unsigned_abs());
    let whole = if stat.st_mtime < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(seconds)?
    } else {
        SystemTime::UNIX_EPOCH.checked_add(seconds)?
    };
    whole.checked_add(Duration::from_nanos(wide(stat.st_mtime_nsec)))
}

pub(super) fn kind(file_type: FileType) -> FileKind {
    match file_type {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Symlink,
        FileType::Fifo => FileKind::Special(SpecialFile::Pipe),
        FileType::Socket => FileKind::Special(SpecialFile::Socket),
        FileType::CharacterDevice => FileKind::Special(SpecialFile::CharacterDevice),
        FileType::BlockDevice => FileKind::Special(SpecialFile::BlockDevice),
        FileType::Unknown => FileKind::Special(SpecialFile::Unknown),
    }
}

/// What is wrong with something that was to be a file; nothing when it is one.
pub(super) fn expect_file(kind: FileKind) -> Outcome<()> {
    match kind {
        FileKind::File => Ok(()),
        FileKind::Directory => Err(SystemErrorKind::IsADirectory),
        FileKind::Symlink => Err(SystemErrorKind::InvalidPath),
        FileKind::Special(special) => Err(SystemErrorKind::NotAFile(special)),
    }
}
