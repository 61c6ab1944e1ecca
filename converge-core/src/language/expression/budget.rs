//! What an expression pays for.

/// Steps of a constant part that is evaluated while its module is read. What takes more is evaluated with what is not constant.
pub(crate) const MAX_CONSTANT_STEPS: u32 = 1 << 12;
