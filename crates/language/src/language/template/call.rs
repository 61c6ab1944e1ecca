//! Calls of the functions that templates and expressions share.

use super::file::templatefile;
use crate::language::functions::arguments::Args;
use crate::language::functions::{FunctionRef, FunctionResult, Implementation, program_functions};
use crate::types::value::Value;

/// Calls a function of expressions or of the program.
///
/// The arguments are known as deep as the function reads them.
pub(crate) fn call_function(function: &FunctionRef, args: &mut Args<'_>) -> FunctionResult {
    match (function.implementation, function.as_own()) {
        (Implementation::Plain(run), _) => run(args),
        (Implementation::TemplateFile, _) => templatefile(args),
        (_, Some(own)) => program_functions::call(own, args),
        (_, None) => Ok(Value::Null),
    }
}
