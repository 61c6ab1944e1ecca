//! The set of existing temporary directories.

use std::path::{Path, PathBuf};

use super::effect::Effect;

#[derive(Debug, Default)]
pub(super) struct TempDirs {
    pub(super) paths: Vec<PathBuf>,
    /// The number of directories created so far.
    pub(super) made: u64,
    /// Whether `/tmp` was created for them.
    pub(super) made_tmp: bool,
}

impl TempDirs {
    pub(super) fn contains(&self, effect: &Effect) -> bool {
        let paths = effect.paths();
        let is_in = |path: &&Path| self.paths.iter().any(|folder| path.starts_with(folder));
        !paths.is_empty() && paths.iter().all(is_in)
    }
}
