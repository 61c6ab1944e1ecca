use insta::assert_snapshot;
use proptest::prelude::*;

use super::diagnostic as render;
use super::excerpt::MAX_LINE_BYTES;
use crate::diagnostic::{Diagnostic, SourceMap, Span};

/// Returns a source map with one file, and the spans of the given pieces of it.
fn source<const N: usize>(text: &str, pieces: [&str; N]) -> (SourceMap, [Span; N]) {
    let mut sources = SourceMap::new();
    let file = sources.add("web.hcl", text);
    let spans = pieces.map(|piece| {
        let start = text.find(piece).unwrap();
        Span::new(file, start, start + piece.len())
    });
    (sources, spans)
}

#[test]
fn one_label_with_help() {
    let text = "file.mode \"motd\" {\n  destination = \"/etc/motd\"\n  mode        = 777\n}\n";
    let (sources, [span]) = source(text, ["777"]);
    let diagnostic = Diagnostic::error("decimal-in-base", "777 is a decimal number")
        .label(span, "this field counts in base 8")
        .help("write 0777");
    assert_snapshot!(render(&diagnostic, &sources, false), @r"
    error[decimal-in-base]: 777 is a decimal number
     --> web.hcl:3:17
      |
    3 |   mode        = 777
      |                 ^^^ this field counts in base 8
      |
      = help: write 0777
    ");
}

#[test]
fn a_byte_order_mark_has_no_width() {
    let (sources, [span]) = source("\u{feff}task \"a\" { x = 1 }\n", ["x ="]);
    let diagnostic = Diagnostic::error("unknown-field", "unknown field `x`").label(span, "");
    assert_snapshot!(render(&diagnostic, &sources, false), @r#"
    error[unknown-field]: unknown field `x`
     --> web.hcl:1:12
      |
    1 | task "a" { x = 1 }
      |            ^^^
    "#);
}

#[test]
fn labels_in_one_place_share_a_snippet() {
    let text = "file.owner \"a\" {\n  user  = \"www\"\n  group = \"www\"\n  uid   = 33\n}\n";
    let (sources, [uid, user]) = source(text, ["uid", "user"]);
    let diagnostic = Diagnostic::error("mutually-exclusive", "`user` and `uid` are mutually exclusive")
        .label(uid, "remove one of them")
        .label(user, "the other is here");
    assert_snapshot!(render(&diagnostic, &sources, false), @r#"
    error[mutually-exclusive]: `user` and `uid` are mutually exclusive
     --> web.hcl:4:3
      |
    2 |   user  = "www"
      |   ---- the other is here
    3 |   group = "www"
    4 |   uid   = 33
      |   ^^^ remove one of them
    "#);
}

#[test]
fn labels_far_apart_have_a_snippet_each() {
    let text = format!("task \"a\" {{}}\n{}task \"a\" {{ }}\n", "# filler\n".repeat(500));
    let (sources, [first, second]) = source(&text, ["task \"a\" {}", "task \"a\" { }"]);
    let diagnostic = Diagnostic::error("duplicate-resource", "`task.a` is declared twice")
        .label(second, "again here")
        .label(first, "first here");
    assert_snapshot!(render(&diagnostic, &sources, false), @r#"
    error[duplicate-resource]: `task.a` is declared twice
       --> web.hcl:502:1
        |
    502 | task "a" { }
        | ^^^^^^^^^^^^ again here
        |
       ::: web.hcl:1:1
        |
      1 | task "a" {}
        | ----------- first here
    "#);
}

#[test]
fn wide_characters_and_tabs_keep_their_columns() {
    let text = "# 日本語 é\n\tcontent\t= \"日本{{parm `x`}}\"\n";
    let (sources, [span]) = source(text, ["parm"]);
    let diagnostic = Diagnostic::error("unknown-function", "there is no function `parm`")
        .label(span, "did you mean `param`?");
    assert_snapshot!(render(&diagnostic, &sources, false), @r#"
    error[unknown-function]: there is no function `parm`
     --> web.hcl:2:17
      |
    2 |     content    = "日本{{parm `x`}}"
      |                         ^^^^ did you mean `param`?
    "#);
}

#[test]
fn a_warning_without_a_place() {
    let diagnostic = Diagnostic::warning("unused", "nothing here\x1b[2J");
    assert_snapshot!(render(&diagnostic, &SourceMap::new(), false), @"warning[unused]: nothing here␛[2J");
}

#[test]
fn a_tall_label_shows_where_it_begins() {
    let text = format!("task \"a\" {{\n{}}}\n", "  # filler\n".repeat(500));
    let (sources, [span]) = source(&text, [text.trim_end()]);
    let diagnostic = Diagnostic::error("unclosed", "this is not closed").label(span, "");
    assert_snapshot!(render(&diagnostic, &sources, false), @r#"
    error[unclosed]: this is not closed
     --> web.hcl:1:1
      |
    1 | task "a" {
      | ^^^^^^^^^^
    "#);
}

#[test]
fn a_line_that_is_too_long_is_not_shown() {
    let text = format!("x = \"{}\" y", "a".repeat(MAX_LINE_BYTES));
    let (sources, [span]) = source(&text, ["y"]);
    let diagnostic = Diagnostic::error("stray", "`y` is not expected").label(span, "here").help("remove it");
    assert_snapshot!(render(&diagnostic, &sources, false), @r"
    error[stray]: `y` is not expected
    --> web.hcl:1:4104
     = help: remove it
    ");
}

#[test]
fn colours_are_only_there_when_asked_for() {
    let (sources, [span]) = source("task \"a\" {}\n", ["task"]);
    let diagnostic = Diagnostic::error("code", "message").label(span, "label");
    assert!(render(&diagnostic, &sources, true).contains("\x1b["));
    assert!(!render(&diagnostic, &sources, false).contains('\x1b'));
}

proptest! {
    #[test]
    fn any_span_of_any_text_can_be_shown(
        text in "[a-zé日\\t\\n\\r\u{0}\u{1b}\u{9b}\u{202e} ]{0,80}",
        name in "[a-z\u{1b}\u{9b}\n]{1,9}",
        spans in prop::collection::vec((0_usize..100, 0_usize..100), 1..4),
    ) {
        let mut sources = SourceMap::new();
        let file = sources.add(name, text);
        let diagnostic = spans.iter().fold(Diagnostic::error("code", "message"), |diagnostic, (start, end)| {
            diagnostic.label(Span::new(file, *start, *end), "label")
        });
        let output = render(&diagnostic, &sources, false);
        prop_assert!(output.starts_with("error[code]: message\n"), "{output}");
        let acts = |character: char| character.is_control() && character != '\n';
        prop_assert!(!output.contains(acts), "{output:?}");
    }
}

#[test]
fn what_is_hidden_is_not_quoted() {
    let text = "param \"p\" { default = \"hunter2\" }\nx = \"my hunter2\" + y\nlist = [\n  1,\n  2\n] oops\n";
    let (mut sources, [default, y, list, oops, at_end]) =
        source(text, ["\"hunter2\"", "y", "[\n  1,\n  2\n]", "oops", "hunter2\" +"]);
    assert!(sources.redactor().hide("hunter2"));
    sources.hide(default);
    sources.hide(list);
    let diagnostic = Diagnostic::error("test", "a test")
        .label(y, "after it")
        .label(default, "the default")
        .label(at_end, "with it")
        .label(oops, "after lines");
    // Redacted text before the label would change its column.
    let after = Diagnostic::error("test", "a test").label(oops, "");
    assert_eq!(render(&after, &sources, false), "error[test]: a test\n--> web.hcl:6:3\n");
    let output = render(&diagnostic, &sources, false);
    assert!(!output.contains("hunter2") && !output.contains("1,"), "{output}");
    assert_snapshot!(output);
}
