//! Footprints: what on the machine a resource manages, needs, and touches beside that.
//!
//! One description for all types, which documents show and programs may ask for. A footprint is data: it is made from the
//! values of a resource and looks at nothing else.

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
pub use claim::{Claim, Footprint};
#[doc(hidden)]
pub use fields::is_set_to_value;
pub use kinds::{aspect, kind};
pub use names::Names;
pub use thing::Thing;

pub use crate::types::schema::{FootprintRule, NameSource, NamesFn, Reach, Verb};
