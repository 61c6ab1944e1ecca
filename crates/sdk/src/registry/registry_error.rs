//! Errors of combining resource types.

use converge_value::debug_as_text;

/// The reason why a set of resource types cannot be combined.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two Rust types have the same name.
    #[error(
        "two resource types are named `{name}`: {first} and {second}; give one of them another name in its \
         `#[preparer(name = \"..\")]`, or register only one"
    )]
    Duplicate {
        /// The name in modules.
        name: &'static str,
        /// The first type of that name.
        first: &'static str,
        /// The second type of that name.
        second: &'static str,
    },
    /// The module language reserves the name.
    #[error(
        "`{name}` belongs to the module language: {rust_name} needs another name in its `#[preparer(name = \"..\")]`"
    )]
    Reserved {
        /// The name in modules.
        name: &'static str,
        /// The Rust type.
        rust_name: &'static str,
    },
    /// A function cannot be added.
    #[error("the function `{name}` cannot be added: {problem}")]
    Function {
        /// The name of the function.
        name: &'static str,
        /// The reason.
        problem: String,
    },
    /// Several errors of a [`RegistryBuilder`](super::RegistryBuilder).
    #[error("{}", lines(.0))]
    Several(Vec<RegistryError>),
    /// The definition of a type contradicts itself.
    #[error("the definition of `{name}` ({rust_name}) is wrong: {problem}")]
    Definition {
        /// The name in modules.
        name: &'static str,
        /// The Rust type.
        rust_name: &'static str,
        /// The contradiction.
        problem: String,
    },
}

debug_as_text!(RegistryError);

impl RegistryError {
    /// Combines errors into one; `None` if there are none.
    pub(super) fn combine(mut errors: Vec<Self>) -> Option<Self> {
        match errors.len() {
            0 | 1 => errors.pop(),
            _ => Some(Self::Several(errors)),
        }
    }
}

fn lines(errors: &[RegistryError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
