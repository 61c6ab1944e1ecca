//! What is in a directory.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{AtFlags, Dir, FileType, statat};
use rustix::io::Errno;

use super::stat::{Outcome, kind};
use crate::system::NamedEntry;

/// Lists a directory that was opened for reading, sorted by name.
pub(super) fn entries(directory: OwnedFd) -> Outcome<Vec<NamedEntry>> {
    let mut entries = Vec::new();
    let mut directory = Dir::new(directory)?;
    while let Some(entry) = directory.read() {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        let kind = match entry.file_type() {
            // Some file systems do not say.
            FileType::Unknown => match statat(directory.fd()?, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => kind(FileType::from_raw_mode(stat.st_mode)),
                Err(Errno::NOENT) => continue,
                Err(error) => return Err(error.into()),
            },
            known => kind(known),
        };
        entries.push(NamedEntry { name: name.to_owned(), kind });
    }
    entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}
