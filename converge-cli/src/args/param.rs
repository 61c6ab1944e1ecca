//! `-p name=value`.

use std::str::FromStr;

/// A value for a parameter of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Param {
    pub(super) name: String,
    /// All after the first `=`, as text; the module says what it is read as.
    pub(super) value: String,
}

impl FromStr for Param {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            None if text.is_empty() => Err("there is no `=`; write `NAME=VALUE`".to_owned()),
            None => Err(format!("there is no `=`; write `{text}=VALUE`")),
            Some(("", value)) => Err(format!("the name is missing; write `NAME={value}`")),
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
            let found = text.parse::<Param>();
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
