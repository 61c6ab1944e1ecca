//! A reader for YAML 1.2 with the core schema, in which `yes` is a text rather than a boolean.

use std::collections::BTreeMap;

use indexmap::map::Entry;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput};

use crate::language::budget::{OutOfSteps, StepBudget};
use crate::language::convert::Number;
use crate::types::value::{Value, ValueMap};

/// The maximum nesting depth of values.
const MAX_DEPTH: usize = 64;

/// The reason why a text has no value.
pub(super) enum YamlError {
    /// The text is not YAML, or uses a feature that is not supported.
    Invalid(String),
    /// The value exceeds the work budget.
    TooMuchWork(OutOfSteps),
}

impl From<OutOfSteps> for YamlError {
    fn from(reason: OutOfSteps) -> Self {
        Self::TooMuchWork(reason)
    }
}

impl From<ScanError> for YamlError {
    fn from(error: ScanError) -> Self {
        Self::at(error.marker().line(), error.info())
    }
}

impl YamlError {
    fn at(line: usize, message: &str) -> Self {
        Self::Invalid(format!("this is not valid YAML: line {line}: {message}"))
    }
}

/// Decodes the single document; an empty text is null.
pub(super) fn decode(text: &str, budget: &StepBudget<'_>) -> Result<Value, YamlError> {
    // Every byte may be an event.
    budget.spend(text.len())?;
    let mut reader = Reader { parser: Parser::new_from_str(text), anchors: BTreeMap::new(), budget };
    let mut value = None;
    while let Some((event, line)) = reader.next()? {
        match event {
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::Nothing => {}
            _ if value.is_some() => return Err(YamlError::at(line, "there is more than one document")),
            event => value = Some(reader.value(event, line, 0)?),
        }
    }
    Ok(value.unwrap_or_default())
}

struct Reader<'t, 'b> {
    parser: Parser<'t, StrInput<'t>>,
    /// The values with an anchor, by number, for aliases.
    anchors: BTreeMap<usize, Value>,
    budget: &'b StepBudget<'b>,
}

impl<'t> Reader<'t, '_> {
    /// Returns the next event and its line.
    fn next(&mut self) -> Result<Option<(Event<'t>, usize)>, YamlError> {
        let Some(next) = self.parser.next_event() else { return Ok(None) };
        let (event, span) = next?;
        Ok(Some((event, span.start.line())))
    }

    fn value(&mut self, event: Event<'t>, line: usize, depth: usize) -> Result<Value, YamlError> {
        self.budget.spend(1)?;
        if depth > MAX_DEPTH {
            return Err(YamlError::at(line, &format!("there are more than {MAX_DEPTH} levels of nesting")));
        }
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text =
                    tag.as_ref().is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
                if tag.is_some() && !is_text {
                    return Err(YamlError::at(line, "tags are not supported"));
                }
                let is_plain = style == ScalarStyle::Plain && !is_text;
                (if is_plain { plain(&text, line)? } else { Value::string(&*text) }, anchor)
            }
            Event::SequenceStart(anchor, None) => (self.list(depth)?, anchor),
            Event::MappingStart(anchor, None) => (self.map(depth)?, anchor),
            Event::Alias(anchor) => {
                let Some(value) = self.anchors.get(&anchor) else {
                    return Err(YamlError::at(line, "the anchor is not defined above this line"));
                };
                // A few aliases can expand to a very large value.
                self.budget.spend_value(value)?;
                return Ok(value.clone());
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                return Err(YamlError::at(line, "tags are not supported"));
            }
            _ => return Err(YamlError::at(line, "a value is missing")),
        };
        if anchor > 0 {
            self.budget.spend_value(&value)?;
            self.anchors.insert(anchor, value.clone());
        }
        Ok(value)
    }

    fn list(&mut self, depth: usize) -> Result<Value, YamlError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                None | Some((Event::SequenceEnd, _)) => return Ok(Value::List(items)),
                Some((event, line)) => items.push(self.value(event, line, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value, YamlError> {
        let mut entries = ValueMap::default();
        loop {
            let (key, line) = match self.next()? {
                None | Some((Event::MappingEnd, _)) => return Ok(Value::Map(entries)),
                Some(key) => key,
            };
            let Event::Scalar(name, style, ..) = key else {
                return Err(YamlError::at(line, "a key must be a text"));
            };
            if name == "<<" && style == ScalarStyle::Plain {
                return Err(YamlError::at(
                    line,
                    "`<<` is not supported; merge maps with the function `merge`",
                ));
            }
            let Some((event, line)) = self.next()? else { return Ok(Value::Map(entries)) };
            let value = self.value(event, line, depth + 1)?;
            match entries.entry(name.into_owned()) {
                Entry::Occupied(entry) => {
                    return Err(YamlError::at(line, &format!("the key `{}` is written twice", entry.key())));
                }
                Entry::Vacant(entry) => entry.insert(value),
            };
        }
    }
}

/// Returns the value of an unquoted word.
fn plain(text: &str, line: usize) -> Result<Value, YamlError> {
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
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
