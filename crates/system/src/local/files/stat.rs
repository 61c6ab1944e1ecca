//! Conversion of file metadata.

use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, Mode, Stat};

use crate::{FileKind, Metadata, SpecialFile, SystemErrorKind};

/// The permission bits with set-uid, set-gid and sticky.
pub(super) const MODE_BITS: u32 = 0o7777;

pub(super) type Outcome<T> = Result<T, SystemErrorKind>;

/// Converts a missing path, or a path below a non-directory, into `None`.
pub(super) fn there<T>(outcome: Outcome<T>) -> Outcome<Option<T>> {
    match outcome {
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

/// Converts a non-negative number, whose width and sign depend on the platform.
fn wide(number: impl TryInto<u64>) -> u64 {
    number.try_into().unwrap_or_default()
}

/// Converts a mode, which has sixteen bits on some platforms.
fn bits(mode: impl Into<u32>) -> u32 {
    mode.into()
}

pub(super) fn mode(bits: u32) -> Mode {
    fn narrow<T: TryFrom<u32> + Default>(bits: u32) -> T {
        T::try_from(bits).unwrap_or_default()
    }
    Mode::from_raw_mode(narrow(bits & MODE_BITS))
}

/// Returns the modification time.
///
/// Seconds may be before 1970; nanoseconds always count forward.
fn modified(stat: &Stat) -> Option<SystemTime> {
    let seconds = Duration::from_secs(stat.st_mtime.unsigned_abs());
    let whole_seconds = if stat.st_mtime < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(seconds)?
    } else {
        SystemTime::UNIX_EPOCH.checked_add(seconds)?
    };
    whole_seconds.checked_add(Duration::from_nanos(wide(stat.st_mtime_nsec)))
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

/// Returns an error unless the kind is a regular file.
pub(super) fn expect_file(kind: FileKind) -> Outcome<()> {
    match kind {
        FileKind::File => Ok(()),
        FileKind::Directory => Err(SystemErrorKind::IsADirectory),
        FileKind::Symlink => Err(SystemErrorKind::InvalidPath),
        FileKind::Special(special) => Err(SystemErrorKind::NotAFile(special)),
    }
}
