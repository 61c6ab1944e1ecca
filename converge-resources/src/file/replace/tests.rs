use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};
use proptest::prelude::*;

use super::ReplacePreparer;
use super::edit::ReplaceEdit;
use crate::file::edit::Edit as _;
use crate::file::edit::replacement::Replacement;
use crate::file::edit::testing::{at, edited, untouched};
use crate::testing::{Written, apply, plan};

const AGAIN: &str = "error: it matches what it puts there, so each run would replace that again";

fn replace(pattern: &str, replacement: &str, count: Option<u32>) -> ReplaceEdit {
    let replacement = Replacement::parse(replacement).unwrap();
    ReplaceEdit { pattern: pattern.into(), replacement, count, secret: false }
}

#[test]
fn replacements() {
    let check = |pattern: &str, replacement: &str, before: &str, expect: &str| {
        let edit = replace(pattern, replacement, None);
        assert_eq!(edited(&edit, before), expect, "{pattern:?} {replacement:?} on {before:?}");
    };
    check("a", "b", "", "");
    check("a", "b", "aXa", "bXb");
    check("a", "", "aXa", "X");
    check("^a$", "b", "a\na\r\nca\na", "b\nb\r\nca\nb");
    check("^port=.*", "port=80", "port=1\nx\nport=80\n", "port=80\nx\nport=80\n");
    check(r"(\w)=(\w)", r"\1: \2", "a=b\nc=d", "a: b\nc: d");
    check("a.b", "x", "a\nb", "a\nb");
    check("(?s)a.b", "x", "a\nb", "x");
    check("(?i)A", "x", "aA", "xx");
    check("a\n", r"b\n", "a\na", "b\na");
    check("ä", "ö", "ää\u{1f600}", "öö\u{1f600}");
    // The replacement matches again, without end.
    check("a", "aa", "xa", AGAIN);
    check("", "x", "a", AGAIN);
    check("x*", "x", "a", "xax");
    check("$", ";", "a\n", AGAIN);
    check("(a)b?", r"\1b", "ac", "abc");
}

#[test]
fn counts_and_sizes() {
    let check = |pattern: &str,
                 replacement: &str,
                 count: Option<u32>,
                 before: &str,
                 expect: Result<&str, &str>| {
        let edited = replace(pattern, replacement, count).edit(before).map(|edited| edited.text);
        assert_eq!(edited.as_deref().map_err(String::as_str), expect, "{pattern:?} {count:?} on {before:?}");
    };
    check("a", "b", Some(2), "aa", Ok("bb"));
    let message = "\"a\" matches more often than `count` allows, and the next run would replace the rest";
    check("a", "b", Some(1), "aa", Err(message));
    let large = "after the replacement it would have more than 8388608 bytes";
    check("a", &"b".repeat(100_000), None, &"a".repeat(100_000), Err(large));
}

proptest! {
    /// A second edit changes nothing, or the edit is refused; lines without a match are kept.
    #[test]
    fn other_lines_are_kept(before in "([abc]{0,3}(\n|\r\n)){0,5}[abc]{0,2}", pattern in "\\^?[ab]{1,2}\\$?", replacement in "[abx]{0,2}") {
        let edit = replace(&pattern, &replacement, None);
        let matches = |body: &str| edit.pattern.regex().is_match(body);
        if !edited(&edit, &before).starts_with("error") {
            untouched(&edit, &before, |body| matches(body) || body.contains('x') || body.contains(&replacement))?;
        }
    }

    #[test]
    fn no_text_makes_it_panic(before in "\\PC{0,40}", replacement in "\\PC{0,8}") {
        if let Ok(replacement) = Replacement::parse(&replacement) {
            let _ = ReplaceEdit { pattern: ".|^".into(), replacement, count: None, secret: false }.edit(&before);
        }
    }
}

fn model() -> ModelSystem {
    ModelSystem::new().with_file("/etc/app.conf", "host old\nport 1\n").with_file("/etc/logo", [0, 1])
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, more: Written<'_>, expect: &str| {
        let actual = plan::<ReplacePreparer>(&system, &at(destination, more)).await;
        assert_eq!(actual, expect, "{destination} {more:?}");
    };
    let fields = |pattern: &str, replacement: &str| {
        [("pattern", Value::from(pattern)), ("replacement", Value::from(replacement))]
    };
    let changed = "will change\ncontent: \"host old\\nport 1\\n\" => \"host new\\nport 1\\n\"";
    check("/etc/app.conf", &fields("old", "new"), changed).await;
    check("/etc/app.conf", &fields("none", "new"), "no change").await;
    check("/etc/none", &fields("none", "new"), "error: /etc/none does not exist: `create = true` makes it")
        .await;
    let created = [&fields("none", "new")[..], &[("create", true.into())]].concat();
    check("/etc/none", &created, "will change\nstate: \"absent\" => \"present\"\ncontent: \"\" => \"\"")
        .await;
    check(
        "/etc/app.conf",
        &[("pattern", Value::from("old").into_secret()), ("replacement", "new".into())],
        "will change\ncontent: \"(sensitive)\" => \"(sensitive)\"",
    )
    .await;
    check("/etc/logo", &fields("a", "b"), "error: /etc/logo is not text: byte 0 is 0").await;
    check(
        "/etc/app.conf",
        &fields("o", "oo"),
        "error: pattern: it matches what it puts there, so each run would replace that again",
    )
    .await;
    check(
        "/etc/app.conf",
        &fields("(o)", r"\1\1"),
        "error: /etc/app.conf: it matches what it puts there, so each run would replace that again",
    )
    .await;
    check(
        "/etc/app.conf",
        &fields("o", r"\1"),
        r"error: replacement: `\1` is not a group of the expression, which has 0",
    )
    .await;
    let counted = [&fields("o", "0")[..], &[("count", 1.into())]].concat();
    check(
        "/etc/app.conf",
        &counted,
        "error: /etc/app.conf: \"o\" matches more often than `count` allows, and the next run would replace the rest",
    )
    .await;
}

#[tokio::test]
async fn it_is_replaced() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let fields = at("/etc/app.conf", &[("pattern", r"^(\w+) ".into()), ("replacement", r"\1=".into())]);
    apply::<ReplacePreparer>(&system, &fields).await;
    assert_eq!(model.machine().file("/etc/app.conf"), Some(&b"host=old\nport=1\n"[..]));
    assert_eq!(plan::<ReplacePreparer>(&system, &fields).await, "no change");
}

laws!(
    ReplacePreparer,
    start = model,
    values = ("destination", ["/etc/app.conf", "/etc/logo", "/etc/new"]),
    values = ("pattern", ["old", "^port .*$", "none"]),
    values = ("replacement", ["new", "port 2"]),
    values = ("validate", ["true {}"])
);
