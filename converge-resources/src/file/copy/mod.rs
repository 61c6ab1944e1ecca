//! The `file.copy` resource: a copy of a file or a directory.

mod change;
mod compare;
mod copied_tree;
mod overwrite_policy;
mod source;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;

use crate::file::destination_link::FollowLink;
use crate::file::select::{Filter, Selection};
use overwrite_policy::Existing;

pub use task::Copy;

use super::tree_attributes::Wanted;

/// Copies a file, or the contents of a directory, from one place of the machine to another.
///
/// `destination` then has everything that is in `source`, with the same content. Permissions are the same
/// except for set-user-id, set-group-id and sticky bits. Other files in `destination` stay, unless `purge` is
/// set. Files are compared by their content.
///
/// # Guarantees
///
/// Each file appears, or is replaced, as a whole. Both directories are held open during the work, and no link
/// in them is followed. A file that is replaced keeps its access control list and extended attributes. Somebody who changes them meanwhile cannot redirect the copy. A link in the source
/// that leads out of it is an error, because its copy would lead elsewhere. A directory is never replaced by
/// a file, nor a file by a directory. An interrupted apply is completed by the next one.
///
/// # Caveats
///
/// Neither directory may contain the other. Devices, pipes and sockets are an error. Names are those of the
/// file system; at most 100000 entries are copied. The parent directory of `destination` must exist: see
/// `file.directory`.
#[derive(Debug, Preparer)]
#[preparer(name = "file.copy", task = Copy, footprint, example = "example.hcl")]
pub struct CopyPreparer {
    /// Path of the file or directory to copy.
    #[hcl(required, nonempty, needs = "path, path:tree")]
    source: String,
    /// Path of the copy itself, not of the directory that it is put into.
    #[hcl(required, nonempty, ensures = "path:existence, path:tree")]
    destination: String,
    /// Patterns for the entries of a directory to copy; the default is everything.
    ///
    /// `*.conf` matches names anywhere in the directory, `sub/*.conf` matches paths below it: see `glob` of
    /// `file.query`.
    include: Vec<Filter>,
    /// Patterns for entries that are not copied.
    ///
    /// A directory that matches is left out with everything in it.
    exclude: Vec<Filter>,
    /// Whether files, links and empty directories in `destination` that are not in `source` are removed.
    ///
    /// Directories are removed if they are empty after that. Entries that `exclude` or `include` leave out
    /// stay, and so does what another resource declares.
    #[hcl(default)]
    purge: bool,
    /// Whether existing files and links stay as they are, so that only missing ones are created.
    ///
    /// They keep their content, permissions and owner.
    #[hcl(default)]
    only_if_missing: bool,
    /// Whether a symbolic link at `destination` stays when a file is copied, and its target is written.
    ///
    /// If false, the copy replaces the link, and its target stays as it is.
    #[hcl(default = true)]
    follow: bool,
    /// The treatment of symbolic links: `keep` creates the same links, `skip` leaves them out.
    #[hcl(default)]
    links: source::Links,
    #[hcl(embed)]
    wanted: Wanted,
}

impl HasFootprint for CopyPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        footprint.touches(copied_tree::KIND, &(copied_tree::prefix(&self.destination) + &self.source));
    }
}

impl Resource for CopyPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Copy> {
        Ok(Copy {
            source: self.source,
            destination: self.destination,
            selection: Selection { include: self.include, exclude: self.exclude },
            purge: self.purge,
            existing: if self.only_if_missing { Existing::Stays } else { Existing::Compared },
            follow: FollowLink(self.follow),
            links: self.links,
            wanted: self.wanted,
            changes: Vec::new(),
        })
    }
}
