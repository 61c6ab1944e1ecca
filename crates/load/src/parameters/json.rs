//! Parameters as JSON.

use indexmap::IndexMap;

use crate::diagnostic::{Diagnostic, FileId, Span};
use converge_value::types::value::{Value, json_number_beyond_64_bits};

pub(super) fn read(text: &str, file: FileId) -> Result<IndexMap<String, Value>, Diagnostic> {
    match serde_json::from_str(text) {
        Ok(Value::Map(values)) => match json_number_beyond_64_bits(text) {
            Some(range) => Err(Diagnostic::error("not-json", "this number is out of range")
                .label(Span::new(file, range.start, range.end), "")
                .help("quotes make a text of it")),
            None => Ok(values.into()),
        },
        Ok(value) => {
            let message = format!("parameters must be a JSON object, not {}", value.kind());
            Err(Diagnostic::error("not-json", message)
                .label(Span::new(file, 0, text.len()), "")
                .help("write it like {\"name\": \"value\"}"))
        }
        Err(error) => {
            let start = offset(text, error.line(), error.column());
            let end = text
                .get(start..)
                .and_then(|rest| rest.chars().next())
                .map_or(start, |c| start + c.len_utf8());
            Err(Diagnostic::error("not-json", format!("this is not JSON: {}", reason(&error)))
                .label(Span::new(file, start, end), ""))
        }
    }
}

/// Returns the reason of an error without its position, which is shown separately.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// Converts a line and column, both counted from 1 and in bytes, to a byte offset.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut position = (start + column).saturating_sub(1).min(text.len());
    while !text.is_char_boundary(position) {
        position -= 1;
    }
    position
}
