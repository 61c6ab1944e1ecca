//! Footprints: the things on the machine that a resource manages, needs and touches.
//!
//! One form serves all types, for documentation and for programs. A footprint is data that is made from the
//! values of a resource alone.

mod claim;
mod fields;
mod image;
mod kinds;
mod names;
mod path;
#[cfg(test)]
mod tests;
mod thing;

#[doc(hidden)]
pub use claim::overlap;
pub use claim::{Claim, ClaimedState, Footprint};
#[doc(hidden)]
pub use fields::is_set_to_value;
pub use kinds::{aspect, kind};
pub use names::Names;
pub use thing::Thing;

pub use crate::types::schema::{FootprintRule, NameSource, NamesFn, Reach, Verb};
