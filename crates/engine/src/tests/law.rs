//! Laws that hold for every graph and every failure.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::manual_graphs::{ManualGraph, predicate, value};
use super::*;
use crate::Skipped;
use crate::graph::InputKind;

/// A toy of a random graph: its dependencies among the earlier toys, its behaviour and its group.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    depends: Vec<prop::sample::Index>,
    mood: Mood,
    group: Option<u8>,
}

pub(super) fn spec() -> impl Strategy<Value = Spec> {
    let mood = prop_oneof![
        6 => Just(Mood::Good),
        1 => Just(Mood::FailsPrepare),
        1 => Just(Mood::FailsCheck),
        1 => Just(Mood::FailsApply),
        1 => Just(Mood::Stuck),
        1 => Just(Mood::WontChange),
        1 => Just(Mood::Pending),
    ];
    let group = prop::option::weighted(0.3, 0..2_u8);
    (prop::collection::vec(any::<prop::sample::Index>(), 0..3), mood, group)
        .prop_map(|(depends, mood, group)| Spec { depends, mood, group })
}

/// Returns the name of a toy, shuffled against the order of the edges.
pub(super) fn number(index: usize) -> String {
    format!("n{:03}", index * 37 % 101)
}

pub(super) fn graph_of(specs: &[Spec]) -> Arc<Graph> {
    let name = number;
    toys(|toys| {
        specs.iter().enumerate().fold(toys, |toys, (at, spec)| {
            let depends: Vec<String> =
                spec.depends.iter().filter(|_| at > 0).map(|dependency| name(dependency.index(at))).collect();
            let depends: Vec<&str> = depends.iter().map(String::as_str).collect();
            toys.toy(&name(at), &depends, |toy| {
                let toy = toy.set("state", "new").set("mood", spec.mood.word());
                match spec.group {
                    Some(group) => toy.group(&format!("g{group}")),
                    None => toy,
                }
            })
        })
    })
}

/// Checks the invariants of the events of a run.
fn check_laws(graph: &Graph, run: &Ended) {
    let mut started = BTreeMap::new();
    let mut finished = BTreeMap::new();
    for (event_index, event) in run.events.iter().enumerate() {
        match event {
            EventKind::ResourceStarted { id } => {
                assert!(started.insert(id.clone(), event_index).is_none(), "{id} twice");
            }
            EventKind::ResourceFinished(report) => {
                assert!(
                    finished.insert(report.id.clone(), (event_index, report.outcome)).is_none(),
                    "{} twice",
                    report.id
                );
            }
            _ => {}
        }
    }
    for (index, node) in graph.nodes() {
        if node.role.is_structure() {
            // Structure nodes have no events unless they failed.
            assert!(!started.contains_key(&node.id), "{}", node.id);
            let outcome = finished.remove(&node.id).map(|(_, outcome)| outcome);
            assert!(matches!(outcome, None | Some(Outcome::Failed)), "{} {outcome:?}", node.id);
            continue;
        }
        let (end_index, outcome) = finished[&node.id];
        let is_started = started.contains_key(&node.id);
        match outcome {
            Outcome::Skipped | Outcome::NotRun => assert!(!is_started, "{}", node.id),
            // The case or the `when` of the node decides; a plan may not know either.
            Outcome::NotTaken | Outcome::MayChange => {}
            _ => assert!(is_started, "{}", node.id),
        }
        let begin = started.get(&node.id).copied().unwrap_or(end_index);
        for dependency in waits_for(graph, index) {
            let (dependency_end, outcome) = finished[&graph.node(dependency).id];
            assert!(dependency_end < begin, "{} began too early", node.id);
            let failed = matches!(outcome, Outcome::Failed | Outcome::Skipped);
            assert!(!(failed && is_started), "{} ran after a failure", node.id);
        }
    }
    let resources = graph.nodes().filter(|(_, node)| !node.role.is_structure()).count();
    assert_eq!(finished.len(), resources);
    assert!(
        matches!(run.events.first(), Some(EventKind::RunStarted { resources: told, .. }) if *told == resources)
    );
}

/// Returns the resources that a node waits for, directly or through structure.
///
/// A failure in the predicate of a case does not stop its contents if another case was taken.
fn waits_for(graph: &Graph, index: NodeIndex) -> Vec<NodeIndex> {
    let mut dependencies = Vec::new();
    let mut open = vec![index];
    while let Some(node) = open.pop() {
        for edge in graph.dependencies(node) {
            if !graph.node(edge.on).role.is_structure() {
                dependencies.push(edge.on);
            } else if graph.node(edge.on).role != Role::Case
                // An end node continues even if a gate that is not taken waits for a failed node.
                && !(graph.node(node).role.is_end() && graph.node(edge.on).role.is_gate())
            {
                open.push(edge.on);
            }
        }
    }
    dependencies
}

