//! Functions of secrets.
//!
//! No function removes a secret mark: a value made from a secret is a secret too.

use super::arguments::{Args, FunctionResult};
use super::function::{Function, Implementation, Strictness};
use crate::types::value::Value;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "sensitive",
        "value",
        "The value as a secret: no output shows it or a value made from it.",
        [r#"issensitive(sensitive("x"))"#, "true"],
    )
    .runs(Strictness::Custom, Implementation::Plain(sensitive)),
    Function::new(
        "issensitive",
        "value",
        "Whether the value is a secret, or has one in it.",
        [r#"issensitive("x")"#, "false"],
    )
    .runs(Strictness::Custom, Implementation::Plain(issensitive)),
];

fn sensitive(args: &mut Args<'_>) -> FunctionResult {
    Ok(match args.take(0)? {
        // An unknown value is marked when it becomes known.
        value @ (Value::Unknown(_) | Value::Secret(_)) => value,
        value => value.into_secret(),
    })
}

fn issensitive(args: &mut Args<'_>) -> FunctionResult {
    let value = args.get(0);
    args.budget.spend_value(value)?;
    Ok(match value.find_unknown() {
        Some(unknown) if !value.contains_secret() => Value::Unknown(unknown.clone()),
        _ => value.contains_secret().into(),
    })
}
