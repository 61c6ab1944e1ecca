//! Laws of native expressions, for every tree and every text.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::super::literal::decode;
use super::super::tree::ByteRange;
use super::super::{
    Attribute, BinaryOperator, Body, Expression, ExpressionKind, For, Item, Name, Native, Step, UnaryOperator,
};
use super::expressions::{short, symbol, value};
use super::parsed;
use super::properties::{texts, written};

const OPERATORS: [&[BinaryOperator]; 6] = [
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

/// How tightly what stands in the text binds, from a conditional to what steps may follow.
const CONDITIONAL: usize = 0;
const UNARY: usize = 7;
const STEPS: usize = 8;

fn expression(kind: ExpressionKind) -> Expression {
    Expression { kind, range: 0..0 }
}

fn native(native: Native) -> Expression {
    expression(ExpressionKind::Native(Box::new(native)))
}

fn name(text: &str) -> Name {
    Name { text: text.into(), range: 0..0 }
}

fn names() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b-c", "d_", "é", "日本", "in", "if", "forum", "nullable", "_", "x1"])
}

fn leaves() -> impl Strategy<Value = Expression> {
    prop_oneof![
        3 => names().prop_map(|name| native(Native::Name(name.into()))),
        1 => Just(native(Native::Null)),
        1 => any::<bool>().prop_map(|value| expression(ExpressionKind::Bool(value))),
        1 => any::<i64>().prop_map(|value| expression(ExpressionKind::Int { value, base: 10 })),
        1 => (-1e9..1e9).prop_map(|value| expression(ExpressionKind::Float(value))),
        1 => written().prop_map(|(_, text)| expression(ExpressionKind::String(text.into()))),
    ]
}

fn steps(inner: impl Strategy<Value = Expression>) -> impl Strategy<Value = Vec<Step>> {
    let step =
        prop_oneof![names().prop_map(|text| Step::Attribute(name(text))), inner.prop_map(Step::Index),];
    prop::collection::vec(step, 0..3)
}

fn operators() -> impl Strategy<Value = BinaryOperator> {
    prop::sample::select(OPERATORS.concat())
}

/// Trees as the parser makes them, without places.
fn trees() -> impl Strategy<Value = Expression> {
    leaves().prop_recursive(5, 40, 4, |inner| {
        let some = || prop::collection::vec(inner.clone(), 0..4);
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            (inner.clone(), names())
                .prop_map(|(base, text)| native(Native::Attribute { base, name: name(text) })),
            two().prop_map(|(base, index)| native(Native::Index { base, index })),
            (inner.clone(), steps(inner.clone()))
                .prop_map(|(base, steps)| native(Native::Splat { base, steps })),
            (names(), some(), any::<bool>()).prop_map(|(function, arguments, spread)| {
                let spread = (spread && !arguments.is_empty()).then_some(0..0);
                native(Native::Call { function: name(function), arguments, spread })
            }),
            (inner.clone(), prop::sample::select(vec![UnaryOperator::Negate, UnaryOperator::Not]))
                .prop_map(|(operand, operator)| native(Native::Unary { operator, operand })),
            (operators(), two()).prop_map(|(operator, (left, right))| {
                native(Native::Binary { operator, at: 0..0, left, right })
            }),
            (inner.clone(), two()).prop_map(|(condition, (yes, no))| native(Native::Conditional {
                condition,
                yes,
                no
            })),
            fors(inner.clone()),
            some().prop_map(|items| expression(ExpressionKind::List(items))),
            some().prop_map(|items| {
                let entries = items.into_iter().enumerate();
                let entries = entries.map(|(at, value)| (name(&format!("k.{at}")), value));
                expression(ExpressionKind::Map(entries.collect()))
            }),
            prop::collection::vec(two(), 1..3).prop_map(computed_map),
        ]
    })
}

fn fors(inner: impl Strategy<Value = Expression> + Clone) -> impl Strategy<Value = Expression> {
    let part = || prop::option::of(inner.clone());
    let all =
        (prop::option::of(names()), names(), inner.clone(), part(), inner.clone(), any::<bool>(), part());
    all.prop_map(|(key, value, over, result_key, result, grouped, condition)| {
        let grouped = grouped && result_key.is_some();
        let (key, value) = (key.map(name), name(value));
        native(Native::For(For { key, value, over, result_key, result, grouped, condition }))
    })
}

