//! Graphs for Mermaid, which many documentation tools draw.

use std::fmt;

use super::Graph;
use super::picture::{Line, Scope, Shape, arrows, label, steps};

/// Writes a graph in the language of Mermaid; made by [`Graph::to_mermaid`].
#[derive(Clone, Copy, Debug)]
pub struct Mermaid<'a>(pub(super) &'a Graph);

impl Graph {
    /// The graph as a Mermaid flowchart, the same bytes for the same graph.
    ///
    /// An arrow goes from a resource to what it waits for, and is labelled with the reasons. Modules, switches, cases
    /// and all instances of a `for_each` are boxes around their resources. What decides whether a box is handled is a
    /// diamond with its predicate. Dashed arrows lead to the beginnings of boxes, and from their ends.
    pub fn to_mermaid(&self) -> Mermaid<'_> {
        Mermaid(self)
    }
}

impl fmt::Display for Mermaid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let graph = self.0;
        writeln!(f, "flowchart LR")?;
        // Names may hold what ids may not, so ids are numbers.
        let mut boxes = 0_usize;
        for step in steps(graph) {
            let indent = "  ".repeat(step.depth + 1);
            match step.scope {
                Scope::Open(_, title) => {
                    writeln!(f, "{indent}subgraph m{boxes}[{}]", Quoted(title))?;
                    boxes += 1;
                }
                Scope::Close => writeln!(f, "{indent}end")?,
                Scope::Node(index) => {
                    let (shape, label) = label(graph, graph.node(index));
                    let (number, label) = (index.as_usize(), Quoted(&label));
                    match shape {
                        Shape::Resource => writeln!(f, "{indent}n{number}[{label}]")?,
                        Shape::Gate => writeln!(f, "{indent}n{number}{{{label}}}")?,
                        Shape::Point => writeln!(f, "{indent}n{number}(({label}))")?,
                    }
                }
            }
        }
        for arrow in arrows(graph) {
            let (from, on) = (arrow.from.as_usize(), arrow.on.as_usize());
            let line = match arrow.line {
                Line::Written => "-->",
                Line::Structure => "-.->",
            };
            writeln!(f, "  n{from} {line}|{}| n{on}", Quoted(&arrow.reasons))?;
        }
        Ok(())
    }
}

/// A string of Mermaid, in which entities stand for what it would read itself.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for character in self.0.chars() {
            match character {
                '\n' => f.write_str("<br/>")?,
                '"' | '#' | '&' | '<' | '>' | '`' | ';' => write!(f, "#{};", u32::from(character))?,
                character => write!(f, "{character}")?,
            }
        }
        f.write_str("\"")
    }
}
