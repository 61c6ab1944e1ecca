//! Resources that check or show values and never look at the machine.

pub mod assert;
pub mod message;
