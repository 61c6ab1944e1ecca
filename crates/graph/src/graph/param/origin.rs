//! The origin of parameter values of the root module.

use std::fmt;
use std::sync::Arc;

/// The origin of a parameter value that was given from outside.
///
/// ```
/// use converge_core::graph::ParamOrigin;
///
/// let origin = ParamOrigin::File { file: "site.hcl".into(), line: Some(3) };
/// assert_eq!(origin.to_string(), "in site.hcl, line 3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamOrigin {
    /// The application that loads the module.
    Code,
    /// An argument `-p name=value`.
    CommandLine,
    /// JSON on the command line.
    Json,
    /// An environment variable.
    Environment {
        /// The name of the variable.
        variable: Arc<str>,
    },
    /// A parameter file.
    File {
        /// The name of the file in messages.
        file: Arc<str>,
        /// The line of the parameter's name, from 1, if known.
        line: Option<usize>,
    },
}

impl ParamOrigin {
    /// Whether values from this origin are always text, whatever their intended type.
    #[doc(hidden)]
    pub fn is_text(&self) -> bool {
        matches!(self, Self::CommandLine | Self::Environment { .. })
    }
}

impl fmt::Display for ParamOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code => f.write_str("by the program that loads the module"),
            Self::CommandLine => f.write_str("on the command line"),
            Self::Json => f.write_str("in the JSON of parameters on the command line"),
            Self::Environment { variable } => write!(f, "by the environment variable {variable}"),
            Self::File { file, line: Some(line) } => write!(f, "in {file}, line {line}"),
            Self::File { file, line: None } => write!(f, "in {file}"),
        }
    }
}
