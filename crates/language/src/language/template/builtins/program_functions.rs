//! Calls of functions that the program registered.

use crate::types::function::{ModuleFunction, Purity};
use crate::types::value::{Unknown, Value};

use super::super::data::budget::spend_datum;
use super::super::data::datum::Datum;
use super::builtin::{BuiltinArgs, BuiltinResult};
use crate::language::error::LanguageErrorKind as Kind;
use crate::language::functions::FunctionError;

/// Calls a function that the program registered.
///
/// When a module is loaded, a function that needs more than its arguments is left to the run.
pub(crate) fn call(function: &ModuleFunction, args: &mut BuiltinArgs<'_>) -> BuiltinResult {
    if function.purity() == Purity::InRun && args.scope.blocks().is_err() {
        let unknown = Unknown { waits_for: function.signature().into() };
        return Ok(Datum::from_value(Value::Unknown(unknown)));
    }
    let values: Vec<Value> = args.values.iter().cloned().map(Datum::into_value).collect();
    // The function may read any part of an argument, so unknown items matter.
    if let Some(unknown) = values.iter().find_map(Value::find_unknown) {
        return Ok(Datum::from_value(Value::Unknown(unknown.clone())));
    }
    let secret = values.iter().any(Value::contains_secret);
    match function.call(values) {
        Ok(value) => {
            let datum = Datum::from_value(value).marked(secret);
            spend_datum(args.budget, &datum).map_err(FunctionError::from)?;
            Ok(datum)
        }
        Err(failure) => {
            let refused = args.refuse(failure.message);
            let kind = if secret { Kind::secret_argument(function.name()) } else { refused.kind };
            Err(FunctionError { kind, argument: failure.argument, place: None })
        }
    }
}