/// A map with at least one name that is computed: a string would be a plain one.
fn computed_map(mut entries: Vec<(Expression, Expression)>) -> Expression {
    let mut at = 0;
    for (key, _) in &mut entries {
        if let ExpressionKind::String(text) = &mut key.kind {
            *text = format!("k{at}").into();
            at += 1;
        }
    }
    entries.push((native(Native::Name("k".into())), expression(ExpressionKind::Bool(true))));
    native(Native::Map(entries))
}

/// Writes a tree. `␣` marks where space or a line end may be, `·` where only space may be.
struct Printer {
    text: String,
    free: bool,
}

impl Printer {
    fn space(&mut self) {
        self.text.push(if self.free { '␣' } else { '·' });
    }

    /// A symbol with optional space before and after it.
    fn symbol(&mut self, symbol: &str) {
        self.space();
        self.text.push_str(symbol);
        self.space();
    }

    fn word(&mut self, word: &str) {
        self.text.extend([" ", word, " "]);
    }

    fn within(&mut self, open: &str, close: &str, inside: impl FnOnce(&mut Self)) {
        let free = std::mem::replace(&mut self.free, true);
        self.text.push_str(open);
        self.space();
        inside(self);
        self.space();
        self.text.push_str(close);
        self.free = free;
    }

    /// Writes it where something that binds at least as `lowest` is expected.
    fn print(&mut self, tree: &Expression, lowest: usize) {
        if level(tree) < lowest {
            self.within("(", ")", |printer| printer.bare(tree));
        } else {
            self.bare(tree);
        }
    }

    /// What steps follow.
    fn base(&mut self, tree: &Expression) {
        let taken = match &tree.kind {
            ExpressionKind::Int { .. } | ExpressionKind::Float(_) => true,
            ExpressionKind::Native(native) => matches!(**native, Native::Splat { .. }),
            _ => false,
        };
        self.print(tree, if taken { STEPS + 1 } else { STEPS });
    }

