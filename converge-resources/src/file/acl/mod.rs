//! The `file.acl` resource: the access control list of a file or directory.

mod entry;
mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use converge_sdk::footprint::{Footprint, kind};
use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

use crate::invalid::invalid;
use entry::{EntryName, Permissions, Subject};
pub use task::FileAcl;

/// Ensures entries of the access control list of a file or directory.
///
/// An entry gives a user or a group permissions, besides owner, group and others of the mode:
/// `"user:deploy" = "rw-"`. The name of an entry is `user:NAME` or `group:NAME`, with an id for an account
/// without a name. `user`, `group` and `other` are the entries that every file has. With `default:` before
/// it, as in `"default:group:web"`, an entry belongs to the list that new files in a directory get.
///
/// # Guarantees
///
/// Other entries stay, unless `exact` is set. The list is read and written by the same call of the kernel
/// that `getfacl` and `setfacl` use; their programs are not needed. Mode, owner and content stay, except as
/// follows.
///
/// If a file has entries for users or groups, the group bits of its mode are the mask: the most that users,
/// groups and the group of the file may do. The mask is an entry as well: `mask = "r-x"` sets it. Without
/// it, the mask stays as long as the declared entries are effective. If one is not, or there is no mask yet,
/// it becomes the union of all entries that it limits, and the plan says so. A resource that writes a mode
/// sets the mask to the bits of the group; `file.acl` waits for it.
///
/// # Caveats
///
/// A list that has only the entries that every file has is no list. If the mask goes with the last entry that
/// it limits, the group keeps what it could do under the mask. The file system must support such lists.
#[derive(Debug, Preparer)]
#[preparer(name = "file.acl", task = FileAcl, validate, footprint, example = "example.hcl")]
pub struct AclPreparer {
    /// Path of the file or directory. If it is a symbolic link, its target is managed.
    #[hcl(required, nonempty, manages = "path:acl", needs = "path:mode, path:owner, path:group")]
    destination: String,
    /// The permissions by the name of the entry: `{ "user:deploy" = "rwx", "default:group:web" = "r-x" }`.
    ///
    /// Permissions are letters of `rwx`, with or without `-`, or a digit as in a mode.
    entries: BTreeMap<EntryName, Permissions>,
    /// Entries that are removed: `["user:guest"]`.
    absent: Vec<EntryName>,
    /// Whether all other entries for users and groups are removed.
    ///
    /// The list for new files is removed as a whole if no entry of it is declared.
    #[hcl(default)]
    exact: bool,
}

impl Validate for AclPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = Vec::new();
        if self.entries.is_empty() && self.absent.is_empty() && !self.exact {
            errors.push(invalid("entries", "there is nothing to do without `entries`, `absent` or `exact`"));
        }
        for name in &self.absent {
            if matches!(name.subject, Subject::Owner | Subject::Group | Subject::Other) {
                errors.push(invalid("absent", format!("every list has the entry {name}")));
            }
            if self.entries.contains_key(name) {
                errors.push(invalid("absent", format!("{name} is in `entries` as well")));
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl HasFootprint for AclPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        for name in self.entries.keys() {
            match &name.subject {
                Subject::User(user) => footprint.needs(kind::USER, user),
                Subject::NamedGroup(group) => footprint.needs(kind::GROUP, group),
                _ => {}
            }
        }
    }
}

impl Resource for AclPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<FileAcl> {
        let Self { destination, entries, absent, exact } = self;
        Ok(FileAcl { destination, entries, absent, exact, steps: Vec::new() })
    }
}
