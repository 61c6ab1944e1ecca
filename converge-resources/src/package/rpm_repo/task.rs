use std::path::Path;

use converge_sdk::prelude::*;

use crate::package::openpgp::{Fingerprint, KeySource};
use crate::package::repo_files::{self, FileChange};

const FOLDER: &str = "/etc/yum.repos.d";

/// The task of a `package.rpm_repo` resource.
#[derive(Debug, Export)]
pub struct RpmRepository {
    /// The name of the repository.
    #[export]
    pub(super) name: String,
    /// The path of its file.
    #[export]
    pub(super) path: String,
    /// Whether dnf and yum are to know the repository: `present` or `absent`.
    #[export]
    pub(super) state: Ensure,
    pub(super) key_path: String,
    /// The declared text of its file, or `None` if the file is to be removed.
    pub(super) text: Option<String>,
    pub(super) key: KeySource,
    pub(super) expected: Vec<Fingerprint>,
    /// The files that differ from the declaration, in the order of their changes.
    pub(super) changes: Vec<FileChange>,
}

impl Task for RpmRepository {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.changes.clear();
        let (current, has_key) =
            (repo_files::read(cx, &self.path).await?, repo_files::read(cx, &self.key_path).await?);
        let keys = self.key.keys(cx, has_key.as_deref(), &self.expected).await?;
        let key = keys.map(|keys| keys.armoured());
        let mut changes = vec![
            ("key", &self.key_path, has_key, key),
            ("repository", &self.path, current, self.text.clone()),
        ];
        // The key is written before the repository that needs it, and removed after it.
        if self.text.is_none() {
            changes.reverse();
        }
        for (name, path, current, target) in changes {
            self.changes.extend(repo_files::compare(&mut status, name, path, current, target));
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
