//! Values for all fields of a resource that satisfy its rules together.

use super::case::Values;
use super::value_pools::Pool;
use crate::chance::Chance;
use crate::sdk::resource::Preparer;
use crate::types::check::Fields;
use crate::types::panic_guard::guarded;
use crate::types::schema::find_field;
use crate::types::value::{FieldError, FieldErrorKind, PathSegment, Value};

/// The maximum number of attempts to repair values that a rule refuses.
const REPAIRS: usize = 24;

/// Returns the problems of the values before anything is prepared, or the message of a panic.
pub(super) fn problems<R: Preparer>(values: &[(&str, Value)]) -> Result<Vec<FieldError>, String> {
    guarded(|| {
        let block = R::block();
        let entries = values.iter().map(|(name, value)| {
            let field = find_field(&block.fields, name).map(|(_, field)| field);
            let hide = field.is_some_and(|field| field.sensitive);
            let value = value.clone();
            ((*name).to_owned(), if hide { value.into_secret() } else { value })
        });
        let result = R::from_fields(Fields::from_map(&block, entries)).and_then(|resource| {
            // The error is kept as the type reports it, so that it names a field even if the field does not
            // exist.
            R::validator().map_or(Ok(()), |validate| validate(&resource))
        });
        result.err().unwrap_or_default()
    })
}

/// The share of the fields that are given a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Much {
    Required,
    /// All fields, each with its first value.
    All,
    /// The required fields and a random choice of the others.
    Some,
}

/// Returns values that the rules allow, or `None` if no attempt found any.
pub(super) fn fill<R: Preparer>(pools: &[Pool], amount: Much, chance: &mut Chance) -> Option<Values> {
    allowed::<R>(chosen(pools, amount, chance), pools, chance)
}

/// Like `fill`, with this value included unless a rule forbids it.
pub(super) fn fill_with<R: Preparer>(
    pools: &[Pool],
    (name, value): (&'static str, Value),
    chance: &mut Chance,
) -> Option<Values> {
    let mut values = chosen(pools, Much::Some, chance);
    match values.iter_mut().find(|(have, _)| *have == name) {
        Some((_, have)) => *have = value,
        None => values.push((name, value)),
    }
    allowed::<R>(values, pools, chance)
}

fn chosen(pools: &[Pool], amount: Much, chance: &mut Chance) -> Values {
    let mut values = Values::new();
    for pool in pools {
        let first = !matches!(amount, Much::Some);
        let is_given = match amount {
            Much::Required => pool.required,
            Much::All => true,
            Much::Some => pool.required || chance.once_in(2),
        };
        let value = if first { pool.valid.first() } else { chance.pick(&pool.valid) };
        values.extend(value.filter(|_| is_given).map(|value| (pool.name, value.clone())));
    }
    values
}

fn allowed<R: Preparer>(mut values: Values, pools: &[Pool], chance: &mut Chance) -> Option<Values> {
    for _ in 0..REPAIRS {
        let problems = problems::<R>(&values).ok()?;
        let Some(problem) = problems.first() else { return Some(values) };
        repair(&mut values, problem, pools, chance);
    }
    None
}

fn repair(values: &mut Values, problem: &FieldError, pools: &[Pool], chance: &mut Chance) {
    match &problem.kind {
        FieldErrorKind::Missing { field }
        | FieldErrorKind::RequiredIf { field, .. }
        | FieldErrorKind::RequiredUnless { field, .. } => add(values, field, pools, chance),
        // The other field is given but counts as unset, so adding it does not help.
        FieldErrorKind::Requires { field, needs } if values.iter().any(|(name, _)| name == needs) => {
            let field = if chance.once_in(2) { field } else { needs };
            values.retain(|(name, _)| name != field);
        }
        FieldErrorKind::Requires { needs, .. } => add(values, needs, pools, chance),
        FieldErrorKind::MutuallyExclusive { written } => {
            let index = chance.below(written.len());
            let others: Vec<&String> =
                written.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, name)| name).collect();
            values.retain(|(name, _)| !others.iter().any(|other| *other == name));
        }
        FieldErrorKind::Conflicts { field, .. } => values.retain(|(name, _)| name != field),
        FieldErrorKind::RequiredOneOf { fields } => {
            if let Some(field) = chance.pick(fields) {
                add(values, field, pools, chance);
            }
        }
        FieldErrorKind::RequiredTogether { fields, .. } => {
            for field in fields {
                add(values, field, pools, chance);
            }
        }
        _ => {
            let field_name = match problem.path.0.first() {
                Some(PathSegment::Name(name)) => name.clone(),
                // The rule is about the resource as a whole.
                _ => chance.pick(values).map(|(name, _)| (*name).to_owned()).unwrap_or_default(),
            };
            let required = pools.iter().any(|pool| pool.name == field_name && pool.required);
            values.retain(|(name, _)| *name != field_name);
            if required || chance.once_in(2) {
                add(values, &field_name, pools, chance);
            }
        }
    }
}

fn add(values: &mut Values, field: &str, pools: &[Pool], chance: &mut Chance) {
    let Some(pool) = pools.iter().find(|pool| pool.name == field) else { return };
    if values.iter().any(|(name, _)| *name == field) {
        return;
    }
    values.extend(chance.pick(&pool.valid).map(|value| (pool.name, value.clone())));
}
