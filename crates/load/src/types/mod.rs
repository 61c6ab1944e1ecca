//! The language's own block types, the table of all types, and the meta-arguments.
//!
//! Reading blocks of these types is left to `parse`.

mod language_types;
pub(super) mod local;
pub(super) mod meta_arguments;
pub(super) mod misspellings;
pub(crate) mod output;
pub(crate) mod param;
pub(super) mod type_table;
