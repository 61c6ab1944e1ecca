//! Lists used as sets, and questions about the items of a list.

use super::arguments::{Args, FunctionResult, length};
use super::error::FunctionError;
use super::function::Function;
use super::lists::{Ordered, set_of};
use crate::language::convert;
use crate::types::value::Value;
use std::collections::BTreeSet;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "setunion",
        "list..",
        "The distinct items of all lists, sorted.",
        [r#"setunion(["b"], ["a", "b"])"#, r#"["a", "b"]"#],
    )
    .takes_any(1)
    .runs_deep(setunion),
    Function::new(
        "setintersection",
        "list..",
        "The distinct items that are in every list, sorted.",
        [r#"setintersection(["c", "a", "b"], ["b", "c"])"#, r#"["b", "c"]"#],
    )
    .takes_any(1)
    .runs_deep(setintersection),
    Function::new(
        "setsubtract",
        "list, other",
        "The distinct items of the list that are not in the other one, sorted.",
        [r#"setsubtract(["c", "a", "b"], ["b"])"#, r#"["a", "c"]"#],
    )
    .takes(2, 2)
    .runs_deep(setsubtract),
    Function::new(
        "setproduct",
        "list..",
        "Every choice of one item of each list, as lists.",
        [r#"setproduct(["a", "b"], [1, 2])"#, r#"[["a", 1], ["a", 2], ["b", 1], ["b", 2]]"#],
    )
    .takes_any(1)
    .runs_deep(setproduct),
    Function::new(
        "in",
        "value, collection",
        "Whether a list has the value as an item, a map as a key, or a text as a part.",
        [r#"in("b", ["a", "b"])"#, "true"],
    )
    .takes(2, 2)
    .runs_deep(is_in),
    Function::new(
        "index",
        "list, value",
        "The position of the first item that equals the value. A missing item is an error.",
        [r#"index(["a", "b"], "b")"#, "1"],
    )
    .takes(2, 2)
    .runs_deep(index)
    .hidden_in_templates(),
    Function::new(
        "matchkeys",
        "values, keys, wanted",
        "The values whose key, at the same position, is one of those that are wanted.",
        [r#"matchkeys(["i-1", "i-2", "i-3"], ["east", "west", "east"], ["east"])"#, r#"["i-1", "i-3"]"#],
    )
    .takes(3, 3)
    .runs_deep(matchkeys),
    Function::new(
        "alltrue",
        "list",
        "Whether every item is true; of an empty list it is true.",
        [r#"alltrue([true, "true"])"#, "true"],
    )
    .runs_deep(alltrue),
    Function::new(
        "anytrue",
        "list",
        "Whether an item is true; of an empty list it is false.",
        ["anytrue([false, true])", "true"],
    )
    .runs_deep(anytrue),
];

fn setunion(args: &mut Args<'_>) -> FunctionResult {
    let mut union = Vec::new();
    for index in 0..args.count() {
        args.budget.spend_text(args.get(index))?;
        union.extend(args.take_list(index)?);
    }
    Ok(set_of(union))
}

/// Returns the distinct items of a list.
fn members<'v>(args: &'v Args<'_>, index: usize) -> Result<BTreeSet<Ordered<'v>>, FunctionError> {
    args.budget.spend_text(args.get(index))?;
    Ok(args.list(index)?.iter().map(Ordered).collect())
}

fn setintersection(args: &mut Args<'_>) -> FunctionResult {
    let mut intersection = members(args, 0)?;
    for index in 1..args.count() {
        let others = members(args, index)?;
        intersection.retain(|item| others.contains(item));
    }
    Ok(Value::List(intersection.into_iter().map(|item| item.0.clone()).collect()))
}

fn setsubtract(args: &mut Args<'_>) -> FunctionResult {
    let (items, others) = (members(args, 0)?, members(args, 1)?);
    Ok(Value::List(
        items.into_iter().filter(|item| !others.contains(item)).map(|item| item.0.clone()).collect(),
    ))
}

fn setproduct(args: &mut Args<'_>) -> FunctionResult {
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    for index in 0..args.count() {
        let items = args.list(index)?;
        // Every row is copied for every item.
        args.budget.spend(rows.len().saturating_mul(items.len()).saturating_mul(index + 1))?;
        let mut longer = Vec::with_capacity(rows.len() * items.len());
        for row in &rows {
            for item in items {
                args.budget.spend_value(item)?;
                let mut row = row.clone();
                row.push(item.clone());
                longer.push(row);
            }
        }
        rows = longer;
    }
    Ok(Value::List(rows.into_iter().map(Value::List).collect()))
}

fn is_in(args: &mut Args<'_>) -> FunctionResult {
    let value = args.get(0);
    args.budget.spend_text(args.get(1))?;
    Ok(match args.get(1) {
        Value::List(items) => items.iter().any(|item| convert::equal(item, value)),
        Value::Map(items) => items.contains_key(&*args.text(0)?),
        Value::String(text) => text.contains(&*args.text(0)?),
        _ => return Err(args.wrong(1, "a list, a map or a string")),
    }
    .into())
}

fn index(args: &mut Args<'_>) -> FunctionResult {
    args.budget.spend_text(args.get(0))?;
    let value = args.get(1);
    let position = args.list(0)?.iter().position(|item| convert::equal(item, value));
    position.map(length).ok_or_else(|| args.refuse_at(1, "no item of the list equals this"))
}

fn matchkeys(args: &mut Args<'_>) -> FunctionResult {
    let (keys, search_keys) = (args.list(1)?, members(args, 2)?);
    let values = args.list(0)?;
    if values.len() != keys.len() {
        let message = format!("there are {} values and {} keys", values.len(), keys.len());
        return Err(args.refuse(message));
    }
    args.budget.spend_text(args.get(1))?;
    let matching = values.iter().zip(keys).filter(|(_, key)| search_keys.contains(&Ordered(key)));
    Ok(Value::List(matching.map(|(value, _)| value.clone()).collect()))
}

/// Returns the items of a list, which must all be booleans.
fn bools(args: &Args<'_>) -> Result<Vec<bool>, FunctionError> {
    let bools = args.list(0)?.iter().enumerate().map(|(at, item)| {
        convert::boolean(item).ok_or_else(|| {
            args.refuse_at(0, format!("the item {at} must be true or false, not {}", item.kind()))
        })
    });
    bools.collect()
}

fn alltrue(args: &mut Args<'_>) -> FunctionResult {
    Ok(bools(args)?.into_iter().all(|item| item).into())
}

fn anytrue(args: &mut Args<'_>) -> FunctionResult {
    Ok(bools(args)?.into_iter().any(|item| item).into())
}
