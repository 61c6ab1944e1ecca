//! Comparison of a destination with the items to copy.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_sdk::footprint::aspect;
use converge_sdk::prelude::*;
use converge_sdk::system::{Directory, FileKind, Metadata, Ownership, ReadAt};

use super::change::{Change, PIECE, What};
use super::overwrite_policy::Existing;
use super::source::Item;
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
    let declared = cx.declared().below(&root);
    let (mut from, mut to) = (Descent::new(from), Descent::new(to));
    let (mut changes, mut with_names) = (Vec::new(), Vec::new());
    for (path, item) in items {
        cx.check_cancelled()?;
        let (parent, Some(name)) = (path.parent().unwrap_or(Path::new("")), path.file_name()) else {
            continue;
        };
        let directory = to.to(parent).await?;
        let current = match &directory {
            Some(directory) => directory.metadata(name).await?,
            None => None,
        };
        let in_the_way = |what: &str| {
            Error::msg(format!(
                "{} is {what}, and the source has something else there",
                root.join(path).display()
            ))
        };
        match (&current, item) {
            (Some(has), item) if has.kind == FileKind::Directory && !matches!(item, Item::Directory(_)) => {
                return Err(in_the_way("a folder"));
            }
            (Some(Metadata { kind: FileKind::Special(special), .. }), _) => {
                return Err(in_the_way(&special.to_string()));
            }
            _ => {}
        }
        if !matches!(item, Item::Directory(_)) && existing.keeps(current.as_ref()) {
            continue;
        }
        let is_others = |aspect| declared.decided(path, aspect).is_some();
        let has_own_mode = wanted.has_modes() || !declared.is_in_tree(path, aspect::MODE);
        let target_mode = |mode: Mode| Some(mode).filter(|_| has_own_mode && !is_others(aspect::MODE));
        let owner = Ownership {
            uid: owner.uid.filter(|_| !is_others(aspect::OWNER)),
            gid: owner.gid.filter(|_| !is_others(aspect::GROUP)),
        };
        let change = |action| Some(Change { path: path.clone(), what: action });
        let difference = match (item, &current) {
            (Item::Directory(mode), None) => change(What::MakeDirectory(wanted.mode(*mode, true), owner)),
            (Item::Directory(mode), Some(has)) if has.kind == FileKind::Directory => {
                attributes(path, target_mode(wanted.mode(*mode, true)), owner, has)
            }
            (Item::Directory(_), Some(_)) => return Err(in_the_way("not a folder")),
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
                        let difference = attributes(path, target_mode(mode), owner, has);
                        if difference.is_some() && direct_change::has_several_names(has) {
                            with_names.push(path.clone());
                        }
                        difference
                    }
                    _ => change(What::Write(mode, owner)),
                }
            }
            (Item::File(mode), _) => change(What::Write(wanted.mode(*mode, false), owner)),
            (Item::Link(target), Some(has)) if has.kind == FileKind::Symlink => {
                let current_target = match directory {
                    Some(directory) => directory.read_link(name).await?,
                    None => None,
                };
                if current_target.as_ref() == Some(target) {
                    attributes(path, None, owner, has)
                } else {
                    change(What::Link(target.clone(), owner))
                }
            }
            (Item::Link(target), _) => change(What::Link(target.clone(), owner)),
        };
        changes.extend(difference);
    }
    direct_change::are_allowed(cx, &root, &with_names).await?;
    Ok(changes)
}

pub(super) async fn are_same(cx: &Context, left: &dyn ReadAt, right: &dyn ReadAt) -> Result<bool> {
    if left.metadata().len != right.metadata().len {
        return Ok(false);
    }
    let (mut left_piece, mut right_piece) = (vec![0; PIECE], vec![0; PIECE]);
    let mut offset = 0;
    loop {
        cx.check_cancelled()?;
        let count = left.read_at(offset, &mut left_piece).await?;
        let mut filled = 0;
        while filled < count {
            match right.read_at(offset + filled as u64, &mut right_piece[filled..count]).await? {
                0 => return Ok(false),
                more => filled += more,
            }
        }
        if count == 0 {
            return Ok(right.read_at(offset, &mut right_piece).await? == 0);
        }
        if left_piece[..count] != right_piece[..count] {
            return Ok(false);
        }
        offset += count as u64;
        // A large file takes a while, and other tasks wait for this thread.
        tokio::task::yield_now().await;
    }
}

/// Returns the removals of entries that neither this copy nor others bring, deepest first.
pub(super) async fn removals(
    cx: &Context,
    to: Box<dyn Directory>,
    (items, others): (&BTreeMap<PathBuf, Item>, &BTreeSet<PathBuf>),
    selection: &Selection,
) -> Result<Vec<Change>> {
    let declared = cx.declared().below(to.path());
    let mut entries = BTreeMap::new();
    descent::below(cx, to, |path, metadata| {
        entries.insert(path, metadata.kind);
    })
    .await?;
    let mut stays = BTreeSet::new();
    let mut changes = Vec::new();
    for (path, kind) in entries.into_iter().rev() {
        let is_left_out =
            path.ancestors().filter(|path| !path.as_os_str().is_empty()).any(|path| selection.excludes(path))
                || kind != FileKind::Directory && !selection.includes(&path)
                || declared.has(&path);
        if items.contains_key(&path) || others.contains(&path) || is_left_out || stays.contains(&path) {
            stays.extend(path.ancestors().skip(1).map(Path::to_owned));
        } else {
            changes.push(Change { path, what: What::Remove(kind) });
        }
    }
    Ok(changes)
}
