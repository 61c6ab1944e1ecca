//! The `file.link` resource: a symbolic or hard link.

mod hard_link;
mod task;
#[cfg(test)]
mod tests;

use std::path::Path;

use converge_sdk::footprint::{Claim, Footprint, Thing, Verb, aspect};
use converge_sdk::prelude::*;

pub use task::Link;

/// Creates a symbolic link, or changes its target. With `hard`, gives a file another name.
///
/// # Guarantees
///
/// A process that follows the link while it is changed finds the old target or the new one. Anything at the
/// path that is not a link is an error. With `force` a file is replaced; a directory is still an error. The
/// target of the link is not touched.
///
/// A hard link is distinguished from a copy by device and inode. A plan reports an error if a hard link is
/// impossible: the target is a directory, a symbolic link, missing, or on another file system.
///
/// # Caveats
///
/// The directory of the link must exist: see `file.directory`. The target of a symbolic link need not.
///
/// A hard link is another name of a file, not of a path. If the target is replaced, as by a change of
/// `file.content`, this name still leads to the old file. The next check finds that, and `force = true` makes
/// the link follow. Two names of one file are one file: a resource that changes mode or owner of one changes
/// both. If the kernel has `fs.protected_hardlinks` set, a file can be linked only by root, by its owner, and
/// by users who may read and write it. A file that somebody else may have put there by a link of their own is
/// refused.
#[derive(Debug, Preparer)]
#[preparer(name = "file.link", task = Link, footprint, batch, example = "example.hcl")]
pub struct LinkPreparer {
    /// Path of the link.
    #[hcl(required, nonempty, manages = "path:existence, path:content", ensures = "path:content")]
    destination: String,
    /// The target, as it is written into the link: a relative path begins in the directory of the link.
    ///
    /// For a hard link, the file that gets another name.
    #[hcl(required, nonempty)]
    target: String,
    /// Whether the link is a hard link: another name of the target file.
    ///
    /// The file exists as long as one of its names does.
    #[hcl(default)]
    hard: bool,
    /// Whether a file at the path is replaced, or anything else that is neither a link nor a directory.
    ///
    /// For a hard link, this includes a file that is not its target.
    #[hcl(default)]
    force: bool,
}

impl HasFootprint for LinkPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let target = Path::new(&self.destination).with_file_name(&self.target);
        // A relative target replaces the last part of the link's path.
        let target = Thing::path(&target.to_string_lossy());
        let need = |aspect| Claim {
            verb: Verb::Needs,
            thing: target.clone(),
            aspect,
            field: Some("target"),
            state: None,
        };
        footprint.claims.push(need(None));
        footprint.claims.extend((!self.hard).then(|| need(Some(aspect::TARGET))));
    }
}

impl Resource for LinkPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Link> {
        let Self { destination, target, hard, force } = self;
        Ok(Link { destination, target, hard, force, found: None })
    }
}
