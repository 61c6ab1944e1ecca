//! What nobody will ever do.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::{Journal, JournalError, Record};
use crate::system::{FileKind, Follow};

/// How long a refresh is owed at least by what is no longer there: a folder may be mounted again, a release rolled back.
const PATIENCE: Duration = Duration::from_hours(24 * 30);

impl Journal {
    /// Removes what is owed for a month and longer by resources that are nowhere any more: the file of their module is gone,
    /// or it is the module of this run and has none by that id. Says what that was.
    pub(crate) async fn forget(&self, is_here: impl Fn(&str) -> bool) -> Result<Vec<Record>, JournalError> {
        let mut forgotten = Vec::new();
        for (path, record) in self.old().await? {
            let is_gone = if record.module == self.module {
                !is_here(&record.node)
            } else {
                let module = Path::new(&record.module);
                // What is no path, such as a URL, cannot be seen to be gone.
                module.is_absolute() && self.system.files().metadata(module, Follow::Links).await?.is_none()
            };
            if is_gone {
                self.system.files().remove_file(&path).await?;
                forgotten.push(record);
            }
        }
        Ok(forgotten)
    }

    /// The records that are old. What cannot be read is left where it is.
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
                if age >= PATIENCE {
                    old.push((entry.path, record));
                }
            }
        }
        Ok(old)
    }
}
