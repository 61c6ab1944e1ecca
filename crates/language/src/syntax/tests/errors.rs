//! Tests of the message for each kind of error.

use std::fmt::Write as _;

use super::{Parsed, parsed};

/// A source for each kind of error.
const MISTAKES: &[(&str, &str)] = &[
    ("json", "{\"task\": {}}\n"),
    ("no name", "t \"x\" {\n  = 1\n  5 = 1\n  b = 2\n}\n"),
    ("character", "t \"x\" {\n  a ; 1\n  é€ = 1\n}\n"),
    ("name alone", "t \"x\" {\n  a\n  b = 2\n}\n"),
    ("name at the end", "t \"x\" {\n  a = 1\n  b\n}\n"),
    ("close without open", "t \"x\" {\n}\n}\n]\nt \"y\" {\n  a = \"\\q\"\n}\n"),
    ("no closing brace", "t \"x\" {\n  a {\n    b = 1\n  }\n"),
    ("no closing brace before a block", "t \"x\" {\n  a = 1\n\nt \"y\" {\n  a = 08\n}\n"),
    ("no closing bracket", "t \"x\" {\n  a = [1,\n  b = 2\n}\n"),
    ("no closing bracket at the end", "t \"x\" {\n  a = [1,\n"),
    ("no closing brace of a map", "t \"x\" {\n  a = {\n    b = 1\n"),
    ("string", "t \"x\" {\n  a = \"b\n  c = \"d\n}\n"),
    ("names alone", "a\nb = 1\nc \"d\"\ne {\n}\nf\n"),
    ("string in a name", "t \"x\" {\n  \"a = 1\n  \"\\q\" = 1\n  b = 2 \"\\q\" = 1\n}\n"),
    ("string in a label", "t \"x {\n  a = 1\n}\nt \"y\" {\n  a = 08\n}\n"),
    ("interpolation", "t \"x\" {\n  a = \"b ${c\"\n  d = \"${e\"\n}\n"),
    ("heredoc", "t \"x\" {\n  a = <<EOF\nb\nEOT\n}\n"),
    ("heredoc before a block", "t \"x\" {\n  a = <<EOF\nb\n}\nt \"y\" {\n  a = 08\n}\n"),
    ("heredoc marker", "t \"x\" {\n  a = << EOF\n  b = <<EOF c\n}\n"),
    ("comment", "t \"x\" {\n  a = 1 /* b\n}\n"),
    ("escapes", "t \"x\" {\n  a = \"\\d \\x4 \\08 \\u12\"\n  b = \"\\\n}\n"),
    ("escape out of range", "t \"x\" {\n  a = \"\\400 \\ud800 \\U00110000\"\n}\n"),
    ("escape of half a character", "t \"x\" {\n  a = \"\\xc3\"\n}\n"),
    (
        "numbers",
        "t \"x\" {\n  a = 08\n  b = 12abc\n  c = 0x\n  d = 1.\n  e = 1e\n  f = 1.2.3\n  g = 1_000\n}\n",
    ),
    ("number range", "t \"x\" {\n  a = 9223372036854775808\n  b = 0xFFFFFFFFFFFFFFFF\n  c = 1e999\n}\n"),
    ("duplicate", "t \"x\" {\n  a = 1\n  \"a\" = 2\n}\nb = 1\nb = 2\n"),
    ("duplicate in a map", "t \"x\" {\n  a = { b = 1, \"\\x62\" = 2 }\n}\n"),
    ("no value", "t \"x\" {\n  a =\n  b = 1\n  c =\n}\n"),
    ("no value in a line", "t \"x\" { a = , b = 1, c = = 2 }\nd ="),
    ("colon", "t \"x\" {\n  a = { b: 1 }\n  c: 2\n}\n"),
    ("comma", "t \"x\" {\n  a = [\"b\" \"c\"]\n  d = [1,, 2]\n  e = [, 1]\n}\n"),
    ("value with labels", "t \"x\" {\n  a \"b\" = 1\n}\n"),
    ("labels in a map", "t \"x\" {\n  a = {\n    b \"c\" {\n    }\n  }\n}\n"),
    ("crowded label", "\"t\"x {\n}\n"),
    ("crowded items", "t \"x\" {\n  a=\"b\"c=\"d\"\n}\n"),
    ("crowded map", "t \"x\" {\n  a = { b{} }\n  c = {d=\"e\"f=1}\n}\n"),
    ("operator at the end", "t \"x\" {\n  a = 1 +\n  b = 2 *\n    3\n  c = !\n}\n"),
    (
        "operator without a value",
        "t \"x\" {\n  a = [1 + , (b ==), * 2]\n  c = (d && || e)\n  f = g ? : 1\n}\n",
    ),
    (
        "no operator",
        "t \"x\" {\n  a = b & c\n  d = e | f\n  g = h = 1\n  i = j and k\n  l = (true or m)\n  n = o === p\n}\n",
    ),
    ("conditional", "t \"x\" {\n  a = b ? c\n  d = (e ? f)\n  g = h : i\n}\n"),
    ("parentheses", "t \"x\" {\n  a = (b\n  c = d)\n  e = ()\n  f = (g h)\n  i = j)\n}\n"),
    (
        "call",
        "t \"x\" {\n  a = f(1 2)\n  b = f(,)\n  c = g.h(1)\n  d = f(i... , j)\n  k = \"l\"(1)\n  m = f(\n}\n",
    ),
    ("call without a name and before a block", "t \"x\" {\n  a = f(g(1,\n\nt \"y\" {\n  a = 08\n}\n"),
    (
        "steps",
        "t \"x\" {\n  a = b.\n  c = d.\"e\"\n  f = g[\n  h = i[]\n  j = k[1\n  l = m[*].n[*]\n  o = p.99999999999999999999\n}\n",
    ),
    (
        "for",
        "t \"x\" {\n  a = [for]\n  b = [for c d]\n  e = [for f in g]\n  h = [for i in j : k => l]\n  m = {for n in o : p}\n  q = [for 1 in r : s]\n  t = [for u in v : w if ]\n  x = [for y in z : y}\n}\n",
    ),
    (
        "map in an expression",
        "t \"x\" {\n  a = f({ b 1 })\n  c = f({ d = 1, d = 2 })\n  e = f({ f = })\n  g = f({ h = 1, ; })\n  i = { (j) 1 }\n  k = f({ l=\"m\"n=1 })\n  o = f({ p = 1 )\n}\n",
    ),
    (
        "literals in an expression",
        "t \"x\" {\n  a = f(08, \"\\q\")\n  b = f(\"c)\n  d = f(<<E)\n  e = g == 1.x\n}\n",
    ),
    (
        "quotes",
        "t \"x\" {\n  a = 'b'\n  c = [`d`]\n  e = ${param.f}\n  g = {{ param `h` }}\n  i = @\n  j = “k”\n}\n",
    ),
    (
        "what follows an expression",
        "t \"x\" {\n  a = b {\n    c = 1\n  }\n  d = e 5\n  f = g [h] i\n  j = k ; l\n}\n",
    ),
    ("in a list", "t \"x\" {\n  a = [b c, d(, e; f, \"g\" [1]]\n  h = [i,\n  j = 1\n}\n"),
    (
        "chain",
        "a = b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p\n",
    ),
    ("call without end", "t \"x\" {\n  a = f(1,\n}\n\nt \"y\" {\n  a = 08\n}\n"),
    ("junk without end", "t \"x\" {\n  ( a\n}\n\nt \"y\" {\n  a = 08\n}\n"),
    ("crlf", "t \"x\" {\r\n  a = \"b\r\n  c = 08\r\n}\r\n"),
    ("after a byte order mark", "\u{feff}a = 08\n"),
];

