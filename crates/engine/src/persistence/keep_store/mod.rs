//! Texts that resources keep from run to run, one file for each resource.
//!
//! The texts may be secrets, so only the user of the process may read a file. File names are hashes, because
//! resource ids may reveal too much. Each file names its resource, so that a hash collision is detected.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::journal::create_all;
use super::refresh_identity::hash;
use crate::redact::{REDACTED, Redactor};
use crate::sdk::context::Context;
use crate::sdk::error::{Error, Result};
use crate::sdk::keep::{KeepPlace, KeepTexts};
use crate::system::{System, WriteFile};
use crate::types::id::NodeId;

/// The mode of a file; only the owner may read it.
const MODE: u32 = 0o600;

/// The version of the file format; a later release may write another one.
const FORMAT: u32 = 1;

/// The maximum size of a file in bytes.
///
/// A text has at most 64 KiB, each byte may take six as JSON, and the resource is named as well.
const MAX_FILE_BYTES: u64 = 512 << 10;

/// The texts kept by the resources of one root module.
#[derive(Debug)]
pub(crate) struct KeptTexts {
    system: Arc<dyn System>,
    folder: PathBuf,
    module: String,
    /// Redacts the name of a resource in its file.
    redactor: Redactor,
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
struct Record {
    format: u32,
    /// The root module.
    module: String,
    node: String,
    text: String,
}

/// The part of the content that gives the version.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

impl KeptTexts {
    /// Creates the store for the resources of a root module. The folder is created when a text is stored.
    pub(crate) fn new(system: Arc<dyn System>, folder: PathBuf, module: String, redactor: Redactor) -> Self {
        Self { system, folder, module, redactor }
    }

    fn path(&self, node_id: &NodeId) -> PathBuf {
        self.folder.join(format!("{}.json", hash(&format!("{}\0{node_id}", self.module))))
    }

    /// Parses the text of a file if it belongs to a resource of this module.
    fn text(&self, node_id: &NodeId, bytes: &[u8]) -> std::result::Result<String, String> {
        let unreadable = |error: serde_json::Error| format!("is not a record of it ({error})");
        let Format { format } = serde_json::from_slice(bytes).map_err(unreadable)?;
        if format != FORMAT {
            return Err(format!("has the format {format}, which this version does not know"));
        }
        let record: Record = serde_json::from_slice(bytes).map_err(unreadable)?;
        // The name may have been redacted when it was written, and may no longer be known as a secret.
        let is_node = record.node == node_id.as_str() || record.node.contains(REDACTED);
        if record.module != self.module || !is_node {
            return Err(format!("is about `{}` of {}", record.node, record.module));
        }
        Ok(record.text)
    }
}

#[async_trait]
impl KeepTexts for KeptTexts {
    async fn get(&self, node_id: &NodeId) -> Result<Option<String>> {
        let path = self.path(node_id);
        let Some(content) = self.system.files().read_head(&path, MAX_FILE_BYTES).await? else {
            return Ok(None);
        };
        // A wrong value must not look like a missing one, because the resource relies on the value that was
        // kept.
        let text = self.text(node_id, &content.bytes).map_err(|problem| {
            Error::msg(format!(
                "{} should hold the stored value of `{}`, but it {problem}; restore the file, or remove it to generate a new value",
                path.display(),
                node_id.short()
            ))
        });
        text.map(Some)
    }

    async fn put(&self, node_id: &NodeId, text: &str) -> Result<()> {
        create_all(self.system.files(), &self.folder).await?;
        let node = node_id.redacted(&self.redactor).to_string();
        let record = Record { format: FORMAT, module: self.module.clone(), node, text: text.to_owned() };
        let mut bytes = serde_json::to_vec_pretty(&record).map_err(Error::other)?;
        bytes.push(b'\n');
        let path = self.path(node_id);
        self.system.files().write(&path, WriteFile { mode: Some(MODE), ..WriteFile::new(&bytes) }).await?;
        Ok(())
    }

    async fn forget(&self, node_id: &NodeId) -> Result<()> {
        let path = self.path(node_id);
        let files = self.system.files();
        if files.read_head(&path, 0).await?.is_some() {
            files.remove_file(&path).await?;
            files.sync_dir(&self.folder).await?;
        }
        Ok(())
    }
}

/// Returns the folder for kept texts, next to the journal.
pub(crate) fn kept_folder(journal: &Path) -> PathBuf {
    let mut folder = journal.as_os_str().to_owned();
    folder.push(".kept");
    folder.into()
}

/// Returns the context with a folder of its system where a resource [keeps](Context::keep) data.
///
/// ```
/// use std::sync::Arc;
/// use converge_core::system::ModelSystem;
/// use converge_core::testing;
///
/// let model = Arc::new(ModelSystem::new());
/// let cx = testing::keeping(testing::context(&model), "/var/lib/converge/kept");
/// ```
pub fn keeping(cx: Context, folder: impl Into<PathBuf>) -> Context {
    let (system, redactor) = (Arc::clone(cx.shared_system()), cx.redactor().clone());
    let texts = KeptTexts::new(system, folder.into(), "test".to_owned(), redactor);
    cx.with_keep(KeepPlace::At(Arc::new(texts), NodeId::root().child("resource.tested")))
}
