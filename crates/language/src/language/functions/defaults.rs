//! Functions that choose between values.

use super::arguments::{Args, FunctionResult};
use super::function::{Function, Implementation, Strictness};
use crate::language::operand::marked;
use crate::types::value::Value;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "coalesce",
        "value..",
        "The first value that is neither null nor empty text.",
        [r#"coalesce(null, "", "a")"#, r#""a""#],
    )
    .takes_any(1)
    .runs(Strictness::Custom, Implementation::Plain(coalesce))
    .sees_missing(),
    Function::new(
        "try",
        "expression..",
        "The first expression that can be evaluated.",
        [r#"try({}.name, "none")"#, r#""none""#],
    )
    .takes_any(1)
    .runs(Strictness::Custom, Implementation::Try),
    Function::new(
        "can",
        "expression",
        "Whether the expression can be evaluated.",
        [r#"can(tonumber("x"))"#, "false"],
    )
    .runs(Strictness::Custom, Implementation::Can),
];

/// The function `default`, for templates only.
///
/// Expressions have `coalesce`, and `default` of Jinja has the reverse order of arguments.
pub(crate) const DEFAULT: Function = Function::new("default", "", "", ["", ""])
    .takes(2, 2)
    .runs(Strictness::Custom, Implementation::Plain(default))
    .sees_missing()
    .piped_last();

fn default(args: &mut Args<'_>) -> FunctionResult {
    let mut value = args.get(1);
    let mut secret = false;
    while let Value::Secret(hidden) = value {
        secret = true;
        value = hidden.expose();
    }
    let is_absent = match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    Ok(marked(args.take(usize::from(!is_absent))?, secret))
}

fn coalesce(args: &mut Args<'_>) -> FunctionResult {
    let mut secret = false;
    for index in 0..args.count() {
        let value = args.get(index);
        let mut inner = value;
        while let Value::Secret(hidden) = inner {
            secret = true;
            inner = hidden.expose();
        }
        match inner {
            Value::Null => {}
            Value::String(text) if text.is_empty() => {}
            // Later values count only if this one turns out to be null or empty.
            Value::Unknown(unknown) => return Ok(Value::Unknown(unknown.clone())),
            _ => return Ok(marked(args.take(index)?, secret)),
        }
    }
    Err(args.refuse("every value is null or empty"))
}
