use std::path::Path;

use converge_sdk::prelude::*;

use super::files::{Repository, key_in};
use crate::package::openpgp::{Fingerprint, KeySource};
use crate::package::repo_files::{self, FileChange};

/// The names of the files in differences.
const NAMES: [&str; 3] = ["repository", "priority", "proxy"];

/// The task of a `package.apt_repo` resource.
#[derive(Debug, Export)]
pub struct AptRepository {
    /// The name of the repository.
    #[export]
    pub(super) name: String,
    /// The path of its file.
    #[export]
    pub(super) path: String,
    /// Whether apt is to know the repository: `present` or `absent`.
    #[export]
    pub(super) state: Ensure,
    pub(super) repository: Repository,
    pub(super) key: KeySource,
    pub(super) expected: Vec<Fingerprint>,
    /// The files that differ from the declaration.
    pub(super) changes: Vec<FileChange>,
}

impl Task for AptRepository {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.changes.clear();
        let paths = Repository::paths(&self.name);
        let mut texts = Vec::new();
        for path in &paths {
            texts.push(repo_files::read(cx, path).await?);
        }
        let in_file = texts.first().and_then(Option::as_deref).and_then(key_in);
        let keys = self.key.keys(cx, in_file.as_deref(), &self.expected).await?;
        let targets = keys.map_or([None, None, None], |keys| self.repository.texts(&keys));
        for (((name, path), current), target) in NAMES.into_iter().zip(paths).zip(texts).zip(targets) {
            let target = target.filter(|_| self.state == Ensure::Present);
            let Some(change) = repo_files::compare(&mut status, name, &path, current, target) else {
                continue;
            };
            if change.text.is_some() {
                let folder = Path::new(&path).parent().unwrap_or(Path::new("/"));
                repo_files::need_folder(cx, &mut status, folder, ": apt is not installed").await?;
            }
            self.changes.push(change);
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        // The priority and the proxy are written before the repository.
        repo_files::change(cx, self.changes.iter().rev()).await
    }
}