impl Parsed {
    /// Formats diagnostics as `line:col-line:col code: message | label | .. | help`, one per line.
    fn report(&self) -> String {
        let mut report = String::new();
        for diagnostic in &self.diagnostics {
            let labels: Vec<String> = diagnostic
                .labels
                .iter()
                .map(|label| {
                    let span = label.span;
                    let place =
                        format!("{}-{}", self.at(&(span.start..span.end)), self.at(&(span.end..span.end)));
                    format!("{place} {}", label.text)
                })
                .collect();
            writeln!(report, "{}: {}", diagnostic.code, diagnostic.message).unwrap();
            for label in labels {
                writeln!(report, "  | {}", label.trim_end()).unwrap();
            }
            if let Some(help) = &diagnostic.help {
                writeln!(report, "  = {help}").unwrap();
            }
        }
        report
    }
}

#[test]
fn each_mistake_has_a_place_and_a_fix() {
    let mut report = String::new();
    for (name, source) in MISTAKES {
        let parsed = parsed(source);
        let rest = serde_json::to_string(&parsed.items(&parsed.body)).unwrap();
        assert!(!parsed.diagnostics.is_empty(), "{name}");
        writeln!(report, "### {name}\n{source}---\n{}tree: {rest}\n", parsed.report()).unwrap();
    }
    insta::assert_snapshot!(report);
}

#[test]
fn limits_are_errors() {
    let check = |source: &str, code: &str| {
        let parsed = parsed(source);
        let codes: Vec<&str> = parsed.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes.last(), Some(&code), "{codes:?}");
        codes.len()
    };
    let deep = |open: &str, close: &str, levels: usize| {
        format!("t \"x\" {{\n  a = {}{}\n}}\nb = 08", open.repeat(levels), close.repeat(levels))
    };
    // The block is the first level. The error after it shows that parsing continues.
    for (open, close) in [("[", "]"), ("{ a = ", " }"), ("[{ a = ", " }]")] {
        let levels = 63 / (open.matches(['[', '{']).count());
        let fitting = deep(open, close, levels).replace("=  }", "= 1 }");
        assert_eq!(check(&fitting, "invalid-number"), 1, "{open}");
        let too_deep = deep(open, close, levels + 1).replace("=  }", "= 1 }");
        assert_eq!(check(&too_deep, "invalid-number"), 2, "{open}");
    }
    assert_eq!(check(&"b {\n".repeat(100_000), "nesting-too-deep"), 1);
    assert_eq!(check(&format!("a = {}", "[".repeat(100_000)), "nesting-too-deep"), 1);
    assert_eq!(check(&"}\n".repeat(100_000), "too-many-errors"), 1001);
    assert_eq!(check(&format!("a = [{}]", "08, ".repeat(100_000)), "too-many-errors"), 1001);
    assert_eq!(check(&" ".repeat(super::super::MAX_SOURCE_BYTES + 1), "file-too-large"), 1);
    assert!(parsed(&" ".repeat(super::super::MAX_SOURCE_BYTES)).diagnostics.is_empty());
}
