//! A printer from expression trees to text that parses back.

use std::fmt::Write as _;

use super::super::{BinaryOperator, Computed, Expression, ExpressionKind, For, SplatStep, UnaryOperator};
use super::expressions::symbol;

/// The operators by precedence, lowest first.
pub(super) const OPERATORS: [&[BinaryOperator]; 6] = [
    &[BinaryOperator::Or],
    &[BinaryOperator::And],
    &[BinaryOperator::Equal, BinaryOperator::NotEqual],
    &[
        BinaryOperator::Less,
        BinaryOperator::LessOrEqual,
        BinaryOperator::Greater,
        BinaryOperator::GreaterOrEqual,
    ],
    &[BinaryOperator::Add, BinaryOperator::Subtract],
    &[BinaryOperator::Multiply, BinaryOperator::Divide, BinaryOperator::Remainder],
];

/// The precedence levels of printed text, from a conditional to a base of postfix steps.
const CONDITIONAL: usize = 0;
const UNARY: usize = 7;
const STEPS: usize = 8;

/// Prints a tree.
///
/// `␣` marks optional space or a line end, `·` marks optional space only.
pub(super) fn print_tree(tree: &Expression) -> String {
    let mut printer = Printer { text: String::new(), free: false };
    printer.print(tree, CONDITIONAL);
    printer.text
}

struct Printer {
    text: String,
    /// Whether line ends are white space here.
    free: bool,
}

impl Printer {
    fn space(&mut self) {
        self.text.push(if self.free { '␣' } else { '·' });
    }

    /// Prints a symbol with optional space around it.
    fn symbol(&mut self, symbol: &str) {
        self.space();
        self.text.push_str(symbol);
        self.space();
    }

    fn word(&mut self, word: &str) {
        self.text.extend([" ", word, " "]);
    }

    fn within(&mut self, open: &str, close: &str, inside: impl FnOnce(&mut Self)) {
        let was_free = std::mem::replace(&mut self.free, true);
        self.text.push_str(open);
        self.space();
        inside(self);
        self.space();
        self.text.push_str(close);
        self.free = was_free;
    }

    /// Prints the tree, in parentheses if its precedence is below `lowest`.
    fn print(&mut self, tree: &Expression, lowest: usize) {
        if level(tree) < lowest {
            self.within("(", ")", |printer| printer.bare(tree));
        } else {
            self.bare(tree);
        }
    }

    /// Prints the base of postfix steps.
    fn base(&mut self, tree: &Expression) {
        let needs_space = match &tree.kind {
            ExpressionKind::Int { .. } | ExpressionKind::Float(_) => true,
            ExpressionKind::Computed(computed) => matches!(**computed, Computed::Splat { .. }),
            _ => false,
        };
        self.print(tree, if needs_space { STEPS + 1 } else { STEPS });
    }

