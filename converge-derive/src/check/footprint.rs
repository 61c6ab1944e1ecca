//! What a field may say about the footprint of its resource.

use super::field::HclField;
use crate::attr::FootprintName;
use crate::error_collector::Ctxt;

pub(super) fn check(cx: &Ctxt, field: &HclField<'_>) {
    for attr in &field.attrs.footprint {
        match &attr.name {
            // Names of things are shown: wherever the footprint is.
            FootprintName::Own if field.attrs.sensitive.is_some() => {
                cx.error(
                    &attr.literal,
                    "what is sensitive cannot name a thing, as names of things are shown",
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
