//! From a checked definition to the code of its traits, or from a wrong one to its errors and a stub that keeps the
//! compiler from adding its own.
//!
//! Every path begins with `::`, and every local name is made by [`local`], so nothing in the author's module
//! can change what the code means.

pub(crate) mod block;
pub(crate) mod enums;
pub(crate) mod export;
mod fields;
pub(crate) mod preparer;
#[cfg(test)]
mod tests;
pub(crate) mod text;
mod value;

use proc_macro2::{Ident, Span};

/// A local name that does not meet one of the author's.
///
/// Hygiene keeps local variables apart, but a constant of the same name would still turn a binding into a
/// pattern; hence the underscores.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(&format!("__{name}"), Span::mixed_site())
}
