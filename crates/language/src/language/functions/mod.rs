//! The standard library of functions, one table per family.
//!
//! A function is described once, in its table: signature, description, an example that the tests evaluate,
//! number of arguments, and the depth to which it reads them.

mod argument_marks;
pub(super) mod arguments;
mod arithmetic;
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
mod function_ref;
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
pub(super) mod template_arguments;
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
pub(super) use function::{Implementation, NameUse, PipePlace, Record};
pub(super) use function_ref::FunctionRef;
#[doc(hidden)]
pub use yaml_reader::decode_yaml;

/// The families, in the order of the documentation.
pub(super) static FAMILIES: [&[Function]; 23] = [
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
pub fn functions() -> impl Iterator<Item = &'static Function> + Clone {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// Returns the function with a name, from `standard` or from the embedding program.
pub(super) fn known(
    name: &str,
    mut standard: impl Iterator<Item = &'static Function>,
    own: &ModuleFunctions,
) -> Option<FunctionRef> {
    let standard = standard.find(|function| function.name == name).map(FunctionRef::Standard);
    standard.or_else(|| own.get(name).map(FunctionRef::own))
}

/// Returns the function with a name, or an error with what to write instead.
///
/// `foreign` returns the equivalent of a function of another language.
pub(super) fn find(
    name: &str,
    standard: impl Iterator<Item = &'static Function> + Clone,
    own: &ModuleFunctions,
    foreign: fn(&str) -> Option<&'static str>,
) -> Result<FunctionRef, CallError> {
    known(name, standard.clone(), own).ok_or_else(|| {
        let name = name.to_owned();
        if let Some(instead) = foreign(&name) {
            return CallError::ForeignFunction { name, instead };
        }
        let close = close_names(&name, standard.map(|function| function.name).chain(own.names()));
        CallError::UnknownFunction { name, close }
    })
}
