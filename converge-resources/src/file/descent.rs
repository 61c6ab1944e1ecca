//! Walks of directory trees through open directories, which changes to the tree cannot redirect.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{Directory, FileKind, Metadata, SystemError, SystemErrorKind};

/// Calls `visit` with the relative path of everything below the directory `root`, excluding `root`.
///
/// Symbolic links are visited and not followed. Entries that disappear meanwhile are skipped. Deep trees cost
/// memory, not stack; a directory is open only while its entries are visited.
pub(crate) async fn below(
    cx: &Context,
    root: Box<dyn Directory>,
    mut visit: impl FnMut(PathBuf, &Metadata) + Send,
) -> Result<()> {
    let mut descent = Descent::new(root);
    let mut directories = vec![PathBuf::new()];
    while let Some(path) = directories.pop() {
        cx.check_cancelled()?;
        let Some(directory) = descent.to(&path).await? else { continue };
        let first = directories.len();
        for entry in directory.entries().await? {
            let Some(metadata) = directory.metadata(&entry.name).await? else { continue };
            let path = path.join(&entry.name);
            if metadata.kind == FileKind::Directory {
                directories.push(path.clone());
            }
            visit(path, &metadata);
        }
        // Directories are taken from the end, so the first by name has to be last.
        if let Some(new_directories) = directories.get_mut(first..) {
            new_directories.reverse();
        }
    }
    Ok(())
}

/// A walk down a tree. Directories that the next path shares with the last one stay open.
pub(crate) struct Descent {
    root: Arc<dyn Directory>,
    way: Vec<(OsString, Box<dyn Directory>)>,
}

impl Descent {
    pub(crate) fn new(root: impl Into<Arc<dyn Directory>>) -> Self {
        Self { root: root.into(), way: Vec::new() }
    }

    /// Opens the directory of a path below the root; returns `None` if it no longer exists.
    pub(crate) async fn to(&mut self, path: &Path) -> Result<Option<&dyn Directory>> {
        let names: Vec<&OsStr> = path.iter().collect();
        let common = self.way.iter().zip(&names).take_while(|((have, _), name)| have == *name).count();
        self.way.truncate(common);
        for name in &names[common..] {
            let Some(next) = self.here().open_dir(name).await? else { return Ok(None) };
            self.way.push(((*name).to_owned(), next));
        }
        Ok(Some(self.here()))
    }

    /// Opens the directory of an entry, and returns it with the name of the entry.
    ///
    /// The directory has to exist.
    #[cfg_attr(not(feature = "net"), expect(dead_code, reason = "archives look for entries"))]
    pub(crate) async fn entry<'path>(&mut self, path: &'path Path) -> Result<(&dyn Directory, &'path OsStr)> {
        let parent = path.parent().unwrap_or(Path::new(""));
        let full_path = self.root.path().join(parent);
        let directory = self.to(parent).await?;
        let directory =
            directory.ok_or_else(|| SystemError::file("list", full_path, SystemErrorKind::NotFound))?;
        Ok((directory, path.file_name().unwrap_or_default()))
    }

    fn here(&self) -> &dyn Directory {
        self.way.last().map_or(&*self.root, |(_, directory)| &**directory)
    }
}
