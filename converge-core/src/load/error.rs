//! What can be wrong with a module beyond its syntax and the values of its fields.

use crate::graph::EdgeReason;
use crate::report::{Diagnostic, Span, did_you_mean};

/// A mistake in a module, with what is needed to explain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LoadError {
    /// `name = value` outside of any block.
    StrayAttribute { name: String, span: Span },
    /// A block whose type is not registered.
    UnknownType { name: String, known: Vec<String>, span: Option<Span> },
    /// A block of the language that cannot be loaded yet.
    NotYet { kind: String, span: Span },
    /// A block with no name, or with more labels than one.
    WrongLabels { kind: String, labels: usize, span: Span },
    /// A name that cannot be part of an id.
    BadName { kind: String, name: String, span: Option<Span> },
    /// Two resources of one type and name.
    DuplicateResource { name: String, first: Option<Span>, second: Option<Span> },
    /// A nested block with labels.
    LabelledField { field: String, span: Span },
    /// The same field as a value and as a block, or twice under its name and an alias.
    FieldWrittenTwice { field: String, first: Option<Span>, second: Option<Span> },
    /// `depends` is not a list of names, or `group` is not a name.
    BadMeta { name: &'static str, expected: &'static str, span: Span },
    /// A reference to a resource that does not exist.
    UnknownResource { path: String, reason: EdgeReason, known: Vec<String>, span: Option<Span> },
    /// A reference to a parameter that does not exist.
    UnknownParam { name: String, known: Vec<String>, span: Option<Span> },
    /// A lookup that names a resource but none of its exports.
    MissingExport { resource: String, exports: Vec<String>, span: Option<Span> },
    /// A lookup of something that the resource does not export: the `wrong` name of its path.
    UnknownExport { resource: String, field: String, wrong: String, known: Vec<String>, span: Option<Span> },
    /// A parameter without a value.
    MissingParam { name: String, module: String, span: Option<Span> },
    /// A value given from outside for a parameter that the module does not have.
    UnexpectedParam { name: String, module: String, known: Vec<String> },
    /// Resources that wait for each other.
    Cycle { steps: Vec<CycleStep> },
}

/// One step of a cycle: who waits for whom, why, and where that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CycleStep {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) reason: EdgeReason,
    pub(super) span: Option<Span>,
}

fn suggest(given: &str, known: &[String]) -> Option<String> {
    did_you_mean(given, known.iter().map(String::as_str))
}

impl From<LoadError> for Diagnostic {
    fn from(error: LoadError) -> Self {
        error.into_diagnostic()
    }
}

