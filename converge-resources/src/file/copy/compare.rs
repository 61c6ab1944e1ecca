//! Comparison of a destination with the items to copy.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_core::prelude::*;
use converge_core::system::{Directory, FileKind, Metadata, Ownership, ReadAt};

use super::change::{Change, PIECE, What};
use super::overwrite_policy::Existing;
use super::source::{Item, permissions};
use crate::file::descent::{self, Descent};
use crate::file::direct_change;
use crate::file::mode::Mode;
use crate::file::select::Selection;
use crate::file::tree_attributes::{Wanted, missing};

/// Returns the change of mode and owner that is needed.
pub(super) fn attributes(
    path: &Path,
    mode: Option<Mode>,
    owner: Ownership,
    has: &Metadata,
) -> Option<Change> {
    let mode = mode.filter(|mode| *mode != Mode::new(has.mode));
    let owner = missing(owner, has);
    // A change of owner may clear mode bits.
    (mode.is_some() || owner != Ownership::default())
        .then(|| Change { path: path.to_owned(), what: What::Attributes(mode, owner) })
}

/// Returns the changes that bring the items into a directory.
pub(super) async fn changes(
    cx: &Context,
    (from, to): (Arc<dyn Directory>, Arc<dyn Directory>),
    items: &BTreeMap<PathBuf, Item>,
    existing: Existing,
    (wanted, owner): (&Wanted, Ownership),
) -> Result<Vec<Change>> {
    let root = to.path().to_owned();
    let (mut from, mut to) = (Descent::new(from), Descent::new(to));
    let (mut changes, mut with_names) = (Vec::new(), Vec::new());
    for (path, item) in items {
        cx.check_cancelled()?;
        let (parent, Some(name)) = (path.parent().unwrap_or(Path::new("")), path.file_name()) else {
            continue;
        };
        let directory = to.to(parent).await?;
        let has = match &directory {
            Some(directory) => directory.metadata(name).await?,
            None => None,
        };
        let in_the_way = |what: &str| {
            Error::msg(format!(
                "{} is {what}, and the source has something else there",
                root.join(path).display()
            ))
        };
        match (&has, item) {
            (Some(has), item) if has.kind == FileKind::Directory && !matches!(item, Item::Directory(_)) => {
                return Err(in_the_way("a folder"));
            }
            (Some(Metadata { kind: FileKind::Special(special), .. }), _) => {
                return Err(in_the_way(&special.to_string()));
            }
            _ => {}
        }
        if !matches!(item, Item::Directory(_)) && existing.keeps(has.as_ref()) {
            continue;
        }
        let change = |what| Some(Change { path: path.clone(), what });
        let found = match (item, &has) {
            (Item::Directory(mode), None) => change(What::MakeDirectory(wanted.mode(*mode, true), owner)),
            (Item::Directory(mode), Some(has)) if has.kind == FileKind::Directory => {
                attributes(path, Some(wanted.mode(*mode, true)), owner, has)
            }
            (Item::Directory(_), Some(_)) => return Err(in_the_way("no folder")),
            (Item::File(mode), Some(has)) if has.kind == FileKind::File => {
                let mode = wanted.mode(*mode, false);
                let theirs = match directory {
                    Some(directory) => directory.open(name).await?,
                    None => None,
                };
                let ours = match from.to(parent).await? {
                    Some(source) => source.open(name).await?,
                    None => None,
                };
                match (ours, theirs) {
                    (Some(ours), Some(theirs)) if are_same(cx, &*ours, &*theirs).await? => {
                        let found = attributes(path, Some(mode), owner, has);
                        if found.is_some() && direct_change::has_names(has) {
                            with_names.push(path.clone());
                        }
                        found
                    }
                    _ => change(What::Write(mode, owner)),
                }
            }
            (Item::File(mode), _) => change(What::Write(wanted.mode(*mode, false), owner)),
            (Item::Link(target), Some(has)) if has.kind == FileKind::Symlink => {
                let now = match directory {
                    Some(directory) => directory.read_link(name).await?,
                    None => None,
                };
                if now.as_ref() == Some(target) {
                    attributes(path, None, owner, has)
                } else {
                    change(What::Link(target.clone(), owner))
                }
            }
            (Item::Link(target), _) => change(What::Link(target.clone(), owner)),
        };
        changes.extend(found);
    }
    direct_change::are_allowed(cx, &root, &with_names).await?;
    Ok(changes)
}

pub(super) async fn are_same(cx: &Context, one: &dyn ReadAt, other: &dyn ReadAt) -> Result<bool> {
    if one.metadata().len != other.metadata().len {
        return Ok(false);
    }
    let (mut here, mut there) = (vec![0; PIECE], vec![0; PIECE]);
    let mut offset = 0;
    loop {
        cx.check_cancelled()?;
        let count = one.read_at(offset, &mut here).await?;
        let mut filled = 0;
        while filled < count {
            match other.read_at(offset + filled as u64, &mut there[filled..count]).await? {
                0 => return Ok(false),
                more => filled += more,
            }
        }
        if count == 0 {
            return Ok(other.read_at(offset, &mut there).await? == 0);
        }
        if here[..count] != there[..count] {
            return Ok(false);
        }
        offset += count as u64;
        // A large file takes a while, and other tasks wait for this thread.
        tokio::task::yield_now().await;
    }
}

/// Returns the removals of entries in a directory that were not copied, deepest first.
pub(super) async fn removals(
    cx: &Context,
    to: Box<dyn Directory>,
    items: &BTreeMap<PathBuf, Item>,
    selection: &Selection,
) -> Result<Vec<Change>> {
    let mut found = BTreeMap::new();
    descent::below(cx, to, |path, metadata| {
        found.insert(path, metadata.kind);
    })
    .await?;
    let mut stays = BTreeSet::new();
    let mut changes = Vec::new();
    for (path, kind) in found.into_iter().rev() {
        let is_left_out =
            path.ancestors().filter(|path| !path.as_os_str().is_empty()).any(|path| selection.excludes(path))
                || kind != FileKind::Directory && !selection.includes(&path);
        if items.contains_key(&path) || is_left_out || stays.contains(&path) {
            stays.extend(path.ancestors().skip(1).map(Path::to_owned));
        } else {
            changes.push(Change { path, what: What::Remove(kind) });
        }
    }
    Ok(changes)
}

/// Returns the permissions of a directory or a file of the source.
pub(super) fn of_source(metadata: &Metadata) -> Mode {
    permissions(metadata.mode)
}
