//! A stored plan is applied without being read.

use std::sync::Arc;

use converge_core::prelude::embed::*;

async fn apply(engine: &Engine, graph: &Arc<Graph>, stored: &str) {
    let _ = engine.apply_plan(graph, stored).await;
}

fn main() {}
