//! Folder listings, derived from whatever a source provides.

use std::collections::BTreeMap;

use super::error::SourceError;
use crate::types::folder_entry::FolderEntry;

/// The maximum number of entries of one folder, because all names are in memory at once.
pub(super) const MAX_ENTRIES: usize = 50_000;

/// The entries of a folder during collection; the first entry of each name counts.
#[derive(Debug)]
pub(super) struct Listing<'a> {
    folder: &'a str,
    entries: BTreeMap<String, FolderEntry>,
}

impl<'a> Listing<'a> {
    pub(super) fn new(folder: &'a str) -> Self {
        Self { folder, entries: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, entry: FolderEntry) -> Result<(), SourceError> {
        if self.entries.len() == MAX_ENTRIES && !self.entries.contains_key(entry.name()) {
            return Err(SourceError::TooMany { folder: self.folder.to_owned(), most: MAX_ENTRIES });
        }
        self.entries.entry(entry.name().to_owned()).or_insert(entry);
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn into_entries(self) -> Vec<FolderEntry> {
        self.entries.into_values().collect()
    }
}

/// Lists a folder of a source that only knows the paths of its files.
pub(super) fn list_paths<'n>(
    names: impl Iterator<Item = &'n str>,
    folder: &str,
) -> Result<Vec<FolderEntry>, SourceError> {
    let mut listing = Listing::new(folder);
    let mut is_there = folder.is_empty();
    for name in names {
        let rest = match name.strip_prefix(folder) {
            Some(rest) if folder.is_empty() => rest,
            Some("") => return Err(no_folder(folder)),
            Some(rest) => match rest.strip_prefix('/') {
                Some(rest) => rest,
                None => continue,
            },
            None => continue,
        };
        is_there = true;
        listing.add(match rest.split_once('/') {
            Some((folder, _)) => FolderEntry::folder(folder),
            None => FolderEntry::file(rest),
        })?;
    }
    if is_there { Ok(listing.into_entries()) } else { Err(missing(folder)) }
}

/// Returns whether a file exists in a source that only knows the paths of its files.
///
/// A folder is an error rather than a missing file.
pub(super) fn exists_in_paths<'n>(
    mut names: impl Iterator<Item = &'n str>,
    name: &str,
    is_there: bool,
) -> Result<bool, SourceError> {
    let is_in_it = |other: &str| other.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
    if !is_there && names.any(is_in_it) {
        return Err(SourceError::unreadable(name, &std::io::ErrorKind::IsADirectory.into()));
    }
    Ok(is_there)
}

pub(super) fn no_folder(folder: &str) -> SourceError {
    SourceError::Unreadable { name: folder.to_owned(), reason: "it is not a folder".to_owned() }
}

pub(super) fn missing(folder: &str) -> SourceError {
    SourceError::Unreadable { name: folder.to_owned(), reason: "there is no such folder".to_owned() }
}
