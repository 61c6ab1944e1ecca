//! Lookup of nodes by the names that people type.

use thiserror::Error;

use crate::diagnostic::Suggest;
use crate::graph::{Graph, NodeId, NodeIndex};
use crate::types::id::outside_keys;
use converge_value::debug_as_text;

/// An error for a name that does not identify one node.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FindError {
    /// No node has this name.
    #[error("there is no resource `{name}`{}", Suggest(.close))]
    Unknown {
        /// The given name.
        name: String,
        /// Similar names that exist.
        close: Vec<String>,
    },
    /// Several nodes have a path that ends with this name.
    #[error("`{name}` can be {}; write more of the path", listed(.ids))]
    Ambiguous {
        /// The given name.
        name: String,
        /// The matching nodes.
        ids: Vec<NodeId>,
    },
}

debug_as_text!(FindError);

/// The maximum number of paths in a message.
const MAX_LISTED: usize = 4;

fn listed(ids: &[NodeId]) -> String {
    let names: Vec<String> = ids.iter().take(MAX_LISTED).map(|id| format!("`{}`", id.short())).collect();
    let remaining = ids.len().saturating_sub(MAX_LISTED);
    let rest = if remaining > 0 { format!(" or {remaining} more") } else { String::new() };
    format!("{}{rest}", names.join(" or "))
}

/// Finds a node by its path, such as `root/module.web/task.build`.
///
/// The path may omit `root/` or use dots. A unique end of a path, such as `task.build` or `build`, is also
/// accepted.
///
/// # Errors
///
/// No node has the name, or more than one has.
pub fn find(graph: &Graph, name: &str) -> Result<NodeIndex, FindError> {
    let exact = graph.find(name).or_else(|| graph.find(&format!("root/{name}")));
    if let Some(index) = exact {
        return Ok(index);
    }
    let resolved = graph.resolve(&NodeId::root(), name).filter(|resolved| resolved.field.is_empty());
    if let Some(resolved) = resolved
        && let [index] = resolved.targets.as_slice()
    {
        return Ok(*index);
    }
    let is_end = |id: &NodeId| {
        let before = id.as_str().strip_suffix(name);
        !name.is_empty() && before.is_some_and(|before| before.ends_with(['/', '.']))
    };
    let candidates: Vec<(NodeIndex, &NodeId)> =
        graph.nodes().map(|(index, node)| (index, &node.id)).filter(|(_, id)| is_end(id)).collect();
    match candidates.as_slice() {
        [] => {
            let close = graph.close_ids(name).into_iter().map(|id| id.short().to_owned()).collect();
            Err(FindError::Unknown { name: name.to_owned(), close })
        }
        [(index, _)] => Ok(*index),
        several => Err(FindError::Ambiguous {
            name: name.to_owned(),
            ids: several.iter().map(|(_, id)| (*id).clone()).collect(),
        }),
    }
}

/// Finds the id of a node like [`find`], or of an instance of a `for_each` that only a run determines.
///
/// The id may also belong to a node inside such an instance. The existence of the instance is not known
/// before the run.
///
/// # Errors
///
/// The same as for [`find`].
pub fn find_id(graph: &Graph, name: &str) -> Result<NodeId, FindError> {
    let result = find(graph, name).map(|index| graph.node(index).id.clone());
    if result.is_ok() {
        return result;
    }
    let keys = outside_keys(name).filter(|(_, byte)| *byte == b'[').map(|(at, _)| at);
    let mut instances = keys.filter_map(|offset| {
        let (end, rest) = name.split_at_checked(offset)?;
        let end = find(graph, end).map(|index| graph.node(index)).ok()?;
        let id: NodeId = format!("{}{rest}", end.id).parse().ok()?;
        graph.declared_in(id.as_str()).map(|_| id)
    });
    instances.next().map_or(result, Ok)
}
