//! The `file.owner` resource: the owner of a file or of a tree of files.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;

pub use task::Owner;

/// Sets the user and the group that own a file, a directory, or everything below a directory.
///
/// Users and groups are looked up in the databases of the machine. One that does not exist is an error,
/// unless a resource that this one depends on has pending changes. These may create it, and the plan says
/// *may change*. The same holds for `destination`.
///
/// Only declared fields are managed: with `group` alone, the user stays. As with `chown`, the system clears
/// the set-user-id and set-group-id bits of a program when its owner changes.
#[derive(Debug, Preparer)]
#[preparer(name = "file.owner", task = Owner, batch, example = "example.hcl")]
#[preparer(at_most_one = "user,uid", at_most_one = "group,gid")]
pub struct OwnerPreparer {
    /// Path of the file or directory. If it is a symbolic link, its target is managed.
    #[hcl(required, nonempty)]
    destination: String,
    /// Owner, by user name.
    #[hcl(name = "user", manages = "path:owner of destination", needs = "user:uid")]
    username: Option<String>,
    /// Owner, by numeric user id. No user needs to have this id.
    #[hcl(manages = "path:owner of destination")]
    uid: Option<u32>,
    /// Group, by name.
    #[hcl(name = "group", manages = "path:group of destination", needs = "group:gid")]
    group: Option<String>,
    /// Group, by numeric group id. No group needs to have this id.
    #[hcl(manages = "path:group of destination")]
    gid: Option<u32>,
    /// Whether everything below `destination` is managed too.
    ///
    /// For a symbolic link found there, the owner of the link itself is changed; the link is not followed.
    #[hcl(default, needs = "path:tree of destination", touches = "path:tree of destination")]
    recursive: bool,
    /// Whether each differing path is listed if `recursive` is set.
    ///
    /// Without it, only their number is reported.
    #[hcl(default)]
    verbose: bool,
}

impl Resource for OwnerPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Owner> {
        let Self { destination, username, uid, group, gid, recursive, verbose } = self;
        // In modules for the original Converge, an empty name means that there is none.
        let named = |name: Option<String>| name.filter(|name| !name.is_empty());
        let (username, group) = (named(username), named(group));
        Ok(Owner { destination, username, uid, group, gid, recursive, verbose, differing: Vec::new() })
    }
}
