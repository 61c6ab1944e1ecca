//! Functions of numbers.

use super::arguments::{Args, FunctionResult};
use super::error::FunctionError;
use super::function::Function;
use crate::language::convert;
use crate::language::convert::Number;
use crate::types::value::Value;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new("min", "number..", "The smallest number.", ["min(3, 1, 2)", "1"])
        .takes_any(1)
        .runs_deep(min),
    Function::new("max", "number..", "The largest number.", ["max(3, 1, 2)", "3"])
        .takes_any(1)
        .runs_deep(max),
    Function::new("sum", "list", "All numbers of the list together.", ["sum([1, 2.5])", "3.5"])
        .runs_deep(sum),
    Function::new("abs", "number", "The number without its sign.", ["abs(-2)", "2"]).runs_deep(abs),
    Function::new("floor", "number", "The next whole number below.", ["floor(-1.5)", "-2"]).runs_deep(floor),
    Function::new("ceil", "number", "The next whole number above.", ["ceil(1.2)", "2"]).runs_deep(ceil),
];

fn min(args: &mut Args<'_>) -> FunctionResult {
    pick(args, std::cmp::Ordering::Less)
}

fn max(args: &mut Args<'_>) -> FunctionResult {
    pick(args, std::cmp::Ordering::Greater)
}

fn pick(args: &Args<'_>, ordering: std::cmp::Ordering) -> FunctionResult {
    let mut extreme = args.number(0)?;
    for index in 1..args.count() {
        let number = args.number(index)?;
        if number.compare(extreme) == ordering {
            extreme = number;
        }
    }
    Ok(extreme.into())
}

fn overflow(args: &Args<'_>) -> FunctionError {
    args.refuse("the result does not fit into a number")
}

fn sum(args: &mut Args<'_>) -> FunctionResult {
    let items = args.list(0)?;
    if items.is_empty() {
        return Err(args.refuse_at(0, "an empty list has no sum"));
    }
    let mut sum = Number::Int(0);
    for (index, item) in items.iter().enumerate() {
        let number = convert::number(item).ok_or_else(|| {
            args.refuse_at(0, format!("the item {index} must be a number, not {}", item.kind()))
        })?;
        let next = match (sum, number) {
            (Number::Int(left), Number::Int(right)) => left.checked_add(right).map(Number::Int),
            _ => Number::from_float(sum.to_float() + number.to_float()),
        };
        sum = next.ok_or_else(|| overflow(args))?;
    }
    Ok(sum.into())
}

fn abs(args: &mut Args<'_>) -> FunctionResult {
    Ok(match args.number(0)? {
        Number::Int(value) => Value::Int(value.checked_abs().ok_or_else(|| overflow(args))?),
        Number::Float(value) => Value::Float(value.abs()),
    })
}

fn floor(args: &mut Args<'_>) -> FunctionResult {
    rounded(args, f64::floor)
}

fn ceil(args: &mut Args<'_>) -> FunctionResult {
    rounded(args, f64::ceil)
}

fn rounded(args: &Args<'_>, round: fn(f64) -> f64) -> FunctionResult {
    Ok(match args.number(0)? {
        Number::Int(value) => Value::Int(value),
        Number::Float(value) => Number::from_float(round(value)).ok_or_else(|| overflow(args))?.into(),
    })
}
