//! The lock file that fixes the commits of branches and tags.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::commit::Commit;
use crate::file;
use crate::git_error::GitError;
use crate::read_limits::Reading;
use converge_value::debug_as_text;

/// The locked commit of each branch or tag that modules name, by repository.
///
/// The lock is a file beside the module that a load begins with. A module therefore means the same on every
/// machine at any time. The lock applies to all modules of the load, whoever calls them.
///
/// ```
/// use converge_core::load::ModuleLock;
///
/// let text = r#"{
///   "version": 1,
///   "git": [
///     {
///       "repository": "https://example.com/modules.git",
///       "ref": "v1.2",
///       "commit": "9fceb02d0ae598e95dc970b74767f19372d61af8"
///     }
///   ]
/// }
/// "#;
/// let lock = ModuleLock::from_json(text)?;
/// assert_eq!(lock.entries().count(), 1);
/// assert_eq!(lock.to_json(), text);
/// # Ok::<(), converge_core::load::LockError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleLock {
    /// The commits by repository, and by branch or tag.
    commits: BTreeMap<(String, String), Commit>,
}

/// The reason why a lock file cannot be used.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LockError {
    /// The file is not JSON, or has other content.
    #[error("{0}")]
    Json(String),
    /// A later version of the program wrote the file.
    #[error("it has version {0}, and this program knows version 1")]
    Version(u64),
    /// A branch or tag has two commits.
    #[error("`{reference}` of {repository} is locked twice")]
    Twice {
        /// The URL of the repository.
        repository: String,
        /// The name of the branch or tag.
        reference: String,
    },
}

debug_as_text!(LockError);

/// An entry of a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Locked {
    /// The URL that git fetches from.
    pub repository: String,
    /// The name of a branch or a tag, or `HEAD`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The commit that the branch or tag is locked to.
    pub commit: Commit,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u64,
    git: Vec<Locked>,
}

/// The version, which is parsed first because a later version may have other fields.
#[derive(Deserialize)]
struct Version {
    version: u64,
}

impl ModuleLock {
    /// The name of the lock file, which is beside the module that a load begins with.
    pub const FILE: &'static str = "converge.lock";

    /// Parses the text of a lock file.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a lock, or one of a later version.
    pub fn from_json(text: &str) -> Result<Self, LockError> {
        let json_error = |error: serde_json::Error| LockError::Json(error.to_string());
        let Version { version } = serde_json::from_str(text).map_err(json_error)?;
        if version != 1 {
            return Err(LockError::Version(version));
        }
        let mut commits = BTreeMap::new();
        for Locked { repository, reference, commit } in
            serde_json::from_str::<File>(text).map_err(json_error)?.git
        {
            let key = (repository.clone(), reference.clone());
            if commits.insert(key, commit).is_some() {
                return Err(LockError::Twice { repository, reference });
            }
        }
        Ok(Self { commits })
    }

    /// Reads a lock file; a missing file gives an empty lock.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or is not a valid lock.
    pub fn read(path: &Path) -> Result<Self, GitError> {
        let bad = |reason: String| GitError::BadLock { file: path.display().to_string(), reason };
        match file::read(path, &Reading::default()) {
            Ok(text) => Self::from_json(&text).map_err(|error| bad(error.to_string())),
            Err(error) => match file::exists(path) {
                Ok(false) => Ok(Self::default()),
                _ => Err(bad(error.to_string())),
            },
        }
    }

    /// Returns the text of the file, in a stable order.
    pub fn to_json(&self) -> String {
        let file = File { version: 1, git: self.entries().collect() };
        // Serializing a list of texts cannot fail.
        let text = serde_json::to_string_pretty(&file).unwrap_or_default();
        text + "\n"
    }

    /// Returns the entries, sorted by repository and then by branch or tag.
    pub fn entries(&self) -> impl Iterator<Item = Locked> {
        self.commits.iter().map(|((repository, reference), commit)| Locked {
            repository: repository.clone(),
            reference: reference.clone(),
            commit: commit.clone(),
        })
    }

    /// Returns whether the lock has no entries.
    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// Removes the entries of a repository.
    pub fn without(mut self, repository: &str) -> Self {
        self.commits.retain(|(other, _), _| other != repository);
        self
    }

    pub(super) fn find(&self, repository: &str, reference: &str) -> Option<&Commit> {
        self.commits.get(&(repository.to_owned(), reference.to_owned()))
    }

    pub(super) fn insert(&mut self, repository: &str, reference: &str, commit: Commit) {
        self.commits.insert((repository.to_owned(), reference.to_owned()), commit);
    }
}

#[cfg(test)]
mod tests {
    use super::ModuleLock;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let read = ModuleLock::from_json(text);
        assert_eq!(read.map_or_else(|error| error.to_string(), |lock| lock.to_json()), expect, "{text}");
    }

    #[test]
    fn what_is_no_lock_says_why() {
        check("", "EOF while parsing a value at line 1 column 0");
        check("{}", "missing field `version` at line 1 column 2");
        check(r#"{"version": 2, "npm": []}"#, "it has version 2, and this program knows version 1");
        check(
            r#"{"version": 1, "git": [], "npm": []}"#,
            "unknown field `npm`, expected `version` or `git` at line 1 column 31",
        );
        check(
            r#"{"version": 1, "git": [{"repository": "r", "ref": "v1", "commit": "abc"}]}"#,
            "`abc` is not a commit: its whole hash has 40 hexadecimal digits, or 64 at line 1 column 72",
        );
        let entry = format!(r#"{{"repository": "r", "ref": "v1", "commit": "{}"}}"#, "0".repeat(40));
        check(&format!(r#"{{"version": 1, "git": [{entry}, {entry}]}}"#), "`v1` of r is locked twice");
    }
}
