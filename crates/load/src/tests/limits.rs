//! Tests of the limits on work and memory of modules, and of where they are reported.

use super::*;
use crate::language::WorkLimits;

/// Returns the diagnostics of a module under these limits.
fn limited(limits: WorkLimits, text: &str) -> Vec<String> {
    let registry = registry();
    let loaded = Loader::new(&registry).with_limits(limits.into()).load_text("m.hcl", text);
    let place = |span| {
        let position = loaded.sources.position(span);
        format!("{}:{}", position.line, position.column)
    };
    lines(&loaded, place)
}

/// Each value is refused where it grows too large, whatever it is used for.
#[test]
fn no_value_of_a_module_grows_without_end() {
    let refused = |value: &str, what: &str| {
        let text = format!("a.thing \"t\" {{\n  path = {value}\n}}");
        let messages = limited(WorkLimits::default(), &text);
        assert_eq!(messages.len(), 1, "{value}: {messages:?}");
        assert!(messages[0].starts_with("2:") && messages[0].contains(what), "{value}: {messages:?}");
    };
    let phrase = "takes too many steps";
    refused(
        "join(\"\", [for a in range(32768) : join(\"\", [for b in range(32768) : format(\"%s\", b)])])",
        phrase,
    );
    refused(
        "format(\"%01000000d\", 1) == join(\"\", [for a in range(9999) : format(\"%01000000d\", a)])",
        phrase,
    );
    refused("join(\"\", flatten([for a in range(9999) : range(9999)]))", phrase);
    refused(
        "join(\"x\", regexall(\"(a|a|aa)+(b|a){1,200}\", join(\"\", [for a in range(50000) : \"aaaaaaaa\"])))",
        phrase,
    );
    refused(
        "replace(join(\"\", [for a in range(60000) : \"aaaaaaaa\"]), \"a\", join(\"\", [for a in range(60000) : \"b\"]))",
        phrase,
    );
    let ten = "{{range split `` `0123456789`}}";
    let nest = format!("\"{}x{}\"", ten.repeat(9), "{{end}}".repeat(9));
    refused(&nest, phrase);
    refused(&format!("\"{}{}{}\"", ten.repeat(6), "long".repeat(500), "{{end}}".repeat(6)), phrase);
    refused(
        "\"{{range split `` `0123456789`}}{{range split `` `0123456789`}}{{printf `%1000000d` 1}}{{end}}{{end}}\"",
        phrase,
    );
}

/// The work of a whole module is counted together, and its end is reported once.
#[test]
fn all_of_a_module_shares_one_budget() {
    let limits = WorkLimits { steps: 20_000, ..WorkLimits::default() };
    let params = (0..100)
        .map(|index| {
            format!("param \"p{index}\" {{ default = length([for i in range(400) : i + {index}]) }}\n")
        })
        .collect::<Vec<_>>()
        .concat();
    let things = (0..100)
        .map(|index| {
            format!("a.thing \"t{index}\" {{ path = \"{{{{range paramList `l`}}}}x{{{{end}}}}\" }}\n")
        })
        .collect::<Vec<_>>()
        .concat();
    let list = "param \"l\" { default = [1, 2, 3, 4, 5, 6, 7, 8, 9] }\n";
    let long = "param \"q\" { default = length([for i in range(9999) : i + 1]) }\n";
    for text in [params, format!("{list}{things}{long}")] {
        let messages = limited(limits, &text);
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert!(messages[0].contains("take more than 20000 steps; evaluation stopped here"), "{messages:?}");
        assert_eq!(limited(WorkLimits::default(), &text), [""; 0]);
    }
}

/// Each constant takes little work, but all together exceed the limit.
#[test]
fn constants_share_the_budget() {
    let limits = WorkLimits { steps: 20_000, ..WorkLimits::default() };
    let module = |value: &str| {
        let param = |index| format!("param \"p{index}\" {{ default = {value} }}\n");
        (0..100).map(param).collect::<Vec<_>>().concat()
    };
    for value in ["length(range(400))", "can(length(range(400)))", "upper(join(\",\", range(200)))"] {
        let messages = limited(limits, &module(value));
        assert_eq!(messages.len(), 1, "{value}: {messages:?}");
        assert!(
            messages[0].contains("take more than 20000 steps; evaluation stopped here"),
            "{value}: {messages:?}"
        );
        // The error is where the budget ends, which is not at the first constant.
        let line: usize = messages[0].split(':').next().unwrap().parse().unwrap();
        assert!((5..100).contains(&line), "{value}: {messages:?}");
        assert_eq!(limited(WorkLimits::default(), &module(value)), [""; 0]);
    }
}

/// Parameters are evaluated in declaration order, so the work always ends at the same place.
#[test]
fn the_work_ends_at_one_place() {
    let text = (0..20)
        .map(|index| format!("param \"p{index}\" {{ default = length(range({index}00)) }}\n"))
        .collect::<Vec<_>>()
        .concat();
    // The limits are above the work of the constants while the file is read, and below their total work.
    for steps in [22_000, 25_000, 28_000] {
        let limits = WorkLimits { steps, ..WorkLimits::default() };
        let messages = limited(limits, &text);
        assert_eq!(messages.len(), 1, "{messages:?}");
        for _ in 0..4 {
            assert_eq!(limited(limits, &text), messages);
        }
    }
}

#[test]
fn values_that_are_kept_are_counted() {
    let limits = WorkLimits { memory: 100_000, ..WorkLimits::default() };
    let text = (0..10)
        .map(|index| format!("param \"p{index}\" {{ default = format(\"%020000d\", {index}) }}\n"))
        .collect::<Vec<_>>()
        .concat();
    let messages = limited(limits, &text);
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(
        messages[0].contains("too-large: the values of parameters take more than 100000 bytes together"),
        "{messages:?}"
    );
    assert_eq!(limited(WorkLimits::default(), &text), [""; 0]);
}

/// The total length of the messages grows linearly with the number of errors.
#[test]
fn very_many_wrong_names_are_told_shortly() {
    let text_size = |many: usize| {
        let names = (0..many)
            .map(|index| format!("param \"name{index}\" {{ default = 1 }}\n"))
            .collect::<Vec<_>>()
            .concat();
        let references = (0..many)
            .map(|index| format!("param \"wrong{index}\" {{ default = param.nmae{index} }}\n"))
            .collect::<Vec<_>>()
            .concat();
        let messages = limited(WorkLimits::default(), &format!("{names}{references}"));
        assert_eq!(messages.len(), many);
        messages.iter().map(String::len).sum::<usize>()
    };
    let (small, large) = (text_size(500), text_size(2_000));
    assert!(large < small * 5, "{small} {large}");
}

/// A cycle of very many nodes is one error of readable length.
#[test]
fn a_long_cycle_is_told_shortly() {
    let many = 5_000;
    let text = (0..many)
        .map(|index| format!("param \"p{index}\" {{ default = param.p{} }}\n", (index + 1) % many))
        .collect::<Vec<_>>()
        .concat();
    let messages = limited(WorkLimits::default(), &text);
    assert_eq!(messages.len(), 1);
    assert!(
        messages[0].contains("cycle: resources wait for each other: param.p0 -> param.p1 ->"),
        "{}",
        messages[0]
    );
    assert!(messages[0].contains("more) -> param.p0") && messages[0].len() < 2_000, "{}", messages[0]);
}
