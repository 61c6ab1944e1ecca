//! Tests of the formatting rules, with one table per rule.

use std::borrow::Cow;

use super::{check, formatted};

#[test]
fn spaces_and_indentation() {
    check("a=1", "a = 1\n");
    check("  t   \"x\"{\n a  =  1\n b {\n c=[ ]\n}}", "t \"x\" {\n  a = 1\n  b {\n    c = []\n  }\n}\n");
    check("a = [ 1,2 ,3 , ]", "a = [1, 2, 3, ]\n");
    check("a = {b=1,c={}}", "a = { b = 1, c = {} }\n");
    check("a = [\n1,\n[\n2\n],\n]", "a = [\n  1,\n  [\n    2\n  ],\n]\n");
    check("a = -1\nb = [ -1,-2 ]", "a = -1\nb = [-1, -2]\n");
    check("t\"a\"\"b\"c{}", "t \"a\" \"b\" c {}\n");
    check("file.owner   \"x\"   {   }", "file.owner \"x\" {}\n");
}

#[test]
fn brackets_opened_on_one_line_indent_once() {
    check("a = [{\nb=1\n},{\nc=1\n}]\n", "a = [{\n  b = 1\n}, {\n  c = 1\n}]\n");
    check("a = [[\n1\n], [\n2\n]]", "a = [[\n  1\n], [\n  2\n]]\n");
    check("a = [\n[[1\n]\n]]", "a = [\n  [[1\n  ]\n]]\n");
}

#[test]
fn every_item_of_a_body_has_a_line() {
    check("a = 1 b = 2", "a = 1\nb = 2\n");
    check("a = 1, b = 2,\n, c = 3", "a = 1\nb = 2\nc = 3\n");
    check("t { a = 1 b {} }", "t {\n  a = 1\n  b {}\n}\n");
    check("t {} t \"x\" {}", "t {}\nt \"x\" {}\n");
    check("t { a = 1 /* one */ b = 2 # two\n}", "t {\n  a = 1 /* one */\n  b = 2 # two\n}\n");
    check("a = [1] \"b\" = {} c = true d {}", "a   = [1]\n\"b\" = {}\nc   = true\nd {}\n");
}

#[test]
fn a_block_with_one_attribute_may_be_on_one_line() {
    check("t {a=1}", "t { a = 1 }\n");
    check("t {a=1,}", "t { a = 1 }\n");
    check("t { a = { b = [1, {}] } }", "t { a = { b = [1, {}] } }\n");
    check("t { a =\n1 }", "t { a = 1 }\n");
    check("t {\na = 1 }", "t {\n  a = 1\n}\n");
    check("t { a = 1\n}", "t {\n  a = 1\n}\n");
    check("t { a = [\n1] }", "t {\n  a = [\n    1]\n}\n");
    check("t { a = <<E\nx\nE\n}", "t {\n  a = <<E\nx\nE\n}\n");
    check("t { a = \"${\n}\" }", "t {\n  a = \"${\n}\"\n}\n");
    check("t { b {} }", "t {\n  b {}\n}\n");
    check("t {\n}", "t {\n}\n");
    check("t {\n\n\n}", "t {\n}\n");
}

#[test]
fn what_begins_on_the_next_line_moves_up() {
    check("t\n\"x\"\n{\na\n=\n1\n}", "t \"x\" {\n  a = 1\n}\n");
    check("a = {\nb\n=\n1\nc\n{\nd = 1 }\n}", "a = {\n  b = 1\n  c {\n    d = 1 }\n}\n");
    check("a = # why\n1\nt # why\n{}", "a = # why\n  1\nt # why\n  {}\n");
}

#[test]
fn entries_of_a_map_on_one_line_have_commas() {
    check("a = { b = 1 c = 2 }", "a = { b = 1, c = 2 }\n");
    check("a = { b = 1 /* one */ c {} d = 2 }", "a = { b = 1, /* one */ c {}, d = 2 }\n");
    check("a = {\nb = 1 c = 2\nd = 3, }", "a = {\n  b = 1, c = 2\n  d = 3, }\n");
    check("a = { b = <<E\nE\nc = 1 # one\nd = 2 }", "a = { b = <<E\nE\n  c = 1 # one\n  d = 2 }\n");
    check("a = { for = 1 if = 2 in = [] }", "a = { for = 1, if = 2, in = [] }\n");
}

#[test]
fn at_most_one_empty_line() {
    check("\n\n\na = 1\n\n\n\nb = 2\n\n\n", "a = 1\n\nb = 2\n");
    check("t {\n\n  a = 1\n\n\n  b = 2\n\n}", "t {\n  a = 1\n\n  b = 2\n}\n");
    check("a = [\n\n1,\n\n\n2\n\n]", "a = [\n  1,\n\n  2\n]\n");
    check("# one\n\n\n# two\n\na = 1", "# one\n\n# two\n\na = 1\n");
    check(
        "t { # one\n\n  # two\n\n  a = 1\n\n # three\n\n}",
        "t { # one\n  # two\n\n  a = 1\n\n  # three\n}\n",
    );
    check("a {}\nb {}\n\n\nc {}", "a {}\nb {}\n\nc {}\n");
    check("a = 1 \t\n \t\n\r\nb = 2", "a = 1\n\nb = 2\n");
}

