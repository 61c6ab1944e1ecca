//! Code generation: trait implementations for valid definitions, errors and stubs for others.
//!
//! A stub prevents further errors of the compiler. Every path begins with `::`, and every local name is made
//! by [`local`], so that names in the author's module cannot change the meaning of the code.

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

/// Returns a local name that does not collide with a name of the author.
///
/// Hygiene separates local variables, but a constant with the same name would turn a binding into a pattern.
/// The underscores prevent that.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(&format!("__{name}"), Span::mixed_site())
}
