//! A value that must not be shown.

use std::fmt;

pub use crate::redact::REDACTED;

/// Holds a value that no output may show.
///
/// There is no `Display` and no `Serialize`, so putting a secret into a message is a compile error;
/// `Debug` prints `(sensitive)`. Reading the value takes a call that says what it does.
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

    /// The value itself. What the caller does with it is the caller's responsibility.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// The value itself, out of its wrapper.
    pub fn into_exposed(self) -> T {
        self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}
