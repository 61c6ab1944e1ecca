//! Footprints: what on the machine a resource manages, needs, and touches beside that.
//!
//! The loader makes the edges that follow from them and refuses what contradicts itself; the engine reads off them what a
//! plan can be sure of. A footprint is data: it is made from the values of a resource and looks at nothing else.

mod claim;
mod fields;
mod image;
mod kinds;
mod names;
mod path;
#[cfg(test)]
mod tests;
mod thing;

pub use claim::{Claim, Footprint};
pub use kinds::{aspect, kind};
pub use names::Names;
pub use thing::Thing;

pub use crate::types::schema::{FootprintRule, NameSource, NamesFn, Reach, Verb};
