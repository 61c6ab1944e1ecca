//! A benchmark of the engine's own cost: it plans many resources that do nothing.
//!
//! ```console
//! cargo bench -p converge-core --bench engine -- 100000
//! ```

use std::error::Error;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use converge_core::Registry;
use converge_core::engine::{Engine, Event, EventKind};
use converge_core::graph::Graph;
use converge_core::load::GraphBuilder;
use converge_core::system::LocalSystem;
use tokio::runtime::{Builder, Runtime};

/// The number of measurements, of which the fastest counts.
///
/// Slower ones include other work of the machine.
const ROUNDS: usize = 9;

fn main() -> Result<(), Box<dyn Error>> {
    // The argument `--bench` that cargo adds is skipped because it is not a number.
    let count = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(100_000);
    let registry = Registry::new();
    let graphs = [
        ("independent", build(&registry, count, |_| None)?),
        ("chain", build(&registry, count, |index| index.checked_sub(1))?),
        ("tree of tens", build(&registry, count, |index| index.checked_sub(1).map(|at| at / 10))?),
    ];
    let runtimes = [
        ("many threads", Builder::new_multi_thread().enable_all().build()?),
        ("one thread", Builder::new_current_thread().enable_all().build()?),
    ];
    let mut out = std::io::stdout();
    for (name, graph) in &graphs {
        for (threads, runtime) in &runtimes {
            let minimum = (0..ROUNDS).filter_map(|_| plan(graph, runtime).ok()).min().unwrap_or_default();
            let average = minimum.as_secs_f64() * 1e9 / f64::from(count);
            writeln!(out, "{name}, {threads}: {average:.0} ns for each of {count} resources")?;
        }
    }
    Ok(())
}

/// Builds a graph in which each resource waits for at most one other resource.
fn build(
    registry: &Registry,
    count: u32,
    waits_for: impl Fn(u32) -> Option<u32>,
) -> Result<Arc<Graph>, Box<dyn Error>> {
    let graph = (0..count).fold(GraphBuilder::new(registry), |graph, at| {
        graph.resource("param", &format!("p{at:07}"), |param| {
            let param = param.set("default", i64::from(at));
            waits_for(at).into_iter().fold(param, |param, on| param.depends_on(&format!("param.p{on:07}")))
        })
    });
    Ok(graph.build()?)
}

fn plan(graph: &Arc<Graph>, runtime: &Runtime) -> Result<Duration, Box<dyn Error>> {
    // Parameters are reported only when they fail.
    let mut failed = 0_usize;
    let mut sink = |event: Event| failed += usize::from(matches!(event.kind, EventKind::ResourceFinished(_)));
    let engine = Engine::new(Arc::new(LocalSystem::new()));
    let summary = runtime.block_on(async { engine.plan(graph).sink(&mut sink).await })?;
    if failed == 0 && summary.is_success() { Ok(summary.elapsed) } else { Err("a parameter failed".into()) }
}
