//! A run that is created but never started.
#![deny(unused_must_use)]

use std::sync::Arc;

use converge_core::prelude::embed::*;

fn apply(engine: &Engine, graph: &Arc<Graph>) {
    engine.apply(graph);
}

fn main() {}
