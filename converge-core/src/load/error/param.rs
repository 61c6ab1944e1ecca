//! Parameters of the module that is loaded.

use super::suggest;
use crate::report::{Diagnostic, Span};

/// What is wrong with the parameters that are given from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::load) enum ParamError {
    /// A parameter without a value.
    Missing { name: String, module: String, span: Option<Span> },
    /// A value for a parameter that the module does not have.
    Unexpected { name: String, module: String, known: Vec<String> },
}

impl From<ParamError> for Diagnostic {
    fn from(error: ParamError) -> Self {
        match error {
            ParamError::Missing { name, module, span } => {
                Self::error("missing-param", format!("parameter `{name}` of {module} is required"))
                    .at(span, "has no default")
                    .help(format!("give it a value with -p {name}=.., or a default in the module"))
            }
            ParamError::Unexpected { name, module, known } => {
                Self::error("unexpected-param", format!("{module} has no parameter `{name}`"))
                    .help(known_params(&name, &known))
            }
        }
    }
}

/// What could have been meant by the name of a parameter that there is not.
pub(super) fn known_params(name: &str, known: &[String]) -> String {
    suggest(name, known).unwrap_or_else(|| match known {
        [] => "it takes no parameters".to_owned(),
        known => format!("its parameters are {}", known.join(", ")),
    })
}
