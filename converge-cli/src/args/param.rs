//! The `-p name=value` option.

use std::ffi::OsStr;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};

/// A value for a parameter of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Param {
    pub(super) name: String,
    /// The text after the first `=`; the declaration of the parameter decides how it is read.
    pub(super) value: String,
}

impl Param {
    fn parse(text: &OsStr) -> Result<Self, &'static str> {
        match text.to_str().map(|text| text.split_once('=')) {
            None => Err("is not UTF-8"),
            Some(None) => Err("has no `=`"),
            Some(Some(("", _))) => Err("has no name before the `=`"),
            Some(Some((name, value))) => Ok(Self { name: name.to_owned(), value: value.to_owned() }),
        }
    }
}

/// Parses `NAME=VALUE`.
///
/// Its errors do not contain the text, unlike those of clap: without a name, the value may be a secret.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParamParser;

impl TypedValueParser for ParamParser {
    type Value = Param;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, text: &OsStr) -> Result<Param, clap::Error> {
        Param::parse(text).map_err(|error| {
            let message = format!(
                "the argument of `--param` {error}; write `-p NAME=VALUE` (the argument is not shown because it may be a secret)\n"
            );
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_equals_sign_divides() {
        let check = |text: &str, expect: Result<(&str, &str), &str>| {
            let actual = Param::parse(text.as_ref());
            let actual = actual.as_ref().map(|param| (param.name.as_str(), param.value.as_str()));
            assert_eq!(actual.map_err(|error| *error), expect, "{text:?}");
        };
        check("x=y", Ok(("x", "y")));
        check("x=", Ok(("x", "")));
        check("url=http://h/?a=b&c=d", Ok(("url", "http://h/?a=b&c=d")));
        check("name= spaced ", Ok(("name", " spaced ")));
        check("é=日", Ok(("é", "日")));
        check("x", Err("has no `=`"));
        check("", Err("has no `=`"));
        check("=y", Err("has no name before the `=`"));
    }
}
