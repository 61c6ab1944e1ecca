//! The nodes that a run of single resources needs.

use super::error::EngineError;
use crate::graph::{Graph, NodeId, NodeIndex};

/// The nodes that a run works on.
#[derive(Debug, Default)]
pub(super) struct Needed {
    /// By index; `None` for all.
    nodes: Option<Box<[bool]>>,
}

impl Needed {
    pub(super) fn has(&self, index: NodeIndex) -> bool {
        self.nodes.as_ref().is_none_or(|nodes| nodes.get(index.as_usize()).copied().unwrap_or(false))
    }
}

fn unknown(graph: &Graph, target: &NodeId) -> EngineError {
    let redactor = graph.sources().redactor();
    let close = graph.close_ids(target.short()).into_iter();
    let close = close.map(|id| id.redacted(redactor).as_str().to_owned()).collect();
    EngineError::UnknownTarget { target: target.clone(), close }
}

/// The targets and all that they wait for. All nodes, when there is no target.
pub(super) fn needed(graph: &Graph, targets: &[NodeId]) -> Result<Needed, EngineError> {
    if targets.is_empty() {
        return Ok(Needed::default());
    }
    let find = |id: &NodeId| graph.find(id.as_str()).ok_or_else(|| unknown(graph, id));
    let mut open: Vec<NodeIndex> = targets.iter().map(find).collect::<Result<_, _>>()?;
    let mut nodes = vec![false; graph.len()].into_boxed_slice();
    while let Some(index) = open.pop() {
        let Some(seen) = nodes.get_mut(index.as_usize()) else { continue };
        if !std::mem::replace(seen, true) {
            open.extend(graph.dependencies(index).iter().map(|edge| edge.on));
        }
    }
    Ok(Needed { nodes: Some(nodes) })
}
