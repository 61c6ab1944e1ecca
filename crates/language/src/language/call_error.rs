//! Errors of function calls, shared by expressions and templates.

use std::fmt;

use crate::diagnostic::Suggest;
use converge_value::debug_as_text;

/// A call that can never succeed, whatever its arguments are.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// A function that does not exist.
    #[error("there is no function `{name}`{}", Suggest(.close))]
    UnknownFunction {
        /// The name in the call.
        name: String,
        /// Similar names that exist.
        close: Vec<String>,
    },
    /// A function of another language that has a different name or form in Converge.
    #[error("there is no function `{name}`; write `{instead}`")]
    ForeignFunction {
        /// The name in the call.
        name: String,
        /// The text to write instead.
        instead: &'static str,
    },
    /// A function with too few or too many arguments.
    #[error("`{function}` takes {}, but got {given}", Arity(*.least, *.most))]
    ArgumentCount {
        /// The function.
        function: &'static str,
        /// The minimum number of arguments.
        least: u8,
        /// The maximum number of arguments; `None` if unlimited.
        most: Option<u8>,
        /// The number of arguments in the call.
        given: usize,
    },
}

debug_as_text!(CallError);

/// The argument counts of a function, displayed in words.
struct Arity(u8, Option<u8>);

impl fmt::Display for Arity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |n: u8| if n == 1 { "" } else { "s" };
        match *self {
            Self(0, Some(0)) => f.write_str("no arguments"),
            Self(least, Some(most)) if least == most => write!(f, "{least} argument{}", plural(least)),
            Self(least, Some(most)) => write!(f, "{least} to {most} arguments"),
            Self(least, None) => write!(f, "at least {least} argument{}", plural(least)),
        }
    }
}
