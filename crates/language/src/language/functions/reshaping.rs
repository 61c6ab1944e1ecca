//! Functions that reshape lists and maps.

use super::arguments::{Args, FunctionResult};
use super::error::FunctionError;
use super::function::{Function, Implementation, Strictness};
use crate::language::budget::StepBudget;
use crate::language::convert;
use crate::language::operand::{Forced, Operand, copy, force, marked, reveal};
use crate::types::value::{Value, ValueMap};

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "list",
        "value..",
        "A list of the values; for templates, which have no other way to write one.",
        [r#"list("a", 1)"#, r#"["a", 1]"#],
    )
    .takes_any(0)
    .runs(Strictness::Custom, Implementation::Plain(list)),
    Function::new(
        "dict",
        "key, value..",
        "A map of keys and values, one after the other; for templates, which have no other way to write one.",
        [r#"dict("a", 1, "b", 2)"#, "{a = 1, b = 2}"],
    )
    .takes_any(0)
    .runs(Strictness::Custom, Implementation::Plain(dict)),
    Function::new(
        "chunklist",
        "list, size",
        "The items in lists of that size; the last one may be shorter.",
        ["chunklist([1, 2, 3], 2)", "[[1, 2], [3]]"],
    )
    .takes(2, 2)
    .runs_shallow(chunklist),
    Function::new(
        "one",
        "list",
        "The only item of a list, or null where it is empty. That there are more is an error.",
        [r#"one(["a"])"#, r#""a""#],
    )
    .runs_shallow(one),
    Function::new(
        "coalescelist",
        "list..",
        "The first list that is not empty.",
        [r#"coalescelist([], ["a"])"#, r#"["a"]"#],
    )
    .takes_any(1)
    .runs_shallow(coalescelist),
    Function::new(
        "transpose",
        "map",
        "A map of lists of texts, with the texts as keys of lists of the keys.",
        [r#"transpose({ada = ["wheel"], bob = ["adm", "wheel"]})"#, r#"{adm = ["bob"], wheel = ["ada", "bob"]}"#],
    )
    .runs_deep(transpose),
    Function::new(
        "deepmerge",
        "map..",
        "All entries of the maps; where several have a map at one key these are merged in the same way, and of anything else \
         the last one counts.",
        ["deepmerge({a = {x = 1, y = 1}}, {a = {y = 2}})", "{a = {x = 1, y = 2}}"],
    )
    .takes_any(1)
    .runs_shallow(deepmerge),
];

/// Returns a list. Unknown and secret items affect neither the other items nor the list.
fn list(args: &mut Args<'_>) -> FunctionResult {
    let items: Result<_, _> = (0..args.count()).map(|index| args.take(index)).collect();
    Ok(Value::List(items?))
}

fn dict(args: &mut Args<'_>) -> FunctionResult {
    if !args.count().is_multiple_of(2) {
        return Err(args.refuse("the last key has no value"));
    }
    let mut map = ValueMap::default();
    let mut secret = false;
    for index in (0..args.count()).step_by(2) {
        match (force(args.take(index)?.into(), args.budget)?, args.values.get_mut(index)) {
            (Forced::Unknown(unknown), _) => return Ok(Value::Unknown(unknown)),
            (Forced::Known(key, hidden), Some(place)) => {
                secret |= hidden;
                *place = Operand::Owned(key.into_owned(args.budget)?);
            }
            (Forced::Known(..), None) => {}
        }
        let hide = |mut failure: FunctionError| {
            if secret {
                failure.kind = failure.kind.hidden("dict");
            }
            failure
        };
        let key = args.text(index).map_err(hide)?;
        if map.insert(key.as_ref().to_owned(), args.take(index + 1)?).is_some() {
            return Err(hide(args.refuse_at(index, format!("the key `{key}` is given twice"))));
        }
    }
    Ok(marked(Value::Map(map), secret))
}

fn chunklist(args: &mut Args<'_>) -> FunctionResult {
    let size =
        usize::try_from(args.int(1)?).map_err(|_| args.refuse_at(1, "the size must not be negative"))?;
    let items = args.take_list(0)?;
    // A size of 0 gives one chunk, as in Terraform.
    let size = if size == 0 { items.len().max(1) } else { size };
    Ok(Value::List(items.chunks(size).map(|chunk| Value::List(chunk.to_vec())).collect()))
}

fn one(args: &mut Args<'_>) -> FunctionResult {
    let mut items = args.take_list(0)?;
    match items.len() {
        0 => Ok(Value::Null),
        1 => Ok(items.remove(0)),
        more => Err(args.refuse_at(0, format!("the list must have at most one item, but has {more}"))),
    }
}

fn coalescelist(args: &mut Args<'_>) -> FunctionResult {
    for index in 0..args.count() {
        if *args.get(index) != Value::Null && !args.list(index)?.is_empty() {
            return args.take(index);
        }
    }
    Err(args.refuse("every list is empty"))
}

fn transpose(args: &mut Args<'_>) -> FunctionResult {
    args.budget.spend_text(args.get(0))?;
    let mut columns: std::collections::BTreeMap<String, Vec<Value>> = std::collections::BTreeMap::new();
    for (name, items) in convert::sorted(args.map(0)?) {
        let Value::List(items) = items else {
            return Err(args.refuse_at(0, format!("`{name}` must be a list, not {}", items.kind())));
        };
        for item in items {
            let text = convert::text(item).ok_or_else(|| {
                args.refuse_at(0, format!("an item of `{name}` must be a string, not {}", item.kind()))
            })?;
            args.budget.spend_bytes(name.len() + text.len())?;
            columns.entry(text.as_ref().to_owned()).or_default().push(Value::string(name.as_str()));
        }
    }
    Ok(Value::Map(columns.into_iter().map(|(text, names)| (text, Value::List(names))).collect()))
}

fn deepmerge(args: &mut Args<'_>) -> FunctionResult {
    let mut result = ValueMap::default();
    for index in 0..args.count() {
        // Null is not a map and adds nothing, as in `merge`.
        if *args.get(index) != Value::Null {
            let map = args.take_map(index)?;
            add(&mut result, map, args.budget)?;
        }
    }
    Ok(Value::Map(result))
}

fn add(
    all: &mut ValueMap<Value>,
    map: ValueMap<Value>,
    budget: &StepBudget<'_>,
) -> Result<(), FunctionError> {
    budget.spend(map.len())?;
    for (name, value) in map {
        let value = match all.get_mut(&name).map(std::mem::take) {
            Some(before) => merged(before, value, budget)?,
            None => value,
        };
        all.insert(name, value);
    }
    Ok(())
}

/// Merges two values of one key.
fn merged(before: Value, value: Value, budget: &StepBudget<'_>) -> Result<Value, FunctionError> {
    match (before, value) {
        (Value::Map(mut before), Value::Map(value)) => {
            add(&mut before, value, budget)?;
            Ok(Value::Map(before))
        }
        // Whether the values have to be merged depends on the unknown value.
        (unknown @ Value::Unknown(_), Value::Map(_) | Value::Secret(_)) => Ok(unknown),
        (Value::Secret(before), value) => {
            let before = *before.into_exposed();
            // The fact that one of them is a map is part of the secret.
            Ok(marked(merged(reveal(before), reveal(value), budget)?, true))
        }
        (before, Value::Secret(value)) => {
            let value = copy(value.expose(), budget)?;
            Ok(marked(merged(before, reveal(value), budget)?, true))
        }
        (_, value) => Ok(value),
    }
}