    fn list<'e>(&mut self, items: impl IntoIterator<Item = &'e Expression>) {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.symbol(",");
            }
            self.print(item, CONDITIONAL);
        }
    }

    fn entry(&mut self, value: &Expression) {
        self.symbol("=");
        self.free = false;
        self.print(value, CONDITIONAL);
        self.free = true;
        self.symbol(",");
    }

    fn bare(&mut self, tree: &Expression) {
        match &tree.kind {
            ExpressionKind::Bool(value) => self.text.push_str(&value.to_string()),
            ExpressionKind::Int { value, .. } => self.text.push_str(&value.to_string()),
            ExpressionKind::Float(value) => write!(self.text, "{value:?}").unwrap(),
            ExpressionKind::String(text) => {
                self.text.push('"');
                for c in text.chars() {
                    write!(self.text, "\\U{:08x}", u32::from(c)).unwrap();
                }
                self.text.push('"');
            }
            ExpressionKind::List(items) => self.within("[", "]", |printer| printer.list(items)),
            ExpressionKind::Map(entries) => self.within("{", "}", |printer| {
                for (name, value) in entries {
                    printer.text.push_str(&name.text);
                    printer.entry(value);
                }
            }),
            ExpressionKind::Computed(computed) => self.computed(computed),
        }
    }

    fn computed(&mut self, computed: &Computed) {
        match computed {
            Computed::Null => self.text.push_str("null"),
            Computed::Name(name) => self.text.push_str(name),
            Computed::Attribute { base, name } => {
                self.base(base);
                self.symbol(".");
                self.text.push_str(&name.text);
            }
            Computed::Index { base, index } => {
                self.base(base);
                self.within("[", "]", |printer| printer.print(index, CONDITIONAL));
            }
            Computed::Splat { base, steps } => self.splat(base, steps),
            Computed::Call { function, arguments, spread } => {
                self.text.push_str(&function.text);
                self.within("(", ")", |printer| {
                    printer.list(arguments);
                    if spread.is_some() {
                        printer.word("...");
                    }
                });
            }
            Computed::Unary { operator: UnaryOperator::Not, operand } => {
                self.text.push('!');
                self.print(operand, UNARY);
            }
            Computed::Unary { operator: UnaryOperator::Negate, operand } => {
                self.text.push_str("- ");
                self.print(operand, UNARY);
            }
            Computed::Binary { operator, left, right, .. } => {
                let level = binary_level(*operator);
                self.print(left, level);
                // A dash could be read as part of a name, so the operator needs space.
                self.word(symbol(*operator));
                self.print(right, level + 1);
            }
            Computed::Conditional { condition, yes, no } => {
                self.print(condition, CONDITIONAL + 1);
                self.symbol("?");
                self.print(yes, CONDITIONAL);
                self.symbol(":");
                self.print(no, CONDITIONAL);
            }
            Computed::For(parts) if parts.result_key.is_some() => {
                self.within("{", "}", |printer| printer.for_parts(parts));
            }
            Computed::For(parts) => self.within("[", "]", |printer| printer.for_parts(parts)),
            Computed::Map(entries) => self.within("{", "}", |printer| {
                for (key, value) in entries {
                    let is_plain = matches!(
                        key.kind,
                        ExpressionKind::String(_) | ExpressionKind::Int { .. } | ExpressionKind::Float(_)
                    );
                    printer.print(key, if is_plain { CONDITIONAL } else { STEPS + 1 });
                    printer.entry(value);
                }
            }),
        }
    }

    fn splat(&mut self, base: &Expression, steps: &[SplatStep]) {
        self.base(base);
        self.within("[", "]", |printer| printer.text.push('*'));
        for step in steps {
            match step {
                SplatStep::Attribute(name) => {
                    self.symbol(".");
                    self.text.push_str(&name.text);
                }
                SplatStep::Index(index) => self.within("[", "]", |printer| printer.print(index, CONDITIONAL)),
                SplatStep::Splat => self.within("[", "]", |printer| printer.text.push('*')),
            }
        }
    }

    fn for_parts(&mut self, parts: &For) {
        self.word("for");
        if let Some(key) = &parts.key {
            self.text.push_str(&key.text);
            self.symbol(",");
        }
        self.text.push_str(&parts.value.text);
        self.word("in");
        self.print(&parts.over, CONDITIONAL);
        self.symbol(":");
        if let Some(key) = &parts.result_key {
            self.print(key, CONDITIONAL);
            self.symbol("=>");
        }
        self.print(&parts.result, CONDITIONAL);
        if parts.grouped {
            self.word("...");
        }
        if let Some(condition) = &parts.condition {
            self.word("if");
            self.print(condition, CONDITIONAL);
        }
    }
}

fn binary_level(operator: BinaryOperator) -> usize {
    1 + OPERATORS.iter().position(|level| level.contains(&operator)).unwrap()
}

/// Returns the precedence level of the tree.
///
/// Levels above [`STEPS`] are printed in parentheses.
fn level(tree: &Expression) -> usize {
    let ExpressionKind::Computed(computed) = &tree.kind else { return STEPS };
    match &**computed {
        Computed::Conditional { .. } => CONDITIONAL,
        Computed::Binary { operator, .. } => binary_level(*operator),
        Computed::Unary { .. } => UNARY,
        _ => STEPS,
    }
}
