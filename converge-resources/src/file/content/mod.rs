//! `file.content`: what a file contains.

mod declared;
mod difference;
mod found;
mod sibling;
mod task;
#[cfg(test)]
mod tests;
mod validate;
mod write;

use std::path::Path;

use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind};

pub use declared::FileContent;

use super::attributes::Attributes;
use crate::text::Text;
use validate::Validation;

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
    attributes: Attributes,
    /// Whether the old file is kept beside the new one, as `NAME.bak` with its mode and owner. There is one
    /// such file: the next change replaces it, and whatever else has the name; a link of that name is not followed.
    #[hcl(default)]
    backup: bool,
    /// A command for `/bin/sh` that looks at the new content before it takes the place of the old:
    /// `"visudo -cf {}"`. Each `{}` stands for the path of a temporary file beside the destination, which
    /// only its owner can read; where there is no `{}`, each `%s` does. When the command fails, the
    /// resource fails with what it printed, and the destination is not touched.
    validate: Option<Validation>,
}

impl Resource for ContentPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<FileContent> {
        if self.backup && sibling::backup(Path::new(&self.destination)).is_none() {
            let message = "the name of the file is too long for one with `.bak` after it".to_owned();
            return Err(vec![FieldError::new("backup", FieldErrorKind::Invalid { message })].into());
        }
        Ok(FileContent {
            destination: self.destination,
            content: self.content,
            attributes: self.attributes,
            backup: self.backup,
            validation: self.validate,
            found: declared::ContentFindings::default(),
        })
    }
}
