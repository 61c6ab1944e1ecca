//! Regular expressions in modules.

use std::fmt;

use converge_sdk::prelude::*;
use converge_sdk::schema::Kind;
use converge_sdk::value::{Conversion, FieldError, FieldErrorKind, ValuePath};
use regex_lite::{Regex, RegexBuilder};

use crate::text::Text;

/// The maximum number of bytes of a compiled expression.
///
/// The time of a search is at most this times the length of the text.
const COMPILED_BYTES: usize = 64 << 10;

/// A regular expression.
///
/// In a text of several lines, `^` and `$` are at the begin and the end of each line, also of lines that end
/// in `\r\n`.
#[derive(Clone)]
pub(crate) struct Pattern {
    text: Text,
    regex: Regex,
}

impl Pattern {
    /// Returns the expression for display, unless it is secret.
    pub(crate) fn shown(&self) -> &str {
        self.text.shown()
    }

    pub(crate) fn is_secret(&self) -> bool {
        self.text.is_secret()
    }

    pub(crate) fn regex(&self) -> &Regex {
        &self.regex
    }

    fn parse(text: Text) -> Result<Self, String> {
        let built = RegexBuilder::new(&text).multi_line(true).crlf(true).size_limit(COMPILED_BYTES).build();
        match built {
            Ok(regex) => Ok(Self { text, regex }),
            Err(_) if text.is_secret() => Err("it is not a regular expression".to_owned()),
            Err(error) => Err(format!("{:?} is not a regular expression: {error}", &*text)),
        }
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl FromValue for Pattern {
    fn kind() -> Kind {
        Kind::String
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        Self::parse(Text::from_value(value, conversion)?).map_err(|message| {
            vec![FieldError { path: ValuePath::default(), kind: FieldErrorKind::Invalid { message } }]
        })
    }
}

/// Used by tests.
#[cfg(test)]
impl From<&str> for Pattern {
    fn from(text: &str) -> Self {
        Self::parse(Text::new(text, false)).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_expression_says_why() {
        let check = |value: Value, expect: &str| {
            let errors = Pattern::from_value(value, &Conversion::default()).unwrap_err();
            let actual: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert_eq!(actual, [expect]);
        };
        check("a(".into(), "\"a(\" is not a regular expression: found open group without closing ')'");
        check(Value::from("hunter2(").into_secret(), "it is not a regular expression");
        let bomb = "((((a{90}){90}){90}){90}){90}";
        check(
            bomb.into(),
            &format!("{bomb:?} is not a regular expression: compiled regex exceeded size limit"),
        );
    }
}
