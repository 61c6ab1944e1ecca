//! Directory listings.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{AtFlags, Dir, FileType, statat};
use rustix::io::Errno;

use super::super::pool::CancelFlag;
use super::super::system_state::Shared;
use super::stat::{Outcome, kind};
use crate::NamedEntry;

/// The number of entries that are listed on the calling thread.
const FEW: usize = 1024;

/// Lists a directory that is open for reading, sorted by name.
pub(super) async fn entries(directory: OwnedFd, shared: &Shared) -> Outcome<Vec<NamedEntry>> {
    let mut listing = Listing::new(directory)?;
    if listing.more(FEW)? {
        return Ok(listing.sorted());
    }
    let rest = move |wanted: &CancelFlag| {
        while !listing.more(FEW)? {
            wanted.check()?;
        }
        Ok(listing.sorted())
    };
    shared.pool.run(rest).await
}

/// Lists a whole directory on this thread.
pub(super) fn all(directory: OwnedFd) -> Outcome<Vec<NamedEntry>> {
    let mut listing = Listing::new(directory)?;
    while !listing.more(FEW)? {}
    Ok(listing.sorted())
}

struct Listing {
    directory: Dir,
    entries: Vec<NamedEntry>,
}

impl Listing {
    fn new(directory: OwnedFd) -> Outcome<Self> {
        Ok(Self { directory: Dir::new(directory)?, entries: Vec::new() })
    }

    /// Lists up to `count` further entries.
    ///
    /// Returns whether the listing is complete.
    fn more(&mut self, count: usize) -> Outcome<bool> {
        for _ in 0..count {
            let Some(entry) = self.directory.read() else { return Ok(true) };
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems do not report the type of an entry.
                FileType::Unknown => match statat(self.directory.fd()?, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => kind(FileType::from_raw_mode(stat.st_mode)),
                    Err(Errno::NOENT) => continue,
                    Err(error) => return Err(error.into()),
                },
                known => kind(known),
            };
            self.entries.push(NamedEntry { name: name.to_owned(), kind });
        }
        Ok(false)
    }

    fn sorted(mut self) -> Vec<NamedEntry> {
        self.entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        self.entries
    }
}
