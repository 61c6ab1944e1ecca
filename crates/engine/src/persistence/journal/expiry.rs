//! Removal of records whose refresh will never be done.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::{Journal, JournalError, Record};
use crate::system::{FileKind, Follow};

/// The minimum age of a record before it is removed.
///
/// Until then, a folder may be mounted again, or a release may be rolled back.
const MIN_AGE: Duration = Duration::from_hours(24 * 30);

impl Journal {
    /// Removes and returns old records of resources that no longer exist.
    ///
    /// A record is old after a month. Its resource no longer exists if the file of its module is gone, or if
    /// this run's module has no resource with that id.
    pub(crate) async fn forget(&self, is_here: impl Fn(&str) -> bool) -> Result<Vec<Record>, JournalError> {
        let mut forgotten = Vec::new();
        for (path, record) in self.old().await? {
            let is_gone = if record.module == self.module {
                !is_here(&record.node)
            } else {
                let module = Path::new(&record.module);
                // A module that is not a path, such as a URL, cannot be checked.
                module.is_absolute() && self.system.files().metadata(module, Follow::Links).await?.is_none()
            };
            if is_gone {
                self.system.files().remove_file(&path).await?;
                forgotten.push(record);
            }
        }
        Ok(forgotten)
    }

    /// Returns the old records. Unreadable files are left in place.
    async fn old(&self) -> Result<Vec<(PathBuf, Record)>, JournalError> {
        let files = self.system.files();
        let mut old = Vec::new();
        if files.metadata(&self.directory, Follow::Links).await?.is_none() {
            return Ok(old);
        }
        let now = Timestamp::try_from(self.system.clock().now()).unwrap_or_default();
        for directory in files.read_dir(&self.directory).await? {
            if directory.kind != FileKind::Directory {
                continue;
            }
            for entry in files.read_dir(&directory.path).await? {
                let Some(content) = files.read(&entry.path).await? else { continue };
                let Ok(record) = Record::parse(&content.bytes) else { continue };
                let age = Duration::try_from(now.duration_since(record.since)).unwrap_or_default();
                if age >= MIN_AGE {
                    old.push((entry.path, record));
                }
            }
        }
        Ok(old)
    }
}
