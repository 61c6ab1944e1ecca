use crate::cursor::{Frame, Spot, cursor};

/// Checks a short description of the context of a position.
fn check(fixture: &str, expect: &str) {
    let offset = fixture.find("$0").unwrap();
    let text = fixture.replacen("$0", "", 1);
    let cursor_at = cursor(&text, 0, offset);
    let frames = cursor_at.frames.iter().map(|frame| match frame {
        Frame::Block { kind, labels, .. } => format!("{kind}({})", labels.join(",")),
        Frame::Value(name) => format!("{name}="),
        Frame::Map => "{".to_owned(),
        Frame::List => "[".to_owned(),
        Frame::Call(name) => format!("{name}()"),
    });
    let spot = match cursor_at.spot {
        Spot::Item(range) => format!("item |{}|", &text[range]),
        Spot::Label { kind, before, range } => {
            format!("label of {kind}({}) |{}|", before.join(","), &text[range])
        }
        Spot::Word { path, range } => format!("word {path} |{}|", &text[range]),
        Spot::Text { start, end, .. } => format!("text |{}|", &text[start..end]),
        Spot::Nothing => "nothing".to_owned(),
    };
    let frames: Vec<String> = frames.collect();
    assert_eq!(format!("{} {spot}", frames.join(" ")).trim_start(), expect, "{fixture}");
}

#[test]
fn places() {
    check("$0", "item ||");
    check("fi$0le", "item |file|");
    check("a \"b\" {\n  c$0", "a(b) item |c|");
    check("a \"b\" {\n  c $0", "a(b) nothing");
    check("a \"b\" {\n  c\n  $0", "a(b) item ||");
    check("a \"b$0\" {}", "label of a() |b|");
    check("a \"b\" \"c$0", "label of a(b) |c|");
    check("a \"b\" {\n  c = $0", "a(b) c= word  ||");
    check("a \"b\" {\n  c = d.e$0.f", "a(b) c= word d.e |d.e.f|");
    check("a \"b\" {\n  c = d[\"x y\"].$0", "a(b) c= word d[\"x y\"]. |d[\"x y\"].|");
    check("a \"b\" {\n  c = 1 + $0", "a(b) c= word  ||");
    check("a \"b\" {\n  c = 1 $0", "a(b) c= nothing");
    check("a \"b\" {\n  c = 1\n  $0", "a(b) item ||");
    check("a \"b\" {\n  c = 1\n  d$0", "a(b) item |d|");
    check("a \"b\" {\n  c = \"d$0\"", "a(b) c= text |\"d\"|");
    check("a \"b\" {\n  c = \"d$0\n  e = 1\n}", "a(b) c= text |\"d|");
    check("a \"b\" {\n  c = [\"d\", $0", "a(b) c= [ word  ||");
    check("a \"b\" {\n  c = [1]\n$0", "a(b) item ||");
    check("a \"b\" {\n  c = f(1, g(2), h$0", "a(b) c= f() word h |h|");
    check("a \"b\" {\n  c = {\n    d = 1\n    e$0", "a(b) c= { item |e|");
    check("a \"b\" {\n  c = { d = 1, e = $0 }", "a(b) c= { e= word  ||");
    check("a \"b\" {\n  c = [{ d = 1 }, { $0", "a(b) c= [ { item ||");
    check("a \"b\" {\n  c = {for k, v in x : k => $0", "a(b) c= () word  ||");
    check("a \"b\" {\n  c = [for v in x : v.$0", "a(b) c= [ word v. |v.|");
    check("a \"b\" {\n  c {\n    d = 1\n  }\n  $0", "a(b) item ||");
    check("a \"b\" {\n}\n$0", "item ||");
    check("a \"b\" {\n  # c = $0", "a(b) nothing");
    check("a \"b\" {\n  c = 1 // $0", "a(b) c= nothing");
    check("a \"b\" {\n  c = <<E\nx$0\nE\n}", "a(b) c= text |<<E\nx\nE|");
    check("}}] $0", "item ||");
}
