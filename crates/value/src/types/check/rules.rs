//! Rules about the fields that must or must not be written.

use crate::types::panic_guard::guarded;
use crate::types::schema::{Condition, Field, Rule, find_field};
use crate::types::value::{FieldError, FieldErrorKind, Value, ValuePath};

/// Checks required fields and the rules between fields.
///
/// `written` tells whether a field, given by index, is written; see [`Field::is_written`]. `value` returns its
/// value, as far as known, for rules that depend on it.
#[doc(hidden)]
pub fn shape_errors(
    fields: &[Field],
    rules: &[Rule],
    written: &dyn Fn(usize) -> Option<bool>,
    value: &dyn Fn(usize) -> Option<Value>,
) -> Vec<FieldError> {
    let missing = fields
        .iter()
        .enumerate()
        .filter(|(index, field)| field.required && written(*index) == Some(false))
        .map(|(_, field)| {
            FieldError::new(field.name, FieldErrorKind::Missing { field: field.name.to_owned() })
        });
    let broken = rules.iter().filter_map(|rule| rule.check(fields, written, value));
    missing.chain(broken).collect()
}

/// Whether a condition holds, or `None` if that is not known yet.
///
/// `written` and `value` answer for a field by its index.
fn holds(
    condition: &Condition,
    fields: &[Field],
    written: &dyn Fn(usize) -> Option<bool>,
    value: &dyn Fn(usize) -> Option<Value>,
) -> Option<bool> {
    let (index, field) = find_field(fields, condition.field)?;
    let is_written = written(index)?;
    if condition.is.is_none() {
        return Some(is_written);
    }
    let value = if is_written { Some(value(index)?) } else { field.default.clone() };
    if value.as_ref().is_some_and(|value| value.find_unknown().is_some()) {
        return None;
    }
    guarded(|| field.meets(condition, value)).ok()
}

#[doc(hidden)]
pub fn holds_unwritten(condition: &Condition, fields: &[Field]) -> bool {
    holds(condition, fields, &|_| Some(false), &|_| None) == Some(true)
}

