//! A type for fields that take one value or a list.

use super::from_value::{FromValue, TextRule};
use super::to_value::ToValue;
use crate::types::schema::{Kind, Shape};
use crate::types::value::{Conversion, FieldError, Value};

/// One value or a list of values: `name = "a"` and `name = ["a", "b"]`.
///
/// The type suits fields that most modules set to one value and that also accept several. It is exported as
/// written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OneOrMany<T> {
    /// A single value without a list.
    One(T),
    /// A list of values.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// Returns the values as a slice.
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::One(item) => std::slice::from_ref(item),
            Self::Many(items) => items,
        }
    }

    /// Returns the value with `replace` applied to each item.
    pub fn map<U>(self, mut replace: impl FnMut(T) -> U) -> OneOrMany<U> {
        match self {
            Self::One(item) => OneOrMany::One(replace(item)),
            Self::Many(items) => OneOrMany::Many(items.into_iter().map(replace).collect()),
        }
    }
}

impl<T: FromValue> FromValue for OneOrMany<T> {
    const BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER: usize = T::BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER;

    fn kind() -> Kind {
        Kind::OneOrMany(Box::new(T::kind()))
    }

    fn text_rule() -> Option<TextRule> {
        T::text_rule()
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        let is_list = match &value {
            Value::Secret(secret) => matches!(**secret.expose(), Value::List(_)),
            value => matches!(value, Value::List(_)),
        };
        if is_list {
            return Vec::from_value(value, conversion).map(Self::Many);
        }
        T::from_value(value, conversion).map(Self::One)
    }
}

impl<T: ToValue> ToValue for OneOrMany<T> {
    fn shape() -> Shape {
        Shape::Plain
    }

    fn to_value(&self) -> Value {
        match self {
            Self::One(item) => item.to_value(),
            Self::Many(items) => Value::List(items.iter().map(ToValue::to_value).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_or_a_list() {
        let check = |value: Value, expect: Result<&[&str], &str>| {
            let result = OneOrMany::<String>::from_value(value.clone(), &Conversion::default());
            let actual = result.as_ref().map(|result| result.as_slice().to_vec());
            let actual = actual.map_err(|errors| format!("{}: {}", errors[0].path, errors[0]));
            assert_eq!(
                actual,
                expect.map(|names| names.iter().map(ToString::to_string).collect()).map_err(Into::into)
            );
            if let Ok(result) = result {
                assert_eq!(result.to_value(), crate::types::convert::reveal(value).0);
            }
        };
        check("a".into(), Ok(&["a"]));
        check(Value::List(vec!["a".into()]), Ok(&["a"]));
        check(Value::List(vec!["a".into(), "b".into()]), Ok(&["a", "b"]));
        check(Value::List(vec!["a".into(), "b".into()]).into_secret(), Ok(&["a", "b"]));
        check(Value::List(vec!["a".into(), Value::Null]), Err("[1]: expected a string, found null"));
        check(Value::Null, Err(": expected a string, found null"));
        assert_eq!(OneOrMany::<String>::kind().to_string(), "a string, or a list of them");
    }
}
