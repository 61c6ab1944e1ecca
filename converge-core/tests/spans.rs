//! Tests of the tracing spans around the logs of a run.

#![cfg(test)]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use converge_core::load::GraphBuilder;
use converge_core::prelude::embed::*;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event as LogEvent, Metadata, Subscriber};

/// A single-threaded recorder of the spans around each log of the engine.
#[derive(Clone, Default)]
struct Spans(Arc<Kept>);

#[derive(Default)]
struct Kept {
    next: AtomicU64,
    names: Mutex<Vec<&'static str>>,
    entered: Mutex<Vec<&'static str>>,
    logs: Mutex<Vec<Vec<&'static str>>>,
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("converge_engine")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.0.names.lock().unwrap().push(span.metadata().name());
        Id::from_u64(self.0.next.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &LogEvent<'_>) {
        let entered = self.0.entered.lock().unwrap().clone();
        self.0.logs.lock().unwrap().push(entered);
    }

    fn enter(&self, span: &Id) {
        let index = usize::try_from(span.into_u64() - 1).unwrap();
        let name = self.0.names.lock().unwrap()[index];
        self.0.entered.lock().unwrap().push(name);
    }

    fn exit(&self, _: &Id) {
        self.0.entered.lock().unwrap().pop();
    }
}

#[test]
fn a_run_and_each_resource_have_a_span_in_which_workers_run() {
    let spans = Spans::default();
    let registry = Registry::new();
    let graph = GraphBuilder::new(&registry)
        .resource("param", "one", |param| param.set("default", 1))
        .resource("param", "two", |param| param.set("default", 2))
        .build()
        .unwrap();
    let engine = Engine::new(Arc::new(LocalSystem::new()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tracing::subscriber::with_default(spans.clone(), || {
        runtime.block_on(async { engine.plan(&graph).await }).unwrap();
    });
    let logs = spans.0.logs.lock().unwrap();
    let handled = logs.iter().filter(|spans| spans.contains(&"resource")).collect::<Vec<_>>();
    assert!(handled.len() >= 2, "{logs:?}");
    assert!(handled.iter().all(|spans| spans.starts_with(&["run", "resource"])), "{logs:?}");
    assert!(spans.0.entered.lock().unwrap().is_empty());
}
