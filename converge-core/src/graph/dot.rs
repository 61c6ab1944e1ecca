//! Graphs for Graphviz.

use std::fmt;

use super::Graph;
use super::picture::{Scope, reasons, steps};

/// Writes a graph in the language of Graphviz; made by [`Graph::to_dot`].
#[derive(Clone, Copy, Debug)]
pub struct Dot<'a>(pub(super) &'a Graph);

impl Graph {
    /// The graph for Graphviz (`dot -Tsvg`), the same bytes for the same graph.
    ///
    /// An arrow goes from a resource to what it waits for, and is labelled with the reasons. Modules are
    /// boxes around their resources.
    pub fn to_dot(&self) -> Dot<'_> {
        Dot(self)
    }
}

impl fmt::Display for Dot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let graph = self.0;
        writeln!(f, "digraph converge {{")?;
        writeln!(f, "  rankdir = \"LR\";")?;
        writeln!(f, "  node [shape = \"box\"];")?;
        for step in steps(graph) {
            let indent = "  ".repeat(step.depth + 1);
            match step.scope {
                Scope::Open(id) => {
                    writeln!(f, "{indent}subgraph {} {{", Quoted(&format!("cluster_{id}")))?;
                    writeln!(f, "{indent}  label = {};", Quoted(step.name))?;
                }
                Scope::Close => writeln!(f, "{indent}}}")?,
                Scope::Node(index) => {
                    let id = graph.node(index).id.as_str();
                    writeln!(f, "{indent}{} [label = {}];", Quoted(id), Quoted(step.name))?;
                }
            }
        }
        for (index, node) in graph.nodes() {
            for edges in graph.dependencies(index).chunk_by(|a, b| a.on == b.on) {
                let Some(first) = edges.first() else { continue };
                let reasons = reasons(edges);
                let on = graph.node(first.on).id.as_str();
                writeln!(
                    f,
                    "  {} -> {} [label = {}];",
                    Quoted(node.id.as_str()),
                    Quoted(on),
                    Quoted(&reasons)
                )?;
            }
        }
        writeln!(f, "}}")
    }
}

/// A string of Graphviz. Within quotes only the quote ends it, and a backslash begins an escape.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for character in self.0.chars() {
            match character {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                character => write!(f, "{character}")?,
            }
        }
        f.write_str("\"")
    }
}
