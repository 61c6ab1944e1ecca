//! `file.link`: where a symbolic link points.

mod task;
#[cfg(test)]
mod tests;

use std::path::Path;

use converge_core::footprint::{Footprint, kind};
use converge_core::prelude::*;

pub use task::Link;

/// Makes a symbolic link, or makes one point elsewhere.
///
/// # Guarantees
///
/// Whoever follows the link while it is changed finds the old target or the new one. What is there and is no link is an error; with
/// `force` a file is replaced, and a folder is an error also then. Nothing is done to what the link points to.
///
/// # Caveats
///
/// The folder of the link must exist: see `file.directory`. The target need not. Hard links are not made.
#[derive(Debug, Preparer)]
#[preparer(name = "file.link", task = Link, footprint, batch, example = "example.hcl")]
pub struct LinkPreparer {
    /// Path of the link.
    #[hcl(required, nonempty, manages = "path:existence, path:content")]
    destination: String,
    /// Where it points, as it is written into the link: a relative path begins in the folder of the link.
    #[hcl(required, nonempty)]
    target: String,
    /// Whether a file in its place, or whatever else is neither a link nor a folder, is replaced.
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
        let Self { destination, target, force } = self;
        Ok(Link { destination, target, force, found: None })
    }
}
