//! Resources in HCL, YAML or JSON, parsed into one tree with source positions.

mod format;
mod hcl;
mod json;
mod node;
mod schema;
#[cfg(test)]
mod tests;
mod yaml;

use converge_core::diagnostic::{Diagnostics, FileId};

pub(crate) use format::Language;
pub(crate) use node::{Entry, Node, Value};
pub(crate) use schema::{Schemas, Walk, unknown};
pub(crate) use yaml::write as to_yaml;

use node::error_at;

/// Parses the resources of a text, each a map, in order, and reports mistakes.
pub(crate) fn read(language: Language, file: FileId, text: &str) -> (Vec<Node>, Diagnostics) {
    let (nodes, mut diagnostics) = match language {
        Language::Hcl => hcl::read(file, text),
        Language::Json => json::read(file, text),
        Language::Yaml => yaml::read(file, text),
    };
    let mut resources = Vec::new();
    for node in nodes {
        flatten(node, file, &mut resources, &mut diagnostics);
    }
    (resources, diagnostics)
}

/// Flattens a resource, a list of resources, or the output of `list`.
fn flatten(node: Node, file: FileId, resources: &mut Vec<Node>, diagnostics: &mut Diagnostics) {
    match node.value {
        Value::List(nodes) => {
            for node in nodes {
                flatten(node, file, resources, diagnostics);
            }
        }
        Value::Map(entries) if matches!(&*entries, [Entry { name, .. }] if name == "resources") => {
            for entry in entries {
                flatten(entry.node, file, resources, diagnostics);
            }
        }
        Value::Map(_) => resources.push(node),
        _ => diagnostics.push(error_at(
            file,
            &node.range,
            "not-a-resource",
            format!("a resource is a map, got {}", node.kind()),
        )),
    }
}
