//! The `file.content` resource: the content of a file.

mod comparison;
mod declared_content;
mod difference;
mod task;
#[cfg(test)]
mod tests;
mod validate;
mod write;
pub(crate) mod write_options;

use converge_sdk::prelude::*;

pub use declared_content::FileContent;

use crate::text::Text;
use write_options::Writing;

/// Writes a text to a file.
///
/// # Guarantees
///
/// The file is replaced as a whole: a reader finds the old content or the new, also after a crash or a power
/// cut. When the apply has reported the change, a reader finds the new content. A symbolic link stays, and
/// its target is replaced, unless `follow = false`. Mode, owner and group of an existing file are kept unless
/// they are given, and so are its access control list and extended attributes. A given mode sets the mask of
/// the list, and the plan says so. A new file has mode `0600` unless `mode` is given. A file that is a mount
/// point by itself, such as `/etc/hosts` in containers, cannot be replaced; it is overwritten in place.
///
/// A symbolic link that an unprivileged user owns, or that is in a directory of such a user, is followed only
/// to files of that user. In a directory where everybody may create files (`/tmp`), owner and mode of an
/// unprivileged user's file are not kept. If the content is a secret, they are not kept in any directory
/// where somebody else may create files. The new file then belongs to the user who runs converge and has mode
/// `0600`, unless `owner` and `mode` are given.
///
/// # Caveats
///
/// The directory must exist: see `file.directory`. Content that contains a secret is not shown in
/// differences. For a file of more than 64 KiB, only the size is shown.
#[derive(Debug, Preparer)]
#[preparer(name = "file.content", task = FileContent, batch, example = "example.hcl")]
pub struct ContentPreparer {
    /// Path of the file.
    #[hcl(required, nonempty, manages = "path:existence, path:content")]
    destination: String,
    /// The content of the file, byte for byte. Without it the file is empty.
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
