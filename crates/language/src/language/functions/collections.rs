//! Functions of maps, and of both lists and maps.

use super::arguments::{Args, FunctionResult, length as count, list_of};
use super::error::FunctionError;
use super::function::Function;
use crate::diagnostic::close_names;
use crate::language::convert;
use crate::language::error::LanguageErrorKind as Kind;
use crate::language::operand::{copy, marked, reveal};
use crate::types::value::{Value, ValueMap};

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "length",
        "value",
        "The number of items of a list or a map, or of characters of a text.",
        [r#"length(["a", "b"])"#, "2"],
    )
    .runs_shallow(length),
    Function::new("keys", "map", "The keys, sorted.", ["keys({b = 1, a = 2})", r#"["a", "b"]"#]).runs_shallow(keys),
    Function::new(
        "values",
        "map",
        "The values, in the order of their keys.",
        ["values({b = 1, a = 2})", "[2, 1]"],
    )
    .runs_shallow(values),
    Function::new(
        "merge",
        "map..",
        "All entries of the maps; of equal keys the last one counts.",
        ["merge({a = 1, b = 1}, {b = 2})", "{a = 1, b = 2}"],
    )
    .takes_any(1)
    .runs_shallow(merge),
    Function::new(
        "zipmap",
        "keys, values",
        "A map of a list of keys and a list of values.",
        [r#"zipmap(["a", "b"], [1, 2])"#, "{a = 1, b = 2}"],
    )
    .takes(2, 2)
    .runs_shallow(zipmap),
    Function::new(
        "pluck",
        "list, key, default",
        "What each map of a list has at a key, or the default. Where one has no such key and there is no default, that is an error.",
        [r#"pluck([{name = "ada"}, {name = "bob"}], "name")"#, r#"["ada", "bob"]"#],
    )
    .takes(2, 3)
    .runs_shallow(pluck),
    Function::new(
        "lookup",
        "map, key, default",
        "The value of a key, or the default; with one argument, the export of a resource: `lookup(\"TYPE.NAME.FIELD\")`.",
        [r#"lookup({a = 1}, "b", 0)"#, "0"],
    )
    .takes(1, 3)
    .runs_shallow(lookup)
    .reads()
    .hidden_in_templates(),
];

fn length(args: &mut Args<'_>) -> FunctionResult {
    Ok(count(match args.get(0) {
        Value::List(items) => items.len(),
        Value::Map(items) => items.len(),
        Value::String(text) => {
            args.budget.spend_bytes(text.len())?;
            text.chars().count()
        }
        _ => return Err(args.wrong(0, "a list, a map or a string")),
    }))
}

fn keys(args: &mut Args<'_>) -> FunctionResult {
    args.budget.spend(args.map(0)?.len())?;
    Ok(list_of(convert::sorted(args.map(0)?).into_iter().map(|(name, _)| name.as_str())))
}

fn values(args: &mut Args<'_>) -> FunctionResult {
    let mut items: Vec<_> = args.take_map(0)?.into_iter().collect();
    items.sort_unstable_by(|left, right| left.0.cmp(&right.0));
    Ok(Value::List(items.into_iter().map(|(_, item)| item).collect()))
}

fn merge(args: &mut Args<'_>) -> FunctionResult {
    let mut result = ValueMap::default();
    for index in 0..args.count() {
        // Null is not a map and adds nothing.
        if *args.get(index) != Value::Null {
            result.extend(args.take_map(index)?);
        }
    }
    Ok(Value::Map(result))
}

fn zipmap(args: &mut Args<'_>) -> FunctionResult {
    let keys = args.get(0);
    if let Some(unknown) = keys.find_unknown() {
        return Ok(Value::Unknown(unknown.clone()));
    }
    let secret = keys.contains_secret();
    if secret {
        let keys = reveal(copy(keys, args.budget)?);
        if let Some(place) = args.values.first_mut() {
            *place = keys.into();
        }
    }
    let hide = |mut failure: FunctionError| {
        if secret {
            failure.kind = failure.kind.hidden("zipmap");
        }
        failure
    };
    let keys = args.texts(0).map_err(hide)?;
    let values = args.take_list(1)?;
    if keys.len() != values.len() {
        let message = format!("there are {} keys and {} values", keys.len(), values.len());
        return Err(hide(args.refuse(message)));
    }
    let map = keys.iter().map(|key| key.as_ref().to_owned()).zip(values).collect();
    Ok(marked(Value::Map(map), secret))
}

fn pluck(args: &mut Args<'_>) -> FunctionResult {
    let key = args.text(1)?;
    let default = (args.count() == 3).then(|| copy(args.get(2), args.budget)).transpose()?;
    let mut values = Vec::new();
    for (place, item) in args.take_list(0)?.into_iter().enumerate() {
        args.budget.spend(1)?;
        let mut secret = false;
        let mut map = item;
        while let Value::Secret(hidden) = map {
            secret = true;
            map = *hidden.into_exposed();
        }
        let value = match map {
            Value::Unknown(unknown) => Value::Unknown(unknown),
            Value::Map(mut items) => match items.shift_remove(&*key).or_else(|| default.clone()) {
                Some(value) => value,
                None if secret => return Err(args.refuse_at(0, format!("item {place} has no such key"))),
                None => return Err(args.refuse_at(0, format!("item {place} has no key {key:?}"))),
            },
            other => {
                return Err(args.refuse_at(0, format!("item {place} must be a map, not {}", other.kind())));
            }
        };
        values.push(marked(value, secret));
    }
    Ok(Value::List(values))
}

fn lookup(args: &mut Args<'_>) -> FunctionResult {
    if args.count() == 1 {
        let path = args.text(0)?;
        let value = args.scope.lookup(&path).map_err(Kind::from)?;
        return Ok(value);
    }
    let items = args.map(0)?;
    let key = args.text(1)?;
    match items.get(&*key) {
        Some(item) => Ok(copy(item, args.budget)?),
        None if args.count() == 3 => args.take(2),
        None => {
            let close = close_names(&key, items.keys().take(1000).map(String::as_str));
            Err(FunctionError::from(Kind::NoKey { key: key.as_ref().to_owned(), close }).at(1))
        }
    }
}
