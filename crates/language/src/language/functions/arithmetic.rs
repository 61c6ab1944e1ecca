//! Operators as functions for templates, and powers.

use super::arguments::{Args, FunctionResult};
use super::error::FunctionError;
use super::function::Function;
use crate::language::convert::Number;
use crate::types::value::Value;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new("add", "number..", "All numbers together, as `+` adds them.", ["add(1, 2, 3.5)", "6.5"])
        .takes_any(2)
        .runs_deep(add),
    Function::new(
        "sub",
        "number, other",
        "The number less the other one, as `-` subtracts.",
        ["sub(5, 3)", "2"],
    )
    .takes(2, 2)
    .runs_deep(sub),
    Function::new(
        "mul",
        "number..",
        "The product of all numbers, as `*` multiplies.",
        ["mul(2, 3, 4)", "24"],
    )
    .takes_any(2)
    .runs_deep(mul),
    Function::new(
        "div",
        "number, divisor",
        "The number divided, as `/` divides: with a fraction, where there is one.",
        ["div(7, 2)", "3.5"],
    )
    .takes(2, 2)
    .runs_deep(div),
    Function::new(
        "mod",
        "number, divisor",
        "What is left of the number when it is divided, as of `%`: its sign is that of the number.",
        ["mod(7, 3)", "1"],
    )
    .takes(2, 2)
    .runs_deep(remainder),
    Function::new("pow", "number, exponent", "The number to this power.", ["pow(2, 10)", "1024"])
        .takes(2, 2)
        .runs_deep(pow),
    Function::new("log", "number, base", "The logarithm of the number to this base.", ["log(8, 2)", "3"])
        .takes(2, 2)
        .runs_deep(log),
    Function::new("signum", "number", "The sign of the number: -1, 0 or 1.", ["signum(-2.5)", "-1"])
        .runs_deep(signum),
    Function::new(
        "parseint",
        "string, base",
        "The whole number that a text spells in a base from 2 to 62.",
        [r#"parseint("1a", 16)"#, "26"],
    )
    .takes(2, 2)
    .runs_deep(parseint),
];

fn overflow(args: &Args<'_>) -> FunctionError {
    args.refuse("the result does not fit into a number")
}

fn finite(args: &Args<'_>, value: f64) -> Result<Number, FunctionError> {
    Number::from_float(value).ok_or_else(|| overflow(args))
}

/// Whole numbers stay whole; an overflow is an error.
fn computed(
    args: &Args<'_>,
    (left, right): (Number, Number),
    whole: fn(i64, i64) -> Option<i64>,
    float: fn(f64, f64) -> f64,
) -> Result<Number, FunctionError> {
    match (left, right) {
        (Number::Int(left), Number::Int(right)) => {
            whole(left, right).map(Number::Int).ok_or_else(|| overflow(args))
        }
        _ => finite(args, float(left.to_float(), right.to_float())),
    }
}

fn folded(
    args: &Args<'_>,
    integer: fn(i64, i64) -> Option<i64>,
    float: fn(f64, f64) -> f64,
) -> FunctionResult {
    let mut total = args.number(0)?;
    for index in 1..args.count() {
        total = computed(args, (total, args.number(index)?), integer, float)?;
    }
    Ok(total.into())
}

fn add(args: &mut Args<'_>) -> FunctionResult {
    folded(args, i64::checked_add, |left, right| left + right)
}

fn sub(args: &mut Args<'_>) -> FunctionResult {
    folded(args, i64::checked_sub, |left, right| left - right)
}

fn mul(args: &mut Args<'_>) -> FunctionResult {
    folded(args, i64::checked_mul, |left, right| left * right)
}

/// Returns the dividend and the divisor, which must not be 0.
fn division(args: &Args<'_>) -> Result<(Number, Number), FunctionError> {
    let numbers = (args.number(0)?, args.number(1)?);
    if numbers.1.compare(Number::Int(0)).is_eq() {
        return Err(args.refuse_at(1, "division by zero"));
    }
    Ok(numbers)
}

fn div(args: &mut Args<'_>) -> FunctionResult {
    let numbers = division(args)?;
    let exact = match numbers {
        (Number::Int(left), Number::Int(right)) if left.checked_rem(right) == Some(0) => {
            left.checked_div(right)
        }
        _ => None,
    };
    if let Some(exact) = exact {
        return Ok(Value::Int(exact));
    }
    Ok(finite(args, numbers.0.to_float() / numbers.1.to_float())?.into())
}

fn remainder(args: &mut Args<'_>) -> FunctionResult {
    let numbers = division(args)?;
    Ok(computed(args, numbers, |left, right| Some(left.wrapping_rem(right)), |left, right| left % right)?
        .into())
}

fn pow(args: &mut Args<'_>) -> FunctionResult {
    let (number, exponent) = (args.number(0)?, args.number(1)?);
    if let (Number::Int(number), Number::Int(exponent)) = (number, exponent)
        && let Some(exact) = u32::try_from(exponent).ok().and_then(|exponent| number.checked_pow(exponent))
    {
        return Ok(Value::Int(exact));
    }
    Ok(finite(args, number.to_float().powf(exponent.to_float()))?.into())
}

fn log(args: &mut Args<'_>) -> FunctionResult {
    let (number, base) = (args.number(0)?.to_float(), args.number(1)?.to_float());
    if number <= 0.0 {
        return Err(args.refuse_at(0, "only a number above 0 has a logarithm"));
    }
    if base <= 0.0 || (base - 1.0).abs() < f64::EPSILON {
        return Err(args.refuse_at(1, "the base must be above 0, and not 1"));
    }
    // These functions are exact if the result is a whole number.
    let result = match base {
        2.0 => number.log2(),
        10.0 => number.log10(),
        _ => number.ln() / base.ln(),
    };
    Ok(finite(args, result)?.into())
}

fn signum(args: &mut Args<'_>) -> FunctionResult {
    Ok(Value::Int(args.number(0)?.compare(Number::Int(0)) as i64))
}

fn parseint(args: &mut Args<'_>) -> FunctionResult {
    let (text, base) = (args.text(0)?, args.int(1)?);
    if !(2..=62).contains(&base) {
        return Err(args.refuse_at(1, "the base must be from 2 to 62"));
    }
    let parse_error = || args.refuse_at(0, format!("this is not a whole number in base {base}"));
    let (digits, is_negative) = match text.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (text.strip_prefix('+').unwrap_or(&text), false),
    };
    if digits.is_empty() {
        return Err(parse_error());
    }
    let mut number: i64 = 0;
    for c in digits.chars() {
        // Up to base 36, letters ignore case; beyond that, upper-case letters follow the lower-case ones.
        let digit = match c {
            '0'..='9' => i64::from(u32::from(c) - u32::from('0')),
            'a'..='z' => i64::from(u32::from(c) - u32::from('a')) + 10,
            'A'..='Z' => i64::from(u32::from(c) - u32::from('A')) + if base <= 36 { 10 } else { 36 },
            _ => return Err(parse_error()),
        };
        if digit >= base {
            return Err(parse_error());
        }
        let next = number.checked_mul(base).and_then(|number| {
            if is_negative { number.checked_sub(digit) } else { number.checked_add(digit) }
        });
        number = next.ok_or_else(|| overflow(args))?;
    }
    Ok(Value::Int(number))
}
