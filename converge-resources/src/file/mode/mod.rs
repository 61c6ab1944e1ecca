//! The `file.mode` resource: the permissions of a file.

mod spec;
mod task;
#[cfg(test)]
mod tests;
pub(crate) mod tree;

use converge_sdk::field_error;
use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub(crate) use spec::{Mode, ModeSpec};
pub use task::FileMode;

/// Sets the permissions of an existing file or directory, or of everything below a directory.
///
/// If a resource that this one depends on may create the file, a plan says *may change*.
#[derive(Debug, Preparer)]
#[preparer(name = "file.mode", task = FileMode, validate, batch, example = "example.hcl")]
pub struct ModePreparer {
    /// Path of the file or directory. If it is a symbolic link, its target is managed.
    #[hcl(required, nonempty)]
    destination: String,
    /// The permissions: octal as `0644` or `"0644"`, or symbolic as for `chmod`: `"u=rwx,go=rx"`, `"a+X"`.
    ///
    /// An octal mode sets exactly these bits, including set-user-id, set-group-id and sticky. A symbolic mode
    /// changes the bits that it names. A change without a class (`+x`) applies to everybody: the umask has no
    /// effect, so that a module means the same everywhere.
    #[hcl(required, base = 8, manages = "path:mode of destination")]
    mode: ModeSpec,
    /// Whether everything below a directory is managed too.
    ///
    /// Symbolic links found there are not followed. A mode without execute for the owner would lock
    /// directories, so write `"u=rw,go=r,a+X"`: `X` is execute for directories, and for files that somebody
    /// may execute.
    #[hcl(default, needs = "path:tree of destination", touches = "path:tree of destination")]
    recursive: bool,
}

impl Validate for ModePreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        if self.recursive {
            self.mode.fits_trees().map_err(|message| vec![field_error!("mode", "{message}")])
        } else {
            Ok(())
        }
    }
}

impl Resource for ModePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<FileMode> {
        Ok(FileMode {
            destination: self.destination,
            mode: self.mode.exact(),
            spec: self.mode,
            recursive: self.recursive,
            tree: tree::TreeModes::default(),
        })
    }
}
