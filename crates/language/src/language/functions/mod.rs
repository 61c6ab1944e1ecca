//! The standard library of functions, one table per family.
//!
//! A function is described once, in its table: signature, description, an example that the tests evaluate,
//! number of arguments, and the depth to which it reads them.

mod argument_marks;
pub(super) mod arguments;
mod arithmetic;
mod base64;
mod cidr;
mod collections;
mod conversion;
mod crypt;
mod csv;
mod dates;
mod defaults;
mod encoding;
mod error;
mod files;
pub(super) mod foreign_functions;
mod format;
pub(super) mod function;
mod glob;
mod hashes;
mod ini;
mod lists;
mod numbers;
pub(super) mod program_functions;
mod regex;
mod reshaping;
mod secrecy;
mod sets;
mod shell;
mod strings;
mod url;
mod version;
mod yaml;
mod yaml_reader;

use crate::diagnostic::close_names;
use crate::language::call_error::CallError;
use crate::types::function::ModuleFunctions;

pub(super) use argument_marks::look_through;
pub(super) use arguments::FunctionResult;
pub(super) use defaults::DEFAULT;
pub(super) use error::FunctionError;
pub use function::Function;
pub(super) use function::{FunctionRef, Implementation, PipePlace};

/// The families, in the order of the documentation.
static FAMILIES: [&[Function]; 23] = [
    strings::FUNCTIONS,
    format::FUNCTIONS,
    regex::FUNCTIONS,
    shell::FUNCTIONS,
    version::FUNCTIONS,
    lists::FUNCTIONS,
    sets::FUNCTIONS,
    collections::FUNCTIONS,
    reshaping::FUNCTIONS,
    numbers::FUNCTIONS,
    arithmetic::FUNCTIONS,
    conversion::FUNCTIONS,
    encoding::FUNCTIONS,
    csv::FUNCTIONS,
    ini::FUNCTIONS,
    url::FUNCTIONS,
    hashes::FUNCTIONS,
    crypt::FUNCTIONS,
    dates::FUNCTIONS,
    cidr::FUNCTIONS,
    files::FUNCTIONS,
    defaults::FUNCTIONS,
    secrecy::FUNCTIONS,
];

/// Returns every function that expressions can call.
///
/// Templates can call those for which [`Function::pipe`] returns a form.
///
/// ```
/// let upper = converge_core::language::expression::functions().find(|function| function.name() == "upper");
/// assert_eq!(upper.map(|upper| upper.signature()).as_deref(), Some("upper(string)"));
/// ```
pub fn functions() -> impl Iterator<Item = &'static Function> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// Returns the function with a name in an expression, from the language or the embedding program.
pub(super) fn find(name: &str, module_functions: &ModuleFunctions) -> Result<FunctionRef, CallError> {
    let standard = functions().find(|function| function.name == name).map(FunctionRef::Standard);
    standard.or_else(|| module_functions.get(name).map(function::own)).ok_or_else(|| {
        let name = name.to_owned();
        if let Some(instead) = foreign_functions::in_expression(&name) {
            return CallError::ForeignFunction { name, instead };
        }
        let close =
            close_names(&name, functions().map(|function| function.name).chain(module_functions.names()));
        CallError::UnknownFunction { name, close }
    })
}
