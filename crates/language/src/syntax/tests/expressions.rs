//! Tests of computed expressions: trees and ranges.

use super::super::{
    Attribute, BinaryOperator, Computed, Expression, ExpressionKind, For, Item, SplatStep, UnaryOperator,
};
use super::parsed;

/// Prints the tree in a short form: `(+ a (call f 1))`.
pub(super) fn short(expression: &Expression) -> String {
    match &expression.kind {
        ExpressionKind::Bool(value) => value.to_string(),
        ExpressionKind::Int { value, .. } => value.to_string(),
        ExpressionKind::Float(value) => format!("{value:?}"),
        ExpressionKind::String(text) => format!("{text:?}"),
        ExpressionKind::List(items) => format!("[{}]", join(items.iter().map(short))),
        ExpressionKind::Map(entries) => {
            let entries = entries.iter().map(|(name, value)| format!("{}={}", name.text, short(value)));
            format!("{{{}}}", join(entries))
        }
        ExpressionKind::Computed(computed) => short_computed(computed),
    }
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" ")
}

fn short_computed(computed: &Computed) -> String {
    match computed {
        Computed::Null => "null".to_owned(),
        Computed::Name(name) => name.to_string(),
        Computed::Attribute { base, name } => format!("(. {} {})", short(base), name.text),
        Computed::Index { base, index } => format!("(at {} {})", short(base), short(index)),
        Computed::Splat { base, steps } => {
            let steps = steps.iter().map(|step| match step {
                SplatStep::Attribute(name) => format!(".{}", name.text),
                SplatStep::Index(index) => format!("[{}]", short(index)),
                SplatStep::Splat => "[*]".to_owned(),
            });
            join(["(each".to_owned(), short(base)].into_iter().chain(steps)) + ")"
        }
        Computed::Call { function, arguments, spread } => {
            let name = std::iter::once(format!("(call {}", function.text));
            let rest = if spread.is_some() { " ...)" } else { ")" };
            join(name.chain(arguments.iter().map(short))) + rest
        }
        Computed::Unary { operator: UnaryOperator::Negate, operand } => format!("(- {})", short(operand)),
        Computed::Unary { operator: UnaryOperator::Not, operand } => format!("(! {})", short(operand)),
        Computed::Binary { operator, left, right, .. } => {
            format!("({} {} {})", symbol(*operator), short(left), short(right))
        }
        Computed::Conditional { condition, yes, no } => {
            format!("(? {} {} {})", short(condition), short(yes), short(no))
        }
        Computed::For(parts) => short_for(parts),
        Computed::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("({})={}", short(key), short(value)));
            format!("{{{}}}", join(entries))
        }
    }
}

fn short_for(parts: &For) -> String {
    let For { key, value, over, result_key, result, grouped, condition } = parts;
    let key = key.as_ref().map(|key| format!("{},", key.text)).unwrap_or_default();
    let result_key = result_key.as_ref().map(|key| format!("{} => ", short(key))).unwrap_or_default();
    let grouped = if *grouped { "..." } else { "" };
    let condition = condition.as_ref().map(|condition| format!(" if {}", short(condition)));
    let condition = condition.unwrap_or_default();
    let (value, collection, result) = (&value.text, short(over), short(result));
    format!("(for {key}{value} {collection} {result_key}{result}{grouped}{condition})")
}

pub(super) fn symbol(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Or => "||",
        BinaryOperator::And => "&&",
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::Less => "<",
        BinaryOperator::LessOrEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterOrEqual => ">=",
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Remainder => "%",
    }
}

/// Parses the text and returns the value of its attribute `a`.
pub(super) fn value(source: &str) -> Expression {
    let parsed = parsed(source);
    assert!(parsed.diagnostics.is_empty(), "{source:?}: {:?}", parsed.diagnostics);
    match parsed.body.items.into_iter().next() {
        Some(Item::Attribute(Attribute { name, value })) if &*name.text == "a" => value,
        other => panic!("{source:?}: {other:?}"),
    }
}

