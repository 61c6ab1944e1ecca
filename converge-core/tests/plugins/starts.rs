//! Tests of the start of a plugin and of its type descriptions.

use std::fmt::Write as _;
use std::time::Duration;

use converge_core::plugin::PluginLimits;

use super::{LONG, SHORT, TYPE, begins, start};

#[test]
fn a_plugin_that_begins_badly_is_named_with_what_it_did() {
    let hello = r#"{"type":"hello","protocol":1,"version":"1"}"#;
    let script = |lines: &str| format!("#!/bin/sh\n{lines}\n");
    let script_of = |line: &str| script(&format!("read -r hello; printf '%s\\n' '{line}'; read -r next"));
    let types = |types: &str| begins(types);
    let field = |field: &str| {
        begins(&format!(
            r#"{{"name":"a.b","doc":"A type.","fields":[{{"name":"x","doc":"A field.","kind":{{"type":"string"}},{field}}}]}}"#
        ))
    };
    // The limit must allow for the hello.
    let slow = PluginLimits { start: Duration::from_secs(5), ..SHORT };
    let cases: &[(&str, String, PluginLimits)] = &[
        ("says nothing", script("sleep 60"), SHORT),
        ("ends", script("exit 3"), LONG),
        ("ends with words", script("echo first >&2; echo 'no such library' >&2; exit 127"), LONG),
        ("ends by a signal", script("kill -9 $$"), LONG),
        ("closes its output", script("exec >&-; sleep 60"), LONG),
        ("is no program", "#!/does/not/exist\n".to_owned(), LONG),
        ("has no interpreter", "hello\n".to_owned(), LONG),
        ("says what is not JSON", script_of("hello"), LONG),
        ("says what is not a message", script_of(r#"{"type":"greeting"}"#), LONG),
        ("says too much", script_of(r#"{"type":"hello","protocol":1,"version":"1","extra":true}"#), LONG),
        ("begins with something else", script_of(r#"{"type":"result","id":1,"ok":{}}"#), LONG),
        ("speaks another version", script_of(r#"{"type":"hello","protocol":2,"version":"1"}"#), LONG),
        ("says hello twice", script_of(&format!("{hello}\n{hello}")), LONG),
        ("ends within a line", script("read -r hello; printf '{\"type\":'"), LONG),
        ("does not describe its types", script_of(hello) + "sleep 60\n", slow),
        (
            "answers what nobody asked",
            script_of(&format!("{hello}\n{}", r#"{"type":"result","id":7,"ok":{}}"#)),
            LONG,
        ),
        (
            "asks too early",
            script_of(hello)
                + "printf '%s\\n' '{\"type\":\"ask\",\"call\":1,\"ask\":1,\"question\":{\"do\":\"clock.now\"}}'\nread -r more\n",
            LONG,
        ),
        ("has no types", types(""), LONG),
        ("has a type without words", types(r#"{"name":"a"}"#), LONG),
        (
            "has a type of no kind",
            types(r#"{"name":"a","doc":"A.","fields":[{"name":"x","doc":"X.","kind":{"type":"text"}}]}"#),
            LONG,
        ),
        ("names a type badly", types(r#"{"name":"A b","doc":"A."}"#), LONG),
        ("has no documentation", types(r#"{"name":"a.b","doc":" "}"#), LONG),
        (
            "has a field without documentation",
            types(r#"{"name":"a","doc":"A.","fields":[{"name":"x","doc":"","kind":{"type":"any"}}]}"#),
            LONG,
        ),
        ("takes a name of the language", types(r#"{"name":"module","doc":"A."}"#), LONG),
        ("has a type twice", types(&format!("{TYPE},{TYPE}")), LONG),
        (
            "has a field twice",
            types(
                r#"{"name":"a","doc":"A.","fields":[{"name":"x","doc":"X.","kind":{"type":"any"}},{"name":"y","aliases":["x"],"doc":"Y.","kind":{"type":"any"}}]}"#,
            ),
            LONG,
        ),
        ("has a pattern that is none", field(r#""pattern":"(""#), LONG),
        ("has a default that does not fit", field(r#""default":["a"]"#), LONG),
        ("is required with a default", field(r#""required":true,"default":"a""#), LONG),
        (
            "rules over no field",
            types(r#"{"name":"a","doc":"A.","rules":[{"rule":"requires","field":"x","needs":"y"}]}"#),
            LONG,
        ),
        (
            "exports twice",
            types(r#"{"name":"a","doc":"A.","exports":[{"name":"x","doc":"X."},{"name":"X","doc":"X."}]}"#),
            LONG,
        ),
    ];
    let mut report = String::new();
    for (description, script, limits) in cases {
        let outcome = match start(script, *limits) {
            Ok((plugin, _)) => format!("it was started, with {:?}", plugin.types().collect::<Vec<_>>()),
            Err(outcome) => outcome,
        };
        writeln!(report, "{description}:\n  {}\n", outcome.replace('\n', "\n  ")).unwrap();
    }
    insta::assert_snapshot!(report);
}

#[test]
fn a_flood_at_the_start_ends() {
    let endless = "#!/bin/sh\nyes x | tr -d '\\n'\n";
    let message = start(endless, LONG).map(drop).unwrap_err();
    assert!(message.contains("sent a line of more than 64 MiB"), "{message}");
    let lines = "#!/bin/sh\nyes\n";
    let message = start(lines, LONG).map(drop).unwrap_err();
    assert!(message.contains("sent an invalid message"), "{message}");
}
