use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};
use proptest::prelude::*;

use super::LinePreparer;
use super::edit::{Change, LineEdit};
use crate::file::edit::insertion_point::{Place, Which};
use crate::file::edit::replacement::Replacement;
use crate::file::edit::testing::{at, edited, untouched};
use crate::testing::{Written, apply, apply_task, context, local, plan, plan_pending, prepare};
use crate::text::Text;

const DOUBT: &str = "error: each run would change another line, as `match` matches others than `line`: write an expression that \
                     matches `line` as well, or `which = \"all\"`";

/// Returns an edit with `line`, `match`, and a position parsed from `"> after"` or `"< before"`.
fn put(line: &str, pattern: &str, place: &str, occurrence: Which) -> LineEdit {
    let place = match place.split_at_checked(2) {
        Some(("> ", after)) => Place::After(after.into()),
        Some(("< ", before)) => Place::Before(before.into()),
        _ if place == "BOF" => Place::Begin,
        _ => Place::End,
    };
    let pattern = (!pattern.is_empty()).then(|| pattern.into());
    LineEdit { change: Change::Put { line: Text::new(line, false), pattern, place }, which: occurrence }
}

#[test]
fn lines_that_are_put() {
    let check = |[pattern, line, place]: [&str; 3], which: Which, before: &str, expect: &str| {
        let actual = edited(&put(line, pattern, place, which), before);
        assert_eq!(actual, expect, "{pattern:?} {line:?} {place:?} {which:?} on {before:?}");
    };
    let (first, last, every) = (Which::First, Which::Last, Which::All);
    // Without an expression, the line is added unless it is present.
    check(["", "b", ""], last, "", "b\n");
    check(["", "b", ""], last, "a\n", "a\nb\n");
    check(["", "b", ""], last, "a", "a\nb\n");
    check(["", "b", ""], last, "a\r\nc\r\n", "a\r\nc\r\nb\r\n");
    check(["", "b", ""], last, "b\na", "b\na");
    check(["", "b", ""], last, "b\r\na", "b\r\na");
    check(["", "b", ""], last, " b\n", " b\nb\n");
    check(["", "", ""], last, "a\n", "a\n\n");
    check(["", "b", "BOF"], last, "a\nc", "b\na\nc");
    check(["", "b", "> ^a"], last, "a1\na2\nc\n", "a1\na2\nb\nc\n");
    check(["", "b", "> ^a"], first, "a1\na2\nc\n", "a1\nb\na2\nc\n");
    check(["", "b", "< ^a"], last, "a1\na2\nc\n", "a1\nb\na2\nc\n");
    check(["", "b", "< ^a"], first, "a1\na2\nc\n", "b\na1\na2\nc\n");
    check(["", "b", "> c$"], last, "a\nc", "a\nc\nb\n");
    check(["", "b", "> c$"], last, "c\r\na\r\n", "c\r\nb\r\na\r\n");
    check(
        ["", "b", "> x"],
        last,
        "a\n",
        "a\nb\n | no line matches `insert_after`, \"x\": it is put at the end",
    );
    check(
        ["", "b", "< x"],
        last,
        "a\n",
        "a\nb\n | no line matches `insert_before`, \"x\": it is put at the end",
    );
    // With an expression, the line replaces a match.
    check(["^#?port", "port 1", ""], last, "#port 0\nx\n", "port 1\nx\n");
    check(["^#?port", "port 1", ""], last, "#port 0\nport 2\n", "#port 0\nport 1\n");
    check(["^#?port", "port 1", ""], first, "#port 0\nport 2\n", "port 1\nport 2\n");
    check(["^#?port", "port 1", ""], every, "#port 0\nport 2\n", "port 1\nport 1\n");
    check(["^#?port", "port 1", "BOF"], last, "x\n", "port 1\nx\n");
    check(["^port", "port 1", ""], last, "x\r\nport 0\r\ny", "x\r\nport 1\r\ny");
    check(["^port", "port 1", ""], last, "x\nport 0", "x\nport 1");
    check(["0$", "port 1", ""], last, "port 0\r\n", "port 1\r\n");
    // The line itself need not match, as long as no other line does.
    check(["^old", "new", ""], last, "old\nx\n", "new\nx\n");
    check(["^old", "new", ""], last, "new\nx\n", "new\nx\n");
    check(["^old", "new", ""], last, "old\nold\n", DOUBT);
    check(["^old", "new", ""], every, "old\nold\n", "new\nnew\n");
    // Without back references, the line is literal.
    check(["^(old)", r"\1 $1", ""], last, "old\n", "\\1 $1\n");
}

