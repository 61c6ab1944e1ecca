//! The fields of the resource, its check and its apply.

#[cfg(test)]
mod tests;

use converge_core::prelude::*;
use converge_core::system::{Follow, WriteFile};

/// A file with a text.
///
/// This is the first paragraph of `docs sample_crate`; the comment above each field describes that field.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "sample_crate", task = Self, example = "resource/example.hcl")]
pub struct SampleKind {
    /// Path of the file.
    #[hcl(required, nonempty, manages = "path")]
    #[export]
    path: String,
    /// Text of the file.
    #[hcl(default = "")]
    #[export]
    text: String,
    /// Whether the file exists. `absent` removes it.
    #[hcl(default, removes = "absent")]
    #[export]
    state: Ensure,
}

impl Task for SampleKind {
    // A check must not change anything: a plan consists only of checks.
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
            // Content that is not UTF-8 is an error, not text.
            let found = match files.read(self.path.as_ref()).await? {
                Some(file) => String::from_utf8(file.bytes)?,
                None => String::new(),
            };
            status.add_difference("text", found, &*self.text);
        }
        status.raise_level_for_diffs();
        Ok(status)
    }

    // The apply is called if the check has found differences. It must change these and nothing else, and the
    // check runs again after it.
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
