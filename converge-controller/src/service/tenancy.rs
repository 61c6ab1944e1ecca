//! The tenancy of what is asked for: filled in, and there.

use crate::authorize::TenancyDefaults;
use crate::builtin_types;
use crate::identity::{
    Id, Name, Namespace, Partition, Scope, ScopeError, Selector, Tenancy, TenancyPattern, Type, Unit,
};
use crate::registry::StoredResource as _;
use crate::resource::Resource;
use crate::storage::{Backend, Consistency, RequirementState, Transaction, Unavailable};

use super::error::InvalidArgument;

/// The tenancy with the units that the type uses and that were left out.
///
/// # Errors
///
/// It has a unit that the type does not use.
pub(super) fn complete(
    scope: Scope,
    resource_type: &Type,
    tenancy: &Tenancy,
    defaults: &TenancyDefaults,
) -> Result<Tenancy, ScopeError> {
    if tenancy.scope() > scope {
        scope.admit(resource_type, tenancy)?;
    }
    let partition = || tenancy.partition().unwrap_or(&defaults.partition).clone();
    Ok(match scope {
        Scope::Cluster => Tenancy::Cluster,
        Scope::Partition => Tenancy::Partition(partition()),
        Scope::Namespace => {
            let partition = partition();
            let namespace = tenancy.namespace().cloned();
            Tenancy::Namespace(
                partition.clone(),
                namespace.unwrap_or_else(|| namespace_in(&partition, defaults)),
            )
        }
    })
}

/// The pattern with the units that the type uses and that were left out.
///
/// # Errors
///
/// It has a unit that the type does not use.
pub(super) fn complete_pattern(
    scope: Scope,
    resource_type: &Type,
    pattern: &TenancyPattern,
    defaults: &TenancyDefaults,
) -> Result<TenancyPattern, ScopeError> {
    if pattern.scope() > scope {
        scope.admit_pattern(resource_type, pattern)?;
    }
    let partition = match pattern {
        TenancyPattern::Cluster => Selector::Only(defaults.partition.clone()),
        TenancyPattern::Partition(partition) | TenancyPattern::Namespace(partition, _) => partition.clone(),
    };
    Ok(match (scope, pattern) {
        (Scope::Cluster, _) => TenancyPattern::Cluster,
        (Scope::Partition, _) => TenancyPattern::Partition(partition),
        (Scope::Namespace, TenancyPattern::Namespace(_, namespace)) => {
            TenancyPattern::Namespace(partition, namespace.clone())
        }
        (Scope::Namespace, _) => {
            let namespace = match &partition {
                Selector::Only(partition) => namespace_in(partition, defaults),
                Selector::Any => Namespace::default(),
            };
            TenancyPattern::Namespace(partition, Selector::Only(namespace))
        }
    })
}

/// Every tenancy that resources of a scope may have.
pub(super) fn any(scope: Scope) -> TenancyPattern {
    match scope {
        Scope::Cluster => TenancyPattern::Cluster,
        Scope::Partition => TenancyPattern::Partition(Selector::Any),
        Scope::Namespace => TenancyPattern::Namespace(Selector::Any, Selector::Any),
    }
}

/// The namespace of a caller is one of its partition; in another one a namespace of that name would be chance.
fn namespace_in(partition: &Partition, defaults: &TenancyDefaults) -> Namespace {
    if *partition == defaults.partition { defaults.namespace.clone() } else { Namespace::default() }
}

/// What another resource means where it names no tenancy: that of the one that mentions it.
pub(super) fn defaults_of(tenancy: &Tenancy, caller: &TenancyDefaults) -> TenancyDefaults {
    let partition = tenancy.partition().unwrap_or(&caller.partition).clone();
    let namespace = tenancy.namespace().cloned().unwrap_or_else(|| namespace_in(&partition, caller));
    TenancyDefaults { partition, namespace }
}

/// A partition or a namespace in which a resource is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TenancyUnit {
    pub(super) unit: Unit,
    /// The resource that stands for it.
    pub(super) id: Id,
}

impl TenancyUnit {
    /// The units that have to exist for a resource of a tenancy. Those that are called `default` are always there.
    pub(super) fn of(tenancy: &Tenancy) -> Vec<Self> {
        let mut units = Vec::new();
        let Some(partition) = tenancy.partition() else { return units };
        let in_default = *partition == Partition::default();
        if !in_default {
            units.extend(Self::new(Unit::Partition, partition.as_str(), Tenancy::Cluster));
        }
        if let Some(namespace) = tenancy.namespace()
            && !(in_default && *namespace == Namespace::default())
        {
            let of = Tenancy::Partition(partition.clone());
            units.extend(Self::new(Unit::Namespace, namespace.as_str(), of));
        }
        units
    }

    fn new(unit: Unit, name: &str, tenancy: Tenancy) -> Option<Self> {
        // The rule of a partition and of a namespace is that of a name.
        let id_name: Name = name.parse().ok()?;
        Some(Self { unit, id: Id::new(type_of(unit).clone(), tenancy, id_name) })
    }

    /// The refusal for a unit that is not there, or is going.
    fn refusal(&self, stored: Option<&Resource>) -> Option<InvalidArgument> {
        let (unit, id) = (self.unit, || Box::new(self.id.clone()));
        match stored {
            None => Some(InvalidArgument::NoSuchTenancy { unit, id: id() }),
            Some(stored) if stored.metadata.is_marked_for_deletion() => {
                Some(InvalidArgument::TenancyGoes { unit, id: id() })
            }
            Some(_) => None,
        }
    }

    /// Why a transaction that needs these units cannot happen, if it cannot.
    pub(super) async fn problem(
        backend: &dyn Backend,
        units: &[Self],
    ) -> Result<Option<InvalidArgument>, Unavailable> {
        for unit in units {
            let stored = backend.find(&unit.id, Consistency::Strong).await?;
            if let Some(refusal) = unit.refusal(stored.as_deref()) {
                return Ok(Some(refusal));
            }
        }
        Ok(None)
    }

    /// A transaction that happens only while these units are there, and stay.
    pub(super) fn require(units: &[Self], transaction: Transaction) -> Transaction {
        units.iter().fold(transaction, |transaction, unit| {
            transaction.require(unit.id.clone(), RequirementState::NotMarkedForDeletion)
        })
    }
}

/// The type of the resources that stand for a unit.
fn type_of(unit: Unit) -> &'static Type {
    match unit {
        Unit::Partition => builtin_types::Partition::resource_type(),
        Unit::Namespace => builtin_types::Namespace::resource_type(),
    }
}
