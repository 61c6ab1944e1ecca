use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};
use proptest::prelude::*;

use super::IniPreparer;
use super::edit::IniEdit;
use super::edit::SectionChoice;
use super::parse;
use crate::file::edit::Edit as _;
use crate::file::edit::testing::{at, edited, settled, untouched};
use crate::testing::{Written, plan};
use crate::text::Text;

fn ini(section: &str, key: &str, value: Option<&str>) -> IniEdit {
    IniEdit {
        section: (!section.is_empty()).then(|| Text::new(section, false)),
        which: None,
        key: Text::new(key, false),
        value: value.map(|value| Text::new(value, false)),
        secret: false,
    }
}

#[test]
fn settings() {
    let check = |[section, key]: [&str; 2], value: Option<&str>, before: &str, expect: &str| {
        let actual = edited(&ini(section, key, value), before);
        assert_eq!(actual, expect, "[{section}] {key} = {value:?} in {before:?}");
    };
    let one_value = Some("1");
    check(["", "k"], one_value, "", "k = 1\n");
    check(["s", "k"], one_value, "", "[s]\nk = 1\n");
    check(["s", "k"], one_value, "[s]\nk = 1", "[s]\nk = 1");
    // Only the value changes.
    check(["s", "k"], one_value, "; c\n[s] # c\n  k\t=0 \nx=2\n", "; c\n[s] # c\n  k\t=1\nx=2\n");
    check(
        ["s", "k"],
        one_value,
        "[s]\r\nk=0\r\n\r\n# c\r\n[t]\r\nk=0",
        "[s]\r\nk=1\r\n\r\n# c\r\n[t]\r\nk=0",
    );
    check(["t", "k"], one_value, "[s]\nk=0\n[t]\nk: 0", "[s]\nk=0\n[t]\nk: 1");
    check(["", "k"], one_value, "k=0\n[s]\nk=0\n", "k=1\n[s]\nk=0\n");
    check(["s", "k"], one_value, "\u{feff}[s]\nk=0\n", "\u{feff}[s]\nk=1\n");
    check(["s", "k"], one_value, "[s]\nk =\n", "[s]\nk = 1\n");
    check(["s", "k"], one_value, "[s]\nk=\n", "[s]\nk=1\n");
    check(["s", "k"], one_value, "[s]\nk:\n", "[s]\nk: 1\n");
    check(["s", "k"], one_value, "[s]\nk\n", "[s]\nk = 1\n");
    check(["s", "k"], Some(""), "[s]\nk = 0\n", "[s]\nk =\n");
    check(["s", "k"], Some("#fff ; x=y: [z]"), "[s]\nk = 0\n", "[s]\nk = #fff ; x=y: [z]\n");
    check(["s", "K"], one_value, "[s]\nk=0\n", "[s]\nk=0\nK=1\n");
    check(["s", "k"], one_value, "[S]\nk=0\n", "[S]\nk=0\n\n[s]\nk=1\n");
    // A new key is added after the last of its section, in the same format.
    check(["s", "k"], one_value, "[s]\na=0\n\n# t\n[t]\nb : 0\n", "[s]\na=0\nk=1\n\n# t\n[t]\nb : 0\n");
    check(["t", "k"], one_value, "[s]\na=0\n[t]\n\tb : 0", "[s]\na=0\n[t]\n\tb : 0\n\tk : 1\n");
    check(["t", "k"], one_value, "[t]\na=0\n b=c\n", "[t]\na=0\n b=c\nk=1\n");
    check(["s", "k"], one_value, "[s]\n# c\n[t]\na=0\n", "[s]\nk=1\n# c\n[t]\na=0\n");
    check(["s", "k"], one_value, "[s]", "[s]\nk = 1\n");
    check(["", "k"], one_value, "# c\n[s]\na=0\n", "k=1\n# c\n[s]\na=0\n");
    check(["u", "k"], one_value, "[s]\na=0", "[s]\na=0\n\n[u]\nk=1\n");
    check(["u", "k"], one_value, "[s]\r\na=0\r\n\r\n", "[s]\r\na=0\r\n\r\n[u]\r\nk=1\r\n");
    // Blanks around the name belong to the line, not to the name.
    check(["s", "k"], one_value, "[ s ] ; c\nk = 0\n\n[ t ]\n", "[ s ] ; c\nk = 1\n\n[ t ]\n");
    check(["s", "k"], None, "[\ts]\nk = 0\n", "[\ts]\n");
    // Values of several lines are replaced as a whole.
    check(["s", "k"], one_value, "[s]\nk = a\n  b\n\n c=d\n", "[s]\nk = 1\n\n c=d\n");
    check(["s", "k"], one_value, "[s]\nk = a \\\n  --b=c\nd=e\n", "[s]\nk = 1\nd=e\n");
    check(["s", "z"], one_value, "[s]\nk =\n  a\n  [b]\n# c\n", "[s]\nk =\n  a\n  [b]\nz = 1\n# c\n");
    check(["s", "b"], one_value, "[s]\na=C:\\\nb=0\n", "[s]\na=C:\\\nb=1\n");
    // A removed key loses all its lines.
    check(["s", "k"], None, "[s]\n# c\nk = a\n  b\nx=0\n", "[s]\n# c\nx=0\n");
    check(["s", "k"], None, "[s]\nk = a\n# c\n  b", "[s]\n# c\n");
    check(["s", "k"], one_value, "[s]\nk = a\n# c\n  b\n", "[s]\nk = 1\n# c\n");
    check(["s", "k"], None, "[s]\nk=0\nk=1\n[t]\nk=2", "[s]\n[t]\nk=2");
    check(["s", "k"], None, "k=0\n", "k=0\n");
    check(["s", "k"], None, "", "");
}

