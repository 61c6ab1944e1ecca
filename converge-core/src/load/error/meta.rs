//! Meta-arguments.

use super::suggest;
use crate::load::hcl::Argument;
use crate::report::{Diagnostic, Span, did_you_mean};

/// What is wrong with a meta-argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::load) enum MetaError {
    /// Not of the form that it needs.
    Malformed { argument: Argument, span: Span },
    /// A name that is not written as it is; with the one that may be meant.
    ComputedName { argument: Argument, name: Option<String>, span: Span },
    /// On a parameter, which is a value and nothing that is done.
    OnParam { argument: Argument, span: Option<Span> },
    /// `on_change_of` on a resource that cannot be refreshed.
    NoRefresh { resource: &'static str, types: Vec<&'static str>, span: Option<Span> },
    /// An entry of `retry` that there is not.
    UnknownRetry { name: String, span: Option<Span> },
    /// A value of the wrong kind or out of range, with what was found.
    WrongValue { name: &'static str, expected: &'static str, found: String, span: Option<Span> },
    /// A value that shapes the graph, or the run, and is not known at load.
    NotKnown { argument: Argument, waits_for: String, span: Option<Span> },
    /// A secret in `for_each`.
    SecretKeys { span: Option<Span> },
    /// Two items of a `for_each` with one key.
    DuplicateKey { key: String, span: Option<Span> },
    /// `each` where there is no `for_each`.
    NoEach { span: Option<Span> },
    /// `self` where there is no resource.
    NoSelf { span: Option<Span> },
    /// `self.FIELD` of a field that there is not.
    UnknownSelf { resource: &'static str, field: String, known: Vec<String>, span: Option<Span> },
    /// A field that is made from itself.
    SelfCircle { resource: &'static str, chain: Vec<String>, places: Vec<(Option<Span>, String)> },
}

impl Argument {
    fn expected(self) -> &'static str {
        match self {
            Self::Depends | Self::OnChangeOf => "a list of names",
            Self::Group => "a name",
            Self::When => "true, false, or a predicate",
            Self::ForEach => "a list of texts, or a map",
            Self::Timeout => "a duration",
            Self::Retry => "a block",
        }
    }

    fn example(self) -> &'static str {
        match self {
            Self::Depends => "depends = [\"task.build\"]",
            Self::OnChangeOf => "on_change_of = [\"file.content.conf\"]",
            Self::Group => "group = \"apt\"",
            Self::When => "when = \"eq (param `os`) `linux`\"",
            Self::ForEach => "for_each = [\"a\", \"b\"]",
            Self::Timeout => "timeout = \"30s\"",
            Self::Retry => "retry { attempts = 3 }",
        }
    }
}

impl From<MetaError> for Diagnostic {
    fn from(error: MetaError) -> Self {
        match error {
            MetaError::Malformed { argument, span } => Self::error(
                "bad-meta-argument",
                format!("`{}` must be {}", argument.name(), argument.expected()),
            )
            .label(span, "")
            .help(format!("write it like {}", argument.example())),
            MetaError::ComputedName { argument, name, span } => {
                let help = match name {
                    Some(name) => format!("write the name in quotes: \"{name}\""),
                    None => format!("write it like {}", argument.example()),
                };
                Self::error(
                    "bad-meta-argument",
                    format!("a name in `{}` cannot be computed", argument.name()),
                )
                .label(span, "")
                .help(help)
            }
            MetaError::OnParam { argument, span } => Self::error(
                "misplaced-argument",
                format!("`{}` is for resources, and this is a parameter", argument.name()),
            )
            .at(span, "")
            .help("a parameter is a value: there is nothing to do about it"),
            MetaError::NoRefresh { resource, types, span } => {
                let help = match types.as_slice() {
                    [] => "no type that is registered here can be".to_owned(),
                    types => format!("the types that can be are {}", types.join(", ")),
                };
                Self::error("no-refresh", format!("a `{resource}` cannot be refreshed"))
                    .at(span, "")
                    .help(help)
            }
            MetaError::UnknownRetry { name, span } => {
                let known = ["attempts", "delay", "backoff"];
                let help = did_you_mean(&name, known)
                    .unwrap_or_else(|| "it has attempts, delay and backoff".to_owned());
                Self::error("unknown-argument", format!("`retry` takes no `{name}`"))
                    .at(span, "no such argument")
                    .help(help)
            }
            MetaError::WrongValue { name, expected, found, span } => {
                Self::error("bad-meta-argument", format!("`{name}` must be {expected}, not {found}"))
                    .at(span, "")
            }
            MetaError::NotKnown { argument, waits_for, span } => Self::error(
                "value-not-known",
                format!(
                    "`{}` must be known when the module is loaded, and waits for {waits_for}",
                    argument.name()
                ),
            )
            .at(span, "")
            .help("parameters are known then; what lookups, `env` and `platform` give is not"),
            MetaError::SecretKeys { span } => {
                Self::error("secret-key", "a secret cannot be given to `for_each`")
                    .at(span, "")
                    .help("its items name the instances, and names are shown")
            }
            MetaError::DuplicateKey { key, span } => {
                Self::error("duplicate-key", format!("`{key}` is twice in `for_each`"))
                    .at(span, "given again here")
                    .help("each item names one instance: keep one of them")
            }
            MetaError::NoEach { span } => {
                Self::error("no-for-each", "`each` is used where there is no `for_each`")
                    .at(span, "")
                    .help("write `for_each` on the same block")
            }
            MetaError::NoSelf { span } => Self::error("no-self", "`self` is used where there is no resource")
                .at(span, "")
                .help("it means the fields of the resource that it is written in"),
            MetaError::UnknownSelf { resource, field, known, span } => {
                let help = suggest(&field, &known)
                    .unwrap_or_else(|| format!("the fields of {resource} are {}", known.join(", ")));
                Self::error("unknown-field", format!("{resource}: unknown field `{field}`"))
                    .at(span, "no such field")
                    .help(help)
            }
            MetaError::SelfCircle { resource, chain, places } => {
                let message = format!("{resource}: a field is made from itself: {}", chain.join(" -> "));
                let error = Self::error("field-cycle", message);
                places
                    .into_iter()
                    .fold(error, |error, (span, text)| error.at(span, text))
                    .help("remove one of these uses")
            }
        }
    }
}
