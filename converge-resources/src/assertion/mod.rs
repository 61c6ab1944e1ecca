//! What asks and tells: nothing here looks at the machine.

pub mod assert;
pub mod message;
