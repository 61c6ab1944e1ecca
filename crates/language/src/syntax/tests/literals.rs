//! Tests of strings and heredocs: decoding, and mapping back to the source.

use super::super::literal::decode;
use super::super::literal_range;
use super::{ExpressionKind, Item, parsed};

/// Parses a value that is one string, as part of a file, and returns its text.
fn text_of(raw: &str) -> String {
    let parsed = parsed(&format!("a = {raw}\n"));
    assert!(parsed.diagnostics.is_empty(), "{raw:?}: {:?}", parsed.diagnostics);
    match parsed.body.items.as_slice() {
        [Item::Attribute(attribute)] => match &attribute.value.kind {
            ExpressionKind::String(text) => text.to_string(),
            other => panic!("{raw:?}: {other:?}"),
        },
        other => panic!("{raw:?}: {other:?}"),
    }
}

#[test]
fn decoding() {
    let check = |raw: &str, expect: &str| assert_eq!(text_of(raw), expect, "{raw:?}");
    check(r#""""#, "");
    check(r#""\a\b\f\n\r\t\v\\\"""#, "\u{7}\u{8}\u{c}\n\r\t\u{b}\\\"");
    check(r#""\101\x41\u0041\U00000041""#, "AAAA");
    check(r#""\xc3\xa9\303\251é""#, "ééé");
    check(r#""\0001""#, "\u{0}1");
    check(r#""\U0001F600""#, "😀");
    check(r#""${a \" \n} \n""#, "${a \\\" \\n} \n");
    check(r#""${a {b} c} }""#, "${a {b} c} }");
    check(r#""$ { } $""#, "$ { } $");
    check(r#""\\${x}""#, "\\${x}");
    check("\"${a\r\nb}\"", "${a\nb}");

    check("<<EOF\nEOF", "");
    check("<<EOF\na \\n \"b\"\n\nEOF", "a \\n \"b\"\n\n");
    check("<<EOF\na\n\t EOF", "a\n\t ");
    // As in the original, the first line that ends with the marker closes the heredoc.
    check("<<EOF\na\nb EOF", "a\nb ");
    check("<<A1\nA\n1\nA1", "A\n1\n");
    check("<<-EOF\n  a\n    b\n  EOF", "a\n  b\n");
    check("<<-EOF\n\ta\n\tEOF", "a\n");
    check("<<-EOF\na\nEOF", "a\n");
    // Not every line is indented as deep as the end marker, so only the space before the marker is removed.
    check("<<-EOF\n  a\n b\n  EOF", "  a\n b\n");
    check("<<-EOF\n  a\n\n  EOF", "  a\n\n");
    check("<<-EOF\n    EOF", "");
    check("<<EOF\r\na\r\n\r\nEOF", "a\n\n");
    check("<<-EOF\r\n  a\r\n    b\r\n  EOF", "a\n  b\n");
    check("<<EOF\nEO\nEOG\nEOF", "EO\nEOG\n");
}

#[test]
fn the_way_back() {
    // Maps the part of the text between `<` and `>` to the source.
    let check = |raw: &str, marked: &str, expect: &str| {
        let start = marked.find('«').unwrap();
        let text = marked.replace('«', "");
        let end = text.find('»').unwrap();
        let text = text.replace('»', "");
        assert_eq!(&*decode(raw), text, "{raw:?}");
        assert_eq!(&raw[literal_range(raw, start..end)], expect, "{raw:?}");
    };
    check(r#""{{a}}""#, "«{{a}}»", "{{a}}");
    check(r#""a \t {{b}} c""#, "a \t «{{b}}» c", "{{b}}");
    check(r#""{{split \",\" `x`}}""#, "{{split «\",\"» `x`}}", r#"\",\""#);
    check(r#""a\nb""#, "a«\n»b", r"\n");
    check(r#""é\u00e9é""#, "é«é»é", r"\u00e9");
    check(r#""ab""#, "ab«»", "");
    check(r#""""#, "«»", "");
    check(r#""${\n}\n.""#, "${\\n}«\n».", r"\n");
    check("<<EOF\na\n{{b}}\nEOF", "a\n«{{b}}»\n", "{{b}}");
    check("<<-EOF\n  a\n  {{b\n  c}}\n  EOF", "a\n«{{b\nc}}»\n", "{{b\n  c}}");
    check("<<-EOF\n  a\n b\n  EOF", "  a\n «b»\n", "b");
    check("<<EOF\r\na\r\n{{b}}\r\nEOF", "a\n«{{b}}»\n", "{{b}}");
    check("<<EOF\r\na\r\nb\r\nEOF", "a«\n»b\n", "\r\n");
    let raw = r#""abc""#;
    for (text_range, expect) in [(0..99, 1..4), (50..99, 4..4), (3..3, 4..4), (0..0, 1..1)] {
        assert_eq!(literal_range(raw, text_range.clone()), expect, "{text_range:?}");
    }
    // Invalid literals have no text but must not cause a failure.
    for raw in ["", "\"", "<<", "<<EOF", "<<EOF\n", "x"] {
        let range = literal_range(raw, 0..5);
        assert!(raw.get(range.clone()).is_some(), "{raw:?} {range:?}");
    }
}
