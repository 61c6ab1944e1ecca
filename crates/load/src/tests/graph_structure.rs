//! Tests of cycles, dependencies and drawings.

use crate::TypeTable;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use proptest::prelude::*;

use crate::graph::{Edge, EdgeReason, Graph, Input, LexicalScope, Meta, Node, NodeId, NodeIndex, Role};
use crate::sdk::registry::Registry;

fn graph(ids: &[&str], edges: &[(usize, usize, EdgeReason)]) -> Graph {
    let nodes = ids.iter().map(|id| node(id, Role::Resource, None)).collect();
    linked(nodes, edges)
}

/// Returns a node, with a predicate if one is given.
fn node(id: &str, role: Role, condition: Option<&str>) -> Node {
    let registry = Registry::new();
    Node {
        id: NodeId::root().child(id),
        resource: Arc::clone(TypeTable::new(&registry).get("param").unwrap()),
        role,
        attributes: Arc::default(),
        scope: LexicalScope::root(),
        group: None,
        meta: condition
            .map(|condition| Box::new(Meta { when: Some(Input::value(condition)), ..Meta::default() })),
        span: None,
        declared: 0,
    }
}

fn linked(nodes: Vec<Node>, edges: &[(usize, usize, EdgeReason)]) -> Graph {
    let mut dependencies = vec![Vec::new(); nodes.len()];
    for &(from, on, reason) in edges {
        dependencies[from].push(Edge { on: NodeIndex::new(on), reason, span: None });
    }
    Graph::new(nodes, dependencies, Arc::default())
}

