//! The files of a repository of packages, which hold one repository each: `package.apt_repo` and `package.rpm_repo` write them.

use std::path::Path;

use converge_core::footprint::{Claim, Footprint, Thing, Verb, aspect, kind};
use converge_core::prelude::*;
use converge_core::system::{Follow, WriteFile};

/// More than any such file has.
const FILE_BYTES: u64 = 2 << 20;

/// A file that is not as declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileChange {
    pub(super) path: String,
    /// What it is to hold; `None` when it is to be gone.
    pub(super) text: Option<String>,
}

/// What is in a file; `None` where there is none.
pub(super) async fn read(cx: &Context, path: &str) -> Result<Option<String>> {
    let found = cx.system().files().read_head(Path::new(path), FILE_BYTES).await?;
    Ok(found.map(|found| String::from_utf8_lossy(&found.bytes).into_owned()))
}

/// Compares a file with what it is to hold. The difference is in the status, and the change is given.
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

/// Refuses a change for which the folder is missing, unless a pending change may make it.
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

/// Makes the changes in their order. Everybody may read such files.
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

/// Claims the files as a whole, which the field `name` names.
pub(super) fn claim(footprint: &mut Footprint, paths: impl IntoIterator<Item = String>) {
    for path in paths {
        for aspect in [aspect::EXISTENCE, aspect::CONTENT] {
            footprint.claims.push(Claim {
                verb: Verb::Ensures,
                thing: Thing::new(kind::PATH, &path),
                aspect: Some(aspect),
                field: Some("name"),
            });
        }
    }
}
