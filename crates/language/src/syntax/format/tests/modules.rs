//! Generators of modules with all forms of the language in unusual layouts.

use proptest::prelude::*;

/// Marks for required space or line end, optional space or line end, and optional space only.
const SPACE: char = '␣';
const ANY: char = '␤';
const BLANK: char = '·';

const SPACES: &[&str] = &[
    " ",
    "\n",
    "\t",
    "  \r\n",
    " # }\n",
    "/* \" */",
    "// {\n",
    "\n\n\n  ",
    "\n/* a\n b */ ",
    " \n# a\n\n# b\n",
];
const ANYS: &[&str] = &["", "", " ", "\n", "\t\t", "/* ] */", "# c \r\n", "\n\n\n"];
const BLANKS: &[&str] = &["", " ", "  ", "\t", "/* c */", " /* , */ "];

/// Generates valid modules without computed expressions, in any layout.
pub(super) fn modules() -> impl Strategy<Value = String> {
    laid_out(body(literals().boxed()))
}

/// Generates modules whose values are computed expressions.
pub(super) fn native_modules() -> impl Strategy<Value = String> {
    laid_out(body(expressions().boxed()))
}

fn laid_out(text: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let choices = prop::collection::vec(any::<prop::sample::Index>(), 1..40);
    (text, choices).prop_map(|(text, choices)| {
        let mut choices = choices.iter().cycle();
        let mut pick = |from: &[&'static str]| choices.next().map_or(" ", |choice| *choice.get(from));
        let mut out = String::new();
        for c in text.chars() {
            match c {
                SPACE => out.push_str(pick(SPACES)),
                ANY => out.push_str(pick(ANYS)),
                BLANK => out.push_str(pick(BLANKS)),
                c => out.push(c),
            }
        }
        out
    })
}

/// Generates values of HCL 1.
fn literals() -> impl Strategy<Value = String> {
    leaf().prop_recursive(3, 16, 4, |value| {
        prop_oneof![
            prop::collection::vec(value.clone(), 0..4)
                .prop_map(|values| format!("[␤{}␤]", values.join("␤,␤"))),
            (prop::collection::vec(value, 0..4), any::<bool>()).prop_map(|(values, commas)| {
                let entries = values.iter().enumerate().map(|(n, value)| match n % 3 {
                    0 => format!("k{n}␤=␤{value}"),
                    1 => format!("\"k {n}\"␣=␣{value}"),
                    _ => format!("b{n}␣{{␤x␤=␤{value}␤}}"),
                });
                let entries: Vec<String> = entries.collect();
                format!("{{␤{}␤}}", entries.join(if commas { "␤,␤" } else { "␣" }))
            }),
        ]
    })
}

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "true",
            "-1",
            "0x1F",
            "0644",
            "1.5e-3",
            "\"\"",
            "\"a  = b # c\"",
            "\"${ x {\n} }  \"",
            "\"\\\"\\n\"",
            "\"{{ param `x` }}\"",
        ])
        .prop_map(String::from),
        "[a-z $\"{}#]{0,9}".prop_map(|text| format!("<<E\n{text}\r\n\n  E\n")),
        "[a-z $\"{}#]{0,9}".prop_map(|text| format!("<<-END\n    {text}\n   END\n")),
    ]
}

/// Generates computed expressions without line ends at the top level.
fn expressions() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "-1",
        "null",
        "true",
        "\"a\"",
        "param.a-b",
        "each.key",
        "task.a.b[0].c",
        "t.n[\"k\"].f",
        "a.*.b",
        "a[*].b",
        "x",
    ]);
    leaf.prop_map(String::from).prop_recursive(4, 24, 3, |value| {
        let operators = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||"];
        let pair = (value.clone(), value.clone());
        prop_oneof![
            (pair.clone(), prop::sample::select(operators.to_vec()))
                .prop_map(|((a, b), operator)| format!("{a}·{operator}·{b}")),
            (pair.clone(), prop::sample::select(operators.to_vec()))
                .prop_map(|((a, b), operator)| format!("(␤{a}·{operator}·{b}␤)")),
            (pair.clone(), value.clone()).prop_map(|((a, b), c)| format!("{a}·?·{b}·:·{c}")),
            value.clone().prop_map(|a| format!("!·{a}")),
            value.clone().prop_map(|a| format!("-(·{a}·)")),
            pair.clone().prop_map(|(a, b)| format!("f(␤{a}␤,␤{b}␤)")),
            value.clone().prop_map(|a| format!("f(␤{a}·...␤)")),
            value.clone().prop_map(|a| format!("(␤{a}␤)[·0·]")),
            pair.clone().prop_map(|(a, b)| format!("[␤{a}␤,␤{b}␤,␤]")),
            pair.clone().prop_map(|(a, b)| format!("{{␤k␤=␤{a}␤,␤(x)␤=␤{b}␤}}")),
            pair.clone().prop_map(|(a, b)| format!("[·for x in [·{a}·]·:·x if -{b}·> 0·]")),
            pair.prop_map(|(a, b)| format!("{{·for k,·v in {a}·:·k·=>·{b}·...·}}")),
            value.clone().prop_map(|a| format!("{{·for k, v in m :·k·=>·v...·if·{a}·}}")),
            value.clone().prop_map(|a| format!("[for x in({a}) :·x·if({a})·]")),
            value.clone().prop_map(|a| format!("-·1·-·2·- -·{a}")),
        ]
    })
}

fn body(value: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let attributes = prop::collection::vec((value, "[a-z]{1,6}"), 0..4).prop_map(|values| {
        let items = values.iter().enumerate().map(|(n, (value, name))| match n % 2 {
            0 => format!("{name}{n}␤=␤{value}"),
            _ => format!("\"{name} {n}\"␤=␤{value}"),
        });
        items.collect::<Vec<_>>()
    });
    let items = attributes.prop_recursive(3, 16, 3, |items| {
        (prop::collection::vec((items, any::<bool>()), 0..4)).prop_map(|blocks| {
            let blocks = blocks.into_iter().map(|(items, labels)| {
                let head = if labels { "b.c␤\"l\"␤" } else { "b␣" };
                format!("{head}{{␤{}␤}}", items.join("␣"))
            });
            blocks.collect::<Vec<_>>()
        })
    });
    (items, any::<bool>())
        .prop_map(|(items, commas)| format!("␤{}␤", items.join(if commas { "␤,␤" } else { "␣" })))
}
