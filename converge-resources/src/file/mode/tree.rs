//! The permissions of everything below a directory.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use converge_sdk::footprint::aspect;
use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, SystemError, SystemErrorKind};

use super::spec::{Mode, ModeSpec};
use crate::file::declared_paths::DeclaredPaths;
use crate::file::descent::{self, Descent};
use crate::file::direct_change;

/// The maximum number of modes and paths that are shown.
const SHOWN: usize = 5;

/// The differences in a tree, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct TreeModes {
    differing: Vec<Differing>,
    seen: usize,
}

#[derive(Debug)]
struct Differing {
    /// The path below the directory.
    path: PathBuf,
    has: Mode,
    wanted: Mode,
}

impl TreeModes {
    /// Compares everything below a directory.
    ///
    /// Symbolic links have no permissions, and are neither followed nor compared. Paths whose permissions
    /// another resource declares are left out.
    pub(crate) async fn find(cx: &Context, root: &Path, spec: &ModeSpec) -> Result<Self> {
        let (mut modes, mut with_names, mut unsettled) = (Self::default(), Vec::new(), None);
        let Some(directory) = cx.system().files().open_dir(root).await? else { return Ok(modes) };
        let mut declared = DeclaredPaths::new(cx, root, aspect::MODE);
        descent::below(cx, directory, |path, metadata| {
            if declared.has(&path) || metadata.kind == FileKind::Symlink {
                return;
            }
            modes.seen += 1;
            let current = Mode::new(metadata.mode);
            match spec.apply_settled(current, metadata.kind == FileKind::Directory) {
                Ok(target) if target == current => {}
                Ok(target) => {
                    if direct_change::has_several_names(metadata) {
                        with_names.push(path.clone());
                    }
                    modes.differing.push(Differing { path, has: current, wanted: target });
                }
                Err(error) => unsettled = Some(error),
            }
        })
        .await?;
        if let Some(error) = unsettled {
            return Err(error);
        }
        direct_change::are_allowed(cx, root, &with_names).await?;
        Ok(modes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.differing.is_empty()
    }

    /// Adds the differences to `status`, including that of the directory itself if there is one.
    pub(crate) fn report(&self, status: &mut Status, itself: Option<(Mode, Mode)>) {
        let mode_pairs = || self.differing.iter().map(|entry| (entry.has, entry.wanted)).chain(itself);
        let old_modes = shown(mode_pairs().map(|(has, _)| has));
        status.add_difference("mode", old_modes, shown(mode_pairs().map(|(_, wanted)| wanted)));
        let count = mode_pairs().count();
        let differ = if count == 1 { "differs" } else { "differ" };
        let mut message = format!("{count} of {} paths {differ}", self.seen + 1);
        for (number, entry) in self.differing.iter().take(SHOWN).enumerate() {
            let before = if number == 0 { ":" } else { "," };
            // Writing to a string does not fail.
            let _ = write!(message, "{before} {}", entry.path.display());
        }
        if self.differing.len() > SHOWN {
            message.push_str(", ..");
        }
        status.add_message(message);
    }

    /// Changes the modes, deepest first.
    ///
    /// A directory that becomes inaccessible need not be entered afterwards.
    pub(crate) async fn apply(&self, cx: &Context, root: &Path) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let not_found =
            |path: &Path| SystemError::file("change the mode of", root.join(path), SystemErrorKind::NotFound);
        let directory = cx.system().files().open_dir(root).await?;
        let mut tree = Descent::new(directory.ok_or_else(|| not_found(Path::new("")))?);
        for Differing { path, wanted, .. } in self.differing.iter().rev() {
            cx.check_cancelled()?;
            let (parent, Some(name)) = (path.parent().unwrap_or(Path::new("")), path.file_name()) else {
                continue;
            };
            let directory = tree.to(parent).await?.ok_or_else(|| not_found(parent))?;
            directory.set_mode(name, wanted.bits()).await?;
            // A large tree takes a while, and other tasks wait for this thread.
            tokio::task::yield_now().await;
        }
        Ok(())
    }
}

/// Formats the first few of the different modes.
fn shown(modes: impl Iterator<Item = Mode>) -> String {
    let modes: BTreeSet<String> = modes.map(|mode| mode.to_string()).collect();
    let suffix = if modes.len() > SHOWN { ", .." } else { "" };
    modes.into_iter().take(SHOWN).collect::<Vec<_>>().join(", ") + suffix
}
