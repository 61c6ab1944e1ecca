//! `file.content`: what a file contains.

mod comparison;
mod declared_content;
mod difference;
mod task;
#[cfg(test)]
mod tests;
mod validate;
mod write;
pub(crate) mod write_options;

use converge_core::prelude::*;

pub use declared_content::FileContent;

use crate::text::Text;
use write_options::Writing;

/// Writes a text to a file.
///
/// # Guarantees
///
/// The file is replaced as a whole: whoever reads it, also after a crash or a power cut, finds the old content or the
/// new, and the new one once the apply has said that it changed. A symbolic link stays, and what it points to is replaced. Mode, owner and group of a file that
/// exists are kept unless they are given. A new file has mode `0600` unless `mode` is given.
///
/// A symbolic link that an unprivileged user owns, or that is in a directory of theirs, is followed only to what
/// belongs to that user. Owner and mode of a file of somebody unprivileged are not kept in a directory where everybody may
/// create files (`/tmp`), and when the content is a secret, not in any where somebody else may: the new file belongs to
/// the user who runs converge, unless `owner` is given, and has mode `0600`, unless `mode` is given.
///
/// # Caveats
///
/// The directory must exist: see `file.directory`. Content that a secret went into is not shown in
/// differences, and neither is that of a file of more than 64 KiB: its size is.
#[derive(Debug, Preparer)]
#[preparer(name = "file.content", task = FileContent, batch, example = "example.hcl")]
pub struct ContentPreparer {
    /// Path of the file.
    #[hcl(required, nonempty, manages = "path:existence, path:content")]
    destination: String,
    /// What the file contains, byte for byte. Without it the file is empty.
    #[hcl(default)]
    content: Text,
    #[hcl(embed)]
    writing: Writing,
}

impl Resource for ContentPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<FileContent> {
        FileContent::new(self.destination, self.content, self.writing)
    }
}
