//! The text output of a template, and the output of values (`%v`).

use super::budget::MAX_TEXT;
use super::datum::{Data, Datum};
use crate::language::budget::OutOfSteps;
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};
use crate::language::go_format::float;
use crate::language::taint::Taint;
use crate::types::platform::Platform;
use crate::types::value::Value;

/// Text under construction, with the secrecy and unknown values of what was printed into it.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    pub(crate) text: String,
    pub(crate) taint: Taint,
}

/// The reason why a value cannot be printed, where Go would write `<no value>` or `<nil>`.
#[derive(Debug)]
pub(crate) enum NoText {
    /// The value is missing; the error carries its own range.
    Missing(LanguageError),
    /// The value is the literal `nil`.
    Nil,
    /// An item of a list or a map is null.
    NullItem,
    /// The text is too long.
    TooLong,
}

impl NoText {
    /// Splits into the error and its range, if the range differs from that of the printed value.
    pub(crate) fn into_parts(self) -> (Kind, Option<std::ops::Range<u32>>) {
        match self {
            Self::Missing(error) => (error.kind, Some(error.range)),
            Self::Nil => (Kind::invalid("`nil` has no text"), None),
            Self::TooLong => (OutOfSteps::Alone.into(), None),
            Self::NullItem => (Kind::invalid("an item of the value is null, which has no text"), None),
        }
    }
}

impl Sink {
    /// Prints a value like an action or `%v`.
    pub(crate) fn value(&mut self, datum: &Datum) -> Result<(), NoText> {
        self.taint.note(datum);
        match &datum.data {
            Data::Nil => return Err(NoText::Nil),
            Data::Missing(error) => {
                return Err(NoText::Missing(datum.absence().unwrap_or_else(|| LanguageError::clone(error))));
            }
            Data::Null | Data::Unknown(_) => {}
            Data::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
            Data::Int(value) => self.text.push_str(&value.to_string()),
            Data::Float(value) => self.text.push_str(&float::shortest(*value)),
            Data::Text(text) => self.text.push_str(text),
            Data::List(items) => {
                self.text.push('[');
                self.items(items.iter())?;
                self.text.push(']');
            }
            Data::Map(items) => {
                self.text.push_str("map[");
                for (index, (name, item)) in items.iter().enumerate() {
                    self.text.push_str(if index == 0 { "" } else { " " });
                    self.text.push_str(name);
                    self.text.push(':');
                    self.item(item)?;
                }
                self.text.push(']');
            }
            Data::Platform(fields) => {
                self.text.push('{');
                self.items(fields.iter().take(Platform::ORIGINAL).map(|(_, item)| item))?;
                self.text.push('}');
            }
        }
        if self.text.len() > MAX_TEXT { Err(NoText::TooLong) } else { Ok(()) }
    }

    fn items<'a>(&mut self, items: impl Iterator<Item = &'a Datum>) -> Result<(), NoText> {
        for (index, item) in items.enumerate() {
            self.text.push_str(if index == 0 { "" } else { " " });
            self.item(item)?;
        }
        Ok(())
    }

    fn item(&mut self, item: &Datum) -> Result<(), NoText> {
        match item.data {
            Data::Null => Err(NoText::NullItem),
            _ => self.value(item),
        }
    }

    /// Converts the text to a value of the running template.
    pub(crate) fn into_datum(self) -> Datum {
        let data = match self.taint.unknown {
            Some(unknown) => Data::Unknown(unknown),
            None => Data::Text(self.text.into()),
        };
        Datum { secret: self.taint.secret, ..Datum::plain(data) }
    }

    /// Converts the text to the result of the template.
    pub(crate) fn into_value(self) -> Value {
        self.into_datum().into_value()
    }
}
