//! Calls of modules.

use std::sync::Arc;

use super::param::{known_params, with_description};
use crate::load::hcl::{ARGUMENTS, Argument};
use crate::report::{Diagnostic, Span, did_you_mean};

/// What is wrong with a call of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::load) enum ModuleError {
    /// Not two labels.
    WrongLabels { labels: usize, span: Span },
    /// A source that is empty or computed.
    BadSource { source: String, span: Option<Span> },
    /// An argument that modules do not take.
    UnknownArgument { name: String, span: Option<Span> },
    /// An argument that only resources take.
    ForResources { argument: Argument, span: Option<Span> },
    /// `params` is no map.
    ParamsNoMap { span: Option<Span> },
    /// The name of a parameter is a template.
    ComputedParam { span: Option<Span> },
    /// The source cannot be loaded.
    Unloadable { why: Diagnostic, caller: String, span: Option<Span> },
    /// A module that calls itself, through others or not.
    IncludeCycle { chain: Vec<String>, calls: Vec<(Span, String)> },
    /// Modules in modules in modules.
    TooDeep { limit: usize, span: Span },
    /// More than can be handled.
    TooMany { limit: usize, span: Option<Span> },
    /// A parameter that the module does not have.
    UnknownParam { name: String, module: String, known: Vec<String>, span: Option<Span> },
    /// A parameter without a value.
    MissingParam {
        name: String,
        module: String,
        description: Option<Arc<str>>,
        caller: String,
        call: Span,
        param: Option<Span>,
    },
}

impl From<ModuleError> for Diagnostic {
    fn from(error: ModuleError) -> Self {
        match error {
            ModuleError::WrongLabels { labels, span } => {
                let message = match labels {
                    0 => "this `module` has no source and no name".to_owned(),
                    1 => "this `module` has only one label: its source or its name is missing".to_owned(),
                    labels => format!("this `module` has {labels} labels"),
                };
                Self::error("wrong-labels", message)
                    .label(span, "")
                    .help("write the source and a name: module \"web.hcl\" \"web\" { .. }")
            }
            ModuleError::BadSource { source, span } => {
                Self::error("bad-source", format!("{source:?} cannot be the source of a module"))
                    .at(span, "")
                    .help("the source is known before anything is computed: a path, or a URL")
            }
            ModuleError::UnknownArgument { name, span } => {
                let known = || did_you_mean(&name, ARGUMENTS);
                let help = super::instead(&name).map(str::to_owned).or_else(known).unwrap_or_else(|| {
                    "a module takes params, depends, when and for_each; its parameters are given in \
                     `params { .. }`"
                        .to_owned()
                });
                Self::error("unknown-argument", format!("a module takes no `{name}`"))
                    .at(span, "no such argument")
                    .help(help)
            }
            ModuleError::ForResources { argument, span } => {
                let name = argument.name();
                Self::error("misplaced-argument", format!("`{name}` is for resources, and this is a module"))
                    .at(span, "")
                    .help(format!("write `{name}` on the resources in the module"))
            }
            ModuleError::ParamsNoMap { span } => {
                Self::error("bad-params", "`params` must be a block of names and values")
                    .at(span, "")
                    .help("write it like params { port = 80 }")
            }
            ModuleError::ComputedParam { span } => {
                Self::error("bad-params", "the name of a parameter cannot be computed").at(span, "")
            }
            ModuleError::Unloadable { why, caller, span } => {
                Self::error(why.code, format!("{}; it is called in {caller}", why.message))
                    .at(span, "called here")
                    .advise(why.help)
            }
            ModuleError::IncludeCycle { chain, calls } => {
                let message = format!("a module calls itself: {}", chain.join(" -> "));
                let error = Self::error("include-cycle", message);
                calls
                    .into_iter()
                    .fold(error, |error, (span, text)| error.label(span, text))
                    .help("remove one of these calls")
            }
            ModuleError::TooDeep { limit, span } => {
                Self::error("too-many-levels", format!("more than {limit} levels of modules"))
                    .label(span, "this level is one too many")
            }
            ModuleError::TooMany { limit, span } => {
                Self::error("too-many-resources", format!("more than {limit} resources"))
                    .at(span, "the limit is reached here")
                    .help("modules that call each other several times grow fast: divide what is run at once")
            }
            ModuleError::UnknownParam { name, module, known, span } => {
                Self::error("unexpected-param", format!("{module} has no parameter `{name}`"))
                    .at(span, "no such parameter")
                    .help(known_params(&name, &known))
            }
            ModuleError::MissingParam { name, module, description, caller, call, param } => {
                let message =
                    format!("parameter `{name}` of {module} is required, and {caller} gives it no value");
                Self::error("missing-param", message)
                    .label(call, format!("called without `{name}`"))
                    .at(param, "has no default")
                    .help(with_description(
                        format!("give it a value: params {{ {name} = .. }}"),
                        description.as_deref(),
                    ))
            }
        }
    }
}
