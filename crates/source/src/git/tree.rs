//! The files of one commit, as a source of modules and of the files they read.

use std::sync::Arc;

use super::commit::Commit;
use super::repository::{Entry, EntryKind, Repository};
use crate::error::SourceError;
use crate::git_error::GitError;
use crate::listing::{self, Listing};
use crate::module_source::{ModuleSource, relative_folder};
use crate::read_limits::Reading;
use crate::types::folder_entry::FolderEntry;

/// The files of one commit of a repository.
#[derive(Debug)]
pub(crate) struct GitTree {
    pub(super) repository: Repository,
    pub(super) url: String,
    pub(super) commit: Commit,
    /// Whether a missing commit may be fetched.
    pub(super) network: bool,
}

/// Trees are equal if they are the same commit of the same repository.
impl PartialEq for GitTree {
    fn eq(&self, other: &Self) -> bool {
        self.commit == other.commit && self.url == other.url
    }
}

impl Eq for GitTree {}

impl std::hash::Hash for GitTree {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.commit.hash(state);
        self.url.hash(state);
    }
}

impl GitTree {
    /// Returns the name of a file for messages.
    pub(crate) fn name_of(&self, path: &str) -> String {
        format!("git::{}//{path}?ref={}", self.url, self.commit)
    }

    fn failed(&self, problem: GitError) -> SourceError {
        SourceError::Git { repository: self.url.clone(), problem }
    }

    /// Ensures that the commit is in the cache.
    fn ensure_fetched(&self, reading: &Reading) -> Result<(), SourceError> {
        match self.repository.has(&self.commit, reading) {
            Ok(true) => Ok(()),
            Ok(false) if self.network => {
                self.repository.fetch(&self.commit, reading).map_err(|problem| self.failed(problem))
            }
            Ok(false) => Err(self.failed(GitError::NotCached { commit: self.commit.to_string() })),
            Err(problem) => Err(self.failed(problem)),
        }
    }

    fn find(&self, path: &str, reading: &Reading) -> Result<Option<Entry>, SourceError> {
        self.ensure_fetched(reading)?;
        let entries = self.repository.entries(&self.commit, path, reading);
        let entries = entries.map_err(|problem| self.failed(problem))?;
        Ok(entries.into_iter().find(|entry| entry.path == path))
    }
}

impl ModuleSource for GitTree {
    fn read(&self, name: &str, reading: &Reading) -> Result<Arc<str>, SourceError> {
        let display_name = self.name_of(name);
        let refuse =
            |reason: &str| SourceError::Unreadable { name: display_name.clone(), reason: reason.to_owned() };
        let entry =
            self.find(name, reading)?.ok_or_else(|| refuse("there is no such file in this commit"))?;
        match entry.kind {
            EntryKind::File => {}
            EntryKind::Folder => return Err(refuse("it is a directory")),
            // The link could lead to any file of this machine.
            EntryKind::Link => {
                return Err(refuse("it is a symbolic link, and none in a repository is followed"));
            }
            EntryKind::Submodule => {
                return Err(refuse("it is in a submodule: name the repository of that"));
            }
        }
        // One extra byte is read, to tell a text that is too long from one that just fits.
        let content = self.repository.content(&entry, reading.most().saturating_add(1), reading);
        let content = content.map_err(|problem| self.failed(problem))?;
        reading.text(&display_name, &*content).map(Arc::from)
    }

    fn exists(&self, name: &str, reading: &Reading) -> Result<bool, SourceError> {
        match self.find(name, reading)?.map(|entry| entry.kind) {
            None | Some(EntryKind::Link | EntryKind::Submodule) => Ok(false),
            Some(EntryKind::File) => Ok(true),
            Some(EntryKind::Folder) => {
                Err(SourceError::unreadable(&self.name_of(name), &std::io::ErrorKind::IsADirectory.into()))
            }
        }
    }

    fn list(
        &self,
        base: Option<&str>,
        written: &str,
        reading: &Reading,
    ) -> Result<Vec<FolderEntry>, SourceError> {
        let outside = || SourceError::Outside { written: written.to_owned() };
        let folder = relative_folder(base, written).ok_or_else(outside)?;
        let display_name = self.name_of(&folder);
        if !folder.is_empty() {
            match self.find(&folder, reading)?.map(|entry| entry.kind) {
                Some(EntryKind::Folder) => {}
                Some(_) => return Err(listing::no_folder(&display_name)),
                None => return Err(listing::missing(&display_name)),
            }
        }
        self.ensure_fetched(reading)?;
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let entries = self.repository.entries(&self.commit, &prefix, reading);
        let mut listing = Listing::new(&display_name);
        for entry in entries.map_err(|problem| self.failed(problem))? {
            let Some(name) = entry.path.strip_prefix(&prefix) else { continue };
            match entry.kind {
                EntryKind::File => listing.add(FolderEntry::file(name))?,
                EntryKind::Folder => listing.add(FolderEntry::folder(name))?,
                EntryKind::Link | EntryKind::Submodule => {}
            }
        }
        Ok(listing.into_entries())
    }
}
