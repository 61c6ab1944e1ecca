//! Constructors of diagnostics about modules, other than errors of syntax and field values.
//!
//! There is one file for each part of the language.

pub(super) mod block;
pub(super) mod hints;
pub(super) mod link;
pub(super) mod meta;
pub(super) mod module;
pub(super) mod param;
pub(super) mod plugin;
pub(super) mod switch;
