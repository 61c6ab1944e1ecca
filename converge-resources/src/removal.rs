//! Removal of directory trees through open directories, which changes to a tree cannot redirect.

use std::ffi::{OsStr, OsString};

use converge_sdk::prelude::*;
use converge_sdk::system::{Directory, FileKind, SystemError, SystemErrorKind};

/// The maximum number of times that a directory is emptied because new entries appear in it.
const TRIES: u32 = 8;

/// A directory that is being emptied.
struct Level {
    name: OsString,
    directory: Box<dyn Directory>,
    /// The subdirectories that remain.
    inner: Vec<OsString>,
    looked: u32,
}

/// Removes an entry of a directory with everything in it, and returns the number of removed entries.
///
/// Links are removed and not followed. Entries that disappear meanwhile are skipped, and entries that appear
/// meanwhile are removed too.
///
/// Each directory on the way down is open. A tree that is deeper than the limit of open files of a process is
/// therefore an error.
pub(crate) async fn remove(cx: &Context, parent: &dyn Directory, name: &OsStr) -> Result<u64> {
    let mut removed = 0;
    let Some(metadata) = parent.metadata(name).await? else { return Ok(removed) };
    if metadata.kind != FileKind::Directory {
        removed += gone(parent.remove_file(name).await)?;
        return Ok(removed);
    }
    let mut levels: Vec<Level> = Vec::new();
    enter(&mut levels, parent, name).await?;
    while let Some(level) = levels.last_mut() {
        cx.check_cancelled()?;
        if let Some(inner) = level.inner.pop() {
            let Some(directory) = level.directory.open_dir(&inner).await? else { continue };
            levels.push(Level { name: inner, directory, inner: Vec::new(), looked: 0 });
            continue;
        }
        if level.looked == 0 {
            removed += empty(cx, level).await?;
            if !level.inner.is_empty() {
                continue;
            }
        }
        let Some(mut level) = levels.pop() else { break };
        let parent_dir = levels.last().map_or(parent, |level| &*level.directory);
        match parent_dir.remove_dir(&level.name).await {
            // Another process has added an entry meanwhile.
            Err(SystemError { kind: SystemErrorKind::NotEmpty, .. }) if level.looked < TRIES => {
                removed += empty(cx, &mut level).await?;
                levels.push(level);
            }
            done => removed += gone(done)?,
        }
    }
    Ok(removed)
}

async fn enter(levels: &mut Vec<Level>, parent: &dyn Directory, name: &OsStr) -> Result<()> {
    if let Some(directory) = parent.open_dir(name).await? {
        levels.push(Level { name: name.to_owned(), directory, inner: Vec::new(), looked: 0 });
    }
    Ok(())
}

/// Removes all entries except subdirectories, which are recorded.
async fn empty(cx: &Context, level: &mut Level) -> Result<u64> {
    let mut removed = 0;
    level.looked += 1;
    for entry in level.directory.entries().await? {
        cx.check_cancelled()?;
        if entry.kind == FileKind::Directory {
            level.inner.push(entry.name);
        } else {
            removed += gone(level.directory.remove_file(&entry.name).await)?;
            // There may be many entries, and other tasks wait for this thread.
            tokio::task::yield_now().await;
        }
    }
    // Subdirectories are taken from the end.
    level.inner.reverse();
    Ok(removed)
}

/// Counts a removed entry. Another process may have removed it first.
fn gone(removed: Result<(), SystemError>) -> Result<u64> {
    match removed {
        Ok(()) => Ok(1),
        Err(error) if error.kind == SystemErrorKind::NotFound => Ok(0),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::{Context as Waiting, Poll, Waker};

    use converge_core::testing;
    use converge_sdk::system::{ModelSystem, System as _};

    use super::*;

    /// Each poll does one operation, so a large tree does not block the thread.
    #[test]
    fn a_large_tree_is_removed_in_many_turns() {
        const FILES: usize = 500;
        let model = (0..FILES)
            .fold(ModelSystem::new().with_dir("/srv/x").with_dir("/srv/x/y"), |model, at| {
                model.with_file(format!("/srv/x/{}{at}", if at % 2 == 0 { "y/" } else { "" }), "")
            });
        let model = Arc::new(model.with_file("/srv/z", ""));
        let cx = testing::context(&model);
        let mut removed = pin!(async {
            let parent = model.files().open_dir(Path::new("/srv")).await.unwrap().unwrap();
            remove(&cx, &*parent, OsStr::new("x")).await.unwrap()
        });
        let mut polls = 0;
        let count = loop {
            match removed.as_mut().poll(&mut Waiting::from_waker(Waker::noop())) {
                Poll::Ready(count) => break count,
                Poll::Pending => polls += 1,
            }
        };
        assert_eq!((count, polls), (FILES as u64 + 2, FILES));
        assert!(model.machine().entry("/srv/x").is_none() && model.machine().entry("/srv/z").is_some());
    }
}