    fn list<'e>(&mut self, items: impl IntoIterator<Item = &'e Expression>) {
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
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
            ExpressionKind::Native(native) => self.native(native),
        }
    }

    fn native(&mut self, native: &Native) {
        match native {
            Native::Null => self.text.push_str("null"),
            Native::Name(name) => self.text.push_str(name),
            Native::Attribute { base, name } => {
                self.base(base);
                self.symbol(".");
                self.text.push_str(&name.text);
            }
            Native::Index { base, index } => {
                self.base(base);
                self.within("[", "]", |printer| printer.print(index, CONDITIONAL));
            }
            Native::Splat { base, steps } => self.splat(base, steps),
            Native::Call { function, arguments, spread } => {
                self.text.push_str(&function.text);
                self.within("(", ")", |printer| {
                    printer.list(arguments);
                    if spread.is_some() {
                        printer.word("...");
                    }
                });
            }
            Native::Unary { operator: UnaryOperator::Not, operand } => {
                self.text.push('!');
                self.print(operand, UNARY);
            }
            Native::Unary { operator: UnaryOperator::Negate, operand } => {
                self.text.push_str("- ");
                self.print(operand, UNARY);
            }
            Native::Binary { operator, left, right, .. } => {
                let level = binary_level(*operator);
                self.print(left, level);
                // A dash may belong to a name.
                self.word(symbol(*operator));
                self.print(right, level + 1);
            }
            Native::Conditional { condition, yes, no } => {
                self.print(condition, CONDITIONAL + 1);
                self.symbol("?");
                self.print(yes, CONDITIONAL);
                self.symbol(":");
                self.print(no, CONDITIONAL);
            }
            Native::For(parts) if parts.result_key.is_some() => {
                self.within("{", "}", |printer| printer.for_parts(parts));
            }
            Native::For(parts) => self.within("[", "]", |printer| printer.for_parts(parts)),
            Native::Map(entries) => self.within("{", "}", |printer| {
                for (key, value) in entries {
                    let plain = matches!(
                        key.kind,
                        ExpressionKind::String(_) | ExpressionKind::Int { .. } | ExpressionKind::Float(_)
                    );
                    printer.print(key, if plain { CONDITIONAL } else { STEPS + 1 });
                    printer.entry(value);
                }
            }),
        }
    }

    fn splat(&mut self, base: &Expression, steps: &[Step]) {
        self.base(base);
        self.within("[", "]", |printer| printer.text.push('*'));
        for step in steps {
            match step {
                Step::Attribute(name) => {
                    self.symbol(".");
                    self.text.push_str(&name.text);
                }
                Step::Index(index) => self.within("[", "]", |printer| printer.print(index, CONDITIONAL)),
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

/// How tightly the tree binds. What is above [`STEPS`] is put in parentheses.
fn level(tree: &Expression) -> usize {
    let ExpressionKind::Native(native) = &tree.kind else { return STEPS };
    match &**native {
        Native::Conditional { .. } => CONDITIONAL,
        Native::Binary { operator, .. } => binary_level(*operator),
        Native::Unary { .. } => UNARY,
        _ => STEPS,
    }
}

/// What may stand in the places of the marks.
const SPACES: &[&str] = &["", " ", "\t ", " /* ) */ "];
const FREE_SPACES: &[&str] = &["", " ", "\n", "\r\n  ", " # )\n", " // (\n", " /* \n */ "];

fn spaced(text: &str, picks: &[usize]) -> String {
    let mut picks = picks.iter().cycle();
    let mut spaced = String::new();
    for c in text.chars() {
        let of = match c {
            '·' => SPACES,
            '␣' => FREE_SPACES,
            c => {
                spaced.push(c);
                continue;
            }
        };
        spaced.push_str(of[picks.next().unwrap() % of.len()]);
    }
    spaced
}

/// What has to hold for every place in a tree.
struct Places<'t> {
    text: &'t str,
}

impl Places<'_> {
    fn body(&self, body: &Body) {
        for item in &body.items {
            match item {
                Item::Attribute(Attribute { name, value }) => {
                    self.name(name);
                    self.expression(value);
                }
                Item::Block(block) => self.body(&block.body),
            }
        }
    }

    fn raw(&self, range: &ByteRange) -> &str {
        self.text.get(range.start as usize..range.end as usize).expect("a place between characters")
    }

    fn name(&self, name: &Name) {
        let raw = self.raw(&name.range);
        if raw.starts_with('"') {
            assert_eq!(decode(raw), name.text);
        } else {
            assert_eq!(raw, &*name.text);
        }
    }

    /// Checks that what is given lies in the range, one after the other.
    fn parts<'e>(&self, whole: &ByteRange, parts: impl IntoIterator<Item = &'e Expression>) {
        let mut at = whole.start;
        for part in parts {
            assert!(at <= part.range.start && part.range.end <= whole.end, "{part:?} in {whole:?}");
            at = part.range.end;
            self.expression(part);
        }
    }

    fn expression(&self, tree: &Expression) {
        let range = &tree.range;
        let raw = self.raw(range);
        assert!(range.start < range.end && raw == raw.trim());
        match &tree.kind {
            // The name of an entry is a string too.
            ExpressionKind::String(text) if raw.starts_with(['"', '<']) => assert_eq!(&decode(raw), text),
            ExpressionKind::String(text) => assert_eq!(raw, &**text),
            ExpressionKind::Bool(value) => assert_eq!(raw, value.to_string()),
            ExpressionKind::Int { .. } | ExpressionKind::Float(_) => {
                assert!(raw.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()), "{raw}");
            }
            ExpressionKind::List(items) => self.parts(range, items),
            ExpressionKind::Map(entries) => {
                for (name, _) in entries {
                    self.name(name);
                }
                self.parts(range, entries.iter().map(|(_, value)| value));
            }
            ExpressionKind::Native(native) => self.native(range, raw, native),
        }
    }

    fn native(&self, range: &ByteRange, raw: &str, native: &Native) {
        match native {
            Native::Null => assert_eq!(raw, "null"),
            Native::Name(name) => assert_eq!(raw, &**name),
            Native::Attribute { base, name } => {
                self.name(name);
                assert!(base.range.end < name.range.start && name.range.end == range.end);
                self.parts(range, [base]);
            }
            Native::Index { base, index } => self.parts(range, [base, index]),
            Native::Splat { base, steps } => {
                let indices = steps.iter().filter_map(|step| match step {
                    Step::Attribute(name) => {
                        self.name(name);
                        None
                    }
                    Step::Index(index) => Some(index),
                });
                self.parts(range, std::iter::once(base).chain(indices));
            }
            Native::Call { function, arguments, spread } => {
                self.name(function);
                assert_eq!(function.range.start, range.start);
                assert!(spread.as_ref().is_none_or(|at| self.raw(at) == "..."));
                self.parts(range, arguments);
            }
            Native::Unary { operand, .. } => self.parts(range, [operand]),
            Native::Binary { operator, at, left, right } => {
                assert_eq!(self.raw(at), symbol(*operator));
                assert!(left.range.end <= at.start && at.end <= right.range.start);
                self.parts(range, [left, right]);
            }
            Native::Conditional { condition, yes, no } => self.parts(range, [condition, yes, no]),
            Native::For(parts) => {
                self.name(&parts.value);
                parts.key.iter().for_each(|key| self.name(key));
                let all = [
                    Some(&parts.over),
                    parts.result_key.as_ref(),
                    Some(&parts.result),
                    parts.condition.as_ref(),
                ];
                self.parts(range, all.into_iter().flatten());
            }
            Native::Map(entries) => self.parts(range, entries.iter().flat_map(|(key, value)| [key, value])),
        }
    }
}

