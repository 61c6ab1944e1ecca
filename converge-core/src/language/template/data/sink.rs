//! Text that is being made, and how values print into it (`%v`).

use super::datum::{Data, Datum};
use super::float;
use crate::types::value::{Unknown, Value};

/// Text, and what the values that were printed into it make of it.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    pub(crate) text: String,
    pub(crate) secret: bool,
    /// The first unknown that was printed.
    pub(crate) unknown: Option<Unknown>,
}

impl Sink {
    /// Remembers what a value makes of the text.
    pub(crate) fn mark(&mut self, datum: &Datum) {
        self.secret |= datum.secret;
        if let Data::Unknown(unknown) = &datum.data {
            self.unknown.get_or_insert_with(|| unknown.clone());
        }
    }

    /// Prints a value as an action does.
    pub(crate) fn print(&mut self, datum: &Datum) {
        match &datum.data {
            Data::Nil => {
                self.mark(datum);
                self.text.push_str("<no value>");
            }
            _ => self.value(datum),
        }
    }

    /// Prints a value as `%v` does.
    pub(crate) fn value(&mut self, datum: &Datum) {
        self.mark(datum);
        match &datum.data {
            Data::Nil => self.text.push_str("<nil>"),
            Data::Null | Data::Unknown(_) => {}
            Data::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
            Data::Int(value) => self.text.push_str(&value.to_string()),
            Data::Float(value) => self.text.push_str(&float::shortest(*value)),
            Data::Text(text) => self.text.push_str(text),
            Data::List(items) => {
                self.text.push('[');
                self.items(items.iter());
                self.text.push(']');
            }
            Data::Map(items) => {
                self.text.push_str("map[");
                for (index, (name, item)) in items.iter().enumerate() {
                    self.text.push_str(if index == 0 { "" } else { " " });
                    self.text.push_str(name);
                    self.text.push(':');
                    self.item(item);
                }
                self.text.push(']');
            }
            Data::Platform(fields) => {
                self.text.push('{');
                self.items(fields.iter().map(|(_, item)| item));
                self.text.push('}');
            }
        }
    }

    fn items<'a>(&mut self, items: impl Iterator<Item = &'a Datum>) {
        for (index, item) in items.enumerate() {
            self.text.push_str(if index == 0 { "" } else { " " });
            self.item(item);
        }
    }

    /// An item of a list or map, where null is Go's nil.
    fn item(&mut self, item: &Datum) {
        match item.data {
            Data::Null => {
                self.mark(item);
                self.text.push_str("<nil>");
            }
            _ => self.value(item),
        }
    }

    /// The text as a value of the running template.
    pub(crate) fn into_datum(self) -> Datum {
        let data = match self.unknown {
            Some(unknown) => Data::Unknown(unknown),
            None => Data::Text(self.text.into()),
        };
        Datum { data, secret: self.secret }
    }

    /// The text as the result of the template.
    pub(crate) fn into_value(self) -> Value {
        self.into_datum().into_value()
    }
}
