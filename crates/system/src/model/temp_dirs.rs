//! Which folders are there for a while.

use std::path::{Path, PathBuf};

use super::effect::Effect;

/// The folders that there are.
#[derive(Debug, Default)]
pub(super) struct TempDirs {
    pub(super) paths: Vec<PathBuf>,
    /// How many there were.
    pub(super) made: u64,
    /// Whether there was no `/tmp`.
    pub(super) made_tmp: bool,
}

impl TempDirs {
    /// Whether an effect is on nothing but what is gone afterwards.
    pub(super) fn have(&self, effect: &Effect) -> bool {
        let paths = effect.paths();
        let is_in = |path: &&Path| self.paths.iter().any(|folder| path.starts_with(folder));
        !paths.is_empty() && paths.iter().all(is_in)
    }
}