/// The result of a gate.
#[derive(Clone, Copy, Debug)]
enum When {
    Yes,
    No,
    /// The result is known after an apply.
    Later,
    Wrong,
}

impl When {
    fn input(self) -> InputKind {
        match self {
            Self::Yes => value(true),
            Self::No => value(false),
            Self::Later => predicate("eq (lookup `toy.first.out`) `out of first`"),
            Self::Wrong => value("perhaps"),
        }
    }
}

/// A part of a random module.
#[derive(Clone, Debug)]
enum Part {
    Toy(Mood, Option<When>),
    Module(Option<When>, Vec<Part>),
    Switch(Vec<(When, Vec<Mood>)>),
}

fn part() -> impl Strategy<Value = Part> {
    let condition_strategy = || prop_oneof![4 => Just(When::Yes), 4 => Just(When::No), 2 => Just(When::Later), 1 => Just(When::Wrong)];
    let mood =
        || prop_oneof![6 => Just(Mood::Good), 1 => Just(Mood::FailsCheck), 1 => Just(Mood::FailsApply)];
    let toy = || {
        (mood(), prop::option::weighted(0.2, condition_strategy()))
            .prop_map(|(mood, when)| Part::Toy(mood, when))
    };
    let switch = prop::collection::vec((condition_strategy(), prop::collection::vec(mood(), 0..3)), 1..4)
        .prop_map(Part::Switch);
    let leaf = prop_oneof![3 => toy(), 1 => switch];
    leaf.prop_recursive(3, 24, 5, move |inner| {
        (prop::option::of(condition_strategy()), prop::collection::vec(inner, 0..5))
            .prop_map(|(when, parts)| Part::Module(when, parts))
    })
}

/// Builds the parts, each of which may wait for earlier ones.
struct Building {
    hand: ManualGraph,
    /// The nodes that later parts may wait for.
    known: Vec<String>,
    waits: Vec<prop::sample::Index>,
    /// The next number, shuffled so that names are not in the order of the edges.
    number: usize,
}

impl Building {
    fn name(&mut self) -> String {
        self.number += 1;
        format!("n{:03}", self.number * 37 % 101)
    }

    fn depend(&mut self, path: &str) {
        let Some(wait) = self.waits.get(self.number % self.waits.len().max(1)) else { return };
        if self.number.is_multiple_of(2) && !self.known.is_empty() {
            let dependency = wait.get(&self.known).clone();
            self.edge(path, EdgeReason::Depends, &dependency);
        }
    }

    fn edge(&mut self, path: &str, reason: EdgeReason, dependency: &str) {
        let hand = std::mem::replace(&mut self.hand, ManualGraph::new());
        self.hand = hand.waits(path, reason, &[dependency]);
    }

    fn put(&mut self, add: impl FnOnce(ManualGraph) -> ManualGraph) {
        let hand = std::mem::replace(&mut self.hand, ManualGraph::new());
        self.hand = add(hand);
    }

    fn toy(&mut self, prefix: &str, mood: Mood, condition: Option<When>) {
        let path = format!("{prefix}toy.{}", self.name());
        let fields = vec![("state", value("new")), ("mood", value(mood.word()))];
        self.put(|hand| match condition {
            Some(condition) => hand.toy_when(&path, condition.input(), fields),
            None => hand.toy(&path, fields),
        });
        if matches!(condition, Some(When::Later)) {
            self.edge(&path, EdgeReason::Lookup, "toy.first");
        }
        self.depend(&path);
        self.known.push(path);
    }

    fn gate(&mut self, path: &str, condition: Option<When>) {
        self.put(|hand| hand.gate(path, condition.map(When::input)));
        if matches!(condition, Some(When::Later)) {
            self.edge(path, EdgeReason::Lookup, "toy.first");
        }
    }

