//! Rules between the fields of one resource.

use super::Field;
use crate::value::{FieldError, FieldErrorKind};

/// A rule about which fields may be written together. Names are HCL names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// At most one of them.
    MutuallyExclusive(&'static [&'static str]),
    /// At least one of them.
    RequiredOneOf(&'static [&'static str]),
    /// All of them or none.
    RequiredTogether(&'static [&'static str]),
    /// `field` needs `needs`.
    Requires {
        /// The field with the rule.
        field: &'static str,
        /// The field that it needs.
        needs: &'static str,
    },
    /// `field` and `other` exclude each other.
    ConflictsWith {
        /// The field with the rule.
        field: &'static str,
        /// The field that it excludes.
        other: &'static str,
    },
}

impl Rule {
    /// The fields that it is about.
    pub fn names(&self) -> Vec<&'static str> {
        match self {
            Self::MutuallyExclusive(names) | Self::RequiredOneOf(names) | Self::RequiredTogether(names) => {
                names.to_vec()
            }
            Self::Requires { field, needs: other } | Self::ConflictsWith { field, other } => {
                vec![field, other]
            }
        }
    }

    /// Checks the rule. `written` answers whether the field of an index is written.
    pub fn check(&self, fields: &[Field], written: &dyn Fn(usize) -> bool) -> Option<FieldError> {
        let is_written =
            |name: &str| super::find_field(fields, name).is_some_and(|(index, _)| written(index));
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let of = |names: &[&'static str]| {
            names.iter().copied().filter(|name| is_written(name)).map(str::to_owned).collect::<Vec<_>>()
        };
        let (at, kind) = match *self {
            Self::MutuallyExclusive(names) => {
                let written = of(names);
                let last = written.last()?.clone();
                (written.len() > 1).then(|| (last, FieldErrorKind::MutuallyExclusive { written }))?
            }
            Self::RequiredOneOf(names) => of(names)
                .is_empty()
                .then(|| (String::new(), FieldErrorKind::RequiredOneOf { fields: owned(names) }))?,
            Self::RequiredTogether(names) => {
                let written = of(names);
                let first = written.first()?.clone();
                (written.len() < names.len())
                    .then(|| (first, FieldErrorKind::RequiredTogether { fields: owned(names), written }))?
            }
            Self::Requires { field, needs } => (is_written(field) && !is_written(needs)).then(|| {
                (field.into(), FieldErrorKind::Requires { field: field.into(), needs: needs.into() })
            })?,
            Self::ConflictsWith { field, other } => (is_written(field) && is_written(other)).then(|| {
                (field.into(), FieldErrorKind::Conflicts { field: field.into(), other: other.into() })
            })?,
        };
        let path = if at.is_empty() {
            crate::value::ValuePath::default()
        } else {
            crate::value::ValuePath::field(at)
        };
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
