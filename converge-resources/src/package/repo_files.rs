//! The files of package repositories, which `package.apt_repo` and `package.rpm_repo` write.
//!
//! Each file declares one repository.

use std::path::Path;

use converge_sdk::footprint::{Claim, Footprint, Thing, Verb, aspect, kind};
use converge_sdk::prelude::*;
use converge_sdk::system::{Follow, WriteFile};

/// The maximum number of bytes of a file.
const FILE_BYTES: u64 = 2 << 20;

/// A file that differs from its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileChange {
    pub(super) path: String,
    /// The declared text, or `None` if the file is to be removed.
    pub(super) text: Option<String>,
}

/// Reads a file, or returns `None` if it does not exist.
pub(super) async fn read(cx: &Context, path: &str) -> Result<Option<String>> {
    let head = cx.system().files().read_head(Path::new(path), FILE_BYTES).await?;
    Ok(head.map(|head| String::from_utf8_lossy(&head.bytes).into_owned()))
}

/// Compares a file with its declared text.
///
/// Adds the difference to the status, and returns the change.
pub(super) fn compare(
    status: &mut Status,
    name: &str,
    path: &str,
    has: Option<String>,
    wanted: Option<String>,
) -> Option<FileChange> {
    if has == wanted {
        return None;
    }
    status.add_difference(name, has.unwrap_or_default(), wanted.clone().unwrap_or_default());
    status.raise_level(StatusLevel::WillChange);
    Some(FileChange { path: path.to_owned(), text: wanted })
}

/// Refuses a change if its directory is missing, unless a pending change may create the directory.
pub(super) async fn need_folder(
    cx: &Context,
    status: &mut Status,
    folder: &Path,
    meaning: &str,
) -> Result<()> {
    if cx.system().files().metadata(folder, Follow::Links).await?.is_some() {
        return Ok(());
    }
    let missing = format!("the directory {} does not exist{meaning}", folder.display());
    if cx.pending().is_empty() {
        status.set_error(missing);
    } else {
        status.add_message(format!("not possible yet: {missing}"));
        status.raise_level(StatusLevel::MayChange);
    }
    Ok(())
}

/// Makes the changes in order. The files are readable for everybody.
pub(super) async fn change<'a>(
    cx: &Context,
    changes: impl DoubleEndedIterator<Item = &'a FileChange>,
) -> Result<Status> {
    let files = cx.system().files();
    for FileChange { path, text } in changes {
        let path = Path::new(path);
        match text {
            Some(text) => {
                let write = WriteFile { mode: Some(0o644), ..WriteFile::new(text.as_bytes()) };
                files.write(path, write).await?;
            }
            None if files.metadata(path, Follow::Never).await?.is_some() => {
                files.remove_file(path).await?;
            }
            None => {}
        }
    }
    Ok(Status::new())
}

/// Claims the existence and content of the files, which the field `name` names.
pub(super) fn claim(footprint: &mut Footprint, paths: impl IntoIterator<Item = String>) {
    for path in paths {
        for aspect in [aspect::EXISTENCE, aspect::CONTENT] {
            footprint.claims.push(Claim {
                verb: Verb::Ensures,
                thing: Thing::new(kind::PATH, &path),
                aspect: Some(aspect),
                field: Some("name"),
                state: None,
            });
        }
    }
}
