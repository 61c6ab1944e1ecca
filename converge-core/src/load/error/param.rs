//! Parameters of the module that is loaded.

use std::sync::Arc;

use super::suggest;
use crate::report::{Diagnostic, Span};

/// What is wrong with the parameters that are given from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::load) enum ParamError {
    /// A parameter without a value.
    Missing { name: String, module: String, description: Option<Arc<str>>, span: Option<Span> },
    /// A value for a parameter that the module does not have.
    Unexpected { name: String, module: String, known: Vec<String> },
}

impl From<ParamError> for Diagnostic {
    fn from(error: ParamError) -> Self {
        match error {
            ParamError::Missing { name, module, description, span } => {
                Self::error("missing-param", format!("parameter `{name}` of {module} is required"))
                    .at(span, "has no default")
                    .help(with_description(
                        format!("give it a value with -p {name}=.., or a default in the module"),
                        description.as_deref(),
                    ))
            }
            ParamError::Unexpected { name, module, known } => {
                Self::error("unexpected-param", format!("{module} has no parameter `{name}`"))
                    .help(known_params(&name, &known))
            }
        }
    }
}

/// A help, and what the module says of the parameter that is missing.
pub(super) fn with_description(help: String, description: Option<&str>) -> String {
    match description.map(str::trim).filter(|description| !description.is_empty()) {
        Some(description) => format!("{help}; its description is: {description}"),
        None => help,
    }
}

/// What could have been meant by the name of a parameter that there is not.
pub(super) fn known_params(name: &str, known: &[String]) -> String {
    suggest(name, known).unwrap_or_else(|| match known {
        [] => "it takes no parameters".to_owned(),
        known => format!("its parameters are {}", known.join(", ")),
    })
}
