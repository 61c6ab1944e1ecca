use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};
use proptest::prelude::*;

use super::BlockPreparer;
use super::edit::{BlockEdit, Markers};
use crate::file::edit::insertion_point::Place;
use crate::file::edit::testing::{at, edited, untouched};
use crate::testing::{Written, apply, plan};
use crate::text::Text;

fn block(content: Option<&str>, place: Place) -> BlockEdit {
    BlockEdit {
        markers: Markers { begin: Text::new("# B", false), end: Text::new("# E", false) },
        content: content.map(|content| Text::new(content, false)),
        secret: false,
        place,
    }
}

#[test]
fn blocks() {
    let check = |content: Option<&str>, place: Place, before: &str, expect: &str| {
        let edit = block(content, place);
        assert_eq!(edited(&edit, before), expect, "{edit:?} on {before:?}");
    };
    check(Some("x\ny\n"), Place::End, "", "# B\nx\ny\n# E\n");
    check(Some("x\ny"), Place::End, "a", "a\n# B\nx\ny\n# E\n");
    check(Some(""), Place::End, "a\n", "a\n# B\n# E\n");
    check(Some("\n"), Place::End, "a\n", "a\n# B\n\n# E\n");
    check(Some("x\n\n"), Place::End, "a\n", "a\n# B\nx\n\n# E\n");
    check(Some("x\r\ny"), Place::End, "a\n", "a\n# B\nx\ny\n# E\n");
    check(Some("x\ny"), Place::End, "a\r\n", "a\r\n# B\r\nx\r\ny\r\n# E\r\n");
    check(Some("x"), Place::Begin, "a", "# B\nx\n# E\na");
    check(Some("x"), Place::After("^a".into()), "a\nb", "a\n# B\nx\n# E\nb");
    check(Some("x"), Place::Before("^b".into()), "a\nb", "a\n# B\nx\n# E\nb");
    check(
        Some("x"),
        Place::After("^c".into()),
        "a\n",
        "a\n# B\nx\n# E\n | no line matches `insert_after`, \"^c\": it is put at the end",
    );
    // An existing block is replaced in place.
    check(Some("x"), Place::Begin, "a\n# B\nold\nolder\n# E\nb", "a\n# B\nx\n# E\nb");
    check(Some("x"), Place::End, "# B\nx\n# E", "# B\nx\n# E");
    check(Some("y"), Place::End, "# B\nx\n# E", "# B\ny\n# E");
    check(Some("x"), Place::End, "a\r\n# B\n# E\r\n", "a\r\n# B\r\nx\r\n# E\r\n");
    check(None, Place::End, "a\n# B\nx\n# E\nb", "a\nb");
    check(None, Place::End, "a\n# B\n# E", "a\n");
    check(None, Place::End, "a\n", "a\n");
    let damaged = |before: &str, expect: &str| {
        for content in [Some("x"), None] {
            check(
                content,
                Place::End,
                before,
                &format!("error: the markers of the block are damaged: {expect}"),
            );
        }
    };
    damaged("a\n# B\n", "line 2 is \"# B\", and no line is \"# E\"");
    damaged("# E\n", "line 1 is \"# E\", and no line is \"# B\"");
    damaged("# E\n# B\n", "line 1 is \"# E\", and line 2 is \"# B\"");
    damaged("# B\n# B\n# E\n", "lines 1 and 2 are \"# B\"");
    damaged("# B\n# E\na\n# E\n", "lines 2 and 4 are \"# E\"");
}

