//! Temporary directories of the model host.
//!
//! Changes in them are not effects.

use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::tree::Content;
use super::{Effect, Shared, State};
use crate::{SystemError, SystemErrorKind, TempDir};

const TMP: &str = "/tmp";

struct ModelTempDir {
    host: Shared,
    path: PathBuf,
}

pub(super) fn create(host: &Shared) -> Result<Box<dyn TempDir>, SystemError> {
    let path = host.lock().make_temp_dir();
    let path = path.map_err(|kind| SystemError::file("make a temporary folder in", TMP, kind))?;
    Ok(Box::new(ModelTempDir { host: host.clone(), path }))
}

impl State {
    fn make_temp_dir(&mut self) -> Result<PathBuf, SystemErrorKind> {
        self.faults.check_crash()?;
        let (tmp, now) = (Path::new(TMP), self.machine.now);
        match self.machine.tree.get(tmp) {
            Some(tmp) if !tmp.is_dir() => return Err(SystemErrorKind::NotADirectory),
            _ => {}
        }
        let path = loop {
            self.temp_dirs.made += 1;
            let path = tmp.join(format!("converge-{:024x}", self.temp_dirs.made));
            if self.machine.tree.get(&path).is_none() {
                break path;
            }
        };
        self.machine.check_disk(&self.machine, &Effect::CreateDir { path: path.clone() })?;
        if self.machine.tree.get(tmp).is_none() {
            self.machine.tree.create(tmp.to_owned(), Content::Directory, 0o1777, now);
            self.temp_dirs.made_tmp = true;
        }
        self.machine.tree.create(path.clone(), Content::Directory, 0o700, now);
        self.temp_dirs.paths.push(path.clone());
        Ok(path)
    }

    fn remove_temp_dir(&mut self, path: &Path) {
        self.machine.tree.remove(path);
        self.temp_dirs.paths.retain(|have| have != path);
        let tmp = Path::new(TMP);
        if self.temp_dirs.made_tmp
            && self.temp_dirs.paths.is_empty()
            && self.machine.tree.children(tmp).next().is_none()
        {
            self.machine.tree.remove(tmp);
            self.temp_dirs.made_tmp = false;
        }
    }
}

#[async_trait]
impl TempDir for ModelTempDir {
    fn path(&self) -> &Path {
        &self.path
    }

    async fn remove(self: Box<Self>) -> Result<(), SystemError> {
        self.host.turn().await;
        Ok(())
    }
}

/// Removes the directory, even after a crash: leftovers in `/tmp` are not part of what tests compare.
impl Drop for ModelTempDir {
    fn drop(&mut self) {
        self.host.lock().remove_temp_dir(&self.path);
    }
}
