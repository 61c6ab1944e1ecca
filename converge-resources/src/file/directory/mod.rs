//! `file.directory`: that a directory is there, or not.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub use task::Directory;

use super::attributes::Attributes;

/// Makes a directory, or removes an empty one.
#[derive(Debug, Preparer)]
#[preparer(name = "file.directory", task = Directory, batch, example = "example.hcl")]
pub struct DirectoryPreparer {
    /// Path of the directory. If it is a symbolic link to a directory, that one is managed.
    #[hcl(required, nonempty, manages = "path:existence")]
    destination: String,
    /// Whether the directories on the way to it are made too, with the same mode. Their owner and group are
    /// those of the process.
    #[hcl(default)]
    create_all: bool,
    #[hcl(embed)]
    attributes: Attributes,
    /// Whether the directory is to exist. `absent` removes it only when it is empty; one that is not is an
    /// error.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl Resource for DirectoryPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Directory> {
        Ok(Directory::new(self.destination, self.create_all, self.attributes, self.state))
    }
}