impl LoadError {
    fn into_diagnostic(self) -> Diagnostic {
        let message = self.message();
        let (code, labels, help) = self.into_parts();
        let mut diagnostic = Diagnostic::error(code, message);
        for (span, text) in labels {
            if let Some(span) = span {
                diagnostic = diagnostic.label(span, text);
            }
        }
        match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::StrayAttribute { name, .. } => format!("`{name}` is written outside of any resource"),
            Self::UnknownType { name, .. } => format!("unknown resource type `{name}`"),
            Self::NotYet { kind, .. } => format!("`{kind}` blocks cannot be loaded yet"),
            Self::WrongLabels { kind, labels: 0, .. } => format!("this `{kind}` has no name"),
            Self::WrongLabels { kind, labels, .. } => format!("this `{kind}` has {labels} names"),
            Self::BadName { kind, name, .. } => format!("{name:?} cannot be the name of a `{kind}`"),
            Self::DuplicateResource { name, .. } => format!("`{name}` is declared twice"),
            Self::LabelledField { field, .. } => format!("`{field}` is a field and takes no name"),
            Self::FieldWrittenTwice { field, .. } => format!("`{field}` is written twice"),
            Self::BadMeta { name, expected, .. } => format!("`{name}` must be {expected}"),
            Self::UnknownResource { path, reason: EdgeReason::Depends, .. } => {
                format!("`depends` names `{path}`, which does not exist")
            }
            Self::UnknownResource { path, reason: EdgeReason::OnChange, .. } => {
                format!("`on_change_of` names `{path}`, which does not exist")
            }
            Self::UnknownResource { path, .. } => format!("lookup of `{path}`, which does not exist"),
            Self::UnknownParam { name, .. } => format!("unknown parameter `{name}`"),
            Self::MissingExport { resource, .. } => format!("this lookup names no export of `{resource}`"),
            Self::UnknownExport { resource, field, .. } => format!("`{resource}` has no export `{field}`"),
            Self::MissingParam { name, module, .. } => format!("parameter `{name}` of {module} is required"),
            Self::UnexpectedParam { name, module, .. } => format!("{module} has no parameter `{name}`"),
            Self::Cycle { steps } => {
                let mut names: Vec<&str> = steps.iter().map(|step| step.from.as_str()).collect();
                names.extend(steps.first().map(|step| step.from.as_str()));
                format!("resources wait for each other: {}", names.join(" -> "))
            }
        }
    }

    #[expect(clippy::type_complexity, reason = "code, labels, help: a type of its own would be used once")]
    fn into_parts(self) -> (&'static str, Vec<(Option<Span>, String)>, Option<String>) {
        let at = |span: Option<Span>, text: &str| vec![(span, text.to_owned())];
        match self {
            Self::StrayAttribute { span, .. } => (
                "stray-attribute",
                at(Some(span), ""),
                Some("a module holds only blocks: TYPE \"NAME\" { .. }".to_owned()),
            ),
            Self::UnknownType { name, known, span } => {
                let help = suggest(&name, &known)
                    .or_else(|| Some("`converge resources` lists the types that there are".to_owned()));
                ("unknown-type", at(span, "no such type"), help)
            }
            Self::NotYet { span, .. } => (
                "unsupported-block",
                at(Some(span), ""),
                Some("write its resources into this file".to_owned()),
            ),
            Self::WrongLabels { kind, span, .. } => (
                "wrong-labels",
                at(Some(span), ""),
                Some(format!("write one name: {kind} \"NAME\" {{ .. }}")),
            ),
            Self::BadName { span, .. } => (
                "bad-name",
                at(span, ""),
                Some("a name is not empty and has no `/`, no line break and no template".to_owned()),
            ),
            Self::DuplicateResource { first, second, .. } => (
                "duplicate-resource",
                vec![(second, "declared again here".into()), (first, "first declared here".into())],
                Some("give one of them another name".to_owned()),
            ),
            Self::LabelledField { field, span } => {
                ("labelled-field", at(Some(span), ""), Some(format!("write {field} {{ .. }}")))
            }
            Self::FieldWrittenTwice { first, second, .. } => (
                "duplicate-field",
                vec![(second, "written again here".into()), (first, "first written here".into())],
                Some("keep one of them".to_owned()),
            ),
            Self::BadMeta { name, span, .. } => {
                let example = match name {
                    "depends" => "depends = [\"task.build\"]",
                    _ => "group = \"apt\"",
                };
                ("bad-meta-argument", at(Some(span), ""), Some(format!("write it like {example}")))
            }
            Self::UnknownResource { path, known, span, .. } => {
                let help = suggest(&path, &known);
                ("unknown-resource", at(span, "no such resource"), help)
            }
            Self::UnknownParam { name, known, span } => {
                let help = suggest(&name, &known)
                    .unwrap_or_else(|| format!("declare it: param \"{name}\" {{ default = \"..\" }}"));
                ("unknown-param", at(span, "no such parameter"), Some(help))
            }
            Self::MissingExport { exports, span, .. } => {
                ("missing-export", at(span, ""), Some(format!("its exports are {}", exports.join(", "))))
            }
            Self::UnknownExport { wrong, known, span, .. } => {
                let help = suggest(&wrong, &known).unwrap_or_else(|| match known.as_slice() {
                    [] => "it is a plain value: there are no names in it".to_owned(),
                    known => format!("its exports are {}", known.join(", ")),
                });
                ("unknown-export", at(span, "no such export"), Some(help))
            }
            Self::MissingParam { name, span, .. } => (
                "missing-param",
                at(span, "has no default"),
                Some(format!("give it a value with -p {name}=.., or a default in the module")),
            ),
            Self::UnexpectedParam { name, known, .. } => {
                let help = suggest(&name, &known).or_else(|| match known.as_slice() {
                    [] => Some("it takes no parameters".to_owned()),
                    known => Some(format!("its parameters are {}", known.join(", "))),
                });
                ("unexpected-param", Vec::new(), help)
            }
            Self::Cycle { steps } => {
                let labels = steps.into_iter().map(|step| {
                    let text = match step.reason {
                        EdgeReason::Depends => format!("`{}` depends on `{}`", step.from, step.to),
                        EdgeReason::Param => format!("`{}` uses `{}`", step.from, step.to),
                        EdgeReason::Lookup => format!("`{}` looks up `{}`", step.from, step.to),
                        EdgeReason::OnChange => format!("`{}` is refreshed after `{}`", step.from, step.to),
                        EdgeReason::Module | EdgeReason::Switch | EdgeReason::ForEach => {
                            format!("`{}` is done when `{}` is", step.from, step.to)
                        }
                        EdgeReason::Gate => format!("`{}` is in `{}`", step.from, step.to),
                    };
                    (step.span, text)
                });
                ("cycle", labels.collect(), Some("remove one of these steps".to_owned()))
            }
        }
    }
}
