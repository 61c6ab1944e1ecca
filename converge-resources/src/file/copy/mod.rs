//! `file.copy`: a file or a folder that is as another one is.

mod change;
mod compare;
mod overwrite_policy;
mod source;
mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

use crate::file::select::{Filter, Selection};
use overwrite_policy::Existing;

pub use task::Copy;

use super::tree_attributes::Wanted;

/// Copies a file, or all that is in a folder, from one place of the machine to another.
///
/// What is in `source` is then in `destination`, with the same content, and with the same permissions but for set-user-id, set-group-id and
/// sticky bits. What else is in `destination` stays, unless `purge` is set. Files are compared by their content.
///
/// # Guarantees
///
/// Each file appears, or is replaced, as a whole. Both folders are held open while they are worked on, and no link in them is followed,
/// so whoever changes them meanwhile leads nothing out of them. A link in the source that leads out of it is an error, as its copy would lead elsewhere. A folder is
/// never replaced by a file, nor a file by a folder. An apply that was interrupted is completed by the next one.
///
/// # Caveats
///
/// Neither folder may be in the other. Devices, pipes and sockets are an error. Names are those of the file system; no more than 100000
/// entries are copied. The folder that `destination` is in must exist: see `file.directory`.
#[derive(Debug, Preparer)]
#[preparer(name = "file.copy", task = Copy, example = "example.hcl")]
pub struct CopyPreparer {
    /// Path of the file or folder that is copied.
    #[hcl(required, nonempty, needs = "path, path:tree")]
    source: String,
    /// Path of the copy itself, and not of the folder that it is put into.
    #[hcl(required, nonempty, ensures = "path:existence, path:tree")]
    destination: String,
    /// Patterns for what is copied of a folder; without them everything is. `*.conf` is about names anywhere in the folder, `sub/*.conf` about
    /// paths below it: see `glob` of `file.query`.
    include: Vec<Filter>,
    /// Patterns for what is not copied. A folder that one of them matches is left out with everything in it.
    exclude: Vec<Filter>,
    /// Whether files and links in `destination` that are not in `source` are removed, and folders that are empty then. What `exclude` or `include`
    /// leave out stays.
    #[hcl(default)]
    purge: bool,
    /// Whether files and links that are there stay as they are, with their content, permissions and owner, and only those that are not there are made.
    #[hcl(default)]
    only_if_missing: bool,
    /// What becomes of symbolic links: `keep` makes the same ones, `skip` leaves them out.
    #[hcl(default)]
    links: source::Links,
    #[hcl(embed)]
    wanted: Wanted,
}

impl Resource for CopyPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Copy> {
        Ok(Copy {
            source: self.source,
            destination: self.destination,
            selection: Selection { include: self.include, exclude: self.exclude },
            purge: self.purge,
            existing: if self.only_if_missing { Existing::Stays } else { Existing::Compared },
            links: self.links,
            wanted: self.wanted,
            changes: Vec::new(),
        })
    }
}
