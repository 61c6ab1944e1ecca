//! Suggestions for names that cannot be resolved.

use std::collections::HashMap;

use crate::diagnostic::close_among;
use crate::graph::{EdgeReason, Graph, Node, NodeIndex, Role};
use converge_value::types::id::NodeId;

/// The maximum number of names that are compared with wrong ones.
///
/// Each wrong name is compared with all names around it. Without a limit, a large module with only wrong
/// references would take quadratic time.
const MAX_COMPARISONS: usize = 200_000;

pub(super) struct Suggestions<'a> {
    graph: &'a Graph,
    tables: Option<Tables<'a>>,
    compared: usize,
}

struct Tables<'a> {
    /// The nodes directly in each container, by the ID of the container.
    inside: HashMap<&'a str, Vec<NodeIndex>>,
    /// The nodes by name, in any container.
    named: HashMap<&'a str, Vec<NodeIndex>>,
}

impl<'a> Suggestions<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        Self { graph, tables: None, compared: 0 }
    }

    fn tables(&mut self) -> &Tables<'a> {
        let graph = self.graph;
        self.tables.get_or_insert_with(|| {
            let mut tables = Tables { inside: HashMap::new(), named: HashMap::new() };
            for (index, node) in graph.nodes() {
                if node.role.can_be_named() {
                    tables.inside.entry(node.id.scope()).or_default().push(index);
                    if let Some(container) = around_switch(node.id.scope()) {
                        tables.inside.entry(container).or_default().push(index);
                    }
                    tables.named.entry(node.id.name()).or_default().push(index);
                }
            }
            tables
        })
    }

    /// Returns the names directly in a container; none once the limit of comparisons is reached.
    fn names(&mut self, container: &str) -> Vec<(NodeIndex, &'a str)> {
        self.counted(container).unwrap_or_default()
    }

    /// Like [`names`](Self::names), but returns `None` once the limit of comparisons is reached.
    fn counted(&mut self, container: &str) -> Option<Vec<(NodeIndex, &'a str)>> {
        let graph = self.graph;
        let compared = self.compared;
        let entries = self.tables().inside.get(container).map(Vec::as_slice).unwrap_or_default();
        let count = compared.saturating_add(entries.len());
        if count > MAX_COMPARISONS {
            return None;
        }
        let names = entries.iter().map(|index| (*index, graph.node(*index).id.name())).collect();
        self.compared = count;
        Some(names)
    }

    pub(super) fn params(&mut self, module: &NodeId) -> Vec<String> {
        let names = self.names(module.as_str()).into_iter();
        names.filter_map(|(_, name)| name.strip_prefix("param.")).map(str::to_owned).collect()
    }

    pub(super) fn outputs(&mut self, module: &NodeId) -> Vec<String> {
        let names = self.names(module.as_str()).into_iter();
        names.filter_map(|(_, name)| name.strip_prefix("output.")).map(str::to_owned).collect()
    }

    /// Suggests the output that a path means if it omits `output`.
    pub(super) fn output(&mut self, module: &Node, field: &[&str]) -> Option<String> {
        let (first, rest) = field.split_first()?;
        let is_one = module.role == Role::Module && self.outputs(&module.id).iter().any(|name| name == first);
        let rest: String = rest.iter().flat_map(|name| [".", name]).collect();
        is_one.then(|| format!("it is an output: write `{}.output.{first}{rest}`", module.id.name()))
    }

    /// Returns the keys of a `for_each`; `None` once the limit of comparisons is reached.
    pub(super) fn keys(&mut self, end: NodeIndex) -> Option<Vec<String>> {
        let name = self.graph.node(end).id.name();
        let names = self.counted(self.graph.node(end).id.scope())?.into_iter();
        let keys = names.filter_map(|(_, other)| {
            other.strip_prefix(name)?.strip_prefix("[\"")?.strip_suffix("\"]").map(str::to_owned)
        });
        Some(keys.collect())
    }

    /// Suggests a replacement for a path that is looked up from a container.
    pub(super) fn path(
        &mut self,
        container: &NodeId,
        node: NodeIndex,
        path: &str,
        reason: EdgeReason,
    ) -> Option<String> {
        let hint = self.elsewhere(container, path);
        let hint = hint.or_else(|| self.in_module(container, path, reason));
        if hint.is_some() {
            return hint;
        }
        let mut enclosing = Some(container.clone());
        while let Some(current) = enclosing {
            let names = self.names(current.as_str()).into_iter();
            let names = names.filter(|(index, _)| *index != node).map(|(_, name)| name);
            let close = close(path, "", names, reason);
            if close.is_some() {
                return close;
            }
            enclosing = current.parent();
        }
        None
    }

    /// Suggests the same name in another module.
    fn elsewhere(&mut self, container: &NodeId, path: &str) -> Option<String> {
        let last_segment = path.rsplit('/').next().unwrap_or(path);
        let mut end = last_segment.len();
        loop {
            let name = last_segment.get(..end)?;
            if let Some(nodes) = self.tables().named.get(name) {
                let index = *nodes.first()?;
                let node = self.graph.node(index);
                let from_here = relative(container, &node.id);
                let holder = relative(container, &node.id.parent()?);
                if holder.is_empty() {
                    return None;
                }
                let rest = last_segment.get(end..).unwrap_or_default();
                return Some(format!("it is in `{holder}`: write `{}{rest}`", dotted(&from_here)));
            }
            end = name.rfind('.')?;
        }
    }

    /// Suggests a similar name in the module that the first names of a path lead to.
    fn in_module(&mut self, container: &NodeId, path: &str, reason: EdgeReason) -> Option<String> {
        let separators = path.char_indices().filter(|(_, c)| matches!(c, '/' | '.'));
        let separator_offsets: Vec<usize> = separators.map(|(at, _)| at).take(16).collect();
        separator_offsets.into_iter().rev().find_map(|end| {
            let holder = path.get(..end)?;
            let resolution = self.graph.resolve(container, holder)?;
            let [index] = resolution.targets.as_slice() else { return None };
            let role = self.graph.node(*index).role;
            if !resolution.field.is_empty() || !matches!(role, Role::Module | Role::Switch | Role::Case) {
                return None;
            }
            let names = self.names(self.graph.node(*index).id.as_str());
            let (prefix, rest) = path.split_at(end + 1);
            close(rest, prefix, names.into_iter().map(|(_, name)| name), reason)
        })
    }

    /// Suggests a replacement for names that a module does not contain.
    pub(super) fn within(&mut self, module: &NodeId, field: &[&str]) -> Option<String> {
        let names = self.names(module.as_str());
        let prefix = format!("{}.", module.name());
        close(&field.join("."), &prefix, names.into_iter().map(|(_, name)| name), EdgeReason::Lookup)
    }
}

