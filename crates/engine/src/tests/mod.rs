//! Tests of the engine, with a toy resource that records its operations.

mod approval;
mod attempts;
mod batches;
mod deferred_instances;
mod deferred_modules;
mod failure;
mod handles;
mod law;
mod limits;
mod lock_waits;
mod locks;
mod manual_graphs;
mod modules;
mod order;
mod outputs;
mod pending_changes;
mod progress;
mod refresh;
mod reports;
mod scope;
mod shared_locks;
mod stop;
mod structure;
mod test_resources;
mod values;

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::{
    CancellationToken, Engine, Event, EventKind, InterruptKind, Outcome, ResourceReport, Run, Summary,
};
use crate::graph::{Edge, EdgeReason, Graph, LexicalScope, Node, NodeId, NodeIndex, Role};
use crate::sdk::context::{RunId, RunMode};
use crate::sdk::registry::Registry;
use crate::sdk::status::DiffValue;
use converge_load::{GraphBuilder, ResourceBuilder};
use test_resources::{Card, Mood, One, OneMore, Pack, Toy, Two, World};

fn registry() -> Registry {
    let registry = Registry::new().with::<Toy>().and_then(Registry::with::<One>);
    let registry = registry.and_then(Registry::with::<OneMore>).and_then(Registry::with::<Two>);
    registry.and_then(Registry::with::<Card>).and_then(Registry::with::<Pack>).unwrap()
}

/// Returns a graph of toys.
fn toys(fill: impl FnOnce(Toys<'_>) -> Toys<'_>) -> Arc<Graph> {
    let registry = registry();
    fill(Toys(GraphBuilder::new(&registry))).0.build().unwrap()
}

struct Toys<'a>(GraphBuilder<'a>);

impl Toys<'_> {
    fn toy(
        self,
        name: &str,
        depends: &[&str],
        fill: impl FnOnce(ResourceBuilder) -> ResourceBuilder,
    ) -> Self {
        Self(self.0.resource("toy", name, |toy| {
            fill(depends.iter().fold(toy, |toy, on| toy.depends_on(&format!("toy.{on}"))))
        }))
    }

    /// Adds a toy of any type that has to be changed. All names include their types.
    fn special(
        self,
        name: &str,
        depends: &[&str],
        fill: impl FnOnce(ResourceBuilder) -> ResourceBuilder,
    ) -> Self {
        let (kind, name) = name.split_once('.').unwrap();
        Self(self.0.resource(kind, name, |toy| {
            fill(depends.iter().fold(toy.set("state", "new"), |toy, on| toy.depends_on(on)))
        }))
    }

    /// Adds toys without dependencies.
    fn specials(self, names: &[&str]) -> Self {
        names.iter().fold(self, |toys, name| toys.special(name, &[], |toy| toy))
    }

    /// Adds a toy that has to be changed.
    fn fresh(self, name: &str, depends: &[&str]) -> Self {
        self.toy(name, depends, |toy| toy.set("state", "new"))
    }

    /// Adds a toy with a mood that has to be changed.
    fn moody(self, name: &str, depends: &[&str], mood: Mood) -> Self {
        self.toy(name, depends, |toy| toy.set("state", "new").set("mood", mood.word()))
    }
}

/// Returns a graph that no loader would accept.
fn unchecked_graph(edges: &[(usize, usize)], len: usize) -> Graph {
    let registry = registry();
    let resource = registry.get("toy").unwrap();
    let node = |at: usize| Node {
        id: NodeId::root().child(&format!("toy.{at:06}")),
        resource: Arc::clone(resource),
        role: Role::Resource,
        attributes: Arc::default(),
        scope: LexicalScope::root(),
        group: None,
        meta: None,
        span: None,
        declared: 0,
    };
    let mut dependencies = vec![Vec::new(); len];
    for &(from, on) in edges {
        dependencies[from].push(Edge { on: NodeIndex::new(on), reason: EdgeReason::Depends, span: None });
    }
    Graph::new((0..len).map(node).collect(), dependencies, Arc::default())
}

fn engine(world: &Arc<World>, parallelism: usize) -> Engine {
    Engine::new(world.clone()).with_parallelism(NonZeroUsize::new(parallelism).unwrap())
}

/// Stops a run as a user at a terminal does: first it finishes, then it is cancelled.
#[derive(Clone, Default)]
struct Stop {
    finish: CancellationToken,
    cancel: CancellationToken,
}

impl Stop {
    fn new() -> Self {
        Self::default()
    }

    fn raise(&self) -> InterruptKind {
        if self.finish.is_cancelled() {
            self.cancel.cancel();
            return InterruptKind::Cancel;
        }
        self.finish.cancel();
        InterruptKind::Finish
    }
}

/// A finished run.
struct Ended {
    events: Vec<EventKind>,
    summary: Summary,
}