#[test]
fn lines_that_are_rewritten() {
    let check = |pattern: &str, line: &str, before: &str, expect: &str| {
        let replacement = Replacement::parse(line).unwrap();
        let change = Change::Rewrite { pattern: pattern.into(), replacement, secret: false };
        assert_eq!(edited(&LineEdit { change, which: Which::Last }, before), expect, "{pattern:?} {line:?}");
    };
    check(r"^(\w+) = .*", r"\1 = 1", "a = 0\nb = 0\n", "a = 0\nb = 1\n");
    check(r"^(\w+) = .*", r"\1 = 1", "a=0\n", "a=0\n");
    check("^(?<key>a) .*$", r"\g<key> \\1", "a 0\r\n", "a \\1\r\n");
    check("^(.*)$", r"\1x", "a\n", DOUBT);
    check("a", r"b\nc", "a\n", "error: what takes the place of line 1 is more than one line");
}

#[test]
fn lines_that_are_removed() {
    let check = |change: Change, before: &str, expect: &str| {
        let edit = LineEdit { change, which: Which::Last };
        assert_eq!(edited(&edit, before), expect, "{edit:?} on {before:?}");
    };
    let line = |line: &str| Change::Remove(Text::new(line, false));
    let matches = |pattern: &str| Change::RemoveMatches(pattern.into());
    check(line("a"), "a\nb\na\n", "b\n");
    check(line("a"), "aa\n a\n", "aa\n a\n");
    check(line("a"), "b\r\na", "b\r\n");
    check(line("a"), "a", "");
    check(line(""), "a\n\nb\n", "a\nb\n");
    check(matches("^a"), "a1\nb\r\na2\r\nc", "b\r\nc");
    check(matches("x"), "a\nb", "a\nb");
    check(matches(""), "a\nb", "");
}

proptest! {
    /// A second edit changes nothing, and all other lines are kept, for any edit.
    #[test]
    fn other_lines_are_kept(
        before in "([ab]{0,2}(\n|\r\n)){0,5}[ab]{0,2}",
        line in "[abc]{0,2}",
        pattern in "|\\^?[ab]\\$?",
        place in "|BOF|> a|< b",
        which in prop_oneof![Just(Which::First), Just(Which::Last), Just(Which::All)],
    ) {
        let edit = put(&line, &pattern, &place, which);
        untouched(&edit, &before, |body| body == line || !pattern.is_empty() && regex_lite::Regex::new(&pattern).is_ok_and(|regex| regex.is_match(body)))?;
    }

    #[test]
    fn no_text_makes_it_panic(before in "\\PC{0,40}", line in "\\PC{0,8}", pattern in "[a-z.*]{0,4}") {
        edited(&put(&line, if pattern.contains('*') { "" } else { &pattern }, "", Which::Last), &before);
    }
}

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_file("/etc/app.conf", "# app\nport 1\nroot yes\n")
        .with_mode("/etc/app.conf", 0o640)
        .with_owner("/etc/app.conf", 1, 1)
        .with_file("/etc/logo", [0x89, b'P', 0, 1])
        .with_file("/etc/latin1", [b'a', 0xe4, b'\n'])
        .with_file("/etc/large", vec![b'\n'; (8 << 20) + 1])
        .with_symlink("/etc/link", "app.conf")
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, more: Written<'_>, expect: &str| {
        let actual = plan::<LinePreparer>(&system, &at(destination, more)).await;
        assert_eq!(actual, expect, "{destination} {more:?}");
    };
    let line = || ("line", Value::from("port 2"));
    let pattern = || ("match", Value::from("^port "));
    let absent = || ("state", Value::from("absent"));
    let changed =
        "will change\ncontent: \"# app\\nport 1\\nroot yes\\n\" => \"# app\\nport 2\\nroot yes\\n\"";
    check("/etc/app.conf", &[("line", "port 1".into())], "no change").await;
    check("/etc/app.conf", &[line(), pattern()], changed).await;
    check("/etc/link", &[line(), pattern()], changed).await;
    check(
        "/etc/app.conf",
        &[line(), pattern(), ("mode", "0600".into())],
        &format!("{changed}\nmode: \"0640\" => \"0600\""),
    )
    .await;
    check(
        "/etc/app.conf",
        &[("line", "port 1".into()), ("owner", "root".into())],
        "will change\nowner: \"daemon\" => \"root\"",
    )
    .await;
    check(
        "/etc/app.conf",
        &[("line", "x".into()), ("insert_after", "^none".into())],
        "will change\ncontent: \"# app\\nport 1\\nroot yes\\n\" => \"# app\\nport 1\\nroot yes\\nx\\n\"\n\
         # no line matches `insert_after`, \"^none\": it is put at the end",
    )
    .await;
    check(
        "/etc/app.conf",
        &[line().into_secret(), pattern()],
        "will change\ncontent: \"(sensitive)\" => \"(sensitive)\"",
    )
    .await;
    check("/etc/new", &[line()], "error: /etc/new does not exist: `create = true` makes it").await;
    check("/etc/new", &[line(), absent()], "no change").await;
    check("/etc/new", &[line(), absent(), ("create", true.into())], "no change").await;
    check(
        "/etc/new",
        &[line(), ("create", true.into())],
        "will change\nstate: \"absent\" => \"present\"\ncontent: \"\" => \"port 2\\n\"",
    )
    .await;
    let options = [("create", Value::from(true)), ("only_if_missing", true.into())];
    check("/etc/app.conf", &[&[line()][..], &options].concat(), "no change").await;
    check("/etc/logo", &[&[line()][..], &options].concat(), "no change").await;
    check("/etc/logo", &[line()], "error: /etc/logo is not text: byte 2 is 0").await;
    check("/etc/latin1", &[line()], "error: /etc/latin1 is not UTF-8 text: see byte 1").await;
    check(
        "/etc/large",
        &[line()],
        "error: /etc/large has more than 8388608 bytes: files of that size are not edited",
    )
    .await;
    check("/etc", &[line()], "error: cannot read /etc: is a directory").await;
    let pending = plan_pending::<LinePreparer>(&system, &at("/etc/new", &[line()])).await;
    assert_eq!(pending, "may change\n# /etc/new does not exist yet");
}

