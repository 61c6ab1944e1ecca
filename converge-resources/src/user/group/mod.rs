//! `user.group`: that a group is there, or not.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;
use converge_core::value::FieldError;

pub use task::Group;

use super::name::refused_names;
use task::DeclaredGroup;

/// Makes, changes or removes a group.
///
/// The work is done by `groupadd`, `groupmod`, `groupdel` and `gpasswd`. Members are managed only when they are written, and the
/// groups of a user can be written at `user.user` instead; its primary group always is.
///
/// A plan in which a resource that this one depends on has changes says *may change* where the machine as it
/// is now stands in the way: an id that still belongs to somebody, a group that still has users.
#[derive(Debug, Preparer)]
#[preparer(name = "user.group", task = Group, validate, lock = "accounts", example = "example.hcl")]
pub struct GroupPreparer {
    /// Name of the group.
    #[hcl(
        required,
        nonempty,
        manages = "group",
        touches = "ids at users and groups",
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
    /// Whether a new group gets an id from the range for those of the system. One that is there keeps its id.
    #[hcl(default)]
    system: bool,
    /// Users who are members of it beside their primary group. They must exist. Others who are members stay unless `exact` says
    /// otherwise. Without it, members are not managed.
    #[hcl(needs = "user:name")]
    members: Option<Vec<String>>,
    /// Whether nobody else is a member.
    #[hcl(default, requires = "members")]
    exact: bool,
    /// Whether the group is to exist. One that is the primary group of a user cannot be removed.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl Validate for GroupPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let errors = refused_names("members", "user", self.members.as_deref().unwrap_or_default());
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl Resource for GroupPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Group> {
        let Self { name, new_name, gid, system, members, exact, state } = self;
        Ok(Group::new(name, new_name, DeclaredGroup { gid, system, members, exact }, state))
    }
}
