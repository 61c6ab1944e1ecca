//! Handling of unknown and secret arguments, by the depth to which a function reads them.

use super::error::FunctionError;
use super::function::{Function, Strictness};
use crate::language::budget::StepBudget;
use crate::language::operand::{Forced, Operand, force, reveal};
use crate::types::value::Value;

/// Removes secret marks as deep as the function reads, and looks for unknown values there.
pub(crate) fn look_through(
    function: &Function,
    values: &mut [Operand<'_>],
    budget: &StepBudget<'_>,
) -> Result<Forced<()>, FunctionError> {
    let mut secret = false;
    if function.strictness == Strictness::Custom {
        return Ok(Forced::Known((), secret));
    }
    for (index, place) in values.iter_mut().enumerate() {
        let argument_error = |reason| FunctionError::from(reason).at(index);
        let operand = std::mem::replace(place, Operand::Owned(Value::Null));
        *place = match function.strictness {
            Strictness::Deep => {
                budget.spend_value(&operand).map_err(argument_error)?;
                if let Some(unknown) = operand.find_unknown() {
                    return Ok(Forced::Unknown(unknown.clone()));
                }
                if operand.contains_secret() {
                    secret = true;
                    Operand::Owned(reveal(operand.into_owned(budget).map_err(argument_error)?))
                } else {
                    operand
                }
            }
            Strictness::Shallow | Strictness::Custom => {
                match force(operand, budget).map_err(argument_error)? {
                    Forced::Unknown(unknown) => return Ok(Forced::Unknown(unknown)),
                    Forced::Known(value, hidden) => {
                        secret |= hidden;
                        value
                    }
                }
            }
        };
    }
    Ok(Forced::Known((), secret))
}
