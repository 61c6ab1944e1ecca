//! A syntax tree as text: a line for each part, with its line and column.

use std::fmt::Write as _;

use converge_core::diagnostic::SourceFile;
use converge_core::syntax::{Body, Expression, ExpressionKind, Item};

/// Returns the text of the tree of a file.
pub(crate) fn text(body: &Body, source: &SourceFile) -> String {
    let mut printer = Printer { source, text: String::new() };
    printer.body(body, 0);
    printer.text
}

struct Printer<'a> {
    source: &'a SourceFile,
    text: String,
}

impl Printer<'_> {
    fn body(&mut self, body: &Body, depth: usize) {
        for item in &body.items {
            match item {
                Item::Attribute(attribute) => {
                    self.value(&format!("attribute {}", attribute.name.text), &attribute.value, depth);
                }
                Item::Block(block) => {
                    let names = block.labels.iter().map(|label| format!("{:?}", label.text));
                    let names: Vec<String> = [block.kind.text.to_string()].into_iter().chain(names).collect();
                    self.line(depth, block.range.start, &format!("block {}", names.join(" ")));
                    self.body(&block.body, depth + 1);
                }
            }
        }
    }

    /// Prints a value with its name.
    fn value(&mut self, name: &str, value: &Expression, depth: usize) {
        let start = value.range.start;
        if let Some(literal) = literal(&value.kind) {
            return self.line(depth, start, &format!("{name}: {literal}"));
        }
        match &value.kind {
            ExpressionKind::List(items) => {
                self.line(depth, start, &format!("{name}: List of {}", items.len()));
                for item in items {
                    self.value("item", item, depth + 1);
                }
            }
            ExpressionKind::Map(entries) => {
                self.line(depth, start, &format!("{name}: Map of {}", entries.len()));
                for (key, item) in entries {
                    self.value(&format!("key {:?}", key.text), item, depth + 1);
                }
            }
            // The other kinds of expressions are shown in their debug form.
            other => {
                let debug = self.with_places(&format!("{other:#?}"));
                let mut lines = debug.lines();
                self.line(depth, start, &format!("{name}: {}", lines.next().unwrap_or_default()));
                for line in lines {
                    let _ = writeln!(self.text, "{:1$}{line}", "", 10 + 2 * depth);
                }
            }
        }
    }

    fn line(&mut self, depth: usize, offset: u32, text: &str) {
        let _ = writeln!(self.text, "{:<10}{:2$}{text}", self.place(offset), "", 2 * depth);
    }

    fn place(&self, offset: u32) -> String {
        let position = self.source.position(offset as usize);
        format!("{}:{}", position.line, position.column)
    }

    /// Replaces byte offsets in a debug text with lines and columns.
    fn with_places(&self, debug: &str) -> String {
        let place = |line: &str| {
            let (name, range) = line.split_once(": ")?;
            let (start, _) = range.split_once("..")?;
            Some(format!("{name}: {},", self.place(start.parse().ok()?)))
        };
        let lines: Vec<String> =
            debug.lines().map(|line| place(line).unwrap_or_else(|| line.to_owned())).collect();
        lines.join("\n")
    }
}

/// Returns the text of a literal.
fn literal(kind: &ExpressionKind) -> Option<String> {
    match kind {
        ExpressionKind::Bool(value) => Some(format!("Bool {value}")),
        ExpressionKind::Int { value, base } => Some(format!("Int {value}, written in base {base}")),
        ExpressionKind::Float(value) => Some(format!("Float {value}")),
        ExpressionKind::String(value) => Some(format!("String {value:?}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use converge_core::diagnostic::SourceMap;
    use converge_core::syntax;

    #[test]
    fn each_part_has_its_place() {
        let source = "task \"a\" {\n  env  = { A = 1 }\n  list = [\"x\", 0644]\n  not  = !x\n}\n";
        let mut sources = SourceMap::new();
        let file = sources.add("m.hcl", source);
        let (body, mistakes) = syntax::parse(file, source);
        assert!(mistakes.is_empty());
        let text = super::text(&body, sources.file(file).unwrap());
        let (source_part, computed) = text.split_once("4:10").unwrap();
        assert_eq!(
            source_part,
            "1:1       block task \"a\"\n\
             2:10        attribute env: Map of 1\n\
             2:16          key \"A\": Int 1, written in base 10\n\
             3:10        attribute list: List of 2\n\
             3:11          item: String \"x\"\n\
             3:16          item: Int 420, written in base 8\n"
        );
        assert!(computed.contains("operator: Not,"), "{computed}");
        assert!(computed.contains("range: 4:11,"), "{computed}");
    }
}
