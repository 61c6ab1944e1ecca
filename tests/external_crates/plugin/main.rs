//! A plugin with a resource of its own, and no other crate of Converge than `converge-core`.

mod marker;

converge_core::plugin!(marker::MarkerPreparer);
