//! The resource types of the controller.

use converge_controller::registry::Cause as Failure;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{StoredResource, Typed};

#[cfg(test)]
mod tests;

/// The maximum number of parts.
const MOST_PARTS: u32 = 100;
/// The maximum length of a name in characters.
///
/// It leaves room for the `-99` that the name of a part adds to that of its owner: names have at most 63
/// characters.
const LONGEST_NAME: usize = 60;

/// The number of parts that there should be.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(
    group = "sample_crate",
    version = "v1",
    scope = namespace,
    validate = SampleKind::check,
    mutate = SampleKind::fill_in
)]
pub struct SampleKind {
    /// The number of parts; 1 by default.
    #[stored(tag = 1)]
    pub parts: Option<u32>,
}

impl SampleKind {
    /// Reports everything that is wrong with a resource by itself.
    ///
    /// The controller checks whether the resource fits the others.
    fn check(resource: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        let (name, parts) = (resource.id().name.as_str(), resource.parts);
        invalid.field("id").field("name").require(
            name.len() <= LONGEST_NAME,
            format!("is longer than {LONGEST_NAME} characters"),
        );
        invalid.field("parts").require(
            parts.is_none_or(|parts| parts <= MOST_PARTS),
            format!("is more than {MOST_PARTS}"),
        );
        invalid.finish()
    }

    /// Sets defaults; a second call changes nothing.
    fn fill_in(resource: &mut Typed<Self>) -> Result<(), Failure> {
        resource.parts.get_or_insert(1);
        Ok(())
    }
}

/// A part of a [`SampleKind`], which owns it.
///
/// The controller creates it.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "sample_crate", version = "v1", scope = namespace, validate = SampleKindPart::check)]
pub struct SampleKindPart {
    /// The index of the part, from 0.
    #[stored(tag = 1)]
    pub number: u32,
}

impl SampleKindPart {
    fn check(part: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid
            .field("owner")
            .require(part.owner().is_some(), Cause::Missing);
        invalid.owner_type(part.owner(), &[SampleKind::resource_type()]);
        invalid.finish()
    }
}
