//! Checks of the footprint attributes of a field.

use super::field::HclField;
use crate::attr::FootprintName;
use crate::error_collector::Ctxt;

pub(super) fn check(cx: &Ctxt, field: &HclField<'_>) {
    for attr in &field.attrs.footprint {
        match &attr.name {
            // Footprints are shown, so a sensitive value must not be a name.
            FootprintName::Own if field.attrs.sensitive.is_some() => {
                cx.error(
                    &attr.literal,
                    "a sensitive field cannot name a thing, because names of things are shown",
                );
            }
            FootprintName::Field(other) if *other == field.name => {
                let message = format!("a field names its things itself: leave out ` of {other}`");
                cx.error(&attr.literal, message);
            }
            _ => {}
        }
    }
}
