//! `file.directory`: that a directory is there, or not.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub use task::Directory;

use super::attributes::Attributes;
use super::mode::ModeSpec;

/// Whether a directory is to be there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, HclEnum)]
pub enum State {
    /// The directory exists.
    #[default]
    Present,
    /// There is nothing at the path.
    Absent,
}

/// Makes a directory, or removes an empty one.
#[derive(Debug, Preparer)]
#[preparer(name = "file.directory", task = Directory, example = "example.hcl")]
pub struct DirectoryPreparer {
    /// Path of the directory. If it is a symbolic link to a directory, that one is managed.
    #[hcl(required, nonempty)]
    destination: String,
    /// Whether the directories on the way to it are made too, with the same mode. Their owner and group are
    /// those of the process.
    #[hcl(default)]
    create_all: bool,
    /// The permissions: octal as `0755` or `"0755"`, or symbolic as for `file.mode`. A new directory has
    /// 0700 unless they are given, and before a symbolic mode changes it.
    #[hcl(base = 8)]
    mode: Option<ModeSpec>,
    /// Owner, by user name, or by user id where no user has this name.
    owner: Option<String>,
    /// Group, by name, or by group id where no group has this name.
    group: Option<String>,
    /// Whether the directory is to exist. `absent` removes it only when it is empty; one that is not is an
    /// error.
    #[hcl(default)]
    state: State,
}

#[async_trait]
impl Resource for DirectoryPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Directory> {
        let named = |name: Option<String>| name.filter(|name| !name.is_empty());
        let attributes = Attributes { mode: self.mode, owner: named(self.owner), group: named(self.group) };
        Ok(Directory::new(self.destination, self.create_all, attributes, self.state))
    }
}
