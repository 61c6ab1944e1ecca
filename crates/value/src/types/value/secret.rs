//! A wrapper for values that must not be shown.

use std::fmt;

pub use crate::redact::REDACTED;

/// A wrapper for a value that no output may show.
///
/// The wrapper has no `Display` and no `Serialize`, so a secret in a message is a compile error. `Debug`
/// prints `(sensitive)`. Reading the value requires an explicit call.
///
/// ```
/// use converge_core::value::Secret;
///
/// let password = Secret::new("hunter2".to_owned());
/// assert_eq!(format!("{password:?}"), "(sensitive)");
/// assert_eq!(password.expose(), "hunter2");
/// ```
///
/// ```compile_fail
/// let password = converge_core::value::Secret::new("hunter2");
/// println!("{password}");
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Wraps a value.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the value; the caller must keep it out of all output.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// Unwraps the value.
    pub fn into_exposed(self) -> T {
        self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}
