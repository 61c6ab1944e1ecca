//! From a module's text to a graph.

pub mod param;
