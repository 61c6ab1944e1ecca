//! From a checked definition to the code of its traits.
//!
//! Every path begins with `::`, and every local name is of mixed-site hygiene, so nothing in the author's
//! module can change what the code means.

pub(crate) mod block;
pub(crate) mod enums;
pub(crate) mod export;
mod fields;
pub(crate) mod preparer;
#[cfg(test)]
mod tests;

use proc_macro2::{Ident, Span};

/// A local name that cannot meet one of the author's.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
