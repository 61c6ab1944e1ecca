//! Names that lead nowhere, or in circles.

use super::{instead, suggest};
use crate::graph::{EdgeReason, Role};
use crate::report::{Diagnostic, Span};

/// What is wrong with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::load) enum LinkError {
    /// A reference to a resource that does not exist.
    UnknownResource { path: String, reason: EdgeReason, help: Option<String>, span: Option<Span> },
    /// A reference to a parameter that does not exist.
    UnknownParam { name: String, known: Vec<String>, span: Option<Span> },
    /// A lookup that names a resource but none of its exports.
    MissingExport { resource: String, exports: Vec<String>, span: Option<Span> },
    /// A lookup of something that the resource does not export: the `wrong` name of its path.
    UnknownExport { resource: String, field: String, wrong: String, known: Vec<String>, span: Option<Span> },
    /// A lookup of an instance of a `for_each` that there is not, or of none.
    UnknownInstance { resource: String, key: Option<String>, keys: Vec<String>, span: Option<Span> },
    /// A name that is in cases of several switches.
    Ambiguous { path: String, switches: Vec<String>, span: Option<Span> },
    /// A wait for a case.
    NamesCase { reason: EdgeReason, path: String, switch: String, span: Option<Span> },
    /// Resources that wait for each other.
    Cycle { steps: Vec<CycleStep> },
}

/// One step of a cycle: who waits for whom, why, and where that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::load) struct CycleStep {
    pub(in crate::load) from: String,
    /// The role of the node that waits.
    pub(in crate::load) role: Role,
    pub(in crate::load) to: String,
    pub(in crate::load) reason: EdgeReason,
    pub(in crate::load) span: Option<Span>,
}

/// How many keys of a `for_each` a message names.
const SHOWN_KEYS: usize = 8;

impl From<LinkError> for Diagnostic {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::UnknownResource { path, reason, help, span } => {
                let message = match reason {
                    EdgeReason::Depends | EdgeReason::OnChange => {
                        format!("`{reason}` names `{path}`, which does not exist")
                    }
                    _ => format!("lookup of `{path}`, which does not exist"),
                };
                let first = path.split('.').next().unwrap_or_default();
                let help = help.or_else(|| instead(first).map(str::to_owned));
                Self::error("unknown-resource", message).at(span, "no such resource").advise(help)
            }
            LinkError::UnknownParam { name, known, span } => {
                let help = suggest(&name, &known)
                    .unwrap_or_else(|| format!("declare it: param \"{name}\" {{ default = \"..\" }}"));
                Self::error("unknown-param", format!("unknown parameter `{name}`"))
                    .at(span, "no such parameter")
                    .help(help)
            }
            LinkError::MissingExport { resource, exports, span } => {
                let help = match exports.as_slice() {
                    [] => "it exports nothing".to_owned(),
                    exports => format!("its exports are {}", exports.join(", ")),
                };
                Self::error("missing-export", format!("this lookup names no export of `{resource}`"))
                    .at(span, "")
                    .help(help)
            }
            LinkError::UnknownExport { resource, field, wrong, known, span } => {
                let help = suggest(&wrong, &known).unwrap_or_else(|| match known.as_slice() {
                    [] if field.split('.').next() == Some(wrong.as_str()) => "it exports nothing".to_owned(),
                    [] => "it is a plain value: there are no names in it".to_owned(),
                    known => format!("its exports are {}", known.join(", ")),
                });
                Self::error("unknown-export", format!("`{resource}` has no export `{field}`"))
                    .at(span, "no such export")
                    .help(help)
            }
            LinkError::UnknownInstance { resource, key, keys, span } => {
                let message = match &key {
                    Some(key) => format!("`{resource}` has no instance `{key}`"),
                    None => format!("this lookup names no instance of `{resource}`"),
                };
                let help =
                    key.and_then(|key| suggest(&key, &keys)).unwrap_or_else(|| match keys.as_slice() {
                        [] => "its `for_each` is empty".to_owned(),
                        keys => {
                            let more = if keys.len() > SHOWN_KEYS { ", .." } else { "" };
                            let shown = keys.iter().take(SHOWN_KEYS).map(String::as_str).collect::<Vec<_>>();
                            format!("its instances are {}{more}", shown.join(", "))
                        }
                    });
                Self::error("unknown-instance", message).at(span, "").help(help)
            }
            LinkError::Ambiguous { path, switches, span } => {
                let shown: Vec<String> = switches.iter().map(|switch| format!("`{switch}`")).collect();
                let message = format!("`{path}` is in cases of {}", shown.join(" and of "));
                let first = switches.first().map_or("switch.NAME", String::as_str);
                Self::error("ambiguous-name", message)
                    .at(span, "")
                    .help(format!("write which one is meant: {first}/case.NAME/{path}"))
            }
            LinkError::NamesCase { reason, path, switch, span } => {
                Self::error("names-case", format!("`{reason}` names `{path}`, which is a case"))
                    .at(span, "")
                    .help(format!("which case is taken is known only later: wait for `{switch}`"))
            }
            LinkError::Cycle { steps } => cycle(steps),
        }
    }
}

fn cycle(steps: Vec<CycleStep>) -> Diagnostic {
    let mut names: Vec<&str> = steps.iter().map(|step| step.from.as_str()).collect();
    names.extend(steps.first().map(|step| step.from.as_str()));
    // The beginning and the end of a module have one name.
    names.dedup();
    let message = match names.as_slice() {
        [own] | [own, _] => format!("`{own}` waits for itself"),
        names => format!("resources wait for each other: {}", names.join(" -> ")),
    };
    let help = if steps.iter().any(CycleStep::is_structure) {
        "what is in a module, a switch or a `for_each` cannot wait for all of it: remove one of the names that \
         make these wait"
    } else {
        "remove one of these steps"
    };
    // What is written can be changed, so it comes first.
    let (structure, written): (Vec<_>, Vec<_>) = steps.into_iter().partition(CycleStep::is_structure);
    let error = Diagnostic::error("cycle", message);
    written
        .into_iter()
        .chain(structure)
        .fold(error, |error, step| {
            let text = step.text();
            error.at(step.span, text)
        })
        .help(help)
}

impl CycleStep {
    /// Whether no name makes this step.
    fn is_structure(&self) -> bool {
        match self.reason {
            EdgeReason::Depends | EdgeReason::Param | EdgeReason::Lookup | EdgeReason::OnChange => false,
            EdgeReason::Module | EdgeReason::Switch | EdgeReason::ForEach | EdgeReason::Gate => true,
        }
    }

    fn text(&self) -> String {
        let Self { from, to, .. } = self;
        match self.reason {
            EdgeReason::Depends => format!("`{from}` depends on `{to}`"),
            EdgeReason::Param => format!("`{from}` uses `{to}`"),
            EdgeReason::Lookup => format!("`{from}` looks up `{to}`"),
            EdgeReason::OnChange => format!("`{from}` is refreshed after `{to}`"),
            EdgeReason::Switch if self.role == Role::Case => format!("`{from}` comes after `{to}`"),
            EdgeReason::Module | EdgeReason::Switch | EdgeReason::ForEach => {
                format!("`{from}` is done when `{to}` is")
            }
            EdgeReason::Gate => format!("`{from}` is in `{to}`"),
        }
    }
}
