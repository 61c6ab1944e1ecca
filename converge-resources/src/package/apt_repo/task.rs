use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::{Follow, WriteFile};

use super::files::{Repository, key_in};
use crate::package::openpgp::{Fingerprint, KeySource};

/// More than any such file has.
const FILE_BYTES: u64 = 2 << 20;

/// What a difference in one of the files is called.
const NAMES: [&str; 3] = ["repository", "priority", "proxy"];

/// One repository.
#[derive(Debug, Export)]
pub struct AptRepository {
    /// Name of the repository.
    #[export]
    pub(super) name: String,
    /// Path of its file.
    #[export]
    pub(super) path: String,
    /// Whether apt is to know it: `present` or `absent`.
    #[export]
    pub(super) state: Ensure,
    pub(super) repository: Repository,
    pub(super) key: KeySource,
    pub(super) expected: Vec<Fingerprint>,
    /// The files that are not as declared, with what they are to hold.
    pub(super) writes: Vec<(String, Option<String>)>,
}

impl AptRepository {
    /// What is in a file; `None` where there is none.
    async fn read(cx: &Context, path: &str) -> Result<Option<String>> {
        let found = cx.system().files().read_head(Path::new(path), FILE_BYTES).await?;
        Ok(found.map(|found| String::from_utf8_lossy(&found.bytes).into_owned()))
    }
}

impl Task for AptRepository {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.writes.clear();
        let paths = Repository::paths(&self.name);
        let mut has = Vec::new();
        for path in &paths {
            has.push(Self::read(cx, path).await?);
        }
        let in_file = has.first().and_then(Option::as_deref).and_then(key_in);
        let keys = self.key.keys(cx, in_file.as_deref(), &self.expected).await?;
        let wanted = keys.map_or([None, None, None], |keys| self.repository.texts(&keys));
        for (((name, path), has), wanted) in NAMES.into_iter().zip(paths).zip(has).zip(wanted) {
            let wanted = wanted.filter(|_| self.state == Ensure::Present);
            if has == wanted {
                continue;
            }
            status.add_difference(name, has.unwrap_or_default(), wanted.clone().unwrap_or_default());
            status.raise_level(StatusLevel::WillChange);
            let folder = Path::new(&path).parent().unwrap_or(Path::new("/"));
            if wanted.is_some() && cx.system().files().metadata(folder, Follow::Links).await?.is_none() {
                let missing =
                    format!("the directory {} does not exist: apt is not installed", folder.display());
                if cx.pending().is_empty() {
                    status.set_error(missing);
                } else {
                    status.add_message(format!("not possible yet: {missing}"));
                    status.raise_level(StatusLevel::MayChange);
                }
            }
            self.writes.push((path, wanted));
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let files = cx.system().files();
        // What the repository may do is there before it is.
        for (path, wanted) in self.writes.iter().rev() {
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
