//! Diagnostics about invalid block headers and misplaced text.

use super::hints::{failing_type, foreign_word};
use crate::diagnostic::{Diagnostic, Span, did_you_mean, suggest_task, suggest_type, without_collection};
use crate::model::spanned_text::Spanned;
use crate::types::type_table::TypeTable;

pub(crate) fn stray_attribute(name: &str, span: Span, help: &str) -> Diagnostic {
    Diagnostic::error("stray-attribute", format!("`{name}` is written outside of any resource"))
        .label(span, "")
        .help(help)
}

/// Reports a type that is not registered, or that this program leaves out.
pub(crate) fn no_such_type(types: &TypeTable<'_>, name: &str, span: Option<Span>) -> Diagnostic {
    if let Some(needs) = types.absent(name) {
        return Diagnostic::error("absent-type", format!("`{name}` is not part of this program"))
            .label(span, "this type is not there")
            .help(format!("this program was built without {needs}"));
    }
    let close = || did_you_mean(name, types.iter().map(|resource| resource.name()));
    let elsewhere =
        || suggest_type(name, |candidate| types.iter().any(|resource| resource.name() == candidate));
    let foreign = || foreign_word(without_collection(name));
    let failing = || failing_type(name).map(str::to_owned);
    let help = elsewhere().or_else(failing).or_else(foreign).or_else(|| suggest_task(name)).or_else(close);
    Diagnostic::error("unknown-type", format!("unknown resource type `{name}`"))
        .label(span, "no such type")
        .help(help.unwrap_or_else(|| "`converge docs` lists all types".to_owned()))
}

pub(crate) fn structure_in_code(kind: &str) -> Diagnostic {
    let message = format!("a `{kind}` cannot be put into a graph that is built in Rust");
    Diagnostic::error("unsupported-block", message).help("add its resources to the graph")
}

pub(crate) fn wrong_labels(kind: &str, labels: usize, span: Span) -> Diagnostic {
    let message = match labels {
        0 => format!("this `{kind}` has no name"),
        labels => format!("this `{kind}` has {labels} names"),
    };
    let help = format!("write one name: {kind} \"NAME\" {{ .. }}");
    Diagnostic::error("wrong-labels", message).label(span, "").help(help)
}

pub(crate) fn bad_name(kind: &str, name: &Spanned) -> Diagnostic {
    Diagnostic::error("bad-name", format!("{:?} cannot be the name of a `{kind}`", name.text))
        .label(name.span, "")
        .help("a name is not empty and has no `/`, no `[\"`, no line break and no template")
}

pub(crate) fn duplicate(name: &str, first: Option<Span>, second: Option<Span>) -> Diagnostic {
    Diagnostic::error("duplicate-resource", format!("`{name}` is declared twice"))
        .label(second, "declared again here")
        .label(first, "first declared here")
        .help("give one of them another name")
}

pub(crate) fn labelled_field(field: &str, span: Span) -> Diagnostic {
    Diagnostic::error("labelled-field", format!("`{field}` is a field and takes no name"))
        .label(span, "")
        .help(format!("write {field} {{ .. }}"))
}

pub(crate) fn written_twice(field: &str, first: Option<Span>, second: Option<Span>) -> Diagnostic {
    Diagnostic::error("duplicate-field", format!("`{field}` is written twice"))
        .label(second, "written again here")
        .label(first, "first written here")
        .help("keep one of them")
}
