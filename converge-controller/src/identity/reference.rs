//! References from one resource to another.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Id, Name, Tenancy, Type};

/// A reference from one resource to another, or to a part of it.
///
/// It is an [`Id`] without uid, so that it always means the resource that has the name now.
///
/// References are ordered by type, tenancy, name and section.
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
    /// The type of the resource.
    #[serde(rename = "type")]
    pub resource_type: Type,
    /// The tenancy of the resource.
    pub tenancy: Tenancy,
    /// The name of the resource.
    pub name: Name,
    /// The part of the resource; empty for the whole.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub section: String,
}

impl Reference {
    /// Returns whether the reference means this resource, ignoring the uid and the section.
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
    /// Converts a reference to an identity without the section.
    fn from(reference: Reference) -> Self {
        Self::new(reference.resource_type, reference.tenancy, reference.name)
    }
}

impl fmt::Display for Reference {
    /// Writes the reference like an [`Id`], then the section, if any, after `#`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = Id::new(self.resource_type.clone(), self.tenancy.clone(), self.name.clone());
        write!(f, "{id}")?;
        if !self.section.is_empty() {
            write!(f, "#{}", self.section)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(resource_type: &str, units: (&str, &str), name: &str, section: &str) -> Reference {
        Reference {
            resource_type: resource_type.parse().expect("a type"),
            tenancy: Tenancy::from_units(units.0, units.1).expect("a tenancy"),
            name: name.parse().expect("a name"),
            section: section.to_owned(),
        }
    }

    #[test]
    fn each_part_but_uid_and_section_says_what_is_meant() {
        let korn = reference("demo.v2.Artist", ("eu", "web"), "korn", "part");
        let id = Id::from(korn.clone());
        assert!(korn.means(&id) && korn.means(&id.clone().with_uid(crate::Uid::from_bits(1))));
        let others = [
            reference("demo.v2.Album", ("eu", "web"), "korn", "part"),
            reference("demo.v1.Artist", ("eu", "web"), "korn", "part"),
            reference("other.v2.Artist", ("eu", "web"), "korn", "part"),
            reference("demo.v2.Artist", ("eu", "db"), "korn", "part"),
            reference("demo.v2.Artist", ("us", "web"), "korn", "part"),
            reference("demo.v2.Artist", ("eu", "web"), "tool", "part"),
        ];
        for other in &others {
            assert!(!other.means(&id) && *other != korn, "{other}");
        }
        let of_another_part = reference("demo.v2.Artist", ("eu", "web"), "korn", "other");
        assert!(of_another_part.means(&id) && of_another_part != korn);
    }

    #[test]
    fn references_have_an_order_part_by_part() {
        // Some texts are prefixes of others: an order of joined texts would be wrong for these.
        const TEXTS: [&str; 3] = ["aa", "aaa", "bb"];
        let mut sorted = Vec::new();
        for group in TEXTS {
            for version in ["v1", "v2"] {
                for kind in ["Aa", "Aaa"] {
                    for partition in TEXTS {
                        for namespace in TEXTS {
                            for name in TEXTS {
                                for section in ["", "a", "b"] {
                                    let resource_type = format!("{group}.{version}.{kind}");
                                    let units = (partition, namespace);
                                    sorted.push(reference(&resource_type, units, name, section));
                                }
                            }
                        }
                    }
                }
            }
        }
        let mut mixed = sorted.clone();
        fastrand::Rng::with_seed(7).shuffle(&mut mixed);
        assert_ne!(mixed, sorted);
        mixed.sort();
        assert_eq!(mixed, sorted);
    }
}
