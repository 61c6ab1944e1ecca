//! The `file.xattr` resource: extended attributes of a file or directory.

mod name;
mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

use crate::invalid::invalid;
use crate::text::Text;
use name::AttributeName;
pub use task::FileAttributes;

/// Ensures extended attributes of a file or directory, such as `user.comment`.
///
/// # Guarantees
///
/// Other attributes stay, as do content, mode and owner. A file that is written by another resource keeps
/// its attributes.
///
/// # Caveats
///
/// Only the namespaces `user` and `trusted` are managed; `trusted` needs root. Access control lists are the
/// matter of `file.acl`, capabilities that of `file.capability`. The file system must support attributes, and
/// limits their size: ext4 to about 4 KiB for all of a file.
#[derive(Debug, Preparer)]
#[preparer(name = "file.xattr", task = FileAttributes, validate, example = "example.hcl")]
pub struct XattrPreparer {
    /// Path of the file or directory. If it is a symbolic link, its target is managed.
    #[hcl(required, nonempty, manages = "path:xattr", needs = "path:owner, path:mode")]
    destination: String,
    /// The values by the name of the attribute: `{ "user.origin" = "https://example.com/a" }`.
    attributes: BTreeMap<AttributeName, Text>,
    /// Attributes that are removed: `["user.comment"]`.
    absent: Vec<AttributeName>,
}

impl Validate for XattrPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = Vec::new();
        if self.attributes.is_empty() && self.absent.is_empty() {
            errors.push(invalid("attributes", "there is nothing to do without `attributes` or `absent`"));
        }
        for name in self.absent.iter().filter(|name| self.attributes.contains_key(name)) {
            errors.push(invalid("absent", format!("{name} is in `attributes` as well")));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl Resource for XattrPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<FileAttributes> {
        let Self { destination, attributes, absent } = self;
        Ok(FileAttributes { destination, attributes, absent, steps: Vec::new() })
    }
}
