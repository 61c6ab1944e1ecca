//! Laws of computed expressions, for every tree and every text.

use proptest::prelude::*;

use super::super::{
    BinaryOperator, Computed, Expression, ExpressionKind, For, Name, SplatStep, UnaryOperator,
};
use super::expressions::{short, value};
use super::parsed;
use super::positions::Places;
use super::printer::{OPERATORS, print_tree};
use super::properties::{changes, texts, written};
use converge_system::testing::mutate::mutated;

fn expression(kind: ExpressionKind) -> Expression {
    Expression { kind, range: 0..0 }
}

fn computed(computed: Computed) -> Expression {
    expression(ExpressionKind::Computed(Box::new(computed)))
}

fn name(text: &str) -> Name {
    Name { text: text.into(), range: 0..0 }
}

fn names() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b-c", "d_", "é", "日本", "in", "if", "forum", "nullable", "_", "x1"])
}

fn leaves() -> impl Strategy<Value = Expression> {
    prop_oneof![
        3 => names().prop_map(|name| computed(Computed::Name(name.into()))),
        1 => Just(computed(Computed::Null)),
        1 => any::<bool>().prop_map(|value| expression(ExpressionKind::Bool(value))),
        1 => any::<i64>().prop_map(|value| expression(ExpressionKind::Int { value, base: 10 })),
        1 => (-1e9..1e9).prop_map(|value| expression(ExpressionKind::Float(value))),
        1 => written().prop_map(|(_, text)| expression(ExpressionKind::String(text.into()))),
    ]
}

fn steps(inner: impl Strategy<Value = Expression>) -> impl Strategy<Value = Vec<SplatStep>> {
    let step = prop_oneof![
        names().prop_map(|text| SplatStep::Attribute(name(text))),
        inner.prop_map(SplatStep::Index),
        Just(SplatStep::Splat),
    ];
    prop::collection::vec(step, 0..3)
}

fn operators() -> impl Strategy<Value = BinaryOperator> {
    prop::sample::select(OPERATORS.concat())
}

/// Generates trees as the parser builds them, without positions.
fn trees() -> impl Strategy<Value = Expression> {
    leaves().prop_recursive(5, 40, 4, |inner| {
        let several = || prop::collection::vec(inner.clone(), 0..4);
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            (inner.clone(), names())
                .prop_map(|(base, text)| computed(Computed::Attribute { base, name: name(text) })),
            two().prop_map(|(base, index)| computed(Computed::Index { base, index })),
            (inner.clone(), steps(inner.clone()))
                .prop_map(|(base, steps)| computed(Computed::Splat { base, steps })),
            (names(), several(), any::<bool>()).prop_map(|(function, arguments, spread)| {
                let spread = (spread && !arguments.is_empty()).then_some(0..0);
                computed(Computed::Call { function: name(function), arguments, spread })
            }),
            (inner.clone(), prop::sample::select(vec![UnaryOperator::Negate, UnaryOperator::Not]))
                .prop_map(|(operand, operator)| computed(Computed::Unary { operator, operand })),
            (operators(), two()).prop_map(|(operator, (left, right))| {
                computed(Computed::Binary { operator, at: 0..0, left, right })
            }),
            (inner.clone(), two()).prop_map(|(condition, (yes, no))| computed(Computed::Conditional {
                condition,
                yes,
                no
            })),
            fors(inner.clone()),
            several().prop_map(|items| expression(ExpressionKind::List(items))),
            several().prop_map(|items| {
                let entries = items.into_iter().enumerate();
                let entries = entries.map(|(at, value)| (name(&format!("k.{at}")), value));
                expression(ExpressionKind::Map(entries.collect()))
            }),
            prop::collection::vec(two(), 1..3).prop_map(computed_map),
        ]
    })
}

fn fors(inner: impl Strategy<Value = Expression> + Clone) -> impl Strategy<Value = Expression> {
    let optional = || prop::option::of(inner.clone());
    let parts = (
        prop::option::of(names()),
        names(),
        inner.clone(),
        optional(),
        inner.clone(),
        any::<bool>(),
        optional(),
    );
    parts.prop_map(|(key, value, over, result_key, result, grouped, condition)| {
        let grouped = grouped && result_key.is_some();
        let (key, value) = (key.map(name), name(value));
        computed(Computed::For(For { key, value, over, result_key, result, grouped, condition }))
    })
}

/// Makes a map with at least one computed key, as a map with only string keys would be a plain one.
fn computed_map(mut entries: Vec<(Expression, Expression)>) -> Expression {
    let mut index = 0;
    for (key, _) in &mut entries {
        if let ExpressionKind::String(text) = &mut key.kind {
            *text = format!("k{index}").into();
            index += 1;
        }
    }
    entries.push((computed(Computed::Name("k".into())), expression(ExpressionKind::Bool(true))));
    computed(Computed::Map(entries))
}

/// The texts that may replace the space marks.
const SPACES: &[&str] = &["", " ", "\t ", " /* ) */ "];
const FREE_SPACES: &[&str] = &["", " ", "\n", "\r\n  ", " # )\n", " // (\n", " /* \n */ "];

fn spaced(text: &str, picks: &[usize]) -> String {
    let mut picks = picks.iter().cycle();
    let mut spaced = String::new();
    for c in text.chars() {
        let choices = match c {
            '·' => SPACES,
            '␣' => FREE_SPACES,
            c => {
                spaced.push(c);
                continue;
            }
        };
        spaced.push_str(choices[picks.next().unwrap() % choices.len()]);
    }
    spaced
}

/// Expressions that the tests mutate.
const EXPRESSIONS: &[&str] = &[
    "a = param.x ? f(b[\"c\"], [1, -2]...) : {for k, v in d[*].e.0 : k => v... if !v}",
    "t \"x\" {\n  a = [for x in y : x.z]\n  b = { (c) = 1, d : 2 }\n  e = (\n f\n + 1)\n}",
    "a = f(<<E\nb\nE\n, \"{{c}}\", 0x1F) == null && (g || h) >= 3 % 2",
    "a = [param.b, { c = d.e }, [f(1)[0]], true == false]\nb = 1\n",
];

fn mutants() -> impl Strategy<Value = String> {
    let pieces = &[
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
    (prop::sample::select(EXPRESSIONS), changes())
        .prop_map(move |(text, changes)| mutated(text, pieces, changes))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_is_written_is_read(tree in trees(), picks in prop::collection::vec(0usize..99, 1..9)) {
        let text = format!("a = {}\nb = 1\n", spaced(&print_tree(&tree), &picks));
        let read = value(&text);
        prop_assert_eq!(short(&read), short(&tree), "{}", text);
        Places { text: &text }.expression(&read);
    }

    #[test]
    fn every_text_gives_a_tree_with_places_or_errors(text in prop_oneof![mutants(), texts()]) {
        let parsed = parsed(&text);
        Places { text: &text }.body(&parsed.body);
        for diagnostic in &parsed.diagnostics {
            for label in &diagnostic.labels {
                prop_assert!(text.get(label.span.range()).is_some(), "{:?}", label);
            }
        }
    }
}
