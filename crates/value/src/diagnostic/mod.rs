//! Diagnostics as data: source positions, messages and suggestions.
//!
//! This module does not render. The views turn [`Diagnostic`]s into JSON or into text like that of rustc; an
//! embedding application can do something else.

mod foreign_names;
mod limit;
mod message;
#[doc(hidden)]
#[cfg(feature = "serde")]
pub mod record;
mod source;
mod suggest;

#[doc(hidden)]
pub use foreign_names::{
    is_foreign_field, suggest_field, suggest_state, suggest_task, suggest_type, without_collection,
};
pub use limit::{Limit, ReachedLimit};
pub use message::{Diagnostic, Diagnostics, Label, Severity};
#[doc(hidden)]
pub use source::NamedText;
pub use source::{FileId, Position, SourceFile, SourceMap, Span};
#[doc(hidden)]
pub use suggest::{Suggest, close_among};
pub use suggest::{close_names, did_you_mean, suggested};
