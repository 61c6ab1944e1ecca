//! The inputs of a node: the names in its scope, its rendered fields, its condition and its identity.
//!
//! Work with these values is left to `work`.

pub(super) mod blocking;
pub(super) mod condition;
pub(super) mod node_identity;
pub(super) mod planned_exports;
pub(super) mod rendering;
pub(super) mod root_outputs;
pub(super) mod scope;
