//! The lines of a plan, in an order that does not depend on which check happened to end first.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use converge_core::graph::{Graph, Node, NodeId};

/// Holds back what comes too early.
#[derive(Debug)]
pub(super) struct CanonicalOrder {
    /// Finds a node by its id.
    graph: Arc<Graph>,
    /// The place of each node of the graph.
    places: Vec<usize>,
    /// Of each place, whether it is waited for.
    waited_for: Vec<bool>,
    next: usize,
    /// By place; the instances that a run found by the place of what has the `for_each`, in the order of their ids.
    held: BTreeMap<(usize, Option<NodeId>), String>,
    /// How many nodes of instances are waited for at a place.
    instances: HashMap<usize, usize>,
}

impl CanonicalOrder {
    /// The order in which one worker would come to the nodes.
    pub(super) fn of(graph: &Arc<Graph>) -> Self {
        let order = graph.order();
        // What is in a cycle has no place, and is never run.
        let mut places = vec![usize::MAX; graph.len()];
        for (place, index) in order.iter().enumerate() {
            places[index.as_usize()] = place;
        }
        // Parameters and what only holds resources are reported when they fail, and not otherwise.
        let is_told = |node: &Node| node.role.is_resource() || node.deferred().is_some();
        let waited_for = order.iter().map(|index| is_told(graph.node(*index))).collect();
        let (held, instances) = (BTreeMap::new(), HashMap::new());
        Self { graph: Arc::clone(graph), places, waited_for, next: 0, held, instances }
    }

    /// A run found out which instances there are of something, of which so many nodes will be told.
    pub(super) fn known(&mut self, id: &NodeId, told: usize) -> String {
        if let Some(index) = self.graph.find(id.as_str()) {
            let place = self.places[index.as_usize()];
            self.instances.insert(place, told);
            return if told > 0 { String::new() } else { self.is_there(place) };
        }
        // It is in an instance itself, and was one of those that are waited for.
        let Some((index, _)) = self.graph.declared_in(id.as_str()) else { return String::new() };
        let place = self.places[index.as_usize()];
        if let Some(left) = self.instances.get_mut(&place) {
            *left += told;
        }
        self.one_less(place)
    }

    /// Takes the text about a node, which may be empty; gives what can be written now.
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

    /// Of what is waited for at a place, one is there.
    fn one_less(&mut self, place: usize) -> String {
        match self.instances.get_mut(&place) {
            Some(left) if *left > 1 => {
                *left -= 1;
                String::new()
            }
            _ => self.is_there(place),
        }
    }

    /// All that is told at a place is there.
    fn is_there(&mut self, place: usize) -> String {
        if let Some(waited_for) = self.waited_for.get_mut(place) {
            *waited_for = false;
        }
        while self.waited_for.get(self.next) == Some(&false) {
            self.next += 1;
        }
        // Most resources of most plans have nothing to say.
        if self.held.is_empty() {
            return String::new();
        }
        let later = self.held.split_off(&(self.next, None));
        std::mem::replace(&mut self.held, later).into_values().collect()
    }

    /// Everything that is still held back.
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
            let mut order = CanonicalOrder::of(&graph);
            let id = |name: &&str| NodeId::root().child(&format!("task.{name}"));
            let mut written: Vec<String> =
                ended.iter().map(|name| order.take(&id(name), format!("{name} "))).collect();
            written.push(order.finish());
            assert_eq!(written, expect, "{ended:?}");
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
        let mut order = CanonicalOrder::of(&graph);
        let id = |name: &str| NodeId::root().child(name);
        let each = id("task.m");
        assert_eq!(order.take(&id("task.z"), "z ".to_owned()), "");
        assert_eq!(order.take(&id("task.query.q"), "q ".to_owned()), "q ");
        assert_eq!(order.known(&each, 2), "");
        assert_eq!(order.take(&each.instance("b"), "b ".to_owned()), "");
        assert_eq!(order.take(&each.instance("a"), "a ".to_owned()), "a b z ");
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
        let mut order = CanonicalOrder::of(&graph);
        let id = |name: &str| -> NodeId { format!("root/{name}").parse().unwrap() };
        assert_eq!(order.take(&id("task.query.q"), "q ".to_owned()), "q ");
        assert_eq!(order.take(&id("task.z"), "z ".to_owned()), "");
        // A query, and a `for_each` that is not known yet.
        assert_eq!(order.known(&id("module.m"), 2), "");
        assert_eq!(order.take(&id("module.m[\"a\"]/param.name"), String::new()), "");
        assert_eq!(order.known(&id("module.m[\"a\"]/task.t"), 2), "");
        assert_eq!(order.take(&id("module.m[\"a\"]/task.t[\"2\"]"), "2 ".to_owned()), "");
        assert_eq!(order.take(&id("module.m[\"a\"]/task.query.q"), "inner ".to_owned()), "");
        assert_eq!(order.take(&id("module.m[\"a\"]/task.t[\"1\"]"), "1 ".to_owned()), "inner 1 2 z ");
        assert_eq!(order.finish(), "");
    }
}
