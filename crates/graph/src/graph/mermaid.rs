//! Output of graphs for Mermaid, which many documentation tools support.

use std::fmt;

use super::dependency_graph::Graph;
use super::drawing::{Element, LineStyle, NodeShape, arrows, label, lines};

impl Graph {
    /// Formats the graph as a Mermaid flowchart; the same graph gives the same bytes.
    ///
    /// An arrow points from a resource to its dependency and is labelled with the reasons. Modules, switches,
    /// cases and the instances of a `for_each` are boxes around their resources. A node that decides whether
    /// a box is handled is a diamond with its predicate. Dashed arrows lead to the beginnings of boxes, and
    /// from their ends.
    pub fn to_mermaid(&self) -> impl fmt::Display {
        fmt::from_fn(|f| self.write_mermaid(f))
    }

    fn write_mermaid(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| quoted(&self.sources().redactor().redact(text));
        writeln!(f, "flowchart LR")?;
        // Names may contain characters that ids must not, so ids are numbers.
        let mut boxes = 0_usize;
        for line in lines(self) {
            let indent = "  ".repeat(line.depth + 1);
            match line.element {
                Element::Open(_, title) => {
                    writeln!(f, "{indent}subgraph m{boxes}[{}]", quoted(title))?;
                    boxes += 1;
                }
                Element::Close => writeln!(f, "{indent}end")?,
                Element::Node(index) => {
                    let (shape, label) = label(self, self.node(index));
                    let (number, label) = (index.as_usize(), quoted(&label));
                    match shape {
                        NodeShape::Resource => writeln!(f, "{indent}n{number}[{label}]")?,
                        NodeShape::Gate => writeln!(f, "{indent}n{number}{{{label}}}")?,
                        NodeShape::Point => writeln!(f, "{indent}n{number}(({label}))")?,
                    }
                }
            }
        }
        for arrow in arrows(self) {
            let (from, dependency) = (arrow.from.as_usize(), arrow.on.as_usize());
            let line = match arrow.style {
                LineStyle::Written => "-->",
                LineStyle::Structure => "-.->",
            };
            writeln!(f, "  n{from} {line}|{}| n{dependency}", quoted(&arrow.reasons))?;
        }
        Ok(())
    }
}

/// Quotes a string for Mermaid, with entities for special characters.
fn quoted(text: &str) -> String {
    let characters = text.chars().map(|character| match character {
        '\n' => "<br/>".to_owned(),
        '"' | '#' | '&' | '<' | '>' | '`' | ';' => format!("#{};", u32::from(character)),
        character => character.to_string(),
    });
    format!("\"{}\"", characters.collect::<String>())
}
