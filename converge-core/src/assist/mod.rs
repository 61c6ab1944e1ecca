//! What a module means at a place in its text, for editors.
//!
//! [`Workspace`] has the files as they are now and answers questions about places in them; [`fixes`] reads off a diagnostic how the
//! mistake is mended. Diagnostics themselves are what a [`Loader`](crate::load::Loader) says, which finds the files as they are
//! here by [`Workspace::sources`].
//!
//! A text is read once for all questions about it: `index` has what it declares, and which names it uses. What is being typed has no
//! place in a tree, so what is around it is found by the tokens before it (`cursor`), and what it is in the words of the schemas
//! (`scope`).

mod complete;
mod cursor;
mod fixes;
mod hover;
mod index;
mod name_uses;
mod navigate;
mod params_file;
mod rename;
mod resolve;
mod scope;
mod template;
#[cfg(test)]
mod tests;
mod workspace;

pub use complete::{Completion, CompletionKind, Completions};
pub use fixes::{Fix, fixes};
pub use hover::{About, AboutParam, Hover};
pub use rename::{Edit, RenameError};
pub use workspace::{Place, Symbol, Work, Workspace};
