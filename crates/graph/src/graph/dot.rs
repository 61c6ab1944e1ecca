//! Output of graphs for Graphviz.

use std::fmt;

use super::dependency_graph::Graph;
use super::drawing::{Element, LineStyle, NodeShape, arrows, label, lines};

impl Graph {
    /// Formats the graph for Graphviz (`dot -Tsvg`); the same graph gives the same bytes.
    ///
    /// An arrow points from a resource to its dependency and is labelled with the reasons. Modules, switches,
    /// cases and the instances of a `for_each` are boxes around their resources. A node that decides whether
    /// a box is handled is a diamond with its predicate. Dashed arrows lead to the beginnings of boxes, and
    /// from their ends.
    pub fn to_dot(&self) -> impl fmt::Display {
        fmt::from_fn(|f| self.write_dot(f))
    }

    fn write_dot(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| quoted(&self.sources().redactor().redact(text));
        writeln!(f, "digraph converge {{")?;
        writeln!(f, "  rankdir = \"LR\";")?;
        writeln!(f, "  node [shape = \"box\"];")?;
        for line in lines(self) {
            let indent = "  ".repeat(line.depth + 1);
            match line.element {
                Element::Open(id, title) => {
                    writeln!(f, "{indent}subgraph {} {{", quoted(&format!("cluster_{id}")))?;
                    writeln!(f, "{indent}  label = {};", quoted(title))?;
                }
                Element::Close => writeln!(f, "{indent}}}")?,
                Element::Node(index) => {
                    let node = self.node(index);
                    let (shape, label) = label(self, node);
                    let shape = match shape {
                        NodeShape::Resource => "",
                        NodeShape::Gate => ", shape = \"diamond\"",
                        NodeShape::Point => ", shape = \"circle\", fontsize = 10",
                    };
                    writeln!(f, "{indent}{} [label = {}{shape}];", quoted(node.id.as_str()), quoted(&label))?;
                }
            }
        }
        for arrow in arrows(self) {
            let (from, dependency) = (self.node(arrow.from).id.as_str(), self.node(arrow.on).id.as_str());
            write!(f, "  {} -> {} ", quoted(from), quoted(dependency))?;
            let style = match arrow.style {
                LineStyle::Written => "",
                LineStyle::Structure => ", style = \"dashed\", color = \"gray\", fontcolor = \"gray\"",
            };
            writeln!(f, "[label = {}{style}];", quoted(&arrow.reasons))?;
        }
        writeln!(f, "}}")
    }
}

/// Quotes a string for Graphviz, where only a quote ends it and a backslash begins an escape.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