/// Expressions to be changed a little.
const EXPRESSIONS: &[&str] = &[
    "a = param.x ? f(b[\"c\"], [1, -2]...) : {for k, v in d[*].e.0 : k => v... if !v}",
    "t \"x\" {\n  a = [for x in y : x.z]\n  b = { (c) = 1, d : 2 }\n  e = (\n f\n + 1)\n}",
    "a = f(<<E\nb\nE\n, \"{{c}}\", 0x1F) == null && (g || h) >= 3 % 2",
    "a = [param.b, { c = d.e }, [f(1)[0]], true == false]\nb = 1\n",
];

fn mutants() -> impl Strategy<Value = String> {
    let pieces = vec![
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ".",
        "...",
        "[*]",
        ".*",
        "?",
        ":",
        "=",
        "==",
        "=>",
        "&&",
        "|",
        "!",
        "-",
        "+",
        "/",
        "<<E\n",
        "\"",
        "'",
        "$",
        "\n",
        "for x in ",
        "if ",
        " b",
        "1",
        "null",
        "#",
        "/*",
        "é",
    ];
    let change = (any::<prop::sample::Index>(), 0usize..6, prop::sample::select(pieces));
    (prop::sample::select(EXPRESSIONS), prop::collection::vec(change, 1..5)).prop_map(|(text, changes)| {
        let mut text = text.to_owned();
        for (at, cut, piece) in changes {
            let boundary =
                |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap();
            let start = boundary(at.index(text.len() + 1));
            let end = boundary(start + cut).max(start);
            text.replace_range(start..end, piece);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_is_written_is_read(tree in trees(), picks in prop::collection::vec(0usize..99, 1..9)) {
        let mut printer = Printer { text: String::new(), free: false };
        printer.print(&tree, CONDITIONAL);
        let text = format!("a = {}\nb = 1\n", spaced(&printer.text, &picks));
        let read = value(&text);
        prop_assert_eq!(short(&read), short(&tree), "{}", text);
        Places { text: &text }.expression(&read);
    }

    #[test]
    fn every_text_gives_a_tree_with_places_or_errors(text in prop_oneof![mutants(), texts()]) {
        let parsed = parsed(&text);
        Places { text: &text }.body(&parsed.body);
        for diagnostic in &parsed.diagnostics {
            prop_assert_ne!(diagnostic.code, "syntax", "{}", text);
            for label in &diagnostic.labels {
                prop_assert!(text.get(label.span.range()).is_some(), "{:?}", label);
            }
        }
    }
}
