//! Conversions between values and `hcl::Value`, which refuse what they would lose.

use std::sync::Arc;

use super::{PathSegment, Value, ValueMap, ValuePath};
use crate::debug_as_text;

/// The error for a value that the other type cannot hold, with its path.
#[derive(Clone, PartialEq, thiserror::Error)]
#[error("{}{problem}", if path.0.is_empty() { String::new() } else { format!("{path}: ") })]
pub struct HclValueError {
    /// The path of the value, which is empty for the whole value.
    pub path: ValuePath,
    /// The reason.
    pub problem: HclValueProblem,
}

debug_as_text!(HclValueError);

/// The reason why a value cannot be converted.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HclValueProblem {
    /// A secret would no longer be one.
    #[error("a secret value would be shown: convert what `Secret::expose` returns")]
    Secret,
    /// A value that only an apply knows.
    #[error("the value is not known before {waits_for} has been applied")]
    Unknown {
        /// The name of the value that must be known first.
        waits_for: Arc<str>,
    },
    /// An infinite number, or one that is not a number.
    #[error("{0} is no number of HCL")]
    NotFinite(f64),
    /// A whole number outside of the range of `i64`.
    #[error("{0} is out of range: at most {max}", max = i64::MAX)]
    OutOfRange(u64),
}

debug_as_text!(HclValueProblem);

impl HclValueProblem {
    fn here(self) -> HclValueError {
        HclValueError { path: ValuePath(Vec::new()), problem: self }
    }
}

/// Adds the position inside of a list or a map to an error.
fn within<T>(segment: PathSegment, converted: Result<T, HclValueError>) -> Result<T, HclValueError> {
    converted.map_err(|mut error| {
        error.path.0.insert(0, segment);
        error
    })
}

/// Converts a value. HCL has one type of numbers, so a whole number comes back as [`Value::Int`].
impl TryFrom<&Value> for hcl::Value {
    type Error = HclValueError;

    fn try_from(value: &Value) -> Result<Self, HclValueError> {
        Ok(match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Number((*value).into()),
            Value::Float(value) => {
                let number = hcl::Number::from_f64(*value);
                Self::Number(number.ok_or_else(|| HclValueProblem::NotFinite(*value).here())?)
            }
            Value::String(text) => Self::String(text.to_string()),
            Value::List(items) => {
                let items = items.iter().enumerate();
                let items = items.map(|(index, item)| within(PathSegment::Index(index), item.try_into()));
                Self::Array(items.collect::<Result<_, _>>()?)
            }
            Value::Map(entries) => {
                let entries = entries.iter().map(|(name, item)| {
                    Ok((name.clone(), within(PathSegment::Name(name.clone()), item.try_into())?))
                });
                Self::Object(entries.collect::<Result<_, _>>()?)
            }
            Value::Unknown(unknown) => {
                let waits_for = Arc::clone(&unknown.waits_for);
                return Err(HclValueProblem::Unknown { waits_for }.here());
            }
            Value::Secret(_) => return Err(HclValueProblem::Secret.here()),
        })
    }
}

impl TryFrom<hcl::Value> for Value {
    type Error = HclValueError;

    fn try_from(value: hcl::Value) -> Result<Self, HclValueError> {
        Ok(match value {
            hcl::Value::Null => Self::Null,
            hcl::Value::Bool(value) => Self::Bool(value),
            hcl::Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(value), ..) => Self::Int(value),
                (None, Some(value), _) => return Err(HclValueProblem::OutOfRange(value).here()),
                (None, None, value) => Self::Float(value.unwrap_or_default()),
            },
            hcl::Value::String(text) => Self::string(text),
            hcl::Value::Array(items) => {
                let items = items.into_iter().enumerate();
                let items = items.map(|(index, item)| within(PathSegment::Index(index), item.try_into()));
                Self::List(items.collect::<Result<_, _>>()?)
            }
            hcl::Value::Object(entries) => {
                let entries = entries.into_iter().map(|(name, item)| {
                    let item = within(PathSegment::Name(name.clone()), item.try_into())?;
                    Ok((name, item))
                });
                Self::Map(entries.collect::<Result<ValueMap<_>, _>>()?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            any::<i32>().prop_map(|value| Value::Float(f64::from(value) + 0.5)),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
                prop::collection::hash_map(any::<String>(), inner, 0..4)
                    .prop_map(|entries| Value::Map(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_come_back(value in any_value()) {
            let converted = hcl::Value::try_from(&value).unwrap();
            prop_assert_eq!(Value::try_from(converted).unwrap(), value);
        }
    }

    #[test]
    fn a_whole_number_is_an_integer() {
        let converted = hcl::Value::try_from(&Value::Float(3.0)).unwrap();
        assert_eq!(Value::try_from(converted), Ok(Value::Int(3)));
    }

    #[test]
    fn what_would_be_lost_is_named() {
        let check = |value: Value, expect: &str| {
            let map =
                Value::Map([("a".to_owned(), Value::List(vec![Value::Null, value]))].into_iter().collect());
            assert_eq!(hcl::Value::try_from(&map).unwrap_err().to_string(), format!("a[1]: {expect}"));
        };
        check(
            Value::string("x").into_secret(),
            "a secret value would be shown: convert what `Secret::expose` returns",
        );
        check(Value::unknown("task.x.id"), "the value is not known before task.x.id has been applied");
        check(Value::Float(f64::NAN), "NaN is no number of HCL");
        check(Value::Float(f64::INFINITY), "inf is no number of HCL");
        let large = hcl::value!({ a = [(u64::MAX)] });
        assert_eq!(
            Value::try_from(large).unwrap_err().to_string(),
            "a[0]: 18446744073709551615 is out of range: at most 9223372036854775807"
        );
        let whole = hcl::Value::from(u64::MAX);
        assert_eq!(
            Value::try_from(whole).unwrap_err().to_string(),
            "18446744073709551615 is out of range: at most 9223372036854775807"
        );
    }
}
