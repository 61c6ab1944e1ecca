//! `-p name=value`.

use std::str::FromStr;

/// A value for a parameter of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Param {
    /// Name of the parameter.
    pub(crate) name: String,
    /// All after the first `=`, as text; the module says what it is read as.
    pub(crate) value: String,
}

/// What is wrong with a parameter on the command line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParamError {
    /// There is no `=`.
    #[error("there is no `=`; write `{}=VALUE`", if name.is_empty() { "NAME" } else { name })]
    NoValue {
        /// What was written.
        name: String,
    },
    /// There is nothing before the `=`.
    #[error("the name is missing; write `NAME={value}`")]
    NoName {
        /// What comes after the `=`.
        value: String,
    },
}

impl FromStr for Param {
    type Err = ParamError;

    fn from_str(text: &str) -> Result<Self, ParamError> {
        match text.split_once('=') {
            None => Err(ParamError::NoValue { name: text.to_owned() }),
            Some(("", value)) => Err(ParamError::NoName { value: value.to_owned() }),
            Some((name, value)) => Ok(Self { name: name.to_owned(), value: value.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_equals_sign_divides() {
        let check = |text: &str, expect: Result<(&str, &str), &str>| {
            let found = text.parse::<Param>().map_err(|error| error.to_string());
            let found = found.as_ref().map(|param| (param.name.as_str(), param.value.as_str()));
            assert_eq!(found.map_err(String::as_str), expect, "{text:?}");
        };
        check("x=y", Ok(("x", "y")));
        check("x=", Ok(("x", "")));
        check("url=http://h/?a=b&c=d", Ok(("url", "http://h/?a=b&c=d")));
        check("name= spaced ", Ok(("name", " spaced ")));
        check("é=日", Ok(("é", "日")));
        check("x", Err("there is no `=`; write `x=VALUE`"));
        check("", Err("there is no `=`; write `NAME=VALUE`"));
        check("=y", Err("the name is missing; write `NAME=y`"));
    }
}
