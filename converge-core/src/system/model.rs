//! A machine in memory.
/// A machine in memory.
#[derive(Debug)]
pub struct ModelSystem;
