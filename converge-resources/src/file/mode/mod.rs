//! `file.mode`: the permissions of a file.

mod spec;
mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub(crate) use spec::{Mode, ModeSpec};
pub use task::FileMode;

/// Sets the permissions of a file or directory that exists.
///
/// The file may be made by something that this resource depends on: a plan then says *may change*.
#[derive(Debug, Preparer)]
#[preparer(name = "file.mode", task = FileMode, batch, example = "example.hcl")]
pub struct ModePreparer {
    /// Path of the file or directory. If it is a symbolic link, what it points to is managed.
    #[hcl(required, nonempty, manages = "path:mode")]
    destination: String,
    /// The permissions: octal as `0644` or `"0644"`, or symbolic as for `chmod`: `"u=rwx,go=rx"`, `"a+X"`.
    ///
    /// Octal sets exactly these bits, set-user-id, set-group-id and sticky included. Symbolic changes
    /// the bits that it names. A change for nobody in particular (`+x`) is for everybody: the umask plays
    /// no part, so that a module means the same everywhere.
    #[hcl(required, base = 8)]
    mode: ModeSpec,
}

impl Resource for ModePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<FileMode> {
        Ok(FileMode { destination: self.destination, mode: self.mode.exact(), spec: self.mode })
    }
}
