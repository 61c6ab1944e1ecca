//! What there is at the destination, before git is asked.

use std::path::{Path, PathBuf};

use converge_core::prelude::*;
use converge_core::system::{FileKind, Follow, SystemErrorKind};

/// What there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// No repository, and nothing that would be in its way: one that was made half counts as none.
    Free,
    /// A repository.
    Repository,
}

/// Looks at the destination.
///
/// # Errors
///
/// Something else is there.
pub(super) async fn look(cx: &Context, destination: &str, bare: bool) -> Result<Place> {
    let path = Path::new(destination);
    let files = cx.system().files();
    match files.metadata(path, Follow::Never).await?.map(|metadata| metadata.kind) {
        None => return Ok(Place::Free),
        Some(FileKind::Directory) => {}
        // Git would work where it leads, and whoever may change it decides where that is.
        Some(FileKind::Symlink) => {
            return Err(Error::msg(format!(
                "{destination} is a symbolic link: name the directory that it leads to"
            )));
        }
        Some(_) => {
            return Err(Error::msg(format!(
                "{destination} is no directory, so it cannot become a repository"
            )));
        }
    }
    let own = if bare { path.to_owned() } else { path.join(".git") };
    if !bare {
        match files.metadata(&own, Follow::Never).await?.map(|metadata| metadata.kind) {
            Some(FileKind::Directory) | None => {}
            Some(_) => {
                return Err(Error::msg(format!(
                    "{} is no directory: {destination} is part of a repository that is somewhere else",
                    own.display()
                )));
            }
        }
    }
    let mut is_whole = true;
    for name in ["HEAD", "objects", "refs"] {
        is_whole &= files.metadata(&own.join(name), Follow::Never).await?.is_some();
    }
    if is_whole {
        return Ok(Place::Repository);
    }
    let entries = match files.read_dir(path).await {
        Err(error) if error.kind == SystemErrorKind::NotFound => Vec::new(),
        entries => entries?,
    };
    let is_half = |entry: &Path| {
        let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if bare {
            ["HEAD", "branches", "config", "description", "hooks", "info", "objects", "refs"].contains(&name)
        } else {
            name == ".git"
        }
    };
    let Some(other) = entries.iter().find(|entry| !is_half(&entry.path)) else { return Ok(Place::Free) };
    let has = |name: &str| entries.iter().any(|entry| entry.path.ends_with(name));
    Err(Error::msg(if bare && has(".git") {
        format!("{destination} is a repository with files: leave `bare` away, or name another directory")
    } else if !bare && ["HEAD", "objects", "refs"].into_iter().all(has) {
        format!("{destination} is a bare repository: say `bare = true`, or name another directory")
    } else {
        format!(
            "{destination} is no git repository and has other things in it, such as {}: name another directory",
            other.path.display()
        )
    }))
}

/// Fails when a git is changing what is checked out, or was killed while it did.
///
/// # Errors
///
/// The file that it has then is there.
pub(super) async fn is_unlocked(cx: &Context, destination: &str) -> Result<()> {
    let lock: PathBuf = Path::new(destination).join(".git/index.lock");
    if cx.system().files().metadata(&lock, Follow::Never).await?.is_none() {
        return Ok(());
    }
    Err(Error::msg(format!(
        "{} is there: another git works in the repository, or one was killed; remove the file when none does",
        lock.display()
    )))
}

/// Fails when a file that git is to read is not there.
///
/// # Errors
///
/// It is not there.
pub(super) async fn is_there(cx: &Context, kind: &'static str, path: &str) -> Result<()> {
    let found = cx.system().files().metadata(Path::new(path), Follow::Links).await?;
    if found.is_none() { Err(Error::NotFound { kind, name: path.to_owned() }) } else { Ok(()) }
}
