use std::path::Path;

use converge_core::prelude::*;

use crate::package::openpgp::{Fingerprint, KeySource};
use crate::package::repo_files::{self, FileChange};

const FOLDER: &str = "/etc/yum.repos.d";

/// One repository.
#[derive(Debug, Export)]
pub struct RpmRepository {
    /// Name of the repository.
    #[export]
    pub(super) name: String,
    /// Path of its file.
    #[export]
    pub(super) path: String,
    /// Whether it is to be known: `present` or `absent`.
    #[export]
    pub(super) state: Ensure,
    pub(super) key_path: String,
    /// What its file is to hold; `None` when it is to be gone.
    pub(super) text: Option<String>,
    pub(super) key: KeySource,
    pub(super) expected: Vec<Fingerprint>,
    /// The files that are not as declared, in the order in which they are changed.
    pub(super) changes: Vec<FileChange>,
}

impl Task for RpmRepository {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.changes.clear();
        let (has, has_key) =
            (repo_files::read(cx, &self.path).await?, repo_files::read(cx, &self.key_path).await?);
        let keys = self.key.keys(cx, has_key.as_deref(), &self.expected).await?;
        let key = keys.map(|keys| keys.armoured());
        let mut changes =
            vec![("key", &self.key_path, has_key, key), ("repository", &self.path, has, self.text.clone())];
        // A key is there before the repository that needs it, and longer.
        if self.text.is_none() {
            changes.reverse();
        }
        for (name, path, has, wanted) in changes {
            self.changes.extend(repo_files::compare(&mut status, name, path, has, wanted));
        }
        if self.changes.iter().any(|change| change.text.is_some()) {
            let meaning = ", where dnf and yum have their repositories: is one of them installed?";
            repo_files::need_folder(cx, &mut status, Path::new(FOLDER), meaning).await?;
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        repo_files::change(cx, self.changes.iter()).await
    }
}
