//! JSON output like Go's encoder.

use super::datum::{Data, Datum};
use super::sink::Sink;
use crate::language::go_format::escape::{json_string, write_to};
use crate::language::go_format::float;
use crate::types::platform::Platform;

/// Writes a value like Go's JSON encoder: no spaces, sorted keys, and `<`, `>` and `&` escaped.
pub(crate) fn json(sink: &mut Sink, datum: &Datum) {
    sink.taint.note(datum);
    match &datum.data {
        Data::Nil | Data::Null | Data::Missing(_) | Data::Unknown(_) => sink.text.push_str("null"),
        // The original Converge had text here.
        Data::Bool(value) if datum.textual => write_to(&mut sink.text, format_args!("\"{value}\"")),
        Data::Int(value) if datum.textual => write_to(&mut sink.text, format_args!("\"{value}\"")),
        Data::Float(value) if datum.textual => {
            write_to(&mut sink.text, format_args!("\"{}\"", float::shortest(*value)));
        }
        Data::Bool(value) => sink.text.push_str(if *value { "true" } else { "false" }),
        Data::Int(value) => write_to(&mut sink.text, format_args!("{value}")),
        Data::Float(value) => sink.text.push_str(&float::json(*value)),
        Data::Text(text) => json_string(&mut sink.text, text),
        Data::List(items) => {
            sink.text.push('[');
            for (index, item) in items.iter().enumerate() {
                sink.text.push_str(if index == 0 { "" } else { "," });
                json(sink, item);
            }
            sink.text.push(']');
        }
        Data::Map(items) => json_object(sink, items.iter().map(|(name, item)| (name.as_ref(), item))),
        Data::Platform(fields) => {
            json_object(sink, fields.iter().take(Platform::ORIGINAL).map(|(name, item)| (*name, item)));
        }
    }
}

fn json_object<'a>(sink: &mut Sink, items: impl Iterator<Item = (&'a str, &'a Datum)>) {
    sink.text.push('{');
    for (index, (name, item)) in items.enumerate() {
        sink.text.push_str(if index == 0 { "" } else { "," });
        json_string(&mut sink.text, name);
        sink.text.push(':');
        json(sink, item);
    }
    sink.text.push('}');
}