fn check(text: &str, expect: &str) {
    assert_eq!(short(&value(&format!("a = {text}\n"))), expect, "{text:?}");
    // The same expression in a list, in a map, as an argument, and next to another item on its line.
    if !text.contains("<<") {
        assert_eq!(short(&value(&format!("a = [1, {text} , 2]"))), format!("[1 {expect} 2]"), "{text:?}");
        assert_eq!(short(&value(&format!("a = {{ b = {text}, c = 1}}"))), format!("{{b={expect} c=1}}"));
        assert_eq!(short(&value(&format!("a = f({text},)"))), format!("(call f {expect})"), "{text:?}");
        assert_eq!(short(&value(&format!("a =\n ({text}) # b"))), expect, "{text:?}");
        let two = parsed(&format!("t \"x\" {{ a = {text} b = 1 }}"));
        assert!(two.diagnostics.is_empty(), "{text:?}: {:?}", two.diagnostics);
    }
}

#[test]
fn operands() {
    check("null", "null");
    check("present", "present");
    check("-5", "-5");
    check("- 5", "(- 5)");
    check("--5", "(- -5)");
    check("f(0777, 0x1F, -0x1F, 1.5e-1)", "(call f 511 31 -31 0.15)");
    check("f(\"${a}\\n{{b}}\", true)", "(call f \"${a}\\n{{b}}\" true)");
    check("(\"b\")", "\"b\"");
    check("((b))", "b");
    check("é.日本", "(. é 日本)");
    check("f(<<EOF\n  b\n  EOF\n, 1)", "(call f \"  b\\n  \" 1)");
    check("nullable", "nullable");
    check("true_", "true_");
    check("for", "for");
}

#[test]
fn steps() {
    check("param.user", "(. param user)");
    check("param.a-b.c_d", "(. (. param a-b) c_d)");
    check("task.query.internal-ip.status", "(. (. (. task query) internal-ip) status)");
    check("a.null.true.for.in", "(. (. (. (. a null) true) for) in)");
    check("a[0]", "(at a 0)");
    check("a[\"k\"].b", "(. (at a \"k\") b)");
    check("a[b.c + 1]", "(at a (+ (. b c) 1))");
    check("a.0.b", "(. (at a 0) b)");
    check("a.0.1", "(at (at a 0) 1)");
    check("a.10[2]", "(at (at a 10) 2)");
    check("a [ 0 ] . b", "(. (at a 0) b)");
    check("a[*]", "(each a)");
    check("a[*].b[0].c", "(each a .b [0] .c)");
    check("a.*", "(each a)");
    check("a.*.b.0.c", "(each a .b [0] .c)");
    check("a.*.b[0]", "(at (each a .b) 0)");
    check("a[*].b == c", "(== (each a .b) c)");
    check("f(a).b", "(. (call f a) b)");
    check("[b, c][0]", "(at [b c] 0)");
    check("[1, 2][0]", "(at [1 2] 0)");
    check("{ b = 1 }.b", "(. {b=1} b)");
    check("{ b = 1 }[\"b\"]", "(at {b=1} \"b\")");
    check("\"b\"[0]", "(at \"b\" 0)");
}