/// Suggests the names that are similar to a path.
///
/// In a lookup, the parts of the path after the length of a name are an export of it.
fn close<'n>(
    path: &str,
    prefix: &str,
    names: impl Iterator<Item = &'n str>,
    reason: EdgeReason,
) -> Option<String> {
    let path = dotted(path);
    let segments: Vec<&str> = path.split('.').collect();
    let candidates = names.map(|name| {
        let parts = name.split('.').count();
        match segments.get(parts..) {
            Some(export) if reason == EdgeReason::Lookup && !export.is_empty() => {
                format!("{name}.{}", export.join("."))
            }
            _ => name.to_owned(),
        }
    });
    let candidates: Vec<String> = candidates.collect();
    let close = close_among(&path, candidates.iter().map(String::as_str));
    let close = close.iter().map(|name| format!("`{prefix}{name}`")).collect::<Vec<_>>();
    (!close.is_empty()).then(|| format!("did you mean {}?", close.join(" or ")))
}

/// Returns the ID relative to a container.
fn relative(container: &NodeId, id: &NodeId) -> String {
    let mut container_parts = container.parts();
    let rest: Vec<&str> = id.parts().skip_while(|part| container_parts.next() == Some(*part)).collect();
    rest.join("/")
}

fn dotted(path: &str) -> String {
    path.replace('/', ".")
}

/// Returns the ID of the container of a case's switch, where the content of the case can also be named.
fn around_switch(case: &str) -> Option<&str> {
    let (switch, name) = case.rsplit_once('/')?;
    let (parent, switch) = switch.rsplit_once('/')?;
    (name.starts_with("case.") && switch.starts_with("switch.")).then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Loader;
    use crate::sdk::registry::Registry;

    /// Twice as many wrong names among twice as many names take twice the work, not four times.
    #[test]
    fn the_work_for_wrong_names_has_an_end() {
        let registry = Registry::new();
        for many in [1_000, 10_000, 20_000] {
            let text = (0..many)
                .map(|index| format!("param \"p{index}\" {{ default = 1 }}\n"))
                .collect::<Vec<_>>()
                .concat();
            let loaded = Loader::new(&registry).load_text("many.hcl", text);
            let mut suggestions = Suggestions::new(loaded.partial_graph());
            for index in 0..many {
                let params = suggestions.params(&NodeId::root());
                assert!(params.is_empty() || params.len() == many, "{index}");
            }
            assert!(suggestions.compared <= MAX_COMPARISONS, "{}", suggestions.compared);
        }
    }
}
