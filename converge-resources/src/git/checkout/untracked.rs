//! Untracked files in the way of a checkout.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow};

use super::git_error::GitError;
use super::program::Git;

/// The maximum number of files that a message names.
const NAMED: usize = 5;

/// The mode of a submodule, whose directory may exist.
const SUBMODULE: &str = "160000";

/// Checks that no file of the new commit would overwrite an untracked file.
///
/// Git itself reports this before it writes anything only for files that are not ignored.
///
/// # Errors
///
/// Returns an error that names the untracked files.
pub(super) async fn none_in_the_way(cx: &Context, git: &Git, head: Option<&str>, commit: &str) -> Result<()> {
    let root = Path::new(&git.destination);
    let entries = cx.system().files().read_dir(root).await?;
    // This holds for most first checkouts. Their list of new files may exceed the limit for the output of a
    // program.
    if entries.iter().all(|entry| entry.path.ends_with(".git")) {
        return Ok(());
    }
    let empty;
    let from = if let Some(head) = head {
        head
    } else {
        // A repository without a commit is compared with an empty tree.
        empty = git.look_with(cx, &["hash-object", "-t", "tree", "--stdin"], String::new()).await?;
        empty.trim_end()
    };
    let printed = git
        .look(
            cx,
            &[
                "diff-tree",
                "-r",
                "-z",
                "--raw",
                "--abbrev=4",
                "--no-renames",
                "--diff-filter=AD",
                from,
                commit,
            ],
        )
        .await?;
    let changes = Changes::read(&printed);
    let mut search = Search { cx, root, goes: changes.gone, kinds: HashMap::new(), found: BTreeSet::new() };
    for new in changes.new {
        search.look(&new).await?;
        if search.found.len() > NAMED {
            break;
        }
    }
    if search.found.is_empty() {
        return Ok(());
    }
    let mut files: Vec<String> =
        search.found.iter().take(NAMED).map(|file| file.display().to_string()).collect();
    if search.found.len() > NAMED {
        files.push("others".to_owned());
    }
    Err(Error::other(GitError::InTheWay { files: files.join(", ") }))
}

/// The differences between two commits.
#[derive(Debug, Default, PartialEq, Eq)]
struct Changes<'a> {
    new: Vec<New<'a>>,
    gone: BTreeSet<&'a Path>,
}

#[derive(Debug, PartialEq, Eq)]
struct New<'a> {
    path: &'a Path,
    is_submodule: bool,
}

impl<'a> Changes<'a> {
    /// Parses the output of `git diff-tree --raw -z`: `:OLDMODE MODE OLD NEW STATUS`, and a path.
    fn read(printed: &'a str) -> Self {
        let mut changes = Self::default();
        let mut parts = printed.split('\0');
        while let (Some(what), Some(path)) = (parts.next(), parts.next()) {
            let path = Path::new(path);
            let words: Vec<&str> = what.split(' ').collect();
            match words.as_slice() {
                [_, mode, _, _, "A"] => changes.new.push(New { path, is_submodule: *mode == SUBMODULE }),
                [.., "D"] => {
                    changes.gone.insert(path);
                }
                _ => {}
            }
        }
        changes
    }
}

/// A search of the checked out files. Paths are relative to the repository.
struct Search<'a> {
    cx: &'a Context,
    root: &'a Path,
    /// Paths that git removes to make room.
    goes: BTreeSet<&'a Path>,
    /// The kinds of the parents of new files.
    kinds: HashMap<PathBuf, Option<FileKind>>,
    found: BTreeSet<PathBuf>,
}

impl Search<'_> {
    /// Looks for obstacles to a new file.
    async fn look(&mut self, new: &New<'_>) -> Result<()> {
        let mut path = PathBuf::new();
        let mut parts = new.path.components().peekable();
        while let Some(part) = parts.next() {
            path.push(part);
            let is_last = parts.peek().is_none();
            let kind = match self.kinds.get(&path) {
                Some(kind) if !is_last => *kind,
                _ => self.kind(&path).await?,
            };
            if !is_last {
                self.kinds.entry(path.clone()).or_insert(kind);
            }
            match kind {
                None => return Ok(()),
                Some(FileKind::Directory) if !is_last => {}
                Some(FileKind::Directory) if new.is_submodule => return Ok(()),
                Some(FileKind::Directory) => return self.look_in(path).await,
                Some(_) => {
                    self.found_at(path);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Looks for untracked files in a directory that a file would replace.
    ///
    /// Empty directories are no obstacle.
    async fn look_in(&mut self, folder: PathBuf) -> Result<()> {
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop()
            && self.found.len() <= NAMED
        {
            for entry in self.cx.system().files().read_dir(&self.root.join(&folder)).await? {
                let path = folder.join(entry.path.file_name().unwrap_or_default());
                if entry.kind == FileKind::Directory { folders.push(path) } else { self.found_at(path) }
            }
        }
        Ok(())
    }

    fn found_at(&mut self, path: PathBuf) {
        if !self.goes.contains(path.as_path()) {
            self.found.insert(path);
        }
    }

    async fn kind(&self, path: &Path) -> Result<Option<FileKind>> {
        let metadata = self.cx.system().files().metadata(&self.root.join(path), Follow::Never).await?;
        Ok(metadata.map(|metadata| metadata.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_and_what_is_gone() {
        let check = |printed: &str, new: &[(&str, bool)], gone: &[&str]| {
            let new =
                new.iter().map(|&(path, is_submodule)| New { path: Path::new(path), is_submodule }).collect();
            let gone = gone.iter().map(Path::new).collect();
            assert_eq!(Changes::read(printed), Changes { new, gone }, "{printed:?}");
        };
        check("", &[], &[]);
        let line =
            |mode: &str, status: &str, path: &str| format!(":000000 {mode} 000 abc {status}\0{path}\0");
        check(&line("100644", "A", "a b/\nc"), &[("a b/\nc", false)], &[]);
        check(
            &(line("160000", "A", "sub") + &line("000000", "D", "x") + &line("100644", "M", "y")),
            &[("sub", true)],
            &["x"],
        );
        check("odd\0", &[], &[]);
    }
}
