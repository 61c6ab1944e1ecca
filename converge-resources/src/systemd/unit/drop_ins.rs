use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow};

use super::snapshot::UnitSnapshot;
use crate::systemd::manager::Manager;

/// Whether there is a drop-in that systemd has not read.
///
/// systemd notices changes of files that it has read, but not a first drop-in, whose directory did not exist
/// before.
pub(super) async fn is_new(cx: &Context, manager: &Manager, snapshot: &UnitSnapshot) -> Result<bool> {
    if !snapshot.facts.is_read() {
        return Ok(false);
    }
    let read: Vec<&Path> = snapshot.unit.texts("DropInPaths").into_iter().map(Path::new).collect();
    for folder in manager.folders().await.map_err(Error::other)? {
        for name in folders_of(&snapshot.facts.id) {
            let folder = PathBuf::from(&folder).join(name);
            if has_new(cx, &folder, &read).await? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns the drop-in directories of a unit. For an instance, those of its template are included.
fn folders_of(unit: &str) -> Vec<String> {
    let mut folders = vec![format!("{unit}.d")];
    if let (Some((template, _)), Some((_, suffix))) = (unit.split_once('@'), unit.rsplit_once('.')) {
        folders.push(format!("{template}@.{suffix}.d"));
    }
    folders
}

/// Whether a directory has an unread drop-in. Of several files with one name, only the first counts.
async fn has_new(cx: &Context, folder: &Path, read: &[&Path]) -> Result<bool> {
    let files = cx.system().files();
    let is_folder = |kind| kind == FileKind::Directory;
    if !files.metadata(folder, Follow::Links).await?.is_some_and(|metadata| is_folder(metadata.kind)) {
        return Ok(false);
    }
    for entry in files.read_dir(folder).await? {
        let path = entry.path;
        let is_drop_in = path.extension().is_some_and(|extension| extension == "conf");
        let is_known = read.iter().any(|read| read.file_name() == path.file_name());
        if is_drop_in && !is_known {
            let metadata = files.metadata(&path, Follow::Links).await?;
            // A link to /dev/null removes a drop-in.
            if metadata.is_some_and(|metadata| metadata.kind == FileKind::File) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders() {
        assert_eq!(folders_of("nginx.service"), ["nginx.service.d"]);
        assert_eq!(folders_of("getty@tty1.service"), ["getty@tty1.service.d", "getty@.service.d"]);
    }
}
