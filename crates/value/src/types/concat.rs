//! Texts that are put together of parts.

use std::sync::Arc;

/// A text of these parts. There are several for each resource of a module, paths and names, and nearly all are short: they are put
/// together where no memory has to be asked for.
#[doc(hidden)]
pub fn joined<const N: usize>(parts: [&str; N]) -> Arc<str> {
    let mut short = [0; 120];
    let mut rest = short.as_mut_slice();
    for part in parts {
        let Some((here, after)) = rest.split_at_mut_checked(part.len()) else {
            return parts.concat().into();
        };
        here.copy_from_slice(part.as_bytes());
        rest = after;
    }
    let left = rest.len();
    match std::str::from_utf8(&short[..short.len() - left]) {
        Ok(text) => text.into(),
        Err(_) => parts.concat().into(),
    }
}
