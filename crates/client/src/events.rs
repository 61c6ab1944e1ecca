//! Parsing of server-sent events.

use serde_json::Value;

/// A server-sent event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The name, which is empty if the event has none.
    pub name: String,
    /// The data.
    pub data: Value,
}

/// A parser of events that arrive in pieces.
#[derive(Debug, Default)]
pub(crate) struct EventParser {
    /// The received bytes that are not parsed yet: at most one incomplete line after `take`.
    bytes: Vec<u8>,
    /// The number of bytes already searched for the end of a line.
    searched: usize,
    name: String,
    data: String,
}

/// The reason why bytes are not events.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EventError {
    #[error("an event is not text: {0}")]
    Text(#[from] std::str::Utf8Error),
    #[error("an event is not JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl EventParser {
    /// Adds received bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the number of bytes of the incomplete event.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() + self.name.len() + self.data.len()
    }

    /// Removes and returns the first complete event.
    ///
    /// Comments, and events without data, are skipped.
    pub(crate) fn take(&mut self) -> Result<Option<Event>, EventError> {
        let mut parsed = 0;
        let event = loop {
            let Some(length) = self.bytes[self.searched..].iter().position(|byte| *byte == b'\n') else {
                self.searched = self.bytes.len();
                break None;
            };
            let end = self.searched + length;
            let line = &self.bytes[parsed..end];
            let line = std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line))?;
            (parsed, self.searched) = (end + 1, end + 1);
            if !line.is_empty() {
                add_field(line, &mut self.name, &mut self.data);
                continue;
            }
            let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
            if !data.is_empty() {
                break Some(Event { name, data: serde_json::from_str(&data)? });
            }
        };
        self.bytes.drain(..parsed);
        self.searched -= parsed;
        Ok(event)
    }
}

/// Adds a line `FIELD: VALUE` to an event.
fn add_field(line: &str, name: &mut String, data: &mut String) {
    let (field, value) = line.split_once(':').unwrap_or((line, ""));
    let value = value.strip_prefix(' ').unwrap_or(value);
    match field {
        "event" => value.clone_into(name),
        "data" => {
            if !data.is_empty() {
                data.push('\n');
            }
            data.push_str(value);
        }
        // A comment has an empty field name.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_pieces() {
        let text = ":\n\nevent: upsert\ndata: {\"a\":\ndata: 1}\n\n: there\n\nevent:delete\r\ndata:{}\r\n\r\n\
                    event: no_data\n\ndata: 1\nid: 7\n\nevent: up";
        for size in [1, 3, text.len()] {
            let (mut parser, mut events) = (EventParser::default(), Vec::new());
            for piece in text.as_bytes().chunks(size) {
                parser.push(piece);
                while let Some(Event { name, data }) = parser.take().unwrap() {
                    events.push(format!("{name} {data}"));
                }
            }
            assert_eq!(events, ["upsert {\"a\":1}", "delete {}", " 1"]);
            assert_eq!(parser.len(), "event: up".len());
        }
    }

    #[test]
    fn broken_events_are_errors() {
        let check = |text: &[u8], expect: &str| {
            let mut parser = EventParser::default();
            parser.push(text);
            let error = parser.take().unwrap_err().to_string();
            assert!(error.starts_with(expect), "{error}");
        };
        check(b"data: no\n\n", "an event is not JSON: ");
        check(b"data: \xff\n\n", "an event is not text: ");
    }
}
