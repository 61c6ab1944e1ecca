//! JSON-RPC messages: requests, answers and notifications.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The identifier of a request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum RequestId {
    Number(i64),
    Text(String),
}

/// A message from the client.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    Request {
        id: RequestId,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// An answer to a request of the server, which is ignored.
    Answer,
}

/// The result of a request.
///
/// Results are serialized once, directly to JSON, as some contain thousands of positions.
pub(super) type Answer = Result<Box<RawValue>, Failure>;

/// Returns a successful answer.
pub(super) fn result(value: &impl Serialize) -> Answer {
    to_raw_value(value).map_err(|error| Failure::internal(error.to_string()))
}

/// The reason why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Failure {
    code: i32,
    message: String,
}

impl Failure {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Returns the error for a message that is not JSON.
    pub(super) fn parse(message: impl Into<String>) -> Self {
        Self::new(-32700, message)
    }

    /// Returns the error for JSON that is not a valid message, or not one that may come now.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(-32600, message)
    }

    pub(super) fn unknown_method(method: &str) -> Self {
        Self::new(-32601, format!("there is no method `{method}` here"))
    }

    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    pub(super) fn not_initialized() -> Self {
        Self::new(-32002, "the first request is `initialize`")
    }

    /// Returns the error for a failure of the server.
    fn internal(message: impl Into<String>) -> Self {
        Self::new(-32603, message)
    }

    pub(super) fn cancelled() -> Self {
        Self::new(-32800, "the request was cancelled")
    }

    /// Returns the error for a request that cannot be fulfilled, with a text for people.
    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self::new(-32803, message)
    }
}

#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    id: Option<RequestId>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Value,
}

impl Incoming {
    /// Parses the text of a message.
    pub(super) fn read(text: &[u8]) -> Result<Self, Failure> {
        let value: Value = serde_json::from_slice(text).map_err(|error| Failure::parse(error.to_string()))?;
        let raw = Raw::deserialize(value).map_err(|error| Failure::invalid(error.to_string()))?;
        match (raw.id, raw.method) {
            (Some(id), Some(method)) => Ok(Self::Request { id, method, params: raw.params }),
            (None, Some(method)) => Ok(Self::Notification { method, params: raw.params }),
            (Some(_), None) => Ok(Self::Answer),
            (None, None) => Err(Failure::invalid("a message has a method or an id")),
        }
    }
}

/// The queue of messages to the client.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    messages: Vec<String>,
}

/// The version of JSON-RPC.
const VERSION: &str = "2.0";

/// A response, with either a result or an error.
#[derive(Serialize)]
struct Response<'a> {
    jsonrpc: &'static str,
    id: Option<&'a RequestId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a Failure>,
}

/// A request, or a notification, which has no id.
#[derive(Serialize)]
struct Call<'a> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    method: &'a str,
    params: &'a Value,
}

impl Outbox {
    fn push(&mut self, message: &impl Serialize) {
        match serde_json::to_string(message) {
            Ok(message) => self.messages.push(message),
            Err(error) => tracing::warn!(%error, "a message cannot be written as JSON"),
        }
    }

    /// Answers a request; `id` is `None` if a faulty message had no id.
    pub(super) fn answer(&mut self, id: Option<&RequestId>, answer: &Answer) {
        let (result, error) = match answer {
            Ok(result) => (Some(&**result), None),
            Err(failure) => (None, Some(failure)),
        };
        self.push(&Response { jsonrpc: VERSION, id, result, error });
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.push(&Call { jsonrpc: VERSION, id: None, method, params });
    }

    pub(super) fn request(&mut self, id: &str, method: &str, params: &Value) {
        self.push(&Call { jsonrpc: VERSION, id: Some(id), method, params });
    }

    /// Removes and returns the queued messages, in order.
    pub(super) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.messages)
    }
}