#[test]
fn operators() {
    check("b + c", "(+ b c)");
    check("b - c - d", "(- (- b c) d)");
    check("b-c", "b-c");
    check("b -c", "(- b c)");
    check("1-1", "(- 1 1)");
    check("1 -1", "(- 1 1)");
    check("b -1", "(- b 1)");
    check("1 - -1", "(- 1 -1)");
    check("1 + 2 * 3", "(+ 1 (* 2 3))");
    check("1 * 2 + 3", "(+ (* 1 2) 3)");
    check("(1 + 2) * 3", "(* (+ 1 2) 3)");
    check("1 * (2 + 3)", "(* 1 (+ 2 3))");
    check("1 / 2 % 3", "(% (/ 1 2) 3)");
    check("b || c && d", "(|| b (&& c d))");
    check("b && c || d", "(|| (&& b c) d)");
    check("b == c && d != e", "(&& (== b c) (!= d e))");
    check("b < c == d >= e", "(== (< b c) (>= d e))");
    check("b<=c", "(<= b c)");
    check("b>c", "(> b c)");
    check("1 + 2 < 3 * 4", "(< (+ 1 2) (* 3 4))");
    check("!b && !!c", "(&& (! b) (! (! c)))");
    check("!b.c[0]", "(! (at (. b c) 0))");
    check("-b.c * -d", "(* (- (. b c)) (- d))");
    check("!b == c", "(== (! b) c)");
    check("!(b == c)", "(! (== b c))");
    check("\"b\" == \"c\"", "(== \"b\" \"c\")");
    check("true && b", "(&& true b)");
    check("[1] == [b]", "(== [1] [b])");
    check("{} == {}", "(== {} {})");
    check("b ? c : d", "(? b c d)");
    check("b?c:d", "(? b c d)");
    check("true ? \"c\" : \"d\"", "(? true \"c\" \"d\")");
    check("b ? c : d ? e : f", "(? b c (? d e f))");
    check("b ? c ? 1 : 2 : 3", "(? b (? c 1 2) 3)");
    check("b == c || d ? 1 + 2 : 3", "(? (|| (== b c) d) (+ 1 2) 3)");
    check("b /* c */ + /* d */ e", "(+ b e)");
}

#[test]
fn calls() {
    check("f()", "(call f)");
    check("f ( )", "(call f)");
    check("f(b, c,)", "(call f b c)");
    check("f(b...)", "(call f b ...)");
    check("f(1, b.c... )", "(call f 1 (. b c) ...)");
    check("f(\n  b,\n  c\n)", "(call f b c)");
    check("f(g(h()))", "(call f (call g (call h)))");
    check("f([], {}, [b], { c = d })", "(call f [] {} [b] {c=d})");
    check("f({ b.c = 1, \"d\" : 2 \n e = 3 f = 4, \"g${h}\" = 5, })", "(call f {b.c=1 d=2 e=3 f=4 g${h}=5})");
    check("true(b)", "(call true b)");
}

#[test]
fn collections() {
    check("[b, [c, d],]", "[b [c d]]");
    check("{ b = c.d, e = { f = g } }", "{b=(. c d) e={f=g}}");
    check("{ (b) = 1 }", "{(b)=1}");
    check("{ c = 1, (b.d) = 2, \"e\" = 3 }", "{(\"c\")=1 ((. b d))=2 (\"e\")=3}");
    check("{ c = 1\n (b) = 2 }", "{(\"c\")=1 (b)=2}");
    check("{ 1 = b, -2 = c }", "{(1)=b (-2)=c}");
    check("{ (b): 1, c: 2 }", "{(b)=1 (\"c\")=2}");
    check("{ b = { (c) = 1 }, d = { e = 2 } }", "{b={(c)=1} d={e=2}}");
    check("[for b in c : b]", "(for b c b)");
    check("[for b, c in d : f(b, c) if b != c]", "(for b,c d (call f b c) if (!= b c))");
    check("{for b in c : b => b.d}", "(for b c b => (. b d))");
    check("{for b, c in d : c => b... if c}", "(for b,c d c => b... if c)");
    check("[\n  for b in c :\n  b\n  if b\n]", "(for b c b if b)");
    check("[for b in c ? d : e : b ? 1 : 2]", "(for b (? c d e) (? b 1 2))");
    check("[for b in [for c in d : c] : [for e in b : e]]", "(for b (for c d c) (for e b e))");
    check("{ for = 1, in = b, if = 2 }", "{for=1 in=b if=2}");
    check("[for b in c : b][0]", "(at (for b c b) 0)");
    check("{ for /* x */ b in c : b => b }.d", "(. (for b c b => b) d)");
}

