//! A run is made, and nobody begins it.
#![deny(unused_must_use)]

use std::sync::Arc;

use converge_core::prelude::embed::*;

fn apply(engine: &Engine, graph: &Arc<Graph>) {
    engine.apply(graph);
}

fn main() {}
