use converge_sdk::system::{HttpCall, Method};
use serde_json::Value as Json;

pub(super) struct Request {
    pub(super) method: Method,
    /// The path without the version of the API.
    pub(super) path: String,
    pub(super) body: Json,
    query: Vec<(String, String)>,
}

impl Request {
    pub(super) fn parse(call: &HttpCall, base: &str) -> Option<Self> {
        let url = call.url.to_string();
        let rest = url.strip_prefix(base)?;
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        // All requests but the first begin with the version.
        let versioned = path.strip_prefix('v').and_then(|path| path.split_once('/'));
        let path = versioned
            .filter(|(version, _)| version.starts_with(|first: char| first.is_ascii_digit()))
            .map_or(path, |(_, path)| path);
        let query = query.split('&').filter_map(|pair| pair.split_once('='));
        Some(Self {
            method: call.method.clone(),
            path: decoded(path),
            body: serde_json::from_slice(&call.body).unwrap_or_default(),
            query: query.map(|(name, value)| (name.to_owned(), decoded(value))).collect(),
        })
    }

    /// Returns a parameter of the query, or an empty text.
    pub(super) fn parameter(&self, name: &str) -> &str {
        self.query.iter().find(|(have, _)| have == name).map_or("", |(_, value)| value)
    }
}

/// Decodes `%2F` to `/` and `+` to a space.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        let hex = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match (first, hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            (b'+', _) => bytes.push(b' '),
            (byte, _) => bytes.push(*byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
