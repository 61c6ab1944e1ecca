//! Functions of the embedding program.

use crate::types::function::{ModuleFunction, Purity};
use crate::types::value::{Unknown, Value};

use super::arguments::{Args, FunctionResult};
use super::error::FunctionError;

/// Calls a function of the embedding program.
///
/// While a module is loaded, the result of an impure function is unknown.
pub(crate) fn call(function: &ModuleFunction, args: &mut Args<'_>) -> FunctionResult {
    if function.purity() == Purity::InRun && args.scope.blocks().is_err() {
        return Ok(Value::Unknown(Unknown { waits_for: function.signature().into() }));
    }
    let values = (0..args.count()).map(|index| args.take(index)).collect::<Result<Vec<_>, _>>()?;
    let value = function
        .call(values)
        .map_err(|failure| FunctionError { argument: failure.argument, ..args.refuse(failure.message) })?;
    args.budget.spend_value(&value)?;
    args.budget.spend_text(&value)?;
    Ok(value)
}
