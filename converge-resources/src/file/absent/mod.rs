//! `file.absent`: that nothing is at a path.

mod task;
#[cfg(test)]
mod tests;

use converge_core::footprint::Footprint;
use converge_core::prelude::*;

pub use task::Absent;

/// Removes a file, a link, or a folder with all that is in it.
///
/// A symbolic link is removed itself, and what it points to stays; so do links in a folder.
///
/// # Guarantees
///
/// A folder is removed only with `recursive`, and never when it is, or has in it, the root of the file system, a folder of the system
/// such as `/etc`, a mount point, or the home of a user: such a resource *can't change*. The folder is opened once and all is
/// removed through what was opened: whoever may rename it, or swap what is in it for a link meanwhile, leads nothing out of it.
/// What is gone is gone from the disk, too, once the apply has said so.
///
/// # Caveats
///
/// What an interrupted apply has removed stays removed; the next one removes the rest. Which folders are mount points is known on
/// Linux only, by `/proc/self/mountinfo`: without it no folder is removed. Homes are those of the users of the machine itself, and of
/// others to whom something in the folder belongs.
#[derive(Debug, Preparer)]
#[preparer(name = "file.absent", task = Absent, footprint, batch, example = "example.hcl")]
pub struct AbsentPreparer {
    /// Path of what is to be gone.
    #[hcl(required, nonempty, manages = "path:existence")]
    destination: String,
    /// Whether a folder is removed, with everything in it. Without it a folder is an error; `file.directory` with
    /// `state = "absent"` removes one that is empty.
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
