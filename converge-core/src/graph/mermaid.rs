//! Graphs for Mermaid, which many documentation tools draw.

use std::fmt;

use super::Graph;
use super::picture::{Scope, reasons, steps};

/// Writes a graph in the language of Mermaid; made by [`Graph::to_mermaid`].
#[derive(Clone, Copy, Debug)]
pub struct Mermaid<'a>(pub(super) &'a Graph);

impl Graph {
    /// The graph as a Mermaid flowchart, the same bytes for the same graph.
    ///
    /// An arrow goes from a resource to what it waits for, and is labelled with the reasons. Modules are
    /// boxes around their resources.
    pub fn to_mermaid(&self) -> Mermaid<'_> {
        Mermaid(self)
    }
}

impl fmt::Display for Mermaid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let graph = self.0;
        writeln!(f, "flowchart LR")?;
        // Names may hold what ids may not, so ids are numbers.
        let mut modules = 0_usize;
        for step in steps(graph) {
            let indent = "  ".repeat(step.depth + 1);
            match step.scope {
                Scope::Open(_) => {
                    writeln!(f, "{indent}subgraph m{modules}[{}]", Quoted(step.name))?;
                    modules += 1;
                }
                Scope::Close => writeln!(f, "{indent}end")?,
                Scope::Node(index) => writeln!(f, "{indent}n{}[{}]", index.as_usize(), Quoted(step.name))?,
            }
        }
        for (index, _) in graph.nodes() {
            for edges in graph.dependencies(index).chunk_by(|a, b| a.on == b.on) {
                let Some(first) = edges.first() else { continue };
                let (from, on) = (index.as_usize(), first.on.as_usize());
                writeln!(f, "  n{from} -->|{}| n{on}", Quoted(&reasons(edges)))?;
            }
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
                '"' | '#' | '&' | '<' | '>' | '`' | '\n' | ';' => write!(f, "#{};", u32::from(character))?,
                character => write!(f, "{character}")?,
            }
        }
        f.write_str("\"")
    }
}