#[test]
fn equals_signs_of_a_run_are_aligned() {
    check("a = 1\nbcd = 2\n\nefghi = 3\nf = 4", "a   = 1\nbcd = 2\n\nefghi = 3\nf     = 4\n");
    check("a = 1\nb {}\ncde = 2", "a = 1\nb {}\ncde = 2\n");
    check("a = 1\n# why\nbcd = 2", "a = 1\n# why\nbcd = 2\n");
    check("a = 1\nbcd = [\n1\n]\nef = 2", "a = 1\nbcd = [\n  1\n]\nef = 2\n");
    // The line with the start of a heredoc is aligned as a whole.
    check("a = 1\nbcd = <<E\nE\nef = 2", "a   = 1\nbcd = <<E\nE\nef = 2\n");
    check("\"é\" = 1\nbcde = 2", "\"é\"  = 1\nbcde = 2\n");
    check("a = {\nb = 1,\ncde = 2\n}", "a = {\n  b   = 1,\n  cde = 2\n}\n");
    check("a = [\n{ b = 1 },\n{ cde = 2 }\n]", "a = [\n  { b = 1 },\n  { cde = 2 }\n]\n");
    check("t { b = 1 }\nt { cde = 2 }", "t { b = 1 }\nt { cde = 2 }\n");
}

#[test]
fn what_is_very_wide_is_not_aligned() {
    let name = "n".repeat(101);
    check(&format!("a = 1\n{name} = 2\nbc = 3"), &format!("a = 1\n{name} = 2\nbc = 3\n"));
    check(&format!("a = 1 # a\n{name} = 2 # b"), &format!("a = 1 # a\n{name} = 2 # b\n"));
}

#[test]
fn comments_are_kept_where_they_are() {
    check("a=1 #b \t\r\n//c\n/* d\n  e */f=2", "a = 1 #b\n//c\n/* d\n  e */ f = 2\n");
    check("a = 1 # a\nbcd = 2   # b\n\ne = 3 # c", "a   = 1 # a\nbcd = 2 # b\n\ne = 3 # c\n");
    check("a = 100 # a\nb = 2 # b\nc = 3\nd = 4 # d", "a = 100 # a\nb = 2   # b\nc = 3\nd = 4 # d\n");
    check("t { # t\na = 100 # a\n}", "t {       # t\n  a = 100 # a\n}\n");
    check("t {/* c */}", "t { /* c */\n}\n");
    check("t {\n/* c */}", "t {\n  /* c */\n}\n");
    check("a = /* c */ [ /* d */ 1 /* e */ , 2 ]", "a = /* c */ [/* d */ 1 /* e */, 2]\n");
    check("a = [ # one\n1, # two\n22, # three\n]", "a = [ # one\n  1,  # two\n  22, # three\n]\n");
    check("t /* a */ \"x\" // b\n { a = 1 }", "t /* a */ \"x\" // b\n  { a = 1 }\n");
    check("a = 1 /* one\r\n two */ b = 2", "a = 1 /* one\n two */\nb = 2\n");
    check("# only", "# only\n");
}

#[test]
fn strings_and_heredocs_keep_their_bytes() {
    check("a = \" \\t  ${ b  {\r\n} } \"", "a = \" \\t  ${ b  {\r\n} } \"\n");
    check("t {\r\na = <<E\r\n x \r\n  E\r\nb=1\r\n}", "t {\n  a = <<E\r\n x \r\n  E\n  b = 1\n}\n");
    check("t {\n      a = <<-E\n    x\n    E\n}", "t {\n  a = <<-E\n    x\n    E\n}\n");
    check("a = [<<A\nx\nA\n, <<-B\n  y\n  B\n]", "a = [<<A\nx\nA\n  , <<-B\n  y\n  B\n]\n");
}

#[test]
fn expressions() {
    check("a=b+c*-d", "a = b + c * -d\n");
    check("a = 1-2", "a = 1 - 2\n");
    check("a = !b&&( c||d )", "a = !b && (c || d)\n");
    check("a = b==c?\"x\":1", "a = b == c ? \"x\" : 1\n");
    check("a = f ( x,y ... )", "a = f(x, y...)\n");
    check("a = b [ 0 ] . c [*].d", "a = b[0].c[*].d\n");
    check("a = b.*.c*2", "a = b.*.c * 2\n");
    check("a = [for x in[b]:x if -x>0]", "a = [for x in [b] : x if -x > 0]\n");
    check("a = {for k,v in b:k=>v... if(c)}", "a = { for k, v in b : k => v... if (c) }\n");
    check("a = { (b)=c,\"d\":e }", "a = { (b) = c, \"d\" : e }\n");
    check("a = (\nb+\nc\n)", "a = (\n  b +\n  c\n)\n");
    check("a = f([{\nb=c\n}])", "a = f([{\n  b = c\n}])\n");
    check("a =\nb c = d", "a = b\nc = d\n");
    check("t { a = b+c }", "t { a = b + c }\n");
    // Names of HCL 1 may contain dots.
    check("a...b \"c\" {\na...=1\n}", "a...b \"c\" {\n  a... = 1\n}\n");
    check("a.......b \"c\" {\na.......b=1\n}", "a.......b \"c\" {\n  a.......b = 1\n}\n");
}

#[test]
fn line_ends_and_the_byte_order_mark() {
    check("\u{feff}a = 1\r\nb = 2\r\n", "a = 1\nb = 2\n");
    check("\u{feff}", "");
    check("", "");
    check(" \r\n\n", "");
}

#[test]
fn what_is_in_form_is_borrowed() {
    let text = "a = 1\n";
    assert!(matches!(formatted(text), Ok(Cow::Borrowed(same)) if std::ptr::eq(same, text)));
    assert!(matches!(formatted("a=1"), Ok(Cow::Owned(_))));
}

#[test]
fn mistakes_are_returned() {
    let errors = formatted("a = 1\nb = \nc { d = ] }").unwrap_err();
    let codes: Vec<&str> = errors.iter().map(|error| error.code).collect();
    assert_eq!(codes, ["missing-value", "missing-value"]);
}
