//! The purpose of a load.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The module will be run, so every parameter needs a value.
    Run,
    /// The module is only inspected.
    Inspect,
}
