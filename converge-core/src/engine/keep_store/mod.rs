//! What resources keep from run to run: a file for each that keeps something.
//!
//! The texts may be secrets, so a file is for the user of the program alone. Names of files are hashes, as ids of resources may say more than
//! they should; what a file is about is in it, so that two of one hash would be seen.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::journal::create_all;
use super::refresh_identity::hash;
use crate::redact::{REDACTED, Redactor};
use crate::sdk::error::{Error, Result};
use crate::sdk::keep::KeepTexts;
use crate::system::{System, WriteFile};
use crate::types::id::NodeId;

/// Nobody else may read it.
const MODE: u32 = 0o600;

/// The form of the files; a later version of this program may write another.
const FORMAT: u32 = 1;

/// No file is longer: a text of 64 KiB, in which each byte may take six as JSON, and what it is about.
const LONGEST: u64 = 512 << 10;

/// What the resources of one root module keep.
#[derive(Debug)]
pub(crate) struct KeptTexts {
    system: Arc<dyn System>,
    folder: PathBuf,
    module: String,
    /// What the name of a resource may not show in its file.
    redactor: Redactor,
}

/// What is in a file.
#[derive(Serialize, Deserialize)]
struct Record {
    format: u32,
    /// The root module.
    module: String,
    node: String,
    text: String,
}

/// The part that says how the rest is to be read.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

impl KeptTexts {
    /// What the resources of a root module keep in this folder of a system. It is made when something is kept.
    pub(crate) fn new(system: Arc<dyn System>, folder: PathBuf, module: String, redactor: Redactor) -> Self {
        Self { system, folder, module, redactor }
    }

    fn path(&self, of: &NodeId) -> PathBuf {
        self.folder.join(format!("{}.json", hash(&format!("{}\0{of}", self.module))))
    }

    /// The text of a file, when it is that of a resource of this module.
    fn text(&self, of: &NodeId, bytes: &[u8]) -> std::result::Result<String, String> {
        let unreadable = |error: serde_json::Error| format!("is no record of it ({error})");
        let Format { format } = serde_json::from_slice(bytes).map_err(unreadable)?;
        if format != FORMAT {
            return Err(format!("has the format {format}, which this version does not know"));
        }
        let record: Record = serde_json::from_slice(bytes).map_err(unreadable)?;
        // A name that was hidden when it was written need not be known for a secret now.
        let is_node = record.node == of.as_str() || record.node.contains(REDACTED);
        if record.module != self.module || !is_node {
            return Err(format!("is about `{}` of {}", record.node, record.module));
        }
        Ok(record.text)
    }
}

#[async_trait]
impl KeepTexts for KeptTexts {
    async fn get(&self, of: &NodeId) -> Result<Option<String>> {
        let path = self.path(of);
        let Some(found) = self.system.files().read_head(&path, LONGEST).await? else { return Ok(None) };
        // Another value is no less wrong than none: who relies on the one that was kept has to know that it is gone.
        let text = self.text(of, &found.bytes).map_err(|problem| {
            Error::msg(format!(
                "{} should hold what `{}` keeps, but it {problem}; put it back, or remove it, and a new value is made in the place of the one that was kept",
                path.display(),
                of.short()
            ))
        });
        text.map(Some)
    }

    async fn put(&self, of: &NodeId, text: &str) -> Result<()> {
        create_all(self.system.files(), &self.folder).await?;
        let node = of.redacted(&self.redactor).to_string();
        let record = Record { format: FORMAT, module: self.module.clone(), node, text: text.to_owned() };
        let mut bytes = serde_json::to_vec_pretty(&record).map_err(Error::other)?;
        bytes.push(b'\n');
        let path = self.path(of);
        self.system.files().write(&path, WriteFile { mode: Some(MODE), ..WriteFile::new(&bytes) }).await?;
        Ok(())
    }

    async fn forget(&self, of: &NodeId) -> Result<()> {
        let path = self.path(of);
        let files = self.system.files();
        if files.read_head(&path, 0).await?.is_some() {
            files.remove_file(&path).await?;
            files.sync_dir(&self.folder).await?;
        }
        Ok(())
    }
}

/// The folder for what is kept, beside the one for what is owed.
pub(crate) fn beside(journal: &Path) -> PathBuf {
    let mut folder = journal.as_os_str().to_owned();
    folder.push(".kept");
    folder.into()
}
