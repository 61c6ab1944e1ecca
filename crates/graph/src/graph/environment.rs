//! Environment variables that a module sets for the programs of its resources.

use std::cmp::Ordering;
use std::fmt;

use indexmap::IndexMap;

use crate::types::convert::FromValue;
use crate::types::value::{Conversion, Secret, Value};
use converge_value::debug_as_text;

/// The variables of `environment`, in the order of declaration.
#[derive(Clone, Default)]
pub struct Environment {
    variables: IndexMap<String, Variable>,
}

#[derive(Clone)]
struct Variable {
    value: Secret<String>,
    /// Whether the value contains a secret.
    is_secret: bool,
}

/// The reason why a value is not a valid environment.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    /// The value is not a map.
    #[error("it must be a map of texts")]
    NoMap,
    /// A name is not valid for a variable.
    #[error("{0:?} is not the name of a variable: a name is not empty and has no `=` and no NUL")]
    Name(String),
    /// A value is not valid for a variable.
    #[error("the value of {0:?} must be a text, a number or a bool, with no NUL in it")]
    Value(String),
}

debug_as_text!(EnvironmentError);

impl Environment {
    /// Converts a value to an environment.
    ///
    /// # Errors
    ///
    /// The value is not a map, or a name or a value is not valid for a variable. Error messages contain no
    /// values.
    pub fn from_value(value: Value) -> Result<Self, EnvironmentError> {
        let (value, all_secret) = exposed(value);
        let Value::Map(entries) = value else { return Err(EnvironmentError::NoMap) };
        let variables = entries.into_iter().map(|(name, value)| {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(EnvironmentError::Name(name));
            }
            let (value, is_secret) = exposed(value);
            let text = match value {
                Value::Null | Value::List(_) | Value::Map(_) | Value::Unknown(_) => None,
                value => String::from_value(value, &Conversion::default()).ok(),
            };
            match text.filter(|text| !text.contains('\0')) {
                Some(text) => {
                    let is_secret = is_secret || all_secret;
                    Ok((name, Variable { value: Secret::new(text), is_secret }))
                }
                None => Err(EnvironmentError::Value(name)),
            }
        });
        Ok(Self { variables: variables.collect::<Result<_, _>>()? })
    }

    /// Adds the variables of an outer environment that are not set in this one.
    #[doc(hidden)]
    pub fn within(mut self, outer: &Self) -> Self {
        for (name, variable) in &outer.variables {
            self.variables.entry(name.clone()).or_insert_with(|| variable.clone());
        }
        self
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// Returns the value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(|variable| variable.value.expose().as_str())
    }

    /// Returns the names and values, including secret ones.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(name, variable)| (name.as_str(), variable.value.expose().as_str()))
    }

    /// Returns the secret values.
    #[doc(hidden)]
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        let secret = self.variables.values().filter(|variable| variable.is_secret);
        secret.map(|variable| variable.value.expose().as_str())
    }
}

/// Compares names and values in the order of declaration.
impl Ord for Environment {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other.iter())
    }
}

impl PartialOrd for Environment {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Environment {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Environment {}

/// Shows names only, because a value may be a secret, such as the password of a proxy.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

fn exposed(value: Value) -> (Value, bool) {
    match value {
        Value::Secret(value) => (*value.into_exposed(), true),
        value => (value, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_an_environment() {
        let check = |value: Value, expect: Result<&str, &str>| {
            let actual = Environment::from_value(value).map_err(|error| error.to_string());
            let actual = actual.map(|found| {
                found.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
            });
            assert_eq!(actual.as_deref().map_err(String::as_str), expect);
        };
        let map = |entries: &[(&str, Value)]| {
            Value::Map(entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
        };
        check(map(&[]), Ok(""));
        check(map(&[("B", "x y".into()), ("A", 3.into()), ("C", true.into())]), Ok("B=x y A=3 C=true"));
        check(map(&[("A", Value::from("s").into_secret())]), Ok("A=s"));
        check("A=b".into(), Err("it must be a map of texts"));
        let bad = "\"A=\" is not the name of a variable: a name is not empty and has no `=` and no NUL";
        check(map(&[("A=", "b".into())]), Err(bad));
        let bad = "the value of \"A\" must be a text, a number or a bool, with no NUL in it";
        check(map(&[("A", Value::List(vec![]))]), Err(bad));
        check(map(&[("A", "b\0".into())]), Err(bad));
    }

    #[test]
    fn inner_ones_win_and_secrets_stay_secret() {
        let environment = |name: &str, value: Value| {
            Environment::from_value(Value::Map([(name.to_owned(), value)].into_iter().collect())).unwrap()
        };
        let outer =
            environment("A", "outer".into()).within(&environment("B", Value::from("hunter2").into_secret()));
        let result = environment("A", "inner".into()).within(&outer);
        assert_eq!(
            (result.get("A"), result.get("B"), result.get("C")),
            (Some("inner"), Some("hunter2"), None)
        );
        assert_eq!(result.secrets().collect::<Vec<_>>(), ["hunter2"]);
        assert_eq!(format!("{result:?}"), "{\"A\", \"B\"}");
    }
}
