//! Checks of tenancies against the scope of a type.

use crate::debug_as_text;
use crate::identity::name::{Namespace, Partition};
use crate::identity::resource_type::Type;
use crate::identity::scope::{Scope, Unit};
use crate::identity::tenancy::{Tenancy, TenancyPattern, WILDCARD};

#[cfg(test)]
mod tests;

/// The error of a tenancy that does not fit the scope of a type.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// The tenancy has a unit that the type does not use.
    #[error("{scope} scoped resource {resource_type} cannot have a {unit}, got {got:?}")]
    Unexpected {
        /// The scope of the type.
        scope: Scope,
        /// The type.
        resource_type: Type,
        /// The largest extra unit.
        unit: Unit,
        /// The name of the unit.
        got: String,
    },
    /// The tenancy lacks a unit that the type uses.
    #[error("{scope} scoped resource {resource_type} needs a {unit}")]
    Missing {
        /// The scope of the type.
        scope: Scope,
        /// The type.
        resource_type: Type,
        /// The largest missing unit.
        unit: Unit,
    },
}

debug_as_text!(ScopeError);

impl Scope {
    /// Checks that a resource of a type with this scope may have a tenancy.
    ///
    /// ```
    /// use converge_controller::{Scope, Tenancy, Type};
    ///
    /// let node: Type = "demo.v1.Node".parse()?;
    /// let tenancy = Tenancy::from_units("eu", "web")?;
    /// assert_eq!(
    ///     Scope::Partition.admit(&node, &tenancy).unwrap_err().to_string(),
    ///     "partition scoped resource demo.v1.Node cannot have a namespace, got \"web\""
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the tenancy has an extra unit, or lacks one.
    pub fn admit(self, resource_type: &Type, tenancy: &Tenancy) -> Result<(), ScopeError> {
        let partition = tenancy.partition().map(Partition::as_str);
        let namespace = tenancy.namespace().map(Namespace::as_str);
        self.admit_units(resource_type, partition, namespace)
    }

    /// Checks that resources of a type with this scope may be listed by a pattern.
    ///
    /// `*` is accepted for every unit, also for one that the type does not use: it then matches all of its
    /// resources.
    ///
    /// # Errors
    ///
    /// Fails if the pattern has an extra unit that is not `*`, or lacks one.
    pub fn admit_pattern(self, resource_type: &Type, pattern: &TenancyPattern) -> Result<(), ScopeError> {
        let [partition, namespace] = pattern.units();
        self.admit_units(resource_type, partition, namespace)
    }

    fn admit_units(
        self,
        resource_type: &Type,
        partition: Option<&str>,
        namespace: Option<&str>,
    ) -> Result<(), ScopeError> {
        for (unit, actual) in [(Unit::Partition, partition), (Unit::Namespace, namespace)] {
            match (self.uses(unit), actual) {
                (false, Some(got)) if got != WILDCARD => {
                    let (resource_type, actual) = (resource_type.clone(), got.to_owned());
                    return Err(ScopeError::Unexpected { scope: self, resource_type, unit, got: actual });
                }
                (true, None) => {
                    let resource_type = resource_type.clone();
                    return Err(ScopeError::Missing { scope: self, resource_type, unit });
                }
                (true, Some(_)) | (false, _) => {}
            }
        }
        Ok(())
    }

    /// Returns the tenancy of this scope in which every unit is `default`.
    pub fn default_tenancy(self) -> Tenancy {
        match self {
            Self::Cluster => Tenancy::Cluster,
            Self::Partition => Tenancy::Partition(Partition::default()),
            Self::Namespace => Tenancy::Namespace(Partition::default(), Namespace::default()),
        }
    }
}
