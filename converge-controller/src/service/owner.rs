//! Checks of owners.

use crate::identity::{Id, Tenancy};
use crate::storage::Consistency;

use super::client::Client;
use super::error::{InvalidArgument, OwnerProblem, ServiceError};
use super::tenancy::{complete, defaults_of};

impl Client {
    /// Returns the owner that a resource names, with the complete tenancy.
    ///
    /// Only the names are checked, and for an unregistered type there is nothing to check. A resource can
    /// have such an owner from a time when the type was registered.
    pub(super) fn resolve_owner(&self, owner: &Id, child: &Id) -> Result<Id, InvalidArgument> {
        let Ok(registration) = self.service.registration(&owner.resource_type) else {
            return Ok(owner.clone());
        };
        let defaults = defaults_of(&child.tenancy, self.defaults());
        let tenancy = complete(registration.scope, &owner.resource_type, &owner.tenancy, &defaults)?;
        let owner = Id { tenancy, ..owner.clone() };
        let problem = if same_name(&owner, child) {
            OwnerProblem::Itself
        } else if !reaches(&owner.tenancy, &child.tenancy) {
            OwnerProblem::Tenancy
        } else {
            return Ok(owner);
        };
        Err(refused(owner, problem))
    }

    /// Returns the owner of a new resource, with its uid.
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

/// Returns whether both name the same resource, ignoring the version of the type and the uid.
pub(super) fn same_name(left: &Id, right: &Id) -> bool {
    left.name == right.name
        && left.tenancy == right.tenancy
        && left.resource_type.group == right.resource_type.group
        && left.resource_type.kind == right.resource_type.kind
}

/// Returns whether a resource in `owner` may own one in `child`, which must be equal or a part of it.
fn reaches(owner: &Tenancy, child: &Tenancy) -> bool {
    match owner {
        Tenancy::Cluster => true,
        Tenancy::Partition(partition) => child.partition() == Some(partition),
        Tenancy::Namespace(..) => owner == child,
    }
}