trait IntoSecret {
    fn into_secret(self) -> Self;
}

impl IntoSecret for (&'static str, Value) {
    fn into_secret(self) -> Self {
        (self.0, self.1.into_secret())
    }
}

#[tokio::test]
async fn mistakes_are_told_by_their_field() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |more: Written<'_>, expect: &str| {
        let output = plan::<LinePreparer>(&system, &at("/etc/app.conf", more)).await;
        assert_eq!(output, format!("error: {expect}"), "{more:?}");
    };
    let line = |line: &str| ("line", Value::from(line));
    let pattern = || ("match", Value::from("^(port) "));
    let absent = || ("state", Value::from("absent"));
    let references = || ("back_references", Value::from(true));
    check(&[], "line: `line` is required, as `state` is \"present\"").await;
    check(&[line("a\nb")], "line: it is more than one line: write a `file.block` for several").await;
    check(
        &[line("a"), ("match", "a(".into())],
        "match: \"a(\" is not a regular expression: found open group without closing ')'",
    )
    .await;
    check(&[line("a"), references()], "back_references: `back_references` requires `match`").await;
    check(
        &[line(r"\2"), pattern(), references()],
        r"line: `\2` is not a group of the expression, which has 1",
    )
    .await;
    check(
        &[line(r"hunter\2").into_secret(), pattern(), references()],
        "line: it refers to a group that does not exist",
    )
    .await;
    check(
        &[line("a"), pattern(), absent()],
        "line: with `state = \"absent\"` it is this or `match`, not both",
    )
    .await;
    check(&[absent()], "state: write `match` or `line` to choose the lines to remove").await;
    check(
        &[pattern(), absent(), ("which", "first".into())],
        "which: each run would remove another line: with `state = \"absent\"` it is all",
    )
    .await;
    check(
        &[line("a"), ("insert_after", "BOF".into())],
        "insert_after: `BOF` is the start of the file: write `insert_before = \"BOF\"`",
    )
    .await;
    check(
        &[line("a"), ("insert_after", "x\\ny".into())],
        "insert_after: it needs the end of a line in its match, but it is compared with single lines",
    )
    .await;
    check(
        &[line("a"), ("insert_before", "cost $5".into())],
        "insert_before: nothing follows the end of a line, which is `$`: write `\\\\$` for the character",
    )
    .await;
    check(
        &[line("a"), ("match", "x^2".into())],
        "match: nothing is before the start of a line, which is `^`: write `\\\\^` for the character",
    )
    .await;
    let replaced = [line("\\1"), ("match", "(a)".into()), ("back_references", true.into())];
    check(
        &[&replaced[..], &[("insert_after", "b".into())]].concat(),
        "insert_after: with `back_references` only lines that match are changed, and none is inserted",
    )
    .await;
    check(
        &[line("a"), ("insert_after", "x".into()), ("insert_before", "y".into())],
        "insert_after: `insert_after` conflicts with `insert_before`",
    )
    .await;
    check(
        &[line("a"), ("only_if_missing", true.into())],
        "only_if_missing: there is nothing to do without `create = true`",
    )
    .await;
}

