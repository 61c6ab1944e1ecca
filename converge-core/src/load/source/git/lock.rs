//! Which commits the branches and tags of modules stand for.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::commit::Commit;
use crate::load::source::file;
use crate::load::source::git_error::GitError;
use crate::load::source::read_limits::Reading;

/// What is locked: for each repository and each branch or tag in it that modules name, the commit that is meant.
///
/// It is a file of its own beside the module that a load begins with, so that a module means the same on every machine and on every day. It
/// holds for all modules of the load, whoever calls them.
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
    /// By repository, and by branch or tag in it.
    commits: BTreeMap<(String, String), Commit>,
}

/// What a lock file says in place of a lock.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LockError {
    /// It is no JSON, or JSON of something else.
    #[error("{0}")]
    Json(String),
    /// It was written by a later version of this program.
    #[error("it has version {0}, and this program knows version 1")]
    Version(u64),
    /// One branch or tag is two commits.
    #[error("`{reference}` of {repository} is locked twice")]
    Twice {
        /// The repository.
        repository: String,
        /// The branch or the tag.
        reference: String,
    },
}

/// One line of a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Locked {
    /// What git fetches from.
    pub repository: String,
    /// A branch, a tag, or `HEAD`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The commit that it stands for.
    pub commit: Commit,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u64,
    git: Vec<Locked>,
}

/// What is looked at first, as a later version may have other fields.
#[derive(Deserialize)]
struct Version {
    version: u64,
}

impl ModuleLock {
    /// The name of the file, beside the module that a load begins with.
    pub const FILE: &'static str = "converge.lock";

    /// Reads the text of a lock file.
    ///
    /// # Errors
    ///
    /// When it is none, or one of a later version.
    pub fn from_json(text: &str) -> Result<Self, LockError> {
        let wrong = |error: serde_json::Error| LockError::Json(error.to_string());
        let Version { version } = serde_json::from_str(text).map_err(wrong)?;
        if version != 1 {
            return Err(LockError::Version(version));
        }
        let mut commits = BTreeMap::new();
        for Locked { repository, reference, commit } in serde_json::from_str::<File>(text).map_err(wrong)?.git
        {
            let key = (repository.clone(), reference.clone());
            if commits.insert(key, commit).is_some() {
                return Err(LockError::Twice { repository, reference });
            }
        }
        Ok(Self { commits })
    }

    /// Reads a lock file; where there is none, nothing is locked.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is none.
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

    /// The text of the file, in an order that does not change.
    pub fn to_json(&self) -> String {
        let file = File { version: 1, git: self.entries().collect() };
        // Texts in a list are always JSON.
        let text = serde_json::to_string_pretty(&file).unwrap_or_default();
        text + "\n"
    }

    /// What is locked, by repository and then by branch or tag.
    pub fn entries(&self) -> impl Iterator<Item = Locked> {
        self.commits.iter().map(|((repository, reference), commit)| Locked {
            repository: repository.clone(),
            reference: reference.clone(),
            commit: commit.clone(),
        })
    }

    /// Whether nothing is locked.
    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// The same without what a repository has.
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
            "`abc` is no commit: its whole hash has 40 hexadecimal digits, or 64 at line 1 column 72",
        );
        let one = format!(r#"{{"repository": "r", "ref": "v1", "commit": "{}"}}"#, "0".repeat(40));
        check(&format!(r#"{{"version": 1, "git": [{one}, {one}]}}"#), "`v1` of r is locked twice");
    }
}
