//! Diagnostics about module calls.

use super::hints::foreign_word;
use crate::diagnostic::{Diagnostic, ReachedLimit, Span, did_you_mean};
use crate::model::spanned_text::Spanned;
use crate::types::meta_arguments::MetaArgument;
use converge_source::SourceError;

pub(crate) fn wrong_labels(labels: usize, span: Span) -> Diagnostic {
    let message = match labels {
        0 => "this `module` has no source and no name".to_owned(),
        1 => "this `module` has only one label: its source or its name is missing".to_owned(),
        labels => format!("this `module` has {labels} labels"),
    };
    Diagnostic::error("wrong-labels", message)
        .label(span, "")
        .help("write the source and a name: module \"web.hcl\" \"web\" { .. }")
}

pub(crate) fn bad_source(source: &Spanned) -> Diagnostic {
    Diagnostic::error("bad-source", format!("{:?} cannot be the source of a module", source.text))
        .label(source.span, "")
        .help("the source is known before anything is computed: a path, or a URL")
}

pub(crate) fn unknown_argument(name: &Spanned, arguments: &[&str]) -> Diagnostic {
    let help = foreign_word(&name.text).or_else(|| did_you_mean(&name.text, arguments.iter().copied()));
    let help = help.unwrap_or_else(|| {
        "a module takes params, depends, when, for_each, tags, optional and environment; its parameters are given in \
         `params { .. }`"
            .to_owned()
    });
    Diagnostic::error("unknown-argument", format!("a module takes no `{}`", name.text))
        .label(name.span, "no such argument")
        .help(help)
}

pub(crate) fn for_resources(argument: MetaArgument, span: Option<Span>) -> Diagnostic {
    let name = argument.name();
    Diagnostic::error("misplaced-argument", format!("`{name}` is for resources, and this is a module"))
        .label(span, "")
        .help(format!("write `{name}` on the resources in the module"))
}

pub(crate) fn params_no_map(span: Option<Span>) -> Diagnostic {
    Diagnostic::error("bad-params", "`params` must be a block of names and values")
        .label(span, "")
        .help("write it like params { port = 80 }")
}

pub(crate) fn computed_param(span: Option<Span>) -> Diagnostic {
    Diagnostic::error("bad-params", "the name of a parameter cannot be computed").label(span, "")
}

pub(crate) fn unloadable(error: SourceError, caller: &str, span: Option<Span>) -> Diagnostic {
    let mut diagnostic = Diagnostic::from(error).label(span, "called here");
    diagnostic.message = format!("{}; it is called in {caller}", diagnostic.message);
    diagnostic
}

pub(crate) fn include_cycle(chain: &[&str], calls: Vec<(Span, String)>) -> Diagnostic {
    let message = format!("a module calls itself: {}", chain.join(" -> "));
    let error = Diagnostic::error("include-cycle", message);
    let error = calls.into_iter().fold(error, |error, (span, text)| error.label(span, text));
    error.help("remove one of these calls")
}

pub(crate) fn too_deep(limit: usize, span: Span) -> Diagnostic {
    Diagnostic::error("too-many-levels", format!("more than {limit} levels of modules"))
        .label(span, "this level is one too many")
}

pub(crate) fn too_many(limit: ReachedLimit, span: Option<Span>) -> Diagnostic {
    Diagnostic::error("too-many-resources", format!("more than {} resources", limit.most))
        .label(span, "the limit is reached here")
        .help("modules that call others several times multiply their resources: split the run")
        .reached(limit)
}
