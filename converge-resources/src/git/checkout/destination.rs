//! The state of the destination, before git is asked.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow, SystemErrorKind};

/// The state of the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// There is no repository, and nothing in its way. An unfinished repository counts as none.
    Free,
    Repository,
}

/// Inspects the destination.
///
/// # Errors
///
/// Returns an error if something else is at the destination.
pub(super) async fn look(cx: &Context, destination: &str, is_bare: bool) -> Result<Destination> {
    let path = Path::new(destination);
    let files = cx.system().files();
    match files.metadata(path, Follow::Never).await?.map(|metadata| metadata.kind) {
        None => return Ok(Destination::Free),
        Some(FileKind::Directory) => {}
        // Git would work at the target of the link, and whoever may change the link decides where that is.
        Some(FileKind::Symlink) => {
            return Err(Error::msg(format!(
                "{destination} is a symbolic link: name the directory that it leads to"
            )));
        }
        Some(_) => {
            return Err(Error::msg(format!(
                "{destination} is not a directory, so it cannot become a repository"
            )));
        }
    }
    let git_dir = if is_bare { path.to_owned() } else { path.join(".git") };
    if !is_bare {
        match files.metadata(&git_dir, Follow::Never).await?.map(|metadata| metadata.kind) {
            Some(FileKind::Directory) | None => {}
            Some(_) => {
                return Err(Error::msg(format!(
                    "{} is not a directory: {destination} is part of a repository that is somewhere else",
                    git_dir.display()
                )));
            }
        }
    }
    let mut is_whole = true;
    for name in ["HEAD", "objects", "refs"] {
        is_whole &= files.metadata(&git_dir.join(name), Follow::Never).await?.is_some();
    }
    if is_whole {
        return Ok(Destination::Repository);
    }
    let entries = match files.read_dir(path).await {
        Err(error) if error.kind == SystemErrorKind::NotFound => Vec::new(),
        entries => entries?,
    };
    let is_half = |entry: &Path| {
        let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if is_bare {
            ["HEAD", "branches", "config", "description", "hooks", "info", "objects", "refs"].contains(&name)
        } else {
            name == ".git"
        }
    };
    let Some(other) = entries.iter().find(|entry| !is_half(&entry.path)) else {
        return Ok(Destination::Free);
    };
    let has_entry = |name: &str| entries.iter().any(|entry| entry.path.ends_with(name));
    Err(Error::msg(if is_bare && has_entry(".git") {
        format!("{destination} is a repository with files: remove `bare`, or name another directory")
    } else if !is_bare && ["HEAD", "objects", "refs"].into_iter().all(has_entry) {
        format!("{destination} is a bare repository: write `bare = true`, or name another directory")
    } else {
        format!(
            "{destination} is not a git repository and has other things in it, such as {}: name another directory",
            other.path.display()
        )
    }))
}

/// Returns an error if a git process changes the checkout, or was killed while it did.
///
/// # Errors
///
/// Returns an error if git's lock file exists.
pub(super) async fn is_unlocked(cx: &Context, destination: &str) -> Result<()> {
    let lock: PathBuf = Path::new(destination).join(".git/index.lock");
    if cx.system().files().metadata(&lock, Follow::Never).await?.is_none() {
        return Ok(());
    }
    Err(Error::msg(format!(
        "{} exists: another git is running in the repository, or was killed; remove the file when no git is running",
        lock.display()
    )))
}

/// Returns an error if a file that git has to read does not exist.
///
/// # Errors
///
/// Returns an error if the file does not exist.
pub(super) async fn is_there(cx: &Context, kind: &'static str, path: &str) -> Result<()> {
    let metadata = cx.system().files().metadata(Path::new(path), Follow::Links).await?;
    if metadata.is_none() { Err(Error::NotFound { kind, name: path.to_owned() }) } else { Ok(()) }
}
