//! A plugin with its own resource type, with `converge-core` as its only crate of Converge.

mod marker;

converge_core::plugin!(marker::MarkerPreparer);
