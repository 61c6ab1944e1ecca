//! Completion of tenancies, and checks that they exist.

use crate::authorize::TenancyDefaults;
use crate::builtin_types;
use crate::identity::{
    Id, Name, Namespace, Partition, Scope, ScopeError, Selector, Tenancy, TenancyPattern, Type, Unit,
};
use crate::registry::StoredResource as _;
use crate::resource::Resource;
use crate::storage::{Backend, Consistency, RequirementState, Transaction, Unavailable};

use super::error::InvalidArgument;

/// Returns the tenancy with omitted units filled in, as far as the type uses them.
///
/// # Errors
///
/// Fails if the tenancy has a unit that the type does not use.
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

/// Returns the pattern with omitted units filled in, as far as the type uses them.
///
/// # Errors
///
/// Fails if the pattern has a unit that the type does not use.
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

/// Returns the pattern of all tenancies of a scope.
pub(super) fn any(scope: Scope) -> TenancyPattern {
    match scope {
        Scope::Cluster => TenancyPattern::Cluster,
        Scope::Partition => TenancyPattern::Partition(Selector::Any),
        Scope::Namespace => TenancyPattern::Namespace(Selector::Any, Selector::Any),
    }
}

/// Returns the default namespace in a partition.
///
/// The namespace of the caller applies only to its own partition; a namespace with the same name elsewhere
/// would be a coincidence.
fn namespace_in(partition: &Partition, defaults: &TenancyDefaults) -> Namespace {
    if *partition == defaults.partition { defaults.namespace.clone() } else { Namespace::default() }
}

/// Returns the defaults for resources that are mentioned by one with this tenancy.
pub(super) fn defaults_of(tenancy: &Tenancy, caller: &TenancyDefaults) -> TenancyDefaults {
    let partition = tenancy.partition().unwrap_or(&caller.partition).clone();
    let namespace = tenancy.namespace().cloned().unwrap_or_else(|| namespace_in(&partition, caller));
    TenancyDefaults { partition, namespace }
}

/// A partition or namespace that contains a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TenancyUnit {
    pub(super) unit: Unit,
    /// The identity of the partition or namespace.
    pub(super) id: Id,
}

impl TenancyUnit {
    /// Returns the units that must exist for a resource with this tenancy, except for the default ones.
    pub(super) fn for_tenancy(tenancy: &Tenancy) -> Vec<Self> {
        let mut units = Vec::new();
        let Some(partition) = tenancy.partition() else { return units };
        let in_default = *partition == Partition::default();
        if !in_default {
            units.extend(Self::new(Unit::Partition, partition.as_str(), Tenancy::Cluster));
        }
        if let Some(namespace) = tenancy.namespace()
            && !(in_default && *namespace == Namespace::default())
        {
            let partition_tenancy = Tenancy::Partition(partition.clone());
            units.extend(Self::new(Unit::Namespace, namespace.as_str(), partition_tenancy));
        }
        units
    }

    fn new(unit: Unit, name: &str, tenancy: Tenancy) -> Option<Self> {
        // The rule of partitions and namespaces is that of names.
        let id_name: Name = name.parse().ok()?;
        Some(Self { unit, id: Id::new(type_of(unit).clone(), tenancy, id_name) })
    }

    /// Returns the error for a unit that does not exist, or that is being deleted.
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

    /// Returns the reason why a transaction that needs these units cannot happen.
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

    /// Adds the requirements that these units exist and are not being deleted.
    pub(super) fn require(units: &[Self], transaction: Transaction) -> Transaction {
        units.iter().fold(transaction, |transaction, unit| {
            transaction.require(unit.id.clone(), RequirementState::NotMarkedForDeletion)
        })
    }
}

/// Returns the resource type of a kind of unit.
fn type_of(unit: Unit) -> &'static Type {
    match unit {
        Unit::Partition => builtin_types::Partition::resource_type(),
        Unit::Namespace => builtin_types::Namespace::resource_type(),
    }
}
