//! The `user.group` resource: a group that is present or absent.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub use task::Group;

use super::MEMBER;
use super::name::name_errors;
use task::DeclaredGroup;

/// Creates, changes or removes a group.
///
/// The programs `groupadd`, `groupmod`, `groupdel` and `gpasswd` do the work. Members are managed only if
/// they are declared. The supplementary groups of a user can be declared in `user.user` instead; the primary
/// group always is.
///
/// If a dependency has pending changes, a plan says *may change* for obstacles on the present machine: an id
/// that still belongs to another group, or a group that still has users.
#[derive(Debug, Preparer)]
#[preparer(name = "user.group", task = Group, validate, footprint, lock = "accounts", example = "example.hcl")]
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
    /// The new name of the group: `name` is renamed to it.
    ///
    /// If a group of this name exists and none named `name`, the rename has happened already. If neither
    /// exists, the group is created with the new name.
    #[hcl(
        nonempty,
        manages = "group",
        pattern = "^([^-+~:,/\\s][^:,/\\s]*)?$",
        expects = "the name of a group: it has no spaces and none of : , / and does not begin with - + ~"
    )]
    new_name: Option<String>,
    /// Id of the group.
    ///
    /// Without it, a new group gets a free id, and an existing group keeps its own. With `state = "absent"`,
    /// the group is removed only if it has this id. When the id changes, files of the group keep the old id;
    /// `file.owner` gives them the new one.
    #[hcl(max = 4_294_967_294)]
    gid: Option<u32>,
    /// Whether a new group gets an id from the range for system groups. An existing group keeps its id.
    #[hcl(default)]
    system: bool,
    /// Users who are supplementary members of the group.
    ///
    /// They must exist. Other members stay unless `exact` is set. Without this field, members are not
    /// managed.
    #[hcl(needs = "user:name")]
    members: Option<Vec<String>>,
    /// Whether all other members are removed.
    #[hcl(default, requires = "members")]
    exact: bool,
    /// Whether the group is to exist. The primary group of a user cannot be removed.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl HasFootprint for GroupPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        if !self.state.is_present() {
            return;
        }
        footprint.covers |= self.exact;
        if let Some(gid) = self.gid {
            footprint.sets("group_id", &gid.to_string(), &self.name);
        }
        for member in self.members.iter().flatten() {
            footprint.ensures(MEMBER, &format!("{}/{member}", self.name));
        }
    }
}

impl Validate for GroupPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let errors = name_errors("members", "user", self.members.as_deref().unwrap_or_default());
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl Resource for GroupPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Group> {
        let Self { name, new_name, gid, system, members, exact, state } = self;
        Ok(Group::new(name, new_name, DeclaredGroup { gid, system, members, exact }, state))
    }
}
