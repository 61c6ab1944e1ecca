//! Conversions between kinds of values. Null stays null.

use super::arguments::{Args, FunctionResult, wrong};
use super::function::Function;
use super::lists::set_of;
use crate::language::convert;
use crate::types::value::Value;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new("tostring", "value", "A number or a bool as text.", ["tostring(1.50)", r#""1.5""#])
        .runs_deep(tostring),
    Function::new("tonumber", "value", "Text as a number.", [r#"tonumber("15")"#, "15"]).runs_deep(tonumber),
    Function::new("tobool", "value", "The text `true` or `false` as a bool.", [r#"tobool("true")"#, "true"])
        .runs_deep(tobool),
    Function::new("tolist", "value", "A list; here lists and sets are one.", ["tolist([2, 1])", "[2, 1]"])
        .runs_shallow(tolist),
    Function::new(
        "toset",
        "list",
        "The distinct items, sorted.",
        [r#"toset(["b", "a", "b"])"#, r#"["a", "b"]"#],
    )
    .runs_deep(toset),
    Function::new(
        "type",
        "value",
        "The kind of the value: `string`, `number`, `bool`, `list`, `map` or `null`.",
        ["type([1])", r#""list""#],
    )
    .runs_shallow(kind)
    .sees_missing(),
    Function::new("tomap", "value", "A map.", ["tomap({a = 1})", "{a = 1}"]).runs_shallow(tomap),
];

fn tostring(args: &mut Args<'_>) -> FunctionResult {
    match args.get(0) {
        Value::Null => Ok(Value::Null),
        _ => Ok(Value::String(args.text(0)?)),
    }
}

fn tonumber(args: &mut Args<'_>) -> FunctionResult {
    match args.get(0) {
        Value::Null => Ok(Value::Null),
        _ => Ok(args.number(0)?.into()),
    }
}

fn tobool(args: &mut Args<'_>) -> FunctionResult {
    match args.get(0) {
        Value::Null => Ok(Value::Null),
        value => match convert::boolean(value) {
            Some(value) => Ok(Value::Bool(value)),
            None => Err(wrong(args.function, 0, "true or false", convert::actual(value))),
        },
    }
}

fn tolist(args: &mut Args<'_>) -> FunctionResult {
    match args.get(0) {
        Value::Null => Ok(Value::Null),
        _ => Ok(Value::List(args.take_list(0)?)),
    }
}

fn toset(args: &mut Args<'_>) -> FunctionResult {
    if *args.get(0) == Value::Null {
        return Ok(Value::Null);
    }
    args.budget.spend_text(args.get(0))?;
    Ok(set_of(args.take_list(0)?))
}

#[expect(clippy::unnecessary_wraps, reason = "the type of every function")]
fn kind(args: &mut Args<'_>) -> FunctionResult {
    Ok(match args.get(0) {
        Value::String(_) => "string",
        Value::Int(_) | Value::Float(_) => "number",
        Value::Bool(_) => "bool",
        Value::List(_) => "list",
        Value::Map(_) => "map",
        Value::Null | Value::Unknown(_) | Value::Secret(_) => "null",
    }
    .into())
}

fn tomap(args: &mut Args<'_>) -> FunctionResult {
    match args.get(0) {
        Value::Null => Ok(Value::Null),
        _ => Ok(Value::Map(args.take_map(0)?)),
    }
}