#[test]
fn lines() {
    let check = |source: &str, expect: &str| assert_eq!(short(&value(source)), expect, "{source:?}");
    check("a = b\nc = d\n", "b");
    check("a =\n  b.c\nd = 1\n", "(. b c)");
    check("a =\n  b == c\nd = 1\n", "(== b c)");
    check("a = (\n  b\n  + c\n)\n", "(+ b c)");
    check("a = (b\n  ? c\n  : d)\n", "(? b c d)");
    check("a = [\n  b\n  + c,\n  1\n  + 2\n]\n", "[(+ b c) (+ 1 2)]");
    check("a = f(b)\n[c]\n".trim_end_matches("[c]\n"), "(call f b)");
    check("a = {\n  b = c\n  d = -e\n}\n", "{b=c d=(- e)}");
    check("a = f(\n{\n  b = c\n  d = [\n    e\n  ]\n})", "(call f {b=c d=[e]})");
    check("a = b // c\n", "b");
    check("a = [b # + d\n + c]\n", "[(+ b c)]");
    check("a = b\r\nc = 1\r\n", "b");
    check("a = {b = c}", "{b=c}");
    check("a = [b]", "[b]");
}

#[test]
fn places() {
    let text = "a = f( b.c + \"d\", ( [1 , e] ) ... )";
    let call = value(text);
    let text_of = |range: &super::ByteRange| &text[range.start as usize..range.end as usize];
    assert_eq!(text_of(&call.range), "f( b.c + \"d\", ( [1 , e] ) ... )");
    let ExpressionKind::Computed(computed) = &call.kind else { panic!("{call:?}") };
    let Computed::Call { function, arguments, spread } = &**computed else { panic!("{call:?}") };
    assert_eq!(text_of(&function.range), "f");
    assert_eq!(spread.as_ref().map(text_of), Some("..."));
    assert_eq!(text_of(&arguments[0].range), "b.c + \"d\"");
    assert_eq!(text_of(&arguments[1].range), "[1 , e]");
    let text = "a = (b + c) * [d]\n";
    let product = value(text);
    let text_of = |range: &super::ByteRange| &text[range.start as usize..range.end as usize];
    assert_eq!(text_of(&product.range), "(b + c) * [d]");
    let ExpressionKind::Computed(computed) = &product.kind else { panic!("{product:?}") };
    let Computed::Binary { at: operator, left, right, .. } = &**computed else { panic!("{product:?}") };
    assert_eq!((text_of(operator), text_of(&left.range), text_of(&right.range)), ("*", "b + c", "[d]"));
}

#[test]
fn depth_is_limited_and_chains_are_not_slow() {
    let check = |text: &str, code: Option<&str>| {
        let parsed = parsed(&format!("a = {text}\nb = c\n"));
        let codes: Vec<&str> = parsed.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, code.into_iter().collect::<Vec<_>>(), "{}", &text[..40.min(text.len())]);
        assert_eq!(parsed.body.items.len(), 2 - codes.len());
    };
    let deep =
        |open: &str, close: &str, times: usize| format!("{}b{}", open.repeat(times), close.repeat(times));
    for (open, close, fitting) in [
        ("(", ")", 64),
        ("f(", ")", 64),
        ("b[", "]", 64),
        ("f([", "])", 32),
        ("!", "", 64),
        ("- ", "", 64),
        // The parentheses around the key count as a level.
        ("{ (c) = ", "}", 63),
        ("[for x in y : ", "]", 64),
        ("b ? c : ", "", 64),
        ("b ? ", " : c", 64),
        ("", ".c", 64),
        ("", " + c", 64),
        ("c == ", "", 64),
        ("", "[0]", 64),
    ] {
        check(&deep(open, close, fitting), None);
        check(&deep(open, close, fitting + 1), Some("nesting-too-deep"));
        check(&deep(open, close, 20_000), Some("nesting-too-deep"));
    }
    check(&format!("[{}]", "b.c, ".repeat(100_000)), None);
    check(&format!("f({})", "b.c, ".repeat(100_000)), None);
    check(&format!("b[*]{}", ".c".repeat(100_000)), None);
}
