//! The standard library: one table for each family.
//!
//! A function is described once, in its table: how it is called, what it does, an example that the tests
//! evaluate, how many arguments it takes, and how far it looks into them.

pub(super) mod arguments;
mod choice;
mod collections;
mod conversion;
mod encoding;
mod files;
mod format;
pub(super) mod function;
mod lists;
mod numbers;
pub(super) mod own;
mod pattern;
mod strings;
mod yaml;

use crate::diagnostic::close_names;
use crate::types::function::ModuleFunctions;

pub use function::Function;
pub(super) use function::FunctionRef;

/// The families, in the order of the documentation.
static FAMILIES: [&[Function]; 10] = [
    strings::FUNCTIONS,
    format::FUNCTIONS,
    pattern::FUNCTIONS,
    lists::FUNCTIONS,
    collections::FUNCTIONS,
    numbers::FUNCTIONS,
    conversion::FUNCTIONS,
    encoding::FUNCTIONS,
    files::FUNCTIONS,
    choice::FUNCTIONS,
];

/// Every function that expressions can call.
///
/// ```
/// let upper = converge_core::language::expression::functions().find(|function| function.name() == "upper");
/// assert_eq!(upper.map(|upper| upper.signature()).as_deref(), Some("upper(string)"));
/// ```
pub fn functions() -> impl Iterator<Item = &'static Function> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The function of a name, of the language or of the program, or names like it.
pub(super) fn find(name: &str, own: &ModuleFunctions) -> Result<FunctionRef, Vec<String>> {
    let standard = functions().find(|function| function.name == name).map(FunctionRef::Standard);
    standard.or_else(|| own.get(name).map(function::own)).ok_or_else(|| {
        let names = functions().map(|function| function.name).chain(own.names());
        close_names(name, names)
    })
}
