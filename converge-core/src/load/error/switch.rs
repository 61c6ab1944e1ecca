//! Switches and their cases.

use crate::report::{Diagnostic, Span, did_you_mean};

/// What is wrong with a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::load) enum SwitchError {
    /// `case` or `default` that is in no switch.
    CaseOutside { kind: &'static str, span: Span },
    /// Something in a switch that is no case.
    NoCase { name: String, span: Span },
    /// A switch with nothing in it.
    Empty { name: String, span: Span },
    /// A case that has not two labels.
    CaseLabels { labels: usize, span: Span },
    /// A case that is named as the default is.
    CaseNamedDefault { span: Option<Span> },
    /// Two cases of one name.
    DuplicateCase { name: String, first: Option<Span>, second: Option<Span> },
    /// A default with labels.
    DefaultLabels { span: Span },
    /// Two defaults.
    DefaultTwice { first: Span, second: Span },
    /// A case that can never be taken, as it comes after the default.
    AfterDefault { case: String, default: Span, span: Span },
    /// `name = value` in a case.
    AttributeInCase { name: String, span: Span },
    /// Something in a case that is no resource.
    NotInCase { kind: String, span: Span },
}

const EXAMPLE: &str = "write it like case \"eq (param `os`) `linux`\" \"linux\" { .. }";

impl From<SwitchError> for Diagnostic {
    fn from(error: SwitchError) -> Self {
        match error {
            SwitchError::CaseOutside { kind, span } => {
                Self::error("misplaced-block", format!("`{kind}` stands in no switch"))
                    .label(span, "")
                    .help("put it into a switch: switch \"NAME\" { .. }")
            }
            SwitchError::NoCase { name, span } => {
                let help = did_you_mean(&name, ["case", "default"]).unwrap_or_else(|| {
                    "a switch holds only `case` and `default`: put it into one of them".to_owned()
                });
                Self::error("misplaced-block", format!("`{name}` stands directly in a switch"))
                    .label(span, "")
                    .help(help)
            }
            SwitchError::Empty { name, span } => {
                Self::warning("empty-switch", format!("the switch `{name}` has no cases")).label(span, "")
            }
            SwitchError::CaseLabels { labels, span } => {
                let message = match labels {
                    0 => "this `case` has no predicate and no name".to_owned(),
                    1 => "this `case` has only one label: its predicate or its name is missing".to_owned(),
                    labels => format!("this `case` has {labels} labels"),
                };
                Self::error("wrong-labels", message).label(span, "").help(EXAMPLE)
            }
            SwitchError::CaseNamedDefault { span } => {
                Self::error("bad-name", "a case cannot be named `default`")
                    .at(span, "")
                    .help("that is the name of the branch with no predicate: default { .. }")
            }
            SwitchError::DuplicateCase { name, first, second } => {
                Self::error("duplicate-case", format!("two cases of this switch are named `{name}`"))
                    .at(second, "named again here")
                    .at(first, "first named here")
                    .help("give one of them another name")
            }
            SwitchError::DefaultLabels { span } => {
                Self::error("wrong-labels", "`default` has no predicate and no name")
                    .label(span, "")
                    .help("write default { .. }")
            }
            SwitchError::DefaultTwice { first, second } => {
                Self::error("duplicate-case", "this switch has two defaults")
                    .label(second, "written again here")
                    .label(first, "first written here")
                    .help("keep one of them")
            }
            SwitchError::AfterDefault { case, default, span } => {
                Self::error("unreachable-case", format!("`default` stands before the case `{case}`"))
                    .label(default, "always taken")
                    .label(span, "never reached")
                    .help("the first case that holds is taken: write `default` last")
            }
            SwitchError::AttributeInCase { name, span } => {
                Self::error("stray-attribute", format!("`{name}` is written outside of any resource"))
                    .label(span, "")
                    .help("a case holds only resources: TYPE \"NAME\" { .. }")
            }
            SwitchError::NotInCase { kind, span } => {
                let help = match kind.as_str() {
                    "module" => "call the module outside of the switch, with `when`",
                    "param" => "declare it outside of the switch",
                    _ => "put it outside of the switch",
                };
                Self::error("misplaced-block", format!("a case holds only resources, and this is a `{kind}`"))
                    .label(span, "")
                    .help(help)
            }
        }
    }
}
