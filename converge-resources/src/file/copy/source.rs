//! The items of a source to copy.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{Directory, ExtendedAttribute, FileKind};

use crate::file::acl_mask;
use crate::file::descent::Descent;
use crate::file::mode::Mode;
use crate::file::real_path;
use crate::file::select::Selection;

/// The maximum number of entries to copy.
const ENTRIES: usize = 100_000;

/// The permission bits to copy.
const PERMISSIONS: u32 = 0o777;

/// The treatment of symbolic links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, HclEnum)]
pub(super) enum Links {
    /// Create the same links.
    #[default]
    Keep,
    /// Leave links out.
    Skip,
}

/// A file, directory or link to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Directory(Mode),
    File(Mode),
    Link(PathBuf),
}

/// Returns the permissions to copy of a file or directory with these attributes.
pub(super) fn permissions(mode: u32, attributes: &[ExtendedAttribute]) -> Mode {
    Mode::new(acl_mask::without_list(mode & PERMISSIONS, attributes))
}

/// Returns the items of a directory, by their paths below it. Directories come before their contents.
pub(super) async fn items(
    cx: &Context,
    root: Box<dyn Directory>,
    selection: &Selection,
    links: Links,
) -> Result<BTreeMap<PathBuf, Item>> {
    let root_path = root.path().to_owned();
    let mut items = BTreeMap::new();
    let mut descent = Descent::new(root);
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        cx.check_cancelled()?;
        let Some(directory) = descent.to(&folder).await? else { continue };
        for entry in directory.entries().await? {
            let path = folder.join(&entry.name);
            if selection.excludes(&path) {
                continue;
            }
            let Some(metadata) = directory.metadata(&entry.name).await? else { continue };
            let full_path = || root_path.join(&path);
            let permissions = async || {
                let attributes = directory.extended_attributes(&entry.name).await?;
                Ok::<_, Error>(permissions(metadata.mode, &attributes.unwrap_or_default()))
            };
            let item = match metadata.kind {
                FileKind::Directory => {
                    folders.push(path.clone());
                    Item::Directory(permissions().await?)
                }
                _ if !selection.includes(&path) => continue,
                FileKind::File => Item::File(permissions().await?),
                FileKind::Symlink if links == Links::Skip => continue,
                FileKind::Symlink => {
                    let Some(target) = directory.read_link(&entry.name).await? else { continue };
                    let is_inside = !leads_out(&folder, &target)
                        || target.is_absolute() && is_below(cx, &root_path, &target).await?;
                    if !is_inside {
                        return Err(Error::msg(format!(
                            "{} is a link that leads out of the source, to {}: `links = \"skip\"` leaves links out",
                            full_path().display(),
                            target.display()
                        )));
                    }
                    Item::Link(target)
                }
                FileKind::Special(special) => {
                    return Err(Error::msg(format!(
                        "{} is {special}, and is not copied",
                        full_path().display()
                    )));
                }
            };
            items.insert(path, item);
            if items.len() > ENTRIES {
                return Err(Error::msg(format!("{} has more than {ENTRIES} entries", root_path.display())));
            }
        }
    }
    if selection.is_partial() {
        keep_what_holds_something(&mut items);
    }
    Ok(items)
}

/// Whether a link in a directory of the source leads out of the source.
///
/// Other links along the path are checked by themselves.
fn leads_out(folder: &Path, target: &Path) -> bool {
    let mut depth = folder.components().count();
    for component in target.components() {
        match component {
            Component::RootDir | Component::Prefix(_) => return true,
            Component::CurDir => {}
            Component::Normal(_) => depth += 1,
            Component::ParentDir => match depth.checked_sub(1) {
                Some(parent) => depth = parent,
                None => return true,
            },
        }
    }
    false
}

/// Whether an absolute target is in the source, under its declared name or its real one.
async fn is_below(cx: &Context, root: &Path, target: &Path) -> Result<bool> {
    let real_root = real_path::resolved(cx, root).await?;
    let inside = [root, &real_root].into_iter().filter_map(|root| target.strip_prefix(root).ok());
    Ok(inside.into_iter().any(|path| !leads_out(Path::new(""), path)))
}

/// Removes directories from `items` in which nothing is copied.
fn keep_what_holds_something(items: &mut BTreeMap<PathBuf, Item>) {
    let mut needed = std::collections::BTreeSet::new();
    for (path, item) in &*items {
        if !matches!(item, Item::Directory(_)) {
            needed.extend(path.ancestors().skip(1).map(Path::to_owned));
        }
    }
    items.retain(|path, item| !matches!(item, Item::Directory(_)) || needed.contains(path));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_out() {
        let check = |folder: &str, target: &str, expect: bool| {
            assert_eq!(leads_out(folder.as_ref(), target.as_ref()), expect, "{folder} {target}");
        };
        check("", "a", false);
        check("", "./a/../b", false);
        check("", "..", true);
        check("", "a/../../b", true);
        check("a", "../b", false);
        check("a/b", "../../..", true);
        check("a", "/a", true);
    }
}
