//! A run that borrows its engine and is moved to another task.

use std::sync::Arc;

use converge_core::prelude::embed::*;

fn plan(engine: &Engine, graph: &Arc<Graph>) {
    let mut events = Vec::new();
    tokio::spawn(async move { engine.plan(graph).sink(&mut |event: Event| events.push(event)).await });
}

fn main() {}