#[test]
fn what_does_not_parse_is_refused() {
    let check = |before: &str, expect: &str| {
        let actual = ini("s", "k", Some("1")).edit(before).map(|edited| edited.text);
        assert_eq!(actual, Err(expect.to_owned()), "{before:?}");
    };
    let refusal = |line: &str, why: &str| format!("it is not an INI file: line {line} {why}");
    check("[s", &refusal("1", "begins with `[` and is not a section: \"[s\""));
    check("a=0\n[] \n", &refusal("2", "begins with `[` and is not a section: \"[]\""));
    check("[s] x\n", &refusal("1", "begins with `[` and is not a section: \"[s] x\""));
    check(
        "this is prose\n",
        &refusal("1", "is neither a section, nor a key, nor a comment: \"this is prose\""),
    );
    check("[s]\n= 1\n", &refusal("2", "is neither a section, nor a key, nor a comment: \"= 1\""));
    check(
        "[s]\n  two words\n",
        &refusal("2", "is neither a section, nor a key, nor a comment: \"two words\""),
    );
    let long = "x ".repeat(50);
    check(
        &long,
        &refusal("1", &format!("is neither a section, nor a key, nor a comment: {:?}..", &long[..40])),
    );
    check("[s]\nk=0\n[t]\n[s]\n", TWICE);
    check("[s]\n\n[t]\n[s]\nk=0\n", TWICE);
    check("[s]\nk=0\nk=0\n", "\"k\" is there 2 times, in lines 2, 3");
}

const TWICE: &str =
    "the section [s] is there 2 times, in lines 1, 4: write `which = \"first\"` or `which = \"last\"`";

#[test]
fn one_of_several_sections() {
    let check = |which: SectionChoice, value: Option<&str>, before: &str, expect: &str| {
        let edit = IniEdit { which: Some(which), ..ini("s", "k", value) };
        assert_eq!(edited(&edit, before), expect, "{which:?} {value:?} {before:?}");
    };
    let both = "[s]\nk=0\n[t]\n[s]\nk=0\n";
    check(SectionChoice::First, Some("1"), both, "[s]\nk=1\n[t]\n[s]\nk=0\n");
    check(SectionChoice::Last, Some("1"), both, "[s]\nk=0\n[t]\n[s]\nk=1\n");
    check(SectionChoice::First, None, both, "[s]\n[t]\n[s]\nk=0\n");
    check(SectionChoice::Last, Some("1"), "[s]\na=0\n[s]\nb=0\n[t]\n", "[s]\na=0\n[s]\nb=0\nk=1\n[t]\n");
    check(SectionChoice::First, Some("1"), "", "[s]\nk = 1\n");
}

