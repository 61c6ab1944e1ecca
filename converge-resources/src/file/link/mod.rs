//! `file.link`: where a link points.

mod hard_link;
mod task;
#[cfg(test)]
mod tests;

use std::path::Path;

use converge_core::footprint::{Footprint, kind};
use converge_core::prelude::*;

pub use task::Link;

/// Makes a symbolic link, or makes one point elsewhere; or gives a file another name, with `hard`.
///
/// # Guarantees
///
/// Whoever follows the link while it is changed finds the old target or the new one. What is there and is no link is an error; with
/// `force` a file is replaced, and a folder is an error also then. Nothing is done to what the link points to.
///
/// A hard link is told from a copy by the device and the inode. What it cannot be is an error in the plan: a name of a folder, of a
/// symbolic link, of what is not there, or of a file of another file system.
///
/// # Caveats
///
/// The folder of the link must exist: see `file.directory`. The target of a symbolic link need not.
///
/// A hard link is another name of a file, not of a path: what replaces the target, as `file.content` does when it changes something, leaves
/// the old file under this name. The next check finds that, and `force = true` lets it follow. Two names of one file are one file: a
/// resource that changes mode or owner of one changes both. Where the kernel has `fs.protected_hardlinks` set, only root, the owner, and who
/// may read and write the file can link it; a file that somebody else may have put there by a link of their own is refused.
#[derive(Debug, Preparer)]
#[preparer(name = "file.link", task = Link, footprint, batch, example = "example.hcl")]
pub struct LinkPreparer {
    /// Path of the link.
    #[hcl(required, nonempty, manages = "path:existence, path:content", ensures = "path:content")]
    destination: String,
    /// Where it points, as it is written into the link: a relative path begins in the folder of the link. Of a hard link, the file that gets
    /// another name.
    #[hcl(required, nonempty)]
    target: String,
    /// Whether it is a hard link: another name of the file, which is there as long as one of its names is.
    #[hcl(default)]
    hard: bool,
    /// Whether a file in its place, or whatever else is neither a link nor a folder, is replaced. A file is one that is not the target of the
    /// hard link, too.
    #[hcl(default)]
    force: bool,
}

impl HasFootprint for LinkPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let target = Path::new(&self.destination).with_file_name(&self.target);
        // A name of several parts ends the one of the link as well.
        footprint.needs(kind::PATH, &target.to_string_lossy());
    }
}

impl Resource for LinkPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Link> {
        let Self { destination, target, hard, force } = self;
        Ok(Link { destination, target, hard, force, found: None })
    }
}
