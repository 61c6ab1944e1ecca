//! Plan output in an order that does not depend on which check ended first.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use converge_core::graph::{Graph, Node, NodeId};

/// Holds back the text of a node until the nodes before it are complete.
#[derive(Debug)]
pub(super) struct CanonicalOrder {
    /// The graph, to look up a node by its id.
    graph: Arc<Graph>,
    /// The place of each node of the graph.
    places: Vec<usize>,
    /// Whether each place is still awaited.
    waited_for: Vec<bool>,
    next: usize,
    /// The held texts by place.
    ///
    /// The instances that a run found have the place of the node with the `for_each`, in the order of their
    /// ids.
    held: BTreeMap<(usize, Option<NodeId>), String>,
    /// The number of instance nodes that are awaited at a place.
    instances: HashMap<usize, usize>,
}

impl CanonicalOrder {
    /// Orders the nodes as a single worker would visit them.
    pub(super) fn new(graph: &Arc<Graph>) -> Self {
        let order = graph.order();
        // A node in a cycle has no place, and is never run.
        let mut places = vec![usize::MAX; graph.len()];
        for (place, index) in order.iter().enumerate() {
            places[index.as_usize()] = place;
        }
        // Parameters and containers are reported only if they fail.
        let is_told = |node: &Node| node.role.is_resource() || node.deferred().is_some();
        let waited_for = order.iter().map(|index| is_told(graph.node(*index))).collect();
        let (pending, instances) = (BTreeMap::new(), HashMap::new());
        Self { graph: Arc::clone(graph), places, waited_for, next: 0, held: pending, instances }
    }

    /// Records that a run found the instances of a node, for which `told` nodes will be reported.
    pub(super) fn record_instances(&mut self, id: &NodeId, told_nodes: usize) -> String {
        if let Some(index) = self.graph.find(id.as_str()) {
            let place = self.places[index.as_usize()];
            self.instances.insert(place, told_nodes);
            return if told_nodes > 0 { String::new() } else { self.is_there(place) };
        }
        // The node is in an instance itself, and is counted among the awaited ones.
        let Some((index, _)) = self.graph.declared_in(id.as_str()) else { return String::new() };
        let place = self.places[index.as_usize()];
        if let Some(left) = self.instances.get_mut(&place) {
            *left += told_nodes;
        }
        self.one_less(place)
    }

    /// Takes the text about a node, which may be empty, and returns the text that can be written now.
    pub(super) fn take(&mut self, id: &NodeId, text: String) -> String {
        let is_told = |node: &Node| node.role.is_resource() || node.deferred().is_some();
        if let Some(index) = self.graph.find(id.as_str()) {
            let place = self.places[index.as_usize()];
            if !text.is_empty() {
                self.held.insert((place, None), text);
            }
            return if is_told(self.graph.node(index)) { self.is_there(place) } else { String::new() };
        }
        let Some((index, node)) = self.graph.declared_in(id.as_str()) else { return text };
        let (place, is_told) = (self.places[index.as_usize()], is_told(node));
        if !text.is_empty() {
            self.held.insert((place, Some(id.clone())), text);
        }
        if is_told { self.one_less(place) } else { String::new() }
    }

    /// Counts one awaited node at a place as reported.
    fn one_less(&mut self, place: usize) -> String {
        match self.instances.get_mut(&place) {
            Some(left) if *left > 1 => {
                *left -= 1;
                String::new()
            }
            _ => self.is_there(place),
        }
    }

    /// Marks a place as complete.
    fn is_there(&mut self, place: usize) -> String {
        if let Some(waited_for) = self.waited_for.get_mut(place) {
            *waited_for = false;
        }
        while self.waited_for.get(self.next) == Some(&false) {
            self.next += 1;
        }
        // Most resources of most plans have no text.
        if self.held.is_empty() {
            return String::new();
        }
        let later = self.held.split_off(&(self.next, None));
        std::mem::replace(&mut self.held, later).into_values().collect()
    }