fn numbered(len: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Graph {
    let ids: Vec<String> = (0..len).map(|index| format!("param.{index:06}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let edges: Vec<_> = edges.into_iter().map(|(from, on)| (from, on, EdgeReason::Depends)).collect();
    graph(&ids, &edges)
}

#[test]
fn one_cycle_for_each_set() {
    let check = |edges: &[(usize, usize)], expect: &[&[usize]]| {
        let cycles = numbered(8, edges.iter().copied()).cycles();
        for cycle in &cycles {
            for (step_index, (_, edge)) in cycle.steps.iter().enumerate() {
                assert_eq!(edge.on, cycle.steps[(step_index + 1) % cycle.steps.len()].0, "{edges:?}");
            }
        }
        let node_sets: Vec<Vec<usize>> = cycles
            .iter()
            .map(|cycle| cycle.steps.iter().map(|(index, _)| index.as_usize()).collect())
            .collect();
        assert_eq!(node_sets, expect, "{edges:?}");
    };
    check(&[], &[]);
    check(&[(0, 1), (1, 2), (0, 2)], &[]);
    check(&[(3, 3)], &[&[3]]);
    check(&[(2, 1), (1, 2)], &[&[1, 2]]);
    // Nodes before and after a cycle are not part of it.
    check(&[(0, 1), (1, 2), (2, 1), (2, 3)], &[&[1, 2]]);
    // There are two components, one of which depends on the other; a search from 0 ends in the second.
    check(&[(0, 1), (0, 2), (2, 0), (1, 3), (3, 1)], &[&[0, 2], &[1, 3]]);
    // Two cycles through one node are one component, shown by the shorter cycle.
    check(&[(0, 1), (1, 2), (2, 0), (0, 3), (3, 0)], &[&[0, 3]]);
    check(&[(0, 1), (1, 0), (4, 5), (5, 6), (6, 4), (7, 7)], &[&[0, 1], &[4, 5, 6], &[7]]);
}

#[test]
fn long_chains_and_circles_do_not_exhaust_the_stack() {
    const LEN: usize = 100_000;
    let chain = || (1..LEN).map(|index| (index, index - 1));
    let straight = numbered(LEN, chain());
    assert!(straight.cycles().is_empty());
    assert!(straight.depends_on(NodeIndex::new(LEN - 1), NodeIndex::new(0)).0);
    assert!(!straight.depends_on(NodeIndex::new(0), NodeIndex::new(LEN - 1)).0);
    let cycles = numbered(LEN, chain().chain([(0, LEN - 1)])).cycles();
    assert_eq!(cycles.len(), 1);
    assert_eq!(cycles[0].steps.len(), LEN);
}

/// Returns whether one node depends on another by a search, and the number of edges visited.
fn walked(graph: &Graph, index: usize, dependency: usize) -> (bool, usize) {
    let (mut visited_nodes, mut open, mut steps) = (HashSet::new(), vec![NodeIndex::new(index)], 0);
    while let Some(node) = open.pop() {
        for edge in graph.dependencies(node) {
            steps += 1;
            if edge.on == NodeIndex::new(dependency) {
                return (true, steps);
            }
            if visited_nodes.insert(edge.on) {
                open.push(edge.on);
            }
        }
    }
    (false, steps)
}

proptest! {
    #[test]
    fn what_depends_on_what_is_what_a_walk_finds(
        len in 1..40_usize,
        edges in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..80),
    ) {
        let edges = edges.iter().map(|(a, b)| (a.index(len), b.index(len)));
        // Edges lead from the larger to the smaller node, so there is no cycle.
        let edges: BTreeSet<_> = edges.filter(|(a, b)| a != b).map(|(a, b)| (a.max(b), a.min(b))).collect();
        let graph = numbered(len, edges);
        for index in 0..len {
            for target in 0..len {
                let (is_dependent, _) = graph.depends_on(NodeIndex::new(index), NodeIndex::new(target));
                prop_assert_eq!(is_dependent, walked(&graph, index, target).0, "{} on {}", index, target);
            }
        }
    }
}

/// A thousand questions about a chain of ten thousand nodes cost about one traversal.
#[test]
fn very_many_questions_are_answered_by_one_walk() {
    const LEN: usize = 10_000;
    let chain = numbered(LEN, (1..LEN).map(|number| (number, number - 1)));
    let questions = || (LEN - 1_000..LEN).map(|index| (index, index % 7));
    let by_walks: usize = questions().map(|(index, on)| walked(&chain, index, on).1).sum();
    assert!(by_walks > 900 * LEN, "{by_walks}");
    let steps: usize = questions()
        .map(|(index, on)| {
            let (depends, steps) = chain.depends_on(NodeIndex::new(index), NodeIndex::new(on));
            assert!(depends);
            let (depends, steps_of_second) = chain.depends_on(NodeIndex::new(on), NodeIndex::new(index));
            assert!(!depends);
            steps + steps_of_second
        })
        .sum();
    assert!(steps < 2 * LEN, "{steps}");
}

fn pictured() -> Graph {
    use EdgeReason::{Depends, Lookup, Param};
    let ids = [
        "module.web-2/task.\"x\"",
        "module.web/module.in/task.b\\",
        "module.web/param.p",
        "module.web/task.a",
        "task.<c>",
    ];
    graph(&ids, &[(3, 2, Param), (3, 1, Lookup), (3, 1, Depends), (4, 3, Depends), (4, 0, Depends)])
}

#[test]
fn dot() {
    insta::assert_snapshot!(pictured().to_dot());
}

#[test]
fn mermaid() {
    insta::assert_snapshot!(pictured().to_mermaid());
}

/// Returns a module with a condition, instances, and a switch.
fn structured() -> Graph {
    use EdgeReason::{Depends, ForEach, Gate, Lookup, Module, Param, Switch};
    let nodes = vec![
        node("file.content.page", Role::ForEach, None),
        node("file.content.page[\"a/b\"]", Role::Resource, None),
        node("file.content.page[\"c\\\"]\"]", Role::Resource, None),
        node("module.web", Role::Module, None),
        node("module.web/begin", Role::Begin, Some("{{param `web`}}")),
        node("module.web/param.p", Role::Resource, None),
        node(
            "module.web/task.t",
            Role::Resource,
            Some("a\n  predicate of which there is much more than anybody wants to see here"),
        ),
        node("param.web", Role::Resource, None),
        node("switch.s", Role::Switch, None),
        node("switch.s/case.a", Role::Case, Some("eq `x` \"y\"")),
        node("switch.s/case.a/task.in", Role::Resource, None),
        node("switch.s/case.default", Role::Case, None),
        node("switch.s/case.default/task.in", Role::Resource, None),
        node("task.last", Role::Resource, None),
        node("user.each", Role::ForEach, None),
        node("user.each[\"x\"]", Role::Module, None),
        node("user.each[\"x\"]/begin", Role::Begin, None),
        node("user.each[\"x\"]/task.t", Role::Resource, None),
    ];
    let edges = [
        (0, 1, ForEach),
        (0, 2, ForEach),
        (3, 4, Module),
        (3, 5, Module),
        (3, 6, Module),
        (4, 7, Param),
        (5, 4, Gate),
        (6, 4, Gate),
        (6, 5, Param),
        (8, 9, Switch),
        (8, 10, Switch),
        (8, 11, Switch),
        (8, 12, Switch),
        (10, 9, Gate),
        (11, 9, Switch),
        (12, 11, Gate),
        (12, 11, Depends),
        (13, 0, Depends),
        (13, 3, Depends),
        (13, 8, Lookup),
        (14, 15, ForEach),
        (15, 17, Module),
        (17, 16, Gate),
    ];
    linked(nodes, &edges)
}

#[test]
fn dot_of_structure() {
    insta::assert_snapshot!(structured().to_dot());
}

#[test]
fn mermaid_of_structure() {
    insta::assert_snapshot!(structured().to_mermaid());
}
