//! Concatenation of texts.

use std::sync::Arc;

/// Concatenates texts into one shared text.
///
/// A module needs several of these for each resource, as paths and names, and nearly all are short. Short
/// texts are therefore joined on the stack, without a temporary allocation.
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
