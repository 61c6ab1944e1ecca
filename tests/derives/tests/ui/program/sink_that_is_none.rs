//! A list used as a sink.

use std::sync::Arc;

use converge_core::prelude::embed::*;

async fn plan(engine: &Engine, graph: &Arc<Graph>) {
    let mut events: Vec<Event> = Vec::new();
    let _ = engine.plan(graph).sink(&mut events).await;
}

fn main() {}
