//! What can be wrong with a call of a function, in an expression as in a template.

use std::fmt;

use crate::diagnostic::Suggest;

/// A call that can never succeed, whatever its arguments are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// A function that does not exist.
    #[error("there is no function `{name}`{}", Suggest(.close))]
    UnknownFunction {
        /// The name.
        name: String,
        /// Names like it.
        close: Vec<String>,
    },
    /// A function of another language, which is written differently here.
    #[error("there is no function `{name}`; write `{instead}`")]
    ForeignFunction {
        /// The name.
        name: String,
        /// What to write.
        instead: &'static str,
    },
    /// A function with too few or too many arguments.
    #[error("`{function}` takes {}, but got {given}", Arity(*.least, *.most))]
    ArgumentCount {
        /// The function.
        function: &'static str,
        /// How many it needs.
        least: u8,
        /// How many it takes; `None` when any number.
        most: Option<u8>,
        /// How many there are.
        given: usize,
    },
}

/// How many arguments a function takes, in words.
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