/// The edit applies to the file as it is at the time of the write.
#[tokio::test]
async fn what_others_change_meanwhile_is_kept() {
    let model = Arc::new(model());
    let cx = context(Arc::clone(&model) as _, RunMode::Apply);
    let extra = [("line", Value::from("port 2")), ("match", "^port ".into())];
    let mut task = prepare::<LinePreparer>(&cx, &at("/etc/app.conf", &extra)).await.unwrap();
    task.check(&cx, &converge_core::testing::FakeRenderer::new()).await.unwrap();
    model.alter(|machine| machine.put_file("/etc/app.conf", "new\nport 1\nnewer\n"));
    task.apply(&cx).await.unwrap();
    assert_eq!(model.machine().file("/etc/app.conf"), Some(&b"new\nport 2\nnewer\n"[..]));
    model.alter(|machine| machine.put_file("/etc/app.conf", [0, 1]));
    let error = task.apply(&cx).await.unwrap_err();
    assert_eq!(error.to_string(), "/etc/app.conf is not text: byte 0 is 0");
    model.alter(|machine| machine.remove("/etc/app.conf"));
    let error = task.apply(&cx).await.unwrap_err();
    assert_eq!(error.to_string(), "file \"/etc/app.conf\" does not exist");
}

#[tokio::test]
async fn what_is_written_is_like_the_file_that_was_there() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let extra = [("line", Value::from("x")), ("backup", true.into())];
    apply::<LinePreparer>(&system, &at("/etc/link", &extra)).await;
    let machine = model.snapshot();
    let entry = &machine[std::path::Path::new("/etc/app.conf")];
    assert_eq!((entry.mode, entry.uid, entry.gid), (0o640, 1, 1));
    assert_eq!(model.machine().file("/etc/app.conf.bak"), None);
    assert_eq!(model.machine().file("/etc/link.bak"), Some(&b"# app\nport 1\nroot yes\n"[..]));
}

#[tokio::test]
async fn a_disk_that_cannot_be_written_leaves_the_old_file() {
    let model = Arc::new(model());
    model.fail_once_after(0);
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let output = apply::<LinePreparer>(&system, &at("/etc/app.conf", &[("line", "x".into())])).await;
    assert!(output.ends_with("error: cannot write /etc/app.conf: no space left on device"), "{output}");
    assert_eq!(model.machine().file("/etc/app.conf"), Some(&b"# app\nport 1\nroot yes\n"[..]));
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test makes and looks at what the resource works on")]
async fn on_the_real_machine() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, "a\r\nb\r\nc").unwrap();
    let cx = context(local(), RunMode::Apply);
    let extra = [
        ("line", Value::from("x")),
        ("match", "^b".into()),
        ("validate", "grep -q x {}".into()),
        ("mode", "0640".into()),
    ];
    let mut task = prepare::<LinePreparer>(&cx, &at(path.to_str().unwrap(), &extra)).await.unwrap();
    apply_task(&cx, &mut task).await;
    assert_eq!(std::fs::read(&path).unwrap(), b"a\r\nx\r\nc");
    let refused = [("line", Value::from("y")), ("match", "^x".into()), ("validate", "grep -q x {}".into())];
    let output = apply::<LinePreparer>(&local(), &at(path.to_str().unwrap(), &refused)).await;
    assert!(
        output
            .ends_with("error: the new content was refused by `grep -q x {}`, which ended with exit code 1"),
        "{output}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), b"a\r\nx\r\nc");
}

laws!(
    LinePreparer,
    start = model,
    values = ("destination", ["/etc/app.conf", "/etc/link", "/etc/new"]),
    values = ("line", ["port 2", "root no", "root yes", ""]),
    values = ("match", ["^port ", "^(root) (yes|no)$", "none"]),
    values = ("insert_after", ["^port", "EOF"]),
    values = ("insert_before", ["BOF", "^#"]),
    values = ("validate", ["true {}"])
);
