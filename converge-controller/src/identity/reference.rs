//! What one resource says to mean another.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Id, Name, Tenancy, Type};

/// What one resource says to mean another: an [`Id`] without uid, so that it goes on meaning whichever resource has
/// the name, and perhaps a part of the resource.
///
/// References are in order, by type, tenancy, name and section.
///
/// ```
/// use converge_controller::{Id, Reference, Scope};
///
/// let korn = Id::new("demo.v2.Artist".parse()?, Scope::Namespace.default_tenancy(), "korn".parse()?);
/// let reference = Reference::from(korn.clone().with_uid("01ARZ3NDEKTSV4RRFFQ69G5FAV".parse()?));
/// assert!(reference.means(&korn));
/// assert_eq!(reference.to_string(), "demo.v2.Artist/default/default/korn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// What it is.
    #[serde(rename = "type")]
    pub resource_type: Type,
    /// Whose it is.
    pub tenancy: Tenancy,
    /// What it is called.
    pub name: Name,
    /// The part of it that is meant; empty for the whole.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub section: String,
}

impl Reference {
    /// Whether it means this resource, whichever uid that has. The section does not matter.
    pub fn means(&self, id: &Id) -> bool {
        self.resource_type == id.resource_type && self.tenancy == id.tenancy && self.name == id.name
    }
}

impl From<Id> for Reference {
    fn from(id: Id) -> Self {
        Self { resource_type: id.resource_type, tenancy: id.tenancy, name: id.name, section: String::new() }
    }
}

impl From<Reference> for Id {
    /// The section is left out.
    fn from(reference: Reference) -> Self {
        Self::new(reference.resource_type, reference.tenancy, reference.name)
    }
}

impl fmt::Display for Reference {
    /// As an [`Id`] is shown, then the section, if any, after `#`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = Id::new(self.resource_type.clone(), self.tenancy.clone(), self.name.clone());
        write!(f, "{id}")?;
        if !self.section.is_empty() {
            write!(f, "#{}", self.section)?;
        }
        Ok(())
    }
}