    fn part(&mut self, prefix: &str, component: &Part) {
        match component {
            Part::Toy(mood, when) => self.toy(prefix, *mood, *when),
            Part::Module(when, parts) => {
                let path = format!("{prefix}module.{}", self.name());
                self.put(|hand| hand.end(&path, Role::Module));
                self.gate(&format!("{path}/begin"), *when);
                self.depend(&format!("{path}/begin"));
                for component in parts {
                    self.part(&format!("{path}/"), component);
                }
                self.known.push(path);
            }
            Part::Switch(cases) => {
                let path = format!("{prefix}switch.{}", self.name());
                self.put(|hand| hand.end(&path, Role::Switch));
                for (index, (when, moods)) in cases.iter().enumerate() {
                    let case = format!("{path}/case.c{index}");
                    self.gate(&case, Some(*when));
                    for mood in moods {
                        self.toy(&format!("{case}/"), *mood, None);
                    }
                }
                self.gate(&format!("{path}/case.default"), None);
                self.toy(&format!("{path}/case.default/"), Mood::Good, None);
                self.known.push(path);
            }
        }
    }
}

fn structured(parts: &[Part], waits: Vec<prop::sample::Index>) -> Arc<Graph> {
    let hand = ManualGraph::new().toy("toy.first", vec![("state", value("new"))]);
    let mut building = Building { hand, known: Vec::new(), waits, number: 0 };
    for component in parts {
        building.part("", component);
    }
    building.hand.build()
}

/// Runs twice with one worker and once with many, and compares the results.
fn compare(graph: &Arc<Graph>, mode: RunMode, parallelism: usize) -> Ended {
    let run = |parallelism| {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(run_with(engine(&World::new(), parallelism), mode, graph, &Stop::new()))
    };
    let (single, repeat, many) = (run(1), run(1), run(parallelism));
    check_laws(graph, &single);
    check_laws(graph, &many);
    assert_eq!(single.lines(), repeat.lines());
    assert_eq!(single.outcomes(), many.outcomes());
    assert_eq!(skips(&single), skips(&many));
    single
}

fn skips(run: &Ended) -> BTreeMap<&str, &Skipped> {
    let skips = run.events.iter().filter_map(|event| match event {
        EventKind::ResourceFinished(report) => Some((report.id.as_str(), report.skipped.as_ref()?)),
        _ => None,
    });
    skips.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn runs_keep_the_laws(specs in prop::collection::vec(spec(), 0..40), parallelism in 2..9_usize, mode in 0..2) {
        let mode = if mode == 0 { RunMode::Plan } else { RunMode::Apply };
        compare(&graph_of(&specs), mode, parallelism);
    }

    #[test]
    fn runs_with_structure_keep_the_laws(
        parts in prop::collection::vec(part(), 0..8),
        waits in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
        parallelism in 2..9_usize,
    ) {
        let graph = structured(&parts, waits);
        prop_assert!(graph.cycles().is_empty());
        for mode in [RunMode::Plan, RunMode::Apply] {
            let run = compare(&graph, mode, parallelism);
            // At most one case of a `switch` is taken.
            for (_, switch) in graph.nodes().filter(|(_, node)| node.role == Role::Switch) {
                let prefix = format!("{}/case.", switch.id);
                let cases: std::collections::BTreeSet<String> = run
                    .events
                    .iter()
                    .filter_map(|event| match event {
                        EventKind::ResourceStarted { id } if id.as_str().starts_with(&prefix) => {
                            id.parent().map(|case| case.to_string())
                        }
                        _ => None,
                    })
                    .collect();
                prop_assert!(cases.len() <= 1, "{:?}", cases);
            }
        }
    }
}

/// A resource of any type, with everything that may delay its apply.
#[derive(Clone, Debug)]
struct Mixed {
    spec: Spec,
    kind: &'static str,
    again: bool,
}

const KINDS: [&str; 6] = ["toy", "one", "one_more", "two", "card", "pack"];

fn mixed() -> impl Strategy<Value = Mixed> {
    (spec(), prop::sample::select(&KINDS[..]), prop::bool::weighted(0.3))
        .prop_map(|(spec, kind, again)| Mixed { spec, kind, again })
}

/// Returns a graph of these resources, with their types or all as plain toys.
fn mixed_graph(specs: &[Mixed], typed: bool) -> Arc<Graph> {
    let name = |at: usize| format!("{}.{}", if typed { specs[at].kind } else { "toy" }, number(at));
    toys(|toys| {
        specs.iter().enumerate().fold(toys, |toys, (at, mixed)| {
            let Spec { depends, mood, group } = &mixed.spec;
            let depends: Vec<String> =
                depends.iter().filter(|_| at > 0).map(|dependency| name(dependency.index(at))).collect();
            let depends: Vec<&str> = depends.iter().map(String::as_str).collect();
            toys.special(&name(at), &depends, |toy| {
                let toy = toy.set("mood", mood.word());
                let toy = if mixed.again { toy.retry(twice()) } else { toy };
                match group {
                    Some(group) => toy.group(&format!("g{group}")),
                    None => toy,
                }
            })
        })
    })
}

