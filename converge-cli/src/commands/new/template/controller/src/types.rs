//! What somebody may want.

use converge_controller::registry::Cause as Failure;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{StoredResource, Typed};

#[cfg(test)]
mod tests;

/// How many parts there can be.
const MOST_PARTS: u32 = 100;
/// Room for the `-99` that the name of a part has after that of its owner: names have 63 characters at most.
const LONGEST_NAME: usize = 60;

/// How many parts there should be.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(
    group = "sample_crate",
    version = "v1",
    scope = namespace,
    validate = SampleKind::check,
    mutate = SampleKind::fill_in
)]
pub struct SampleKind {
    /// How many; 1 where nothing is said.
    #[stored(tag = 1)]
    pub parts: Option<u32>,
}

impl SampleKind {
    /// Says everything that is wrong with a resource by itself. Whether it fits the others is for the controller to say.
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

    /// Fills in what was left out. A second time it changes nothing.
    fn fill_in(resource: &mut Typed<Self>) -> Result<(), Failure> {
        resource.parts.get_or_insert(1);
        Ok(())
    }
}

/// One of the parts of a [`SampleKind`], which owns it. The controller makes it.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "sample_crate", version = "v1", scope = namespace, validate = SampleKindPart::check)]
pub struct SampleKindPart {
    /// Which one, from 0.
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
