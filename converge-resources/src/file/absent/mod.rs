//! The `file.absent` resource, which removes whatever is at a path.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;

pub use task::Absent;

/// Removes a file, a link, or a directory with everything in it.
///
/// A symbolic link itself is removed; its target stays. The same holds for links in a directory.
///
/// # Guarantees
///
/// A directory is removed only with `recursive`. It is never removed if it is, or contains, the root of the
/// file system, a system directory such as `/etc`, a mount point, or the home of a user: such a resource
/// *can't change*. The directory is opened once, and everything is removed through that open directory.
/// Somebody who renames it meanwhile, or replaces its contents by a link, cannot redirect the removal. When
/// the apply reports the removal, it has reached the disk.
///
/// # Caveats
///
/// Files that an interrupted apply has removed stay removed; the next apply removes the rest. Mount points
/// are known only on Linux, from `/proc/self/mountinfo`: without it no directory is removed. Homes are those
/// of the local users of the machine, and of other users who own something in the directory.
#[derive(Debug, Preparer)]
#[preparer(name = "file.absent", task = Absent, footprint, batch, example = "example.hcl")]
pub struct AbsentPreparer {
    /// Path that is to be removed.
    #[hcl(required, nonempty, manages = "path:existence")]
    destination: String,
    /// Whether a directory is removed, with everything in it.
    ///
    /// Without it, a directory is an error; `file.directory` with `state = "absent"` removes an empty one.
    #[hcl(default, needs = "path:tree of destination", touches = "path:tree of destination")]
    recursive: bool,
}

impl HasFootprint for AbsentPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        footprint.removes = true;
    }
}

impl Resource for AbsentPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Absent> {
        Ok(Absent { destination: self.destination, recursive: self.recursive, found: None })
    }
}
