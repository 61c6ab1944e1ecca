//! Diagnostics about switches and their cases.

use crate::diagnostic::{Diagnostic, Span, did_you_mean};

pub(crate) fn outside_of_switch(kind: &str, span: Span) -> Diagnostic {
    Diagnostic::error("misplaced-block", format!("`{kind}` stands in no switch"))
        .label(span, "")
        .help("put it into a switch: switch \"NAME\" { .. }")
}

pub(crate) fn no_case(name: &str, span: Span) -> Diagnostic {
    let help = did_you_mean(name, ["case", "default"])
        .unwrap_or_else(|| "a switch holds only `case` and `default`: put it into one of them".to_owned());
    Diagnostic::error("misplaced-block", format!("`{name}` stands directly in a switch"))
        .label(span, "")
        .help(help)
}

pub(crate) fn no_cases(switch: &str, span: Span) -> Diagnostic {
    Diagnostic::warning("empty-switch", format!("the switch `{switch}` has no cases")).label(span, "")
}

pub(crate) fn case_labels(labels: usize, span: Span) -> Diagnostic {
    let message = match labels {
        0 => "this `case` has no predicate and no name".to_owned(),
        1 => "this `case` has only one label: its predicate or its name is missing".to_owned(),
        labels => format!("this `case` has {labels} labels"),
    };
    Diagnostic::error("wrong-labels", message)
        .label(span, "")
        .help("write it like case \"eq (param `os`) `linux`\" \"linux\" { .. }")
}

pub(crate) fn case_named_default(span: Option<Span>) -> Diagnostic {
    Diagnostic::error("bad-name", "a case cannot be named `default`")
        .label(span, "")
        .help("that is the name of the branch with no predicate: default { .. }")
}

pub(crate) fn duplicate_case(name: &str, first: Option<Span>, second: Option<Span>) -> Diagnostic {
    Diagnostic::error("duplicate-case", format!("two cases of this switch are named `{name}`"))
        .label(second, "named again here")
        .label(first, "first named here")
        .help("give one of them another name")
}

pub(crate) fn default_labels(span: Span) -> Diagnostic {
    Diagnostic::error("wrong-labels", "`default` has no predicate and no name")
        .label(span, "")
        .help("write default { .. }")
}

pub(crate) fn two_defaults(first: Span, second: Span) -> Diagnostic {
    Diagnostic::error("duplicate-case", "this switch has two defaults")
        .label(second, "written again here")
        .label(first, "first written here")
        .help("keep one of them")
}

pub(crate) fn after_default(case: &str, default: Span, span: Span) -> Diagnostic {
    Diagnostic::error("unreachable-case", format!("`default` stands before the case `{case}`"))
        .label(default, "always taken")
        .label(span, "never reached")
        .help("the first case that holds is taken: write `default` last")
}

pub(crate) fn not_in_case(kind: &str, span: Span) -> Diagnostic {
    let help = match kind {
        "module" => "call the module outside of the switch, with `when`",
        "param" | "output" => "declare it outside of the switch",
        _ => "put it outside of the switch",
    };
    Diagnostic::error("misplaced-block", format!("a case holds only resources, and this is a `{kind}`"))
        .label(span, "")
        .help(help)
}
