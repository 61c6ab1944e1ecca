//! Editor support: completion, hover, navigation and rename in modules.
//!
//! This crate owns answers about a position in a module. It knows the loader, and not the engine. It promises nothing by
//! itself: only `converge-sdk` and `converge-core` are API.
//!
//! [`Workspace`] holds the current files and answers questions about positions in them. [`fixes`] derives
//! edits from a diagnostic. Diagnostics come from a `Loader`, which reads the same
//! files through [`Workspace::sources`].
//!
//! Each text is parsed once: `index` holds its declarations and the names that it uses. Incomplete text has
//! no place in a syntax tree. `cursor` therefore finds the context of a position from the tokens before it,
//! and `scope` maps that context to the schemas.

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

use converge_graph::graph;
use converge_language::{language, syntax};
use converge_sdk as sdk;
use converge_value::{diagnostic, types};

pub use complete::{Completion, CompletionKind, Completions};
pub use fixes::{Fix, fixes};
pub use hover::{About, AboutParam, Hover};
pub use rename::{Edit, RenameError};
pub use workspace::{Place, Symbol, Work, Workspace};
