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

    /// Returns the reason why the expression matches no single line, if that is certain.
    ///
    /// Only plain parts of the expression are looked at, not groups and classes.
    pub(crate) fn never_in_a_line(&self) -> Option<&'static str> {
        let mut reasons = alternatives(&self.text).into_iter().map(|parts| never_in_a_line(&parts));
        let first = reasons.next()?;
        if reasons.all(|reason| reason.is_some()) { first } else { None }
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

/// A part of an expression outside of groups and classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A character that stands for itself, and has to be there.
    Literal(char),
    Begin,
    End,
    /// Anything else.
    Other,
}

/// Splits an expression into its alternatives, each with its parts.
///
/// An expression with flags has no alternatives, because flags change the meaning of characters.
fn alternatives(text: &str) -> Vec<Vec<Part>> {
    let (mut alternatives, mut parts) = (Vec::new(), Vec::new());
    if text.contains("(?") {
        return alternatives;
    }
    let (mut depth, mut is_class) = (0_usize, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let part = match character {
            '\\' => match characters.next() {
                Some('n') => Part::Literal('\n'),
                Some(escaped) if escaped.is_ascii_punctuation() => Part::Literal(escaped),
                _ => Part::Other,
            },
            ']' if is_class => {
                is_class = false;
                Part::Other
            }
            _ if is_class => continue,
            '[' => {
                is_class = true;
                continue;
            }
            '(' => {
                depth += 1;
                continue;
            }
            ')' => {
                depth = depth.saturating_sub(1);
                Part::Other
            }
            '|' if depth == 0 => {
                alternatives.push(std::mem::take(&mut parts));
                continue;
            }
            '^' => Part::Begin,
            '$' => Part::End,
            '.' | '*' | '+' | '?' | '{' | '}' => Part::Other,
            other => Part::Literal(other),
        };
        if depth > 0 || is_class {
            continue;
        }
        // A quantifier may allow that the part is absent.
        let is_optional = matches!(characters.peek(), Some('*' | '?' | '{'));
        parts.push(if is_optional { Part::Other } else { part });
    }
    alternatives.push(parts);
    alternatives
}

fn never_in_a_line(parts: &[Part]) -> Option<&'static str> {
    if parts.contains(&Part::Literal('\n')) {
        return Some("it needs the end of a line in its match, but it is compared with single lines");
    }
    parts.windows(2).find_map(|pair| match pair {
        [Part::End, Part::Literal(_)] => {
            Some("nothing follows the end of a line, which is `$`: write `\\\\$` for the character")
        }
        [Part::Literal(_), Part::Begin] => {
            Some("nothing is before the start of a line, which is `^`: write `\\\\^` for the character")
        }
        _ => None,
    })
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
    fn an_expression_that_matches_no_line() {
        let check = |text: &str, expect: Option<&str>| {
            let reason = Pattern::from(text).never_in_a_line();
            assert!(reason.map(|reason| &reason[..6]) == expect, "{text}: {reason:?}");
        };
        let (line, after) = (Some("it nee"), Some("nothin"));
        check("a\nb", line);
        check("a\\nb", line);
        check("^a$\n", line);
        check("a\n|b\n", line);
        check("cost $5", after);
        check("x^2", after);
        for possible in [
            "", "^a$", "a|b\n", "a\n?", "a[\n]", "(a\n)?b", "[^\n]*", "a\\$5", "\\^", "(^|a)b$", "(?s)a\nb",
            "a$|^b",
        ] {
            check(possible, None);
        }
    }

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
