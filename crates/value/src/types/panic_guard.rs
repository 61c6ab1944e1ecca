//! Protection against panics in code of authors.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs code of an author and returns the message if it panics.
///
/// Callers pass only data that may be left inconsistent, because it is dropped after a panic.
#[doc(hidden)]
pub fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| panic_message(&*panic))
}

#[doc(hidden)]
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("for an unknown reason").to_owned()
}
