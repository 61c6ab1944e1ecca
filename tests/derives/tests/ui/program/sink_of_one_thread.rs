//! A sink that cannot move to another thread.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use converge_core::prelude::embed::*;

async fn plan(engine: &Engine, graph: &Arc<Graph>) {
    let events = Rc::new(RefCell::new(Vec::new()));
    let _ = engine.plan(graph).sink(&mut |event: Event| events.borrow_mut().push(event)).await;
}

fn main() {}
