//! Which fields must, and which may not, be written.

use crate::types::schema::{Field, Rule, find_field};
use crate::types::value::{FieldError, FieldErrorKind, ValuePath};

/// Checks what depends only on which fields are written: required ones and rules between them.
pub(crate) fn shape_errors(
    fields: &[Field],
    rules: &[Rule],
    written: &dyn Fn(usize) -> bool,
) -> Vec<FieldError> {
    let missing = fields.iter().enumerate().filter(|(index, field)| field.required && !written(*index)).map(
        |(_, field)| FieldError::new(field.name, FieldErrorKind::Missing { field: field.name.to_owned() }),
    );
    let broken = rules.iter().filter_map(|rule| rule.check(fields, written));
    missing.chain(broken).collect()
}

impl Rule {
    /// Checks the rule. `written` answers whether the field of an index is written.
    pub fn check(&self, fields: &[Field], written: &dyn Fn(usize) -> bool) -> Option<FieldError> {
        let is_written = |name: &str| find_field(fields, name).is_some_and(|(index, _)| written(index));
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let of = |names: &[&'static str]| {
            names.iter().copied().filter(|name| is_written(name)).map(str::to_owned).collect::<Vec<_>>()
        };
        let (at, kind) = match *self {
            Self::MutuallyExclusive(names) => match of(names) {
                written if written.len() < 2 => return None,
                written => (written.last().cloned(), FieldErrorKind::MutuallyExclusive { written }),
            },
            Self::RequiredOneOf(names) if of(names).is_empty() => {
                (None, FieldErrorKind::RequiredOneOf { fields: owned(names) })
            }
            Self::RequiredTogether(names) => match of(names) {
                written if written.is_empty() || written.len() == names.len() => return None,
                written => {
                    let fields = owned(names);
                    (written.first().cloned(), FieldErrorKind::RequiredTogether { fields, written })
                }
            },
            Self::Requires { field, needs } if is_written(field) && !is_written(needs) => {
                let kind = FieldErrorKind::Requires { field: field.into(), needs: needs.into() };
                (Some(field.into()), kind)
            }
            Self::ConflictsWith { field, other } if is_written(field) && is_written(other) => {
                let kind = FieldErrorKind::Conflicts { field: field.into(), other: other.into() };
                (Some(field.into()), kind)
            }
            _ => return None,
        };
        let path = at.map_or_else(ValuePath::default, |at: String| ValuePath::field(at));
        Some(FieldError { path, kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_look_at_what_is_written() {
        let fields: Vec<Field> = ["a", "b", "c"].map(|name| Field::new::<String>(name, "")).into();
        let check = |rule: Rule, written: &[usize], expect: Option<&str>| {
            let found = rule.check(&fields, &|index| written.contains(&index));
            assert_eq!(found.map(|error| error.to_string()).as_deref(), expect, "{rule:?} {written:?}");
        };
        let exclusive = || Rule::MutuallyExclusive(&["a", "b", "c"]);
        check(exclusive(), &[], None);
        check(exclusive(), &[1], None);
        check(exclusive(), &[0, 1], Some("`a` and `b` are mutually exclusive"));
        check(exclusive(), &[0, 1, 2], Some("`a`, `b` and `c` are mutually exclusive"));
        check(Rule::RequiredOneOf(&["a", "b"]), &[2], Some("one of `a` or `b` is required"));
        check(Rule::RequiredOneOf(&["a", "b"]), &[0], None);
        check(Rule::RequiredTogether(&["a", "b"]), &[], None);
        check(Rule::RequiredTogether(&["a", "b"]), &[0], Some("`a` and `b` must be given together"));
        check(Rule::Requires { field: "a", needs: "b" }, &[0], Some("`a` requires `b`"));
        check(Rule::Requires { field: "a", needs: "b" }, &[0, 1], None);
        check(Rule::ConflictsWith { field: "a", other: "b" }, &[0, 1], Some("`a` conflicts with `b`"));
    }
}
