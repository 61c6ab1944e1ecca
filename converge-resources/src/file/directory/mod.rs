//! The `file.directory` resource: a directory that is present or absent.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};

pub use task::Directory;

use super::attributes::{Attributes, TREE_MODE};
use super::mode::ModeSpec;

/// Creates a directory, or removes an empty one.
#[derive(Debug, Preparer)]
#[preparer(name = "file.directory", task = Directory, validate, footprint, batch, example = "example.hcl")]
pub struct DirectoryPreparer {
    /// Path of the directory. If it is a symbolic link to a directory, the target is managed.
    #[hcl(required, nonempty, manages = "path:existence")]
    destination: String,
    /// Whether missing parent directories are created too, with the same mode.
    ///
    /// Their owner and group are those of the process.
    #[hcl(default, touches = "path:parents of destination")]
    create_all: bool,
    #[hcl(embed)]
    attributes: Attributes,
    /// Whether `mode` also applies to everything below the directory.
    ///
    /// Symbolic links found there are not followed. A mode without execute for the owner would lock
    /// directories, so write `"u=rw,go=r,a+X"`: `X` is execute for directories, and for files that somebody
    /// may execute.
    #[hcl(
        default,
        requires = "mode",
        needs = "path:tree of destination",
        touches = "path:tree of destination"
    )]
    recursive: bool,
    /// Whether the directory is to exist.
    ///
    /// `absent` removes it only if it is empty; otherwise it is an error.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl HasFootprint for DirectoryPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        if let Some(mode) = self.attributes.mode().filter(|_| self.recursive) {
            footprint.touches(TREE_MODE, &format!("{} {mode}", self.destination));
        }
    }
}

impl Validate for DirectoryPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mode = self.attributes.mode().filter(|_| self.recursive);
        let checked = mode.map_or(Ok(()), ModeSpec::fits_trees);
        checked.map_err(|message| vec![FieldError::new("mode", FieldErrorKind::Invalid { message })])
    }
}

impl Resource for DirectoryPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Directory> {
        Ok(Directory::new(self.destination, self.create_all, self.attributes, self.recursive, self.state))
    }
}
