//! Names like one that does not exist.

use crate::graph::{Graph, NodeId, Role};
use crate::report::close_names;

/// With how many names one that is wrong is compared. It is a mistake of a module, but who computes names may make
/// it in every resource.
const COMPARED: usize = 1000;

/// Parameters of a module with a name like this one.
pub(super) fn params(graph: &Graph, module: &NodeId, name: &str) -> Vec<String> {
    let prefix = format!("{module}/param.");
    let names = graph.with_prefix(&prefix).take(COMPARED);
    owned(close_names(name, names.filter_map(|(_, node)| node.id.as_str().strip_prefix(&prefix))))
}

/// What a wrong path may have meant: resources that can be seen from `container`, with the same rest of the path.
pub(super) fn resources(graph: &Graph, container: &NodeId, path: &str) -> Vec<String> {
    let given: Vec<&str> = path.split('.').collect();
    let mut known = Vec::new();
    let mut around = Some(container.clone());
    while let Some(at) = around {
        let prefix = format!("{at}/");
        for (_, node) in graph.with_prefix(&prefix).take(COMPARED) {
            let inner = node.id.as_str().strip_prefix(&prefix);
            let Some(name) = inner.filter(|name| !name.contains('/') && node.role == Role::Resource) else {
                continue;
            };
            let rest = given.get(name.split('.').count()..).unwrap_or_default();
            known.push(if rest.is_empty() { name.to_owned() } else { format!("{name}.{}", rest.join(".")) });
        }
        around = at.parent();
    }
    owned(close_names(path, known.iter().map(String::as_str)))
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}