proptest! {
    /// A second edit changes nothing, all other lines are kept, and the value is present.
    #[test]
    fn other_lines_are_kept(
        before in "((\\[[st]\\]|[kx] ?[=:] ?[ab]?|  c|# k=0|)(\n|\r\n)){0,6}",
        value in proptest::option::of("[ab]"),
        section in "|s|t|u",
    ) {
        let edit = ini(&section, "k", value.as_deref());
        let output = edited(&edit, &before);
        prop_assert!(!output.starts_with("error: each") && !output.starts_with("error of"), "{output}");
        let header = format!("[{section}]");
        let is_meant = |body: &str| body.trim_start().starts_with('k') || body.starts_with("  c") || body.is_empty() || body == header && !before.contains(&header);
        untouched(&edit, &before, is_meant)?;
    }

    #[test]
    fn no_text_makes_it_panic(before in "([\\[\\]=:#; \t\\\\\r\nkä]|\\PC){0,30}") {
        let _ = ini("s", "k", Some("1")).edit(&before);
        if let Some(entry) = parse::entry(&before) {
            let line = [entry.indent, entry.key, entry.between, entry.value].concat();
            prop_assert_eq!(line.trim_end(), before.trim_end());
        }
    }
}

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_file("/etc/app.ini", "[server]\nport=80\n")
        .with_file("/etc/prose", "it is prose\n")
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, [section, key, value]: [&str; 3], expect: &str| {
        let extra = [("section", Value::from(section)), ("key", key.into()), ("value", value.into())];
        let actual = plan::<IniPreparer>(&system, &at(destination, &extra)).await;
        assert_eq!(actual, expect, "{destination} {extra:?}");
    };
    check("/etc/app.ini", ["server", "port", "80"], "no change").await;
    check(
        "/etc/app.ini",
        ["server", "port", "81"],
        "will change\ncontent: \"[server]\\nport=80\\n\" => \"[server]\\nport=81\\n\"",
    )
    .await;
    check("/etc/none", ["", "a", "1"], "error: /etc/none does not exist: `create = true` makes it").await;
    check(
        "/etc/prose",
        ["", "a", "1"],
        "error: /etc/prose: it is not an INI file: line 1 is neither a section, nor a key, nor a comment: \"it is prose\"",
    )
    .await;
    for section in ["a\nb", " a", "a] x"] {
        let expect = "error: section: it cannot be read again as the name of a section";
        check("/etc/app.ini", [section, "a", "1"], expect).await;
    }
    for key in ["a=b", "a: b", "#a", "[a]", " a", "a\nb"] {
        check("/etc/app.ini", ["", key, "1"], "error: key: it cannot be read again as a key").await;
    }
    for value in ["a\nb", " a", "a\t"] {
        let expect =
            "error: value: it cannot be read again: it has several lines, or begins or ends with white space";
        check("/etc/app.ini", ["", "a", value], expect).await;
    }
    check(
        "/etc/app.ini",
        ["", "a", "C:\\"],
        "error: value: it ends in a backslash, which would make the next line a part of it",
    )
    .await;
    let secret = [("key", Value::from("a")), ("value", Value::from("hunter2").into_secret())];
    assert_eq!(
        plan::<IniPreparer>(&system, &at("/etc/app.ini", &secret)).await,
        "will change\ncontent: \"(sensitive)\" => \"(sensitive)\""
    );
    let secret = [("key", Value::from("hunter2").into_secret()), ("value", "1".into())];
    assert_eq!(
        plan::<IniPreparer>(&system, &at("/etc/app.ini", &secret)).await,
        "will change\ncontent: \"(sensitive)\" => \"(sensitive)\""
    );
    let key = [("key", Value::from("a"))];
    assert_eq!(
        plan::<IniPreparer>(&system, &at("/etc/app.ini", &key)).await,
        "error: value: `value` is required, as `state` is \"present\""
    );
}

#[tokio::test]
async fn it_is_set_and_removed() {
    let model = Arc::new(model());
    let check = async |more: Written<'_>, expect: &str| {
        let extra = [&[("section", "server".into()), ("key", "host".into())], more].concat();
        assert_eq!(settled::<IniPreparer>(&model, "/etc/app.ini", &extra).await, expect);
    };
    check(&[("value", "a".into())], "[server]\nport=80\nhost=a\n").await;
    check(&[("value", "b".into())], "[server]\nport=80\nhost=b\n").await;
    check(&[("state", "absent".into())], "[server]\nport=80\n").await;
}

laws!(
    IniPreparer,
    start = model,
    values = ("destination", ["/etc/app.ini", "/etc/new", "/etc/prose"]),
    values = ("section", ["server", "log", ""]),
    values = ("key", ["port", "host"]),
    values = ("value", ["81", "80", ""]),
    values = ("validate", ["true {}"])
);
