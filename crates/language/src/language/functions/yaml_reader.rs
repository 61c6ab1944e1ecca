//! A reader for YAML 1.2 with the core schema, in which `yes` is a text rather than a boolean.

use std::collections::BTreeMap;

use crate::language::budget::{MAX_STEPS, OutOfSteps, StepBudget};
use crate::language::convert::Number;
use crate::types::value::{Value, ValueMap};
use crate::types::yaml::{self, Documents, Kind, Node, Style, is_null};

/// The maximum nesting depth of values.
const MAX_DEPTH: usize = 64;

/// The reason why a text has no value.
pub(super) enum YamlError {
    /// The text is not YAML, or uses a feature that is not supported.
    Invalid {
        /// The line of the error, counted from 1.
        line: usize,
        /// The reason.
        message: String,
    },
    /// The value exceeds the work budget.
    TooMuchWork(OutOfSteps),
}

impl From<OutOfSteps> for YamlError {
    fn from(reason: OutOfSteps) -> Self {
        Self::TooMuchWork(reason)
    }
}

impl From<yaml::YamlError> for YamlError {
    fn from(error: yaml::YamlError) -> Self {
        Self::at(error.line, &error.kind.to_string())
    }
}

impl YamlError {
    fn at(line: usize, message: &str) -> Self {
        Self::Invalid { line, message: message.to_owned() }
    }
}

/// Decodes the single document; an empty text is null.
pub(super) fn decode(text: &str, budget: &StepBudget<'_>) -> Result<Value, YamlError> {
    // Every byte may be a node.
    budget.spend(text.len())?;
    let mut documents = Documents::new(text, MAX_DEPTH);
    let Some(root) = documents.next_document()? else { return Ok(Value::Null) };
    if let Some(second) = documents.next_document()? {
        return Err(YamlError::at(second.line, "there is more than one document"));
    }
    Converter { anchors: BTreeMap::new(), budget }.value(root)
}

/// Decodes the single document of a text from outside of a module.
///
/// # Errors
///
/// Fails with the line of the error, counted from 1, and its reason.
pub fn decode_yaml(text: &str) -> Result<Value, (usize, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    decode(text, &StepBudget::new(MAX_STEPS, None)).map_err(|error| match error {
        YamlError::Invalid { line, message } => (line, message),
        YamlError::TooMuchWork(reason) => (1, reason.to_string()),
    })
}

/// Converts nodes to values.
struct Converter<'b> {
    /// The values with an anchor, by number, for aliases.
    anchors: BTreeMap<usize, Value>,
    budget: &'b StepBudget<'b>,
}

impl Converter<'_> {
    fn value(&mut self, node: Node) -> Result<Value, YamlError> {
        self.budget.spend(1)?;
        let is_text = node.is_tagged_text();
        let is_tagged = node.tag.is_some();
        let Node { line, anchor, kind, .. } = node;
        let value = match kind {
            Kind::Alias(anchor) => {
                let Some(value) = self.anchors.get(&anchor) else {
                    return Err(YamlError::at(line, "the anchor is not defined above this line"));
                };
                // A few aliases can expand to a very large value.
                self.budget.spend_value(value)?;
                return Ok(value.clone());
            }
            Kind::Scalar { text, .. } if is_text => Value::string(text),
            _ if is_tagged => return Err(YamlError::at(line, "tags are not supported")),
            Kind::Scalar { text, style: Style::Plain } => plain(&text, line)?,
            Kind::Scalar { text, .. } => Value::string(text),
            Kind::List(items) => {
                let items = items.into_iter().map(|item| self.value(item));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            Kind::Map(entries) => self.map(entries)?,
        };
        if anchor > 0 {
            self.budget.spend_value(&value)?;
            self.anchors.insert(anchor, value.clone());
        }
        Ok(value)
    }

    fn map(&mut self, nodes: Vec<(Node, Node)>) -> Result<Value, YamlError> {
        let mut entries = ValueMap::default();
        for (key, node) in nodes {
            let Kind::Scalar { text, style } = key.kind else {
                return Err(YamlError::at(key.line, "a key must be a text"));
            };
            if text == "<<" && style == Style::Plain {
                return Err(YamlError::at(
                    key.line,
                    "`<<` is not supported; merge maps with the function `merge`",
                ));
            }
            entries.insert(text, self.value(node)?);
        }
        Ok(Value::Map(entries))
    }
}

/// Returns the value of an unquoted word.
fn plain(text: &str, line: usize) -> Result<Value, YamlError> {
    Ok(match text {
        word if is_null(word) => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        word => match number(word) {
            ParsedNumber::Text => Value::string(word),
            ParsedNumber::Number(number) => number.into(),
            ParsedNumber::TooLarge => {
                return Err(YamlError::at(line, "the number is too large; quotes make a text of it"));
            }
        },
    })
}

/// The result of parsing a word as a number.
enum ParsedNumber {
    Text,
    Number(Number),
    TooLarge,
}

fn number(word: &str) -> ParsedNumber {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = word.strip_prefix(prefix).filter(|digits| !digits.is_empty()) {
            return if digits.chars().all(|c| c.is_digit(radix)) {
                i64::from_str_radix(digits, radix)
                    .map_or(ParsedNumber::TooLarge, |n| ParsedNumber::Number(Number::Int(n)))
            } else {
                ParsedNumber::Text
            };
        }
    }
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    let signed = word.strip_prefix('+').unwrap_or(word);
    if matches!(digits, ".inf" | ".Inf" | ".INF") || matches!(word, ".nan" | ".NaN" | ".NAN") {
        return ParsedNumber::TooLarge;
    }
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return signed.parse().map_or(ParsedNumber::TooLarge, |n| ParsedNumber::Number(Number::Int(n)));
    }
    let (mantissa, exponent) = digits.split_once(['e', 'E']).map_or((digits, None), |(a, b)| (a, Some(b)));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = all_digits(integer)
        && all_digits(fraction)
        && !(integer.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            !exponent.is_empty() && all_digits(exponent)
        });
    if !is_number {
        return ParsedNumber::Text;
    }
    signed.parse().ok().and_then(Number::from_float).map_or(ParsedNumber::TooLarge, ParsedNumber::Number)
}
