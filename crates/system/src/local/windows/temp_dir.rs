//! Temporary directories on Windows.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use super::super::system_state::Shared;
use super::paths::Outcome;
use crate::kernel_random::fill;
use crate::{SystemError, TempDir};

const PREFIX: &str = "converge-";

const RANDOM_BYTES: usize = 12;

/// A directory in the user's temporary folder, which is in the profile of the user.
pub(super) struct PathTempDir {
    path: PathBuf,
    removed: bool,
    shared: Arc<Shared>,
}

impl PathTempDir {
    pub(super) fn new(shared: Arc<Shared>) -> Result<Self, SystemError> {
        let directory = std::env::temp_dir();
        let make = || -> Outcome<PathBuf> {
            let mut random = [0; RANDOM_BYTES];
            fill(&mut random)?;
            let mut name = PREFIX.to_owned();
            for byte in random {
                // Writing to a string cannot fail.
                let _ = write!(name, "{byte:02x}");
            }
            let path = directory.join(name);
            fs::create_dir(&path)?;
            Ok(path)
        };
        let path =
            make().map_err(|kind| SystemError::file("make a temporary folder in", &directory, kind))?;
        Ok(Self { path, removed: false, shared })
    }
}

#[async_trait]
impl TempDir for PathTempDir {
    fn path(&self) -> &Path {
        &self.path
    }

    async fn remove(mut self: Box<Self>) -> Result<(), SystemError> {
        self.removed = true;
        let path = self.path.clone();
        let removed = self.shared.pool.run(move |_| Ok(fs::remove_dir_all(path)?)).await;
        removed.map_err(|kind| SystemError::file("remove the temporary folder", &self.path, kind))
    }
}

impl Drop for PathTempDir {
    fn drop(&mut self) {
        if !self.removed
            && let Err(error) = fs::remove_dir_all(&self.path)
        {
            tracing::warn!(path = %self.path.display(), %error, "a temporary folder is left behind");
        }
    }
}