fn twice() -> crate::graph::Retry {
    let attempts = std::num::NonZeroU32::new(2).unwrap();
    crate::graph::Retry { attempts, delay: std::time::Duration::ZERO, backoff: 1.0 }
}

/// Runs one interleaving, in which a seed decides the duration of each operation.
fn interleave(specs: &[Mixed], graph: &Arc<Graph>, parallelism: usize, seed: u64) -> (Arc<World>, Ended) {
    let world = World::new();
    for (index, _) in specs.iter().enumerate().filter(|(_, mixed)| mixed.spec.mood == Mood::FailsApply) {
        world.is_not_checked_again(&number(index));
    }
    world.shuffle(seed);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let run = runtime.block_on(run_with(engine(&world, parallelism), RunMode::Apply, graph, &Stop::new()));
    (world, run)
}

/// Returns the outcome of each resource, by its name without the type.
fn by_name(run: &Ended) -> BTreeMap<String, (Outcome, Option<String>)> {
    let mut outcomes = BTreeMap::new();
    for event in &run.events {
        if let EventKind::ResourceFinished(report) = event {
            let (_, name) = report.id.name().split_once('.').unwrap();
            let failure = report.failure.as_ref().map(|failure| failure.message.clone());
            outcomes.insert(name.to_owned(), (report.outcome, failure));
        }
    }
    outcomes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn turns_change_nothing_but_the_order(
        all in prop::collection::vec(mixed(), 0..30),
        parallelism in 1..9_usize,
        seeds in prop::collection::vec(any::<u64>(), 3),
    ) {
        let (plain_world, untyped_run) = interleave(&all, &mixed_graph(&all, false), parallelism, seeds[0]);
        let graph = mixed_graph(&all, true);
        for seed in seeds {
            let (world, run) = interleave(&all, &graph, parallelism, seed);
            check_laws(&graph, &run);
            // The outcomes equal those without locks and batches.
            prop_assert_eq!(by_name(&untyped_run), by_name(&run));
            for (index, spec) in all.iter().enumerate() {
                prop_assert_eq!(plain_world.state(&number(index)), world.state(&number(index)));
                for (other_index, two) in all.iter().enumerate().take(index) {
                    let lock = |kind| graph.nodes().find_map(|(_, node)| {
                        (node.resource.name() == kind).then(|| node.resource.lock())
                    }).flatten();
                    if lock(spec.kind).is_some() && lock(spec.kind) == lock(two.kind) {
                        prop_assert!(!world.were_applied_together(&number(index), &number(other_index)));
                    }
                    if spec.spec.group.is_some() && spec.spec.group == two.spec.group {
                        prop_assert!(!world.were_together(&number(index), &number(other_index)));
                    }
                }
            }
            // With one worker there is only one order.
            if parallelism == 1 {
                let (_, repeat) = interleave(&all, &graph, 1, seed.wrapping_add(1));
                prop_assert_eq!(run.lines(), repeat.lines());
            }
        }
    }

    #[test]
    fn an_interrupt_at_any_moment_leaves_a_whole_run(
        all in prop::collection::vec(mixed(), 1..20),
        parallelism in 1..5_usize,
        seed in any::<u64>(),
        (first, second) in (0..200_usize, prop::option::of(0..50_usize)),
    ) {
        let graph = mixed_graph(&all, true);
        let world = World::new();
        world.shuffle(seed);
        let interrupt = Stop::new();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let run = runtime.block_on(async {
            let run = start(&world, &graph, parallelism, &interrupt);
            for wait in std::iter::once(first).chain(second) {
                for _ in 0..wait {
                    tokio::task::yield_now().await;
                }
                interrupt.raise();
            }
            run.await.unwrap()
        });
        let finished = by_name(&run);
        prop_assert_eq!(finished.len(), all.len(), "each is told once");
        prop_assert_eq!(world.running(), 0);
        let finished_count = run.events.iter().filter(|event| matches!(event, EventKind::ResourceFinished(_))).count();
        prop_assert_eq!(finished_count, all.len());
        // A resource that was not run was not changed.
        for (name, (outcome, _)) in finished {
            if outcome == Outcome::NotRun {
                prop_assert_eq!(world.state(&name), "");
            }
        }
    }
}
