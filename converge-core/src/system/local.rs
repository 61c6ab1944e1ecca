//! The machine that this process runs on.
/// The machine that this process runs on.
#[derive(Debug)]
pub struct LocalSystem;
