//! Labels, and who runs them.

use converge_controller::validation::{Cause, Invalid};
use converge_controller::{StoredResource, Typed};

/// Who pays for music.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v1", scope = partition, validate = RecordLabel::check)]
pub struct RecordLabel {
    /// What it is called.
    #[stored(tag = 1)]
    pub name: String,
    /// What it is known for.
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

/// Who runs a label, which owns them.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v1", scope = partition, validate = Executive::check)]
pub struct Executive {
    /// What they do there.
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