proptest! {
    /// A second edit changes nothing, and all lines around the block are kept.
    #[test]
    fn other_lines_are_kept(
        before in "([ab]{0,2}(\n|\r\n)){0,3}",
        there in "|# B\n(x\n){0,2}# E\n",
        after in "([ab]{0,2}(\n|\r\n)){0,3}[ab]{0,2}",
        content in proptest::option::of("(x|y|\n){0,4}"),
    ) {
        let edit = block(content.as_deref(), Place::End);
        let text = format!("{before}{there}{after}");
        prop_assert!(!edited(&edit, &text).starts_with("error"));
        // An empty line may belong to the block.
        untouched(&edit, &text, |body| ["# B", "# E", "x", ""].contains(&body) || body.contains(['x', 'y']))?;
    }
}

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_file("/etc/hosts", "127.0.0.1 localhost\n")
        .with_file("/etc/torn", "# BEGIN of what converge manages\nx\n")
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, more: Written<'_>, expect: &str| {
        let actual = plan::<BlockPreparer>(&system, &at(destination, more)).await;
        assert_eq!(actual, expect, "{destination} {more:?}");
    };
    let content = || ("content", Value::from("x\n"));
    let text = |name: &'static str, text: &str| (name, Value::from(text));
    check(
        "/etc/hosts",
        &[content()],
        "will change\ncontent: \"127.0.0.1 localhost\\n\" => \"127.0.0.1 localhost\\n# BEGIN of what converge \
         manages\\nx\\n# END of what converge manages\\n\"",
    )
    .await;
    check(
        "/etc/hosts",
        &[("content", Value::from("x").into_secret())],
        "will change\ncontent: \"(sensitive)\" => \"(sensitive)\"",
    )
    .await;
    check("/etc/hosts", &[text("state", "absent")], "no change").await;
    check("/etc/none", &[text("state", "absent")], "no change").await;
    check("/etc/none", &[content()], "error: /etc/none does not exist: `create = true` makes it").await;
    check(
        "/etc/torn",
        &[content()],
        "error: /etc/torn: the markers of the block are damaged: line 1 is \"# BEGIN of what converge manages\", and no \
         line is \"# END of what converge manages\"",
    )
    .await;
    check("/etc/hosts", &[], "error: content: `content` is required, as `state` is \"present\"").await;
    check(
        "/etc/hosts",
        &[content(), text("marker", "# mine")],
        "error: marker: it does not say `{mark}`, so the start and the end of the block look the same",
    )
    .await;
    check(
        "/etc/hosts",
        &[content(), text("marker", "# {mark}\n")],
        "error: marker: it is more than one line",
    )
    .await;
    check(
        "/etc/hosts",
        &[content(), text("marker_end", "BEGIN")],
        "error: marker_end: it is the same as `marker_begin`",
    )
    .await;
    check(
        "/etc/hosts",
        &[text("content", "x\n# 1\n"), text("marker", "# {mark}"), text("marker_end", "1")],
        "error: content: it has a line that is one of the markers",
    )
    .await;
}

#[tokio::test]
async fn a_block_is_changed_and_removed() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |more: Written<'_>, expect: &str| {
        apply::<BlockPreparer>(&system, &at("/etc/hosts", more)).await;
        assert_eq!(plan::<BlockPreparer>(&system, &at("/etc/hosts", more)).await, "no change");
        let machine = model.machine();
        assert_eq!(String::from_utf8_lossy(machine.file("/etc/hosts").unwrap()), expect);
    };
    let marked = |content: &str| {
        [("content", Value::from(content)), ("marker", "# {mark}".into()), ("insert_before", "BOF".into())]
    };
    check(&marked("a\n"), "# BEGIN\na\n# END\n127.0.0.1 localhost\n").await;
    check(&marked("b\nc"), "# BEGIN\nb\nc\n# END\n127.0.0.1 localhost\n").await;
    check(&[("state", "absent".into()), ("marker", "# {mark}".into())], "127.0.0.1 localhost\n").await;
}

laws!(
    BlockPreparer,
    start = model,
    values = ("destination", ["/etc/hosts", "/etc/new", "/etc/torn"]),
    values = ("content", ["x\n", "a\nb", ""]),
    values = ("marker", ["# {mark}", "; {mark} of mine"]),
    values = ("marker_begin", ["BEGIN", "first"]),
    values = ("marker_end", ["END", "last"]),
    values = ("insert_after", ["^127", "EOF"]),
    values = ("insert_before", ["BOF", "^127"]),
    values = ("validate", ["true {}"])
);
