//! What can be wrong with a module beyond its syntax and the values of its fields: constructors of diagnostics, one
//! file for each part of the language.

pub(super) mod block;
pub(super) mod hints;
pub(super) mod link;
pub(super) mod meta;
pub(super) mod module;
pub(super) mod param;
pub(super) mod plugin;
pub(super) mod switch;
