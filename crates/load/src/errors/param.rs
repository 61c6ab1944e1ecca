//! Diagnostics about parameters of the loaded module or of a called one.

use super::hints::closest;
use crate::diagnostic::{Diagnostic, Span};
use crate::graph::{ParamOrigin, ParamRules};

/// Reports a parameter without a value; `caller` is the calling module, if it is not the loaded one.
pub(crate) fn missing(
    name: &str,
    module: &str,
    caller: Option<(&str, Span)>,
    (rules, span): (Option<&ParamRules>, Option<Span>),
) -> Diagnostic {
    let required = format!("parameter `{name}` of {module} is required");
    let (error, mut help) = match caller {
        None => (
            Diagnostic::error("missing-param", required),
            format!("give it a value with -p {name}=.., or a default in the module"),
        ),
        Some((caller, call)) => (
            Diagnostic::error("missing-param", format!("{required}, and {caller} gives it no value"))
                .label(call, format!("called without `{name}`")),
            format!("give it a value: params {{ {name} = .. }}"),
        ),
    };
    let description = rules.and_then(|rules| rules.description.as_deref()).unwrap_or_default().trim();
    if !description.is_empty() {
        help = format!("{help}; its description is: {description}");
    }
    error.label(span, "has no default").help(help)
}

/// Turns the error about an unknown name in a parameter file into a warning.
pub(crate) fn ignored(unexpected: Diagnostic, origin: &ParamOrigin) -> Diagnostic {
    let help = unexpected.help.unwrap_or_default();
    Diagnostic::warning(unexpected.code, unexpected.message)
        .help(format!("it is given {origin} and ignored; {help}"))
}

pub(crate) fn unexpected<'a>(
    name: &str,
    module: &str,
    known: impl IntoIterator<Item = &'a String>,
    span: Option<Span>,
) -> Diagnostic {
    /// The maximum number of compared names, so that many wrong names do not take quadratic time.
    const COMPARED: usize = 1000;
    /// The maximum number of listed names.
    const SHOWN: usize = 20;
    let params: Vec<String> = known.into_iter().take(COMPARED).cloned().collect();
    let help = closest(name, &params).unwrap_or_else(|| match params.as_slice() {
        [] => "it takes no parameters".to_owned(),
        known => {
            let ellipsis = if known.len() > SHOWN { ", .." } else { "" };
            format!("its parameters are {}{ellipsis}", known[..known.len().min(SHOWN)].join(", "))
        }
    });
    Diagnostic::error("unexpected-param", format!("{module} has no parameter `{name}`"))
        .label(span, "no such parameter")
        .help(help)
}
