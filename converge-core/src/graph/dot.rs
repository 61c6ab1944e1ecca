//! Graphs for Graphviz.

use std::fmt;

use super::Graph;
use super::picture::{Line, Scope, Shape, arrows, label, steps};

/// Writes a graph in the language of Graphviz; made by [`Graph::to_dot`].
#[derive(Clone, Copy, Debug)]
pub struct Dot<'a>(pub(super) &'a Graph);

impl Graph {
    /// The graph for Graphviz (`dot -Tsvg`), the same bytes for the same graph.
    ///
    /// An arrow goes from a resource to what it waits for, and is labelled with the reasons. Modules, switches, cases
    /// and all instances of a `for_each` are boxes around their resources. What decides whether a box is handled is a
    /// diamond with its predicate. Dashed arrows lead to the beginnings of boxes, and from their ends.
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
                Scope::Open(id, title) => {
                    writeln!(f, "{indent}subgraph {} {{", Quoted(&format!("cluster_{id}")))?;
                    writeln!(f, "{indent}  label = {};", Quoted(title))?;
                }
                Scope::Close => writeln!(f, "{indent}}}")?,
                Scope::Node(index) => {
                    let node = graph.node(index);
                    let (shape, label) = label(graph, node);
                    let shape = match shape {
                        Shape::Resource => "",
                        Shape::Gate => ", shape = \"diamond\"",
                        Shape::Point => ", shape = \"circle\", fontsize = 10",
                    };
                    writeln!(f, "{indent}{} [label = {}{shape}];", Quoted(node.id.as_str()), Quoted(&label))?;
                }
            }
        }
        for arrow in arrows(graph) {
            let (from, on) = (graph.node(arrow.from).id.as_str(), graph.node(arrow.on).id.as_str());
            write!(f, "  {} -> {} ", Quoted(from), Quoted(on))?;
            let style = match arrow.line {
                Line::Written => "",
                Line::Structure => ", style = \"dashed\", color = \"gray\", fontcolor = \"gray\"",
            };
            writeln!(f, "[label = {}{style}];", Quoted(&arrow.reasons))?;
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
