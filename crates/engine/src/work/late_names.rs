//! The things that others declare, with the names that only the run knows.

use std::sync::Arc;

use crate::graph::NodeIndex;
use crate::inputs::rendering::{evaluate, render};
use crate::sdk::declared_things::Declared;
use crate::tables::managed_so_far::footprint;
use crate::tables::node_flags::NOT_TAKEN;
use crate::tables::run_tables::Shared;

/// Returns the things that others declare, if some of their names were not known at load.
///
/// The resource leaves these things out. The nodes that determine the names have ended, unless they depend on the
/// resource themselves. The reason why a name cannot be known is reported by its own resource.
pub(super) async fn declared_by_now(shared: &Arc<Shared>, index: NodeIndex) -> Option<Declared> {
    let late = shared.graph.managed_in_run().late_in_trees.get(&index)?;
    let (mut footprints, mut unknown) = (Vec::with_capacity(late.len()), None);
    for late in late {
        let node = shared.graph.node(*late);
        // A resource that the module excludes declares nothing.
        let mut dependencies = shared.graph.dependencies(*late).iter();
        if dependencies.any(|edge| shared.flags.has(edge.on, NOT_TAKEN)) {
            continue;
        }
        match evaluate(shared, *late, render).await {
            Ok(Ok(rendered)) if rendered.unknown.is_empty() => {
                footprints.push(footprint(node, Some(&rendered.values)));
            }
            _ => unknown = Some(node.id.short().into()),
        }
    }
    Some(shared.setup.context.declared().with(footprints, unknown))
}
