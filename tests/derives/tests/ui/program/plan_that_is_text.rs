//! A stored plan that is applied without being parsed.

use std::sync::Arc;

use converge_core::prelude::embed::*;

async fn apply(engine: &Engine, graph: &Arc<Graph>, stored: &str) {
    let _ = engine.apply_plan(graph, stored).await;
}

fn main() {}
