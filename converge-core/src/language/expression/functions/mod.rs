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
mod pattern;
mod strings;
mod yaml;

use crate::diagnostic::close_names;

pub use function::Function;

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

/// The function of a name, or names like it.
pub(super) fn find(name: &str) -> Result<&'static Function, Vec<String>> {
    functions().find(|function| function.name == name).ok_or_else(|| {
        let names = functions().map(|function| function.name);
        close_names(name, names)
    })
}