impl Rule {
    /// Checks the rule.
    ///
    /// `written` tells whether a field, given by index, is written, or `None` if that is not known yet: such
    /// a field breaks no rule. `value` returns its value, or `None` if it is not known.
    pub fn check(
        &self,
        fields: &[Field],
        written: &dyn Fn(usize) -> Option<bool>,
        value: &dyn Fn(usize) -> Option<Value>,
    ) -> Option<FieldError> {
        let state = |name: &str| find_field(fields, name).map_or(Some(false), |(index, _)| written(index));
        let is_written = |name: &str| state(name) == Some(true);
        let is_missing = |name: &str| state(name) == Some(false);
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let present = |names: &[&'static str]| {
            names.iter().copied().filter(|name| is_written(name)).map(str::to_owned).collect::<Vec<_>>()
        };
        let is_true = |condition: &Condition| holds(condition, fields, written, value);
        let (target, kind) = match self {
            Self::MutuallyExclusive(names) => match present(names) {
                written if written.len() < 2 => return None,
                written => (written.last().cloned(), FieldErrorKind::MutuallyExclusive { written }),
            },
            Self::RequiredOneOf(names) if names.iter().all(|name| is_missing(name)) => {
                (None, FieldErrorKind::RequiredOneOf { fields: owned(names) })
            }
            Self::RequiredTogether(names) => match present(names) {
                written if written.is_empty() || !names.iter().any(|name| is_missing(name)) => return None,
                written => {
                    let fields = owned(names);
                    (written.first().cloned(), FieldErrorKind::RequiredTogether { fields, written })
                }
            },
            Self::Requires { field, needs } if is_written(field) && is_missing(needs) => {
                let kind = FieldErrorKind::Requires { field: (*field).into(), needs: (*needs).into() };
                (Some((*field).into()), kind)
            }
            Self::ConflictsWith { field, other } if is_written(field) && is_written(other) => {
                let kind = FieldErrorKind::Conflicts { field: (*field).into(), other: (*other).into() };
                (Some((*field).into()), kind)
            }
            Self::RequiredIf { field, when } if is_missing(field) => {
                let reason = when.iter().find(|condition| is_true(condition) == Some(true))?.to_string();
                let kind = FieldErrorKind::RequiredIf { field: (*field).to_owned(), because: reason };
                (Some((*field).into()), kind)
            }
            // A value that is not known yet may satisfy the exception.
            Self::RequiredUnless { field, unless }
                if is_missing(field) && unless.iter().all(|condition| is_true(condition) == Some(false)) =>
            {
                let conditions = unless.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
                let kind = FieldErrorKind::RequiredUnless { field: (*field).to_owned(), unless: conditions };
                (Some((*field).into()), kind)
            }
            _ => return None,
        };
        let path = target.map_or_else(ValuePath::default, |at: String| ValuePath::field(at));
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
            let actual = rule.check(&fields, &|index| Some(written.contains(&index)), &|_| None);
            assert_eq!(actual.map(|error| error.to_string()).as_deref(), expect, "{rule:?} {written:?}");
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

    #[test]
    fn what_is_required_may_depend_on_a_value() {
        let mut fields: Vec<Field> = ["a", "b", "c"].map(|name| Field::new::<String>(name, "")).into();
        fields[2].default = Some(Value::from("on"));
        let is = |field, word| {
            Condition::is(
                field,
                word,
                match word {
                    "on" => |value, _| value == Some(Value::from("on")),
                    _ => |value, _| value.is_none(),
                },
            )
        };
        let check = |rule: &Rule, values: [Option<Value>; 3], expect: Option<&str>| {
            let actual =
                rule.check(&fields, &|index| fields[index].is_written(values[index].as_ref()), &|index| {
                    values[index].clone()
                });
            let actual = actual.map(|error| format!("{}: {error}", error.path));
            assert_eq!(actual.as_deref(), expect, "{rule:?} {values:?}");
        };
        let text = |text: &str| Some(Value::from(text));
        let unknown = || Some(Value::unknown("task.later"));

        let required_if = Rule::RequiredIf { field: "a", when: vec![is("b", "on"), Condition::written("c")] };
        check(&required_if, [None, None, None], None);
        check(&required_if, [None, text("off"), None], None);
        check(&required_if, [None, text("on"), None], Some("a: `a` is required, as `b` is \"on\""));
        check(&required_if, [None, text("off"), text("")], Some("a: `a` is required, as `c` is written"));
        check(&required_if, [text(""), text("on"), None], None);
        check(&required_if, [None, unknown(), None], None);
        // A value that is not known yet may be null, which is not written.
        check(&required_if, [None, unknown(), unknown()], None);
        // The default of a field counts, and so does the default of its type.
        let by_default = Rule::RequiredIf { field: "a", when: vec![is("c", "on")] };
        check(&by_default, [None, None, None], Some("a: `a` is required, as `c` is \"on\""));
        check(&by_default, [None, None, text("off")], None);
        let of_type = Rule::RequiredIf { field: "a", when: vec![is("b", "")] };
        check(&of_type, [None, None, None], Some("a: `a` is required, as `b` is \"\""));

        let required_unless =
            Rule::RequiredUnless { field: "a", unless: vec![is("b", "on"), Condition::written("c")] };
        check(
            &required_unless,
            [None, None, None],
            Some("a: `a` is required unless `b` is \"on\" or `c` is written"),
        );
        check(
            &required_unless,
            [None, text("off"), None],
            Some("a: `a` is required unless `b` is \"on\" or `c` is written"),
        );
        check(&required_unless, [None, text("on"), None], None);
        check(&required_unless, [None, text("off"), text("x")], None);
        check(&required_unless, [text("x"), None, None], None);
        check(&required_unless, [None, unknown(), None], None);
    }
}