impl Ended {
    fn report(&self, name: &str) -> &ResourceReport {
        let report_found = self.events.iter().find_map(|event| match event {
            EventKind::ResourceFinished(report)
                if report.id.name().split_once('.').is_some_and(|(_, id)| id == name) =>
            {
                Some(report)
            }
            _ => None,
        });
        report_found.unwrap_or_else(|| panic!("no report of {name}"))
    }

    /// Returns the report of a path without the root.
    fn report_of(&self, path: &str) -> &ResourceReport {
        let report_found = self.events.iter().find_map(|event| match event {
            EventKind::ResourceFinished(report) if report.id.short() == path => Some(report),
            _ => None,
        });
        report_found.unwrap_or_else(|| panic!("no report of {path}"))
    }

    fn refresh(&self, name: &str) -> Option<&str> {
        let differences = &self.report(name).differences;
        differences.iter().find(|difference| difference.refresh).map(|difference| match &difference.after {
            DiffValue::Known(why) => why.as_str(),
            other => panic!("{name} is refreshed for {other:?}"),
        })
    }

    fn outcomes(&self) -> Vec<(&str, Outcome)> {
        let mut outcomes: Vec<_> = self
            .events
            .iter()
            .filter_map(|event| match event {
                EventKind::ResourceFinished(report) => Some((report.id.short(), report.outcome)),
                _ => None,
            })
            .collect();
        outcomes.sort_by_key(|(id, _)| *id);
        outcomes
    }

    /// Returns the number of events that do not only report progress.
    fn results(&self) -> usize {
        self.events.iter().filter(|event| !event.is_progress()).count()
    }

    /// Returns one line for each progress event, in order.
    fn progress(&self) -> Vec<String> {
        self.events.iter().filter_map(progress_line).collect()
    }

    /// Returns one line for each event between the first and the last.
    fn lines(&self) -> Vec<String> {
        let line = |event: &EventKind| match event {
            EventKind::ResourceStarted { id } => Some(format!("start {}", id.short())),
            EventKind::ResourceFinished(report) => {
                Some(format!("{:?} {}", report.outcome, report.id.short()))
            }
            EventKind::Interrupted { interrupt, running } => Some(format!("{interrupt:?} {running:?}")),
            _ => None,
        };
        self.events.iter().filter_map(line).collect()
    }
}

fn progress_line(event: &EventKind) -> Option<String> {
    Some(match event {
        EventKind::ResourceWaiting { id, lock, name, held_by } => {
            format!("{} waits for {lock:?} {} of {held_by:?}", id.short(), name.as_deref().unwrap_or("-"))
        }
        EventKind::ResourceStage { id, stage } => format!("{} {stage:?}", id.short()),
        EventKind::ResourceBytes { id, done, total } => format!("{} {done} of {total:?}", id.short()),
        EventKind::ResourceStep { id, text } => format!("{}: {text}", id.short()),
        EventKind::ResourceOutput { id, stream, line, left_out: _ } => {
            format!("{} {stream:?}: {line}", id.short())
        }
        EventKind::AttemptFailed { id, .. } => format!("{} tries again", id.short()),
        EventKind::ProgressLeftOut { .. } => "some left out".to_owned(),
        _ => return None,
    })
}

fn begin(engine: &Engine, mode: RunMode, graph: &Arc<Graph>) -> Run {
    let run = match mode {
        RunMode::Plan => engine.plan(graph),
        RunMode::Apply => engine.apply(graph),
    };
    run.id(RunId::new("test"))
}

async fn end(run: Run) -> Ended {
    let mut events = Vec::new();
    let summary = run.sink(&mut |event: Event| events.push(event.kind)).await;
    Ended { summary: summary.unwrap(), events }
}

async fn run_with(engine: Engine, mode: RunMode, graph: &Arc<Graph>, stop: &Stop) -> Ended {
    let run = begin(&engine, mode, graph);
    end(run.finish_on(stop.finish.clone()).cancel_on(stop.cancel.clone())).await
}

async fn plan(world: &Arc<World>, graph: &Arc<Graph>, parallelism: usize) -> Ended {
    end(begin(&engine(world, parallelism), RunMode::Plan, graph)).await
}

async fn apply(world: &Arc<World>, graph: &Arc<Graph>, parallelism: usize) -> Ended {
    end(begin(&engine(world, parallelism), RunMode::Apply, graph)).await
}

/// Starts an apply in the background.
fn start(
    world: &Arc<World>,
    graph: &Arc<Graph>,
    parallelism: usize,
    stop: &Stop,
) -> tokio::task::JoinHandle<Ended> {
    let (world, graph, stop) = (world.clone(), graph.clone(), stop.clone());
    tokio::spawn(async move { run_with(engine(&world, parallelism), RunMode::Apply, &graph, &stop).await })
}

/// Lets everything run until all tasks wait.
async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}
