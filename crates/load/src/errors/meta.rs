//! Diagnostics about meta-arguments and the names that they introduce.

use crate::diagnostic::{Diagnostic, Span, did_you_mean};
use crate::graph::{EnvironmentError, ParseTagError, Role};
use crate::model::spanned_text::Spanned;
use crate::sdk::registry::ResourceType;
use crate::types::meta_arguments::MetaArgument;

pub(crate) use converge_graph::for_each::wrong_value;

pub(crate) fn malformed(argument: MetaArgument, span: Option<Span>) -> Diagnostic {
    let (name, must_be, example) = argument.describe();
    Diagnostic::error("bad-meta-argument", format!("`{name}` must be {must_be}"))
        .label(span, "")
        .help(format!("write it like {example}"))
}

/// Reports a name that is not literal; `meant` is the name to suggest.
pub(crate) fn computed_name(argument: MetaArgument, suggestion: Option<&str>, span: Span) -> Diagnostic {
    let (name, _, example) = argument.describe();
    let help = match suggestion {
        Some(name) => format!("write the name in quotes: \"{name}\""),
        None => format!("write it like {example}"),
    };
    Diagnostic::error("bad-meta-argument", format!("a name in `{name}` cannot be computed"))
        .label(span, "")
        .help(help)
}

pub(crate) fn no_tag(error: &ParseTagError, span: Option<Span>) -> Diagnostic {
    let help = match error {
        ParseTagError::Character { found: ',', .. } => Some("write each by itself: tags = [\"a\", \"b\"]"),
        ParseTagError::Reserved { .. } => Some(
            "dependencies of a chosen resource always run; write `when` for a resource that runs only on request",
        ),
        _ => None,
    };
    let diagnostic = Diagnostic::error("bad-tag", error.to_string()).label(span, "");
    help.into_iter().fold(diagnostic, Diagnostic::help)
}

pub(crate) fn no_environment(error: &EnvironmentError, span: Option<Span>) -> Diagnostic {
    Diagnostic::error("bad-meta-argument", format!("`environment`: {error}"))
        .label(span, "")
        .help("write it like environment = { http_proxy = param.proxy }")
}

/// Reports a meta-argument that makes no sense for a parameter or an output.
pub(crate) fn on_value(argument: MetaArgument, role: Role, span: Option<Span>) -> Diagnostic {
    let subject = if role == Role::Output { "an output" } else { "a parameter" };
    let message = format!("`{}` is for resources, and this is {subject}", argument.name());
    Diagnostic::error("misplaced-argument", message)
        .label(span, "")
        .help(format!("remove it: {subject} is a value, and nothing is applied for it"))
}

/// Reports `on_change_of` on a resource without refreshes; `types` are the types that support them.
pub(crate) fn no_refresh(resource: &str, types: &[&str], span: Option<Span>) -> Diagnostic {
    let help = match types {
        [] => "no type of this program can be refreshed".to_owned(),
        types => format!("the types that can be refreshed are {}", types.join(", ")),
    };
    Diagnostic::error("no-refresh", format!("a `{resource}` cannot be refreshed")).label(span, "").help(help)
}

pub(crate) fn unknown_retry(name: &Spanned) -> Diagnostic {
    let help = did_you_mean(&name.text, ["attempts", "delay", "backoff"])
        .unwrap_or_else(|| "it has attempts, delay and backoff".to_owned());
    Diagnostic::error("unknown-argument", format!("`retry` takes no `{}`", name.text))
        .label(name.span, "no such argument")
        .help(help)
}

pub(crate) fn not_known(argument: MetaArgument, waits_for: &str, span: Option<Span>) -> Diagnostic {
    let name = argument.name();
    let message = format!("`{name}` must be known when the module is loaded, and waits for {waits_for}");
    Diagnostic::error("value-not-known", message)
        .label(span, "")
        .help("use a parameter: lookups, `env` and `platform` are not known when the module is loaded")
}

pub(crate) fn no_each(span: Option<Span>) -> Diagnostic {
    Diagnostic::error("no-for-each", "`each` is used where there is no `for_each`")
        .label(span, "")
        .help("write `for_each` on the same block")
}

pub(crate) fn no_self(span: Option<Span>) -> Diagnostic {
    Diagnostic::error("no-self", "`self` is used where there is no resource")
        .label(span, "")
        .help("write `self` only in the fields of a resource")
}

pub(crate) fn unknown_self(resource: &ResourceType, field: &str, span: Option<Span>) -> Diagnostic {
    let (name, field_names) = (resource.name(), resource.schema().fields.iter().map(|field| field.name));
    let help = did_you_mean(field, field_names.clone());
    let help = help.unwrap_or_else(|| match field_names.collect::<Vec<_>>().as_slice() {
        [] => format!("{name} has no fields"),
        fields => format!("the fields of {name} are {}", fields.join(", ")),
    });
    Diagnostic::error("unknown-field", format!("{name}: unknown field `{field}`"))
        .label(span, "no such field")
        .help(help)
}
