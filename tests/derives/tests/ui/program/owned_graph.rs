//! A run of a graph that is not shared.

use converge_core::prelude::embed::*;

async fn plan(engine: &Engine, graph: &Graph) {
    let _ = engine.plan(graph).await;
}

fn main() {}
