//! Functions of lists.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::arguments::{Args, FunctionResult, list_of};
use super::error::FunctionError;
use super::function::Function;
use crate::language::convert::{self, Number};
use crate::language::operand::copy;
use crate::types::value::Value;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "concat",
        "list..",
        "All items of the lists, one list after the other.",
        ["concat([1], [2, 3])", "[1, 2, 3]"],
    )
    .takes_any(1)
    .runs_shallow(concat),
    Function::new(
        "contains",
        "list, value",
        "Whether an item of the list equals the value.",
        [r#"contains(["a", "b"], "b")"#, "true"],
    )
    .takes(2, 2)
    .runs_deep(contains),
    Function::new(
        "element",
        "list, index",
        "An item; an index past the end begins again at the start, a negative one counts from the end.",
        [r#"element(["a", "b", "c"], 4)"#, r#""b""#],
    )
    .takes(2, 2)
    .runs_shallow(element),
    Function::new(
        "slice",
        "list, from, to",
        "The items from one index up to, and without, another.",
        ["slice([1, 2, 3, 4], 1, 3)", "[2, 3]"],
    )
    .takes(3, 3)
    .runs_shallow(slice)
    .hidden_in_templates(),
    Function::new(
        "distinct",
        "list",
        "The list without items that were in it before.",
        [r#"distinct(["a", "b", "a"])"#, r#"["a", "b"]"#],
    )
    .runs_deep(distinct),
    Function::new(
        "compact",
        "list",
        "The list of text without empty items and null.",
        [r#"compact(["a", "", null])"#, r#"["a"]"#],
    )
    .runs_deep(compact),
    Function::new(
        "flatten",
        "list",
        "The list with the items of lists in it in place of these, however deep.",
        ["flatten([[1], [], [2, [3]]])", "[1, 2, 3]"],
    )
    .runs_deep(flatten),
    Function::new("reverse", "list", "The list from its end.", ["reverse([1, 2, 3])", "[3, 2, 1]"])
        .runs_shallow(reverse),
    Function::new(
        "sort",
        "list",
        "The items as text, in the order of their characters.",
        [r#"sort(["b", "a", "B"])"#, r#"["B", "a", "b"]"#],
    )
    .runs_deep(sort),
    Function::new(
        "range",
        "from, to, step",
        "The numbers from 0 or another one up to, and without, the last one.",
        ["range(1, 8, 3)", "[1, 4, 7]"],
    )
    .takes(1, 3)
    .runs_deep(range)
    .hidden_in_templates(),
];

fn concat(args: &mut Args<'_>) -> FunctionResult {
    let mut items = args.take_list(0)?;
    for index in 1..args.count() {
        items.extend(args.take_list(index)?);
    }
    Ok(Value::List(items))
}

fn contains(args: &mut Args<'_>) -> FunctionResult {
    let value = args.get(1);
    args.budget.spend_text(args.get(0))?;
    Ok(args.list(0)?.iter().any(|item| convert::equal(item, value)).into())
}

fn element(args: &mut Args<'_>) -> FunctionResult {
    let (items, index) = (args.list(0)?, args.int(1)?);
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let Some(index) = index.checked_rem_euclid(length) else {
        return Err(args.refuse_at(0, "an empty list has no items"));
    };
    let item = usize::try_from(index).ok().and_then(|index| items.get(index));
    Ok(copy(item.unwrap_or(&Value::Null), args.budget)?)
}

fn slice(args: &mut Args<'_>) -> FunctionResult {
    let (items, from, to) = (args.list(0)?, args.int(1)?, args.int(2)?);
    let bound = |index: usize, value: i64| {
        let bound = usize::try_from(value).ok().filter(|bound| *bound <= items.len());
        bound.ok_or_else(|| {
            args.refuse_at(index, format!("{value} is out of range: the length is {}", items.len()))
        })
    };
    let (from, to) = (bound(1, from)?, bound(2, to)?);
    if from > to {
        return Err(args.refuse_at(2, "the end comes before the start"));
    }
    let items_taken = items.get(from..to).unwrap_or_default();
    Ok(Value::List(items_taken.iter().map(|item| copy(item, args.budget)).collect::<Result<_, _>>()?))
}

/// A value ordered by the order of all values.
pub(super) struct Ordered<'v>(pub(super) &'v Value);

impl PartialEq for Ordered<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered<'_> {}

impl PartialOrd for Ordered<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        convert::compare(self.0, other.0)
    }
}

fn distinct(args: &mut Args<'_>) -> FunctionResult {
    args.budget.spend_text(args.get(0))?;
    let mut visited = BTreeSet::new();
    let items = args.list(0)?.iter().filter(|item| visited.insert(Ordered(item)));
    Ok(Value::List(items.cloned().collect()))
}

/// Sorts and removes duplicates, which is the representation of a set.
pub(super) fn set_of(mut items: Vec<Value>) -> Value {
    items.sort_by(convert::compare);
    items.dedup_by(|left, right| convert::equal(left, right));
    Value::List(items)
}

fn compact(args: &mut Args<'_>) -> FunctionResult {
    let non_null = args.list(0)?.iter().filter(|item| **item != Value::Null);
    let list = Value::List(non_null.cloned().collect());
    let texts = match &list {
        Value::List(items) => items.iter().map(|item| {
            convert::text(item)
                .ok_or_else(|| args.refuse_at(0, format!("an item must be a string, not {}", item.kind())))
        }),
        _ => return Ok(list),
    };
    let texts: Vec<_> = texts.collect::<Result<_, FunctionError>>()?;
    Ok(list_of(texts.into_iter().filter(|text| !text.is_empty())))
}

fn flatten(args: &mut Args<'_>) -> FunctionResult {
    fn add(items: Vec<Value>, output: &mut Vec<Value>) {
        for item in items {
            match item {
                Value::List(items) => add(items, output),
                item => output.push(item),
            }
        }
    }
    let mut output = Vec::new();
    add(args.take_list(0)?, &mut output);
    Ok(Value::List(output))
}

fn reverse(args: &mut Args<'_>) -> FunctionResult {
    let mut items = args.take_list(0)?;
    items.reverse();
    Ok(Value::List(items))
}

fn sort(args: &mut Args<'_>) -> FunctionResult {
    let mut texts = args.texts(0)?;
    texts.sort();
    Ok(list_of(texts))
}

fn range(args: &mut Args<'_>) -> FunctionResult {
    let (from, to) = match args.count() {
        1 => (Number::Int(0), args.number(0)?),
        _ => (args.number(0)?, args.number(1)?),
    };
    let is_descending = to.compare(from).is_lt();
    let step = match args.count() {
        3 => args.number(2)?,
        _ => Number::Int(if is_descending { -1 } else { 1 }),
    };
    let sign = step.compare(Number::Int(0));
    if sign.is_eq() {
        return Err(args.refuse_at(2, "the step must not be 0"));
    }
    let mut numbers = Vec::new();
    let mut current = from;
    while current.compare(to) == sign.reverse() {
        args.budget.spend(1)?;
        numbers.push(current.into());
        current = if let (Number::Int(at), Number::Int(step)) = (current, step) {
            let Some(next) = at.checked_add(step) else { break };
            Number::Int(next)
        } else {
            let next = Number::from_float(current.to_float() + step.to_float());
            // A step that is too small to change the number would never end.
            next.filter(|next| next.compare(current) == sign)
                .ok_or_else(|| args.refuse("the step is too small for these numbers"))?
        };
    }
    Ok(Value::List(numbers))
}
