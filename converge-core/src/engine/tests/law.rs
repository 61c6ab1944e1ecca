//! Laws that hold for every graph and every failure.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// A toy of a random graph: which of the earlier ones it waits for, how it behaves, its group.
#[derive(Clone, Debug)]
struct Spec {
    depends: Vec<prop::sample::Index>,
    mood: Mood,
    group: Option<u8>,
}

fn spec() -> impl Strategy<Value = Spec> {
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

/// Names are shuffled against the order of the edges.
fn graph_of(specs: &[Spec]) -> Arc<Graph> {
    let name = |at: usize| format!("n{:03}", at * 37 % 101);
    toys(|toys| {
        specs.iter().enumerate().fold(toys, |toys, (at, spec)| {
            let depends: Vec<String> =
                spec.depends.iter().filter(|_| at > 0).map(|on| name(on.index(at))).collect();
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

/// What must be true of the events of any run.
fn check_laws(graph: &Graph, run: &Run) {
    let mut started = BTreeMap::new();
    let mut finished = BTreeMap::new();
    for (at, event) in run.events.iter().enumerate() {
        match event {
            Event::ResourceStarted { id } => assert!(started.insert(id.clone(), at).is_none(), "{id} twice"),
            Event::ResourceFinished(report) => {
                assert!(
                    finished.insert(report.id.clone(), (at, report.outcome)).is_none(),
                    "{} twice",
                    report.id
                );
            }
            _ => {}
        }
    }
    assert_eq!(finished.len(), graph.len());
    for (index, node) in graph.nodes() {
        let (at, outcome) = finished[&node.id];
        let ran = !matches!(outcome, Outcome::Skipped | Outcome::NotRun);
        assert_eq!(started.contains_key(&node.id), ran, "{}", node.id);
        let begin = started.get(&node.id).copied().unwrap_or(at);
        for edge in graph.dependencies(index) {
            let (done, outcome) = finished[&graph.node(edge.on).id];
            assert!(done < begin, "{} began too early", node.id);
            let failed = matches!(outcome, Outcome::Failed | Outcome::Skipped);
            assert!(!(failed && ran), "{} ran after a failure", node.id);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn runs_keep_the_laws(specs in prop::collection::vec(spec(), 0..40), parallelism in 2..9_usize, mode in 0..2) {
        let mode = if mode == 0 { Mode::Plan } else { Mode::Apply };
        let graph = graph_of(&specs);
        let run = |parallelism| {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
            runtime.block_on(run_with(engine(&World::new(), parallelism), mode, &graph, &Interrupt::new()))
        };
        let (one, again, many) = (run(1), run(1), run(parallelism));
        check_laws(&graph, &one);
        check_laws(&graph, &many);
        prop_assert_eq!(one.lines(), again.lines());
        prop_assert_eq!(one.outcomes(), many.outcomes());
        for (index, node) in graph.nodes() {
            let name = node.id.name().trim_start_matches("toy.");
            prop_assert_eq!(&one.report(name).skipped, &many.report(name).skipped, "{:?}", index);
        }
    }
}
