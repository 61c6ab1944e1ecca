//! What a module is loaded for.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To be run, so every parameter needs a value.
    Run,
    /// To be looked at.
    Inspect,
}
