//! Tests of the limits on work and memory of modules, and of where they are reported.

use super::*;
use crate::language::WorkLimits;

/// Returns the diagnostics of a module under these limits.
fn limited(limits: WorkLimits, text: &str) -> Vec<String> {
    let registry = registry();
    let loaded = Loader::new(&registry).with_limits(limits.into()).load_text("m.hcl", text);
    let place = |span| {
        let at = loaded.sources.position(span);
        format!("{}:{}", at.line, at.column)
    };
    lines(&loaded, place)
}

/// Each value is refused where it grows too large, whatever it is used for.
#[test]
fn no_value_of_a_module_grows_without_end() {
    let refused = |value: &str, what: &str| {
        let text = format!("a.thing \"t\" {{\n  path = {value}\n}}");
        let found = limited(WorkLimits::default(), &text);
        assert_eq!(found.len(), 1, "{value}: {found:?}");
        assert!(found[0].starts_with("2:") && found[0].contains(what), "{value}: {found:?}");
    };
    let much = "does too much work";
    refused(
        "join(\"\", [for a in range(32768) : join(\"\", [for b in range(32768) : format(\"%s\", b)])])",
        much,
    );
    refused(
        "format(\"%01000000d\", 1) == join(\"\", [for a in range(9999) : format(\"%01000000d\", a)])",
        much,
    );
    refused("join(\"\", flatten([for a in range(9999) : range(9999)]))", much);
    refused(
        "join(\"x\", regexall(\"(a|a|aa)+(b|a){1,200}\", join(\"\", [for a in range(50000) : \"aaaaaaaa\"])))",
        much,
    );
    refused(
        "replace(join(\"\", [for a in range(60000) : \"aaaaaaaa\"]), \"a\", join(\"\", [for a in range(60000) : \"b\"]))",
        much,
    );
    let ten = "{{range split `` `0123456789`}}";
    let nest = format!("\"{}x{}\"", ten.repeat(9), "{{end}}".repeat(9));
    refused(&nest, much);
    refused(&format!("\"{}{}{}\"", ten.repeat(6), "long".repeat(500), "{{end}}".repeat(6)), much);
    refused(
        "\"{{range split `` `0123456789`}}{{range split `` `0123456789`}}{{printf `%1000000d` 1}}{{end}}{{end}}\"",
        much,
    );
}

/// The work of a whole module is counted together, and its end is reported once.
#[test]
fn all_of_a_module_shares_one_budget() {
    let limits = WorkLimits { steps: 20_000, ..WorkLimits::default() };
    let params = (0..100)
        .map(|at| format!("param \"p{at}\" {{ default = length([for i in range(400) : i + {at}]) }}\n"))
        .collect::<Vec<_>>()
        .concat();
    let things = (0..100)
        .map(|at| format!("a.thing \"t{at}\" {{ path = \"{{{{range paramList `l`}}}}x{{{{end}}}}\" }}\n"))
        .collect::<Vec<_>>()
        .concat();
    let list = "param \"l\" { default = [1, 2, 3, 4, 5, 6, 7, 8, 9] }\n";
    let long = "param \"q\" { default = length([for i in range(9999) : i + 1]) }\n";
    for text in [params, format!("{list}{things}{long}")] {
        let found = limited(limits, &text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].contains("take more than 20000 steps together; this is where they end"),
            "{found:?}"
        );
        assert_eq!(limited(WorkLimits::default(), &text), [""; 0]);
    }
}

/// Each constant takes little work, but all together exceed the limit.
#[test]
fn constants_share_the_budget() {
    let limits = WorkLimits { steps: 20_000, ..WorkLimits::default() };
    let module = |value: &str| {
        let param = |at| format!("param \"p{at}\" {{ default = {value} }}\n");
        (0..100).map(param).collect::<Vec<_>>().concat()
    };
    for value in ["length(range(400))", "can(length(range(400)))", "upper(join(\",\", range(200)))"] {
        let found = limited(limits, &module(value));
        assert_eq!(found.len(), 1, "{value}: {found:?}");
        assert!(
            found[0].contains("take more than 20000 steps together; this is where they end"),
            "{value}: {found:?}"
        );
        // The error is where the budget ends, which is not at the first constant.
        let line: usize = found[0].split(':').next().unwrap().parse().unwrap();
        assert!((5..100).contains(&line), "{value}: {found:?}");
        assert_eq!(limited(WorkLimits::default(), &module(value)), [""; 0]);
    }
}

/// Parameters are evaluated in declaration order, so the work always ends at the same place.
#[test]
fn the_work_ends_at_one_place() {
    let text = (0..20)
        .map(|at| format!("param \"p{at}\" {{ default = length(range({at}00)) }}\n"))
        .collect::<Vec<_>>()
        .concat();
    // The limits are above the work of the constants while the file is read, and below their total work.
    for steps in [22_000, 25_000, 28_000] {
        let limits = WorkLimits { steps, ..WorkLimits::default() };
        let found = limited(limits, &text);
        assert_eq!(found.len(), 1, "{found:?}");
        for _ in 0..4 {
            assert_eq!(limited(limits, &text), found);
        }
    }
}

#[test]
fn values_that_are_kept_are_counted() {
    let limits = WorkLimits { memory: 100_000, ..WorkLimits::default() };
    let text = (0..10)
        .map(|at| format!("param \"p{at}\" {{ default = format(\"%020000d\", {at}) }}\n"))
        .collect::<Vec<_>>()
        .concat();
    let found = limited(limits, &text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("too-large: the values of parameters take more than 100000 bytes together"),
        "{found:?}"
    );
    assert_eq!(limited(WorkLimits::default(), &text), [""; 0]);
}

/// The total length of the messages grows linearly with the number of errors.
#[test]
fn very_many_wrong_names_are_told_shortly() {
    let told = |many: usize| {
        let names = (0..many)
            .map(|at| format!("param \"name{at}\" {{ default = 1 }}\n"))
            .collect::<Vec<_>>()
            .concat();
        let wrong = (0..many)
            .map(|at| format!("param \"wrong{at}\" {{ default = param.nmae{at} }}\n"))
            .collect::<Vec<_>>()
            .concat();
        let found = limited(WorkLimits::default(), &format!("{names}{wrong}"));
        assert_eq!(found.len(), many);
        found.iter().map(String::len).sum::<usize>()
    };
    let (few, more) = (told(500), told(2_000));
    assert!(more < few * 5, "{few} {more}");
}

/// A cycle of very many nodes is one error of readable length.
#[test]
fn a_long_cycle_is_told_shortly() {
    let many = 5_000;
    let text = (0..many)
        .map(|at| format!("param \"p{at}\" {{ default = param.p{} }}\n", (at + 1) % many))
        .collect::<Vec<_>>()
        .concat();
    let found = limited(WorkLimits::default(), &text);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains("cycle: resources wait for each other: param.p0 -> param.p1 ->"),
        "{}",
        found[0]
    );
    assert!(found[0].contains("more) -> param.p0") && found[0].len() < 2_000, "{}", found[0]);
}
