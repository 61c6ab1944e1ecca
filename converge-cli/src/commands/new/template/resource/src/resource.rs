//! What a module writes, and what is done about it.

#[cfg(test)]
mod tests;

use converge_core::prelude::*;
use converge_core::system::{Follow, WriteFile};

/// A file with a text.
///
/// This is what `docs sample_crate` says first, and each field has its words from the comment above it.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "sample_crate", task = Self, example = "resource/example.hcl")]
pub struct SampleKind {
    /// Path of the file.
    #[hcl(required, nonempty, manages = "path")]
    #[export]
    path: String,
    /// What the file says.
    #[hcl(default = "")]
    #[export]
    text: String,
    /// Whether the file is to exist. `absent` removes it.
    #[hcl(default, removes = "absent")]
    #[export]
    state: Ensure,
}

impl Task for SampleKind {
    // It must not change anything: a plan is nothing but checks.
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let files = cx.system().files();
        let found = files.metadata(self.path.as_ref(), Follow::Never).await?;
        let now = match found {
            Some(_) => Ensure::Present,
            None => Ensure::Absent,
        };
        let mut status = Status::new();
        status.add_difference("state", now.as_str(), self.state.as_str());
        if self.state == Ensure::Present {
            // What is no text is not taken for one.
            let found = match files.read(self.path.as_ref()).await? {
                Some(file) => String::from_utf8(file.bytes)?,
                None => String::new(),
            };
            status.add_difference("text", found, &*self.text);
        }
        status.raise_level_for_diffs();
        Ok(status)
    }

    // It is called when the check has found differences, and must change these and nothing else.
    // The check comes again after it.
    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let files = cx.system().files();
        let path = self.path.as_ref();
        match self.state {
            Ensure::Present => {
                let text = WriteFile::new(self.text.as_bytes());
                files.write(path, text).await?;
            }
            Ensure::Absent => files.remove_file(path).await?,
        }
        Ok(Status::new())
    }
}