    /// Returns all text that is still held back.
    pub(super) fn finish(&mut self) -> String {
        std::mem::take(&mut self.held).into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use converge_core::load::Loader;

    use super::*;

    #[test]
    fn lines_come_in_one_order_whatever_ends_first() {
        let registry = converge_resources::registry().unwrap();
        let task = |name: &str, on: &str| {
            format!("task \"{name}\" {{\n  check = \"true\"\n  depends = [{on}]\n}}\n")
        };
        let text = [task("a", "\"task.c\""), task("b", ""), task("c", ""), task("d", "")].concat();
        let graph = Loader::new(&registry).load_text("site.hcl", text).into_graph().unwrap();
        let check = |ended: &[&str], expect: &[&str]| {
            let mut order = CanonicalOrder::new(&graph);
            let id = |name: &&str| NodeId::root().child(&format!("task.{name}"));
            let mut output: Vec<String> =
                ended.iter().map(|name| order.take(&id(name), format!("{name} "))).collect();
            output.push(order.finish());
            assert_eq!(output, expect, "{ended:?}");
        };
        check(&["b", "c", "a", "d"], &["b ", "c ", "a ", "d ", ""]);
        check(&["d", "c", "b", "a"], &["", "", "b c ", "a d ", ""]);
        check(&["d", "b"], &["", "b ", "d "]);
    }

    #[test]
    fn instances_come_together_in_the_order_of_their_ids() {
        let registry = converge_resources::registry().unwrap();
        let text = r#"
            task.query "q" { query = "ls" }
            task "m" {
              for_each = split(",", task.query.q.status.stdout)
              check    = each.key
            }
            task "z" { check = "true" }
        "#;
        let graph = Loader::new(&registry).load_text("site.hcl", text).into_graph().unwrap();
        let mut order = CanonicalOrder::new(&graph);
        let id = |name: &str| NodeId::root().child(name);
        let instance = id("task.m");
        assert_eq!(order.take(&id("task.z"), "z ".to_owned()), "");
        assert_eq!(order.take(&id("task.query.q"), "q ".to_owned()), "q ");
        assert_eq!(order.record_instances(&instance, 2), "");
        assert_eq!(order.take(&instance.instance("b"), "b ".to_owned()), "");
        assert_eq!(order.take(&instance.instance("a"), "a ".to_owned()), "a b z ");
        assert_eq!(order.finish(), "");
    }
    #[test]
    fn what_is_in_instances_comes_with_them() {
        let registry = converge_resources::registry().unwrap();
        let memory = converge_core::load::Memory::new()
            .with(
                "main.hcl",
                "task.query \"q\" { query = \"ls\" }\nmodule \"in.hcl\" \"m\" {\n  for_each = split(\",\", task.query.q.status.stdout)\n  \
                 params { name = each.key }\n}\ntask \"z\" { check = \"true\" }\n",
            )
            .with(
                "in.hcl",
                "param \"name\" {}\ntask \"t\" {\n  for_each = split(\",\", task.query.q.status.stdout)\n  check = each.key\n}\n\
                 task.query \"q\" { query = format(\"echo %s\", param.name) }\n",
            );
        let sources = converge_core::load::Sources::only(memory);
        let graph = Loader::new(&registry).with_sources(sources).load("main.hcl").into_graph().unwrap();
        let mut order = CanonicalOrder::new(&graph);
        let id = |name: &str| -> NodeId { format!("root/{name}").parse().unwrap() };
        assert_eq!(order.take(&id("task.query.q"), "q ".to_owned()), "q ");
        assert_eq!(order.take(&id("task.z"), "z ".to_owned()), "");
        // The two awaited nodes are a query and a `for_each` with unknown instances.
        assert_eq!(order.record_instances(&id("module.m"), 2), "");
        assert_eq!(order.take(&id("module.m[\"a\"]/param.name"), String::new()), "");
        assert_eq!(order.record_instances(&id("module.m[\"a\"]/task.t"), 2), "");
        assert_eq!(order.take(&id("module.m[\"a\"]/task.t[\"2\"]"), "2 ".to_owned()), "");
        assert_eq!(order.take(&id("module.m[\"a\"]/task.query.q"), "inner ".to_owned()), "");
        assert_eq!(order.take(&id("module.m[\"a\"]/task.t[\"1\"]"), "1 ".to_owned()), "inner 1 2 z ");
        assert_eq!(order.finish(), "");
    }
}
