//! The messages of the protocol, one per line.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::error::{WireError, WireSystemError};
use super::status::WireStatus;
use super::value::WireValue;
use crate::sdk::context::RunMode;
use crate::system::{OutputStream, Platform};
use crate::types::json_forms::Bytes;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum FromHost {
    /// The first message, with the protocol versions that the host supports.
    Hello {
        protocols: Vec<u32>,
        host: String,
    },
    /// A call, which the plugin answers with a `result` of the same id.
    Call {
        id: u64,
        method: Method,
        /// The task of the call; absent for `schema`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<u64>,
        /// The type of the resource, for `prepare` only.
        #[serde(default, skip_serializing_if = "Option::is_none", rename = "of")]
        resource: Option<String>,
        /// The field values that the module sets, for `prepare` only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fields: Option<IndexMap<String, WireValue>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<Box<CallContext>>,
    },
    /// A call should end soon.
    Cancel {
        id: u64,
    },
    /// Nobody waits for the result of a call any more.
    ///
    /// The plugin must still send it.
    Abandon {
        id: u64,
    },
    Drop {
        task: u64,
    },
    Answer {
        call: u64,
        ask: u64,
        #[serde(default)]
        ok: Json,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<WireSystemError>,
    },
    /// Output of a program that runs for a request.
    Printed {
        call: u64,
        ask: u64,
        stream: OutputStream,
        bytes: Bytes,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Method {
    Schema,
    Prepare,
    Check,
    Apply,
    Refresh,
}

impl Method {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Prepare => "prepare",
            Self::Check => "check",
            Self::Apply => "apply",
            Self::Refresh => "refresh",
        }
    }

    pub(crate) fn may_change(self) -> bool {
        matches!(self, Self::Apply | Self::Refresh)
    }
}

/// The part of the run's context that a call receives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallContext {
    pub(crate) id: String,
    pub(crate) run: String,
    pub(crate) mode: RunMode,
    /// The start of the run, in nanoseconds since the Unix epoch.
    pub(crate) started_ns: i64,
    /// The time left for the call in nanoseconds, if it has a deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) remaining_ns: Option<u64>,
    /// Whether a refresh is due: `never`, `not-now` or `now`.
    pub(crate) refreshing: WireRefreshing,
    pub(crate) heard: bool,
    pub(crate) platform: Platform,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WireRefreshing {
    Never,
    NotNow,
    Now,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum FromPlugin {
    /// The first message, with the protocol version that the plugin chose.
    Hello {
        protocol: u32,
        version: String,
    },
    Result {
        id: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ok: Option<Json>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<WireError>,
    },
    /// A request, about the machine or about the run.
    Ask {
        call: u64,
        ask: u64,
        /// The [`Ask`](super::Ask) as JSON.
        ///
        /// It is parsed where a parse error can be sent as the answer.
        question: Json,
    },
    /// The plugin no longer waits for the answer to a request.
    Forget {
        call: u64,
        ask: u64,
    },
    Progress {
        call: u64,
        progress: ProgressOf,
    },
    /// A text that must not be shown from now on.
    Hide {
        call: u64,
        secret: String,
    },
    /// A handle that is no longer needed.
    Close {
        task: u64,
        handle: u64,
    },
}

pub(crate) type Answer = Result<Json, WireSystemError>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ProgressOf {
    Step(String),
    Bytes { done: u64, total: Option<u64> },
    Line { stream: OutputStream, bytes: Bytes },
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallResult {
    /// The status of the task; absent for `prepare`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<WireStatus>,
    /// The current exports of the task; absent for `prepare`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exports: Option<IndexMap<String, WireValue>>,
}
