use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::{Follow, WriteFile};

use crate::package::openpgp::{Fingerprint, KeySource};

/// More than any such file has.
const FILE_BYTES: u64 = 2 << 20;

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
    /// The files that are not as declared, with what they are to hold, in the order in which they are changed.
    pub(super) writes: Vec<(String, Option<String>)>,
}

async fn read(cx: &Context, path: &str) -> Result<Option<String>> {
    let found = cx.system().files().read_head(Path::new(path), FILE_BYTES).await?;
    Ok(found.map(|found| String::from_utf8_lossy(&found.bytes).into_owned()))
}

impl Task for RpmRepository {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.writes.clear();
        let (has, has_key) = (read(cx, &self.path).await?, read(cx, &self.key_path).await?);
        let keys = self.key.keys(cx, has_key.as_deref(), &self.expected).await?;
        let key = keys.map(|keys| keys.armoured());
        let mut changes =
            vec![("key", &self.key_path, has_key, key), ("repository", &self.path, has, self.text.clone())];
        // A key is there before the repository that needs it, and longer.
        if self.text.is_none() {
            changes.reverse();
        }
        for (name, path, has, wanted) in changes {
            if has != wanted {
                status.add_difference(name, has.unwrap_or_default(), wanted.clone().unwrap_or_default());
                status.raise_level(StatusLevel::WillChange);
                self.writes.push((path.clone(), wanted));
            }
        }
        let is_written = self.writes.iter().any(|(_, wanted)| wanted.is_some());
        if is_written && cx.system().files().metadata(Path::new(FOLDER), Follow::Links).await?.is_none() {
            let missing = format!(
                "the directory {FOLDER} does not exist, where dnf and yum have their repositories: is one of them installed?"
            );
            if cx.pending().is_empty() {
                status.set_error(missing);
            } else {
                status.add_message(format!("not possible yet: {missing}"));
                status.raise_level(StatusLevel::MayChange);
            }
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let files = cx.system().files();
        for (path, wanted) in &self.writes {
            let path = Path::new(path);
            match wanted {
                Some(text) => {
                    let write = WriteFile { mode: Some(0o644), ..WriteFile::new(text.as_bytes()) };
                    files.write(path, write).await?;
                }
                None if files.metadata(path, Follow::Never).await?.is_some() => {
                    files.remove_file(path).await?;
                }
                None => {}
            }
        }
        Ok(Status::new())
    }
}
