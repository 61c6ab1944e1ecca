//! Protection of directories that must not be removed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow};

use crate::file::{descent, real_path};
use crate::mount_table::{self, MountEntry};

/// The directories below the root that every system has, which nobody removes on purpose.
const SYSTEM_DIRECTORIES: [&str; 17] = [
    "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "proc", "root", "run", "sbin",
    "sys", "usr", "var", "nix",
];

/// The number of entries that a plan of a removal names.
const SHOWN: usize = 20;

/// The extent of a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Removed {
    /// The whole path.
    Itself,
    /// Some entries of the directory.
    Inside,
}

/// The contents of a directory that is to be removed.
pub(crate) enum Inside {
    Nothing,
    /// The number of entries, and the paths of the first ones.
    Entries(usize, Vec<PathBuf>),
    /// The directory is a home, or contains one.
    Home(String),
}

/// Returns the reason why a path must stay, whatever it contains.
pub(crate) async fn removal_obstacle(
    cx: &Context,
    path: &Path,
    kind: FileKind,
    removed: Removed,
) -> Result<Option<String>> {
    let display = path.display();
    if path.file_name().is_none() {
        return Ok(Some(format!(
            "{display} cannot be removed: the path does not end in the name of a file or directory"
        )));
    }
    let resolved_path = real_path::place(cx, path).await?;
    let parent_is_root = resolved_path.parent() == Some(Path::new("/"));
    let is_of_system = |name: &OsStr| SYSTEM_DIRECTORIES.iter().any(|entry| name == OsStr::new(entry));
    if parent_is_root && resolved_path.file_name().is_some_and(is_of_system) {
        return Ok(Some(format!(
            "{} is a folder of the system, and is never removed",
            resolved_path.display()
        )));
    }
    let mounts = match mount_table::all(cx).await {
        Ok(mounts) => mounts,
        Err(Error::NotFound { .. }) if kind == FileKind::Directory => {
            return Ok(Some(format!(
                "without {} it is unknown whether {display} contains a mount point",
                mount_table::TABLE
            )));
        }
        Err(Error::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(mounts
        .iter()
        .find(|mount| {
            mount.target.starts_with(&resolved_path)
                && (removed == Removed::Itself || mount.target != resolved_path)
        })
        .map(|mount| mounted(mount, &resolved_path, path)))
}

fn mounted(mount: &MountEntry, resolved_path: &Path, path: &Path) -> String {
    let (display, source) = (path.display(), mount.source.display());
    if mount.target == resolved_path {
        return format!("{display} is a mount point, of {source}");
    }
    format!("{display} has a mount point in it: {}, of {source}", mount.target.display())
}

impl Inside {
    /// Describes the entries that a removal takes along, if there are any.
    pub(crate) fn described(&self) -> Option<String> {
        let Self::Entries(count, shown) = self else { return None };
        let names: Vec<String> = shown.iter().map(|path| path.display().to_string()).collect();
        let names = names.join(", ");
        Some(match count.saturating_sub(shown.len()) {
            0 => names,
            more => format!("{names} and {more} more"),
        })
    }
}

/// Lists the entries of a directory, and checks that it contains no home.
pub(crate) async fn inside(cx: &Context, path: &Path) -> Result<Inside> {
    let files = cx.system().files();
    let Some(directory) = files.open_dir(path).await? else { return Ok(Inside::Nothing) };
    let root_metadata = directory.own_metadata().await?;
    let (mut count, mut shown) = (0, Vec::new());
    let mut owners = BTreeSet::from([root_metadata.uid]);
    descent::below(cx, directory, |path, metadata| {
        count += 1;
        if count <= SHOWN {
            shown.push(path);
        }
        if metadata.kind == FileKind::Directory {
            owners.insert(metadata.uid);
        }
    })
    .await?;
    let resolved_path = real_path::place(cx, path).await?;
    for (user, home) in homes(cx, owners).await? {
        cx.check_cancelled()?;
        // A home that does not exist cannot be lost.
        let home_is = real_path::resolved(cx, &home).await?;
        if !home_is.starts_with(&resolved_path) || files.metadata(&home_is, Follow::Never).await?.is_none() {
            continue;
        }
        let (display, home) = (path.display(), home.display());
        return Ok(Inside::Home(if home_is == resolved_path {
            format!("{display} is the home of the user {user}")
        } else {
            format!("{display} has the home of the user {user} in it, {home}")
        }));
    }
    Ok(if count == 0 { Inside::Nothing } else { Inside::Entries(count, shown) })
}

/// Returns the homes of the users in the machine's own file, and of the users with these ids.
async fn homes(cx: &Context, uids: BTreeSet<u32>) -> Result<Vec<(String, PathBuf)>> {
    let mut users = cx.system().users().local_users().await?;
    for uid in uids {
        users.extend(cx.system().users().user_by_uid(uid).await?);
    }
    let homes = users.into_iter().map(|user| (user.name, user.home));
    Ok(homes.filter(|(_, home)| home.is_absolute() && home.file_name().is_some()).collect())
}
