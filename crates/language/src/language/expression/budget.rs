//! The work limit of constant expressions at load time.

/// The maximum number of steps of a constant part that is evaluated while its module is loaded.
///
/// A constant that takes more is evaluated together with the parts that are not constant.
#[doc(hidden)]
pub const MAX_CONSTANT_STEPS: u32 = 1 << 12;
