//! Labels and their executives.

use converge_controller::validation::{Cause, Invalid};
use converge_controller::{StoredResource, Typed};

/// A record label, which pays for music.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v1", scope = partition, validate = RecordLabel::check)]
pub struct RecordLabel {
    /// The name of the label.
    #[stored(tag = 1)]
    pub name: String,
    /// A description of the label.
    #[stored(tag = 2)]
    pub description: String,
}

impl RecordLabel {
    fn check(label: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("name").require(!label.name.is_empty(), Cause::Empty);
        invalid.finish()
    }
}

/// An executive, who runs a label and is owned by it.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v1", scope = partition, validate = Executive::check)]
pub struct Executive {
    /// The position in the label.
    #[stored(tag = 1)]
    pub position: String,
}

impl Executive {
    fn check(executive: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("position").require(!executive.position.is_empty(), Cause::Empty);
        invalid.owner_type(executive.owner(), &[RecordLabel::resource_type()]);
        invalid.finish()
    }
}
