//! JSON-RPC: requests, answers and notifications.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What tells a request apart from others.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum RequestId {
    Number(i64),
    Text(String),
}

/// What the client sends.
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
    /// An answer to what was asked of the client. Nothing depends on it.
    Answer,
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    code: i32,
    message: String,
}

impl Failure {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The text of a message is no JSON.
    pub(super) fn parse(message: impl Into<String>) -> Self {
        Self::new(-32700, message)
    }

    /// It is JSON, and no message, or none that may come now.
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

    pub(super) fn cancelled() -> Self {
        Self::new(-32800, "the request was cancelled")
    }

    /// What was asked for cannot be done, as people are told.
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
    /// Reads the text of a message.
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

/// What is sent to the client.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    messages: Vec<String>,
}

impl Outbox {
    fn push(&mut self, message: &Value) {
        self.messages.push(message.to_string());
    }

    /// Answers a request; `None` when what was wrong has no id.
    pub(super) fn answer(&mut self, id: Option<&RequestId>, result: Result<Value, Failure>) {
        self.push(&match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(Failure { code, message }) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        });
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.push(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub(super) fn request(&mut self, id: &str, method: &str, params: &Value) {
        self.push(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// What is to be sent, in order.
    pub(super) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.messages)
    }
}
