//! What owns a resource.

use crate::identity::{Id, Tenancy};
use crate::storage::Consistency;

use super::client::Client;
use super::error::{InvalidArgument, OwnerProblem, ServiceError};
use super::tenancy::{complete, defaults_of};

impl Client {
    /// The owner that a resource names, with the whole tenancy. Only what the names say is checked; of a type that is not
    /// registered they say nothing. Such an owner may be that of a resource since the type was registered.
    pub(super) fn resolve_owner(&self, owner: &Id, of: &Id) -> Result<Id, InvalidArgument> {
        let Ok(registration) = self.service.registration(&owner.resource_type) else {
            return Ok(owner.clone());
        };
        let defaults = defaults_of(&of.tenancy, self.defaults());
        let tenancy = complete(registration.scope, &owner.resource_type, &owner.tenancy, &defaults)?;
        let owner = Id { tenancy, ..owner.clone() };
        let problem = if same_name(&owner, of) {
            OwnerProblem::Itself
        } else if !reaches(&owner.tenancy, &of.tenancy) {
            OwnerProblem::Tenancy
        } else {
            return Ok(owner);
        };
        Err(refused(owner, problem))
    }

    /// The owner of a resource that is to be created, with its uid.
    pub(super) async fn existing_owner(&self, owner: &Id) -> Result<Id, ServiceError> {
        self.service.registration(&owner.resource_type)?;
        let stored = self.backend().find(owner, Consistency::Strong).await?;
        let missing = || refused(owner.clone(), OwnerProblem::Missing);
        Ok(stored.ok_or_else(missing)?.id.clone())
    }
}

pub(super) fn refused(owner: Id, problem: OwnerProblem) -> InvalidArgument {
    InvalidArgument::Owner { owner: Some(Box::new(owner)), problem }
}

/// Whether both name the same resource, in whichever version of the group and with whichever uid.
pub(super) fn same_name(one: &Id, other: &Id) -> bool {
    one.name == other.name
        && one.tenancy == other.tenancy
        && one.resource_type.group == other.resource_type.group
        && one.resource_type.kind == other.resource_type.kind
}

/// Whether what has one tenancy may own what has the other: the same, or a part of it.
fn reaches(owner: &Tenancy, child: &Tenancy) -> bool {
    match owner {
        Tenancy::Cluster => true,
        Tenancy::Partition(partition) => child.partition() == Some(partition),
        Tenancy::Namespace(..) => owner == child,
    }
}
