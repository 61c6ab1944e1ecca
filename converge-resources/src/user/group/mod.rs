//! `user.group`: that a group is there, or not.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub use task::Group;

/// Makes, changes or removes a group.
///
/// The work is done by `groupadd`, `groupmod` and `groupdel`. Members of the group are not managed; the
/// primary group of a user is a field of `user.user`.
///
/// A plan in which a resource that this one depends on has changes says *may change* where the machine as it
/// is now stands in the way: an id that still belongs to somebody, a group that still has users.
#[derive(Debug, Preparer)]
#[preparer(name = "user.group", task = Group, lock = "accounts", example = "example.hcl")]
pub struct GroupPreparer {
    /// Name of the group.
    #[hcl(
        required,
        nonempty,
        manages = "group",
        pattern = "^[^-+~:,/\\s][^:,/\\s]*$",
        expects = "the name of a group: it has no spaces and none of : , / and does not begin with - + ~"
    )]
    name: String,
    /// The name that the group is to have: `name` is renamed to it. Where there is a group of this name
    /// and none named `name`, that has happened already. Where there is neither, the group is made
    /// with the new name.
    #[hcl(
        manages = "group",
        pattern = "^([^-+~:,/\\s][^:,/\\s]*)?$",
        expects = "the name of a group: it has no spaces and none of : , / and does not begin with - + ~"
    )]
    new_name: Option<String>,
    /// Id of the group. Without it, a new group gets a free one, and that of a group that is there stays.
    /// With `state = "absent"` the group is removed only when it has this id. Files that belong to
    /// the group keep the old id when it changes; `file.owner` gives them the new one.
    #[hcl(max = 4_294_967_294)]
    gid: Option<u32>,
    /// Whether the group is to exist. One that is the primary group of a user cannot be removed.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl Resource for GroupPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Group> {
        let Self { name, new_name, gid, state } = self;
        Ok(Group::new(name, new_name, gid, state))
    }
}
