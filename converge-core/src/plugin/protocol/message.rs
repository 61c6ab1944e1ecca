//! The messages, each a line.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::error::{WireError, WireSystemError};
use super::status::WireStatus;
use super::value::WireValue;
use crate::sdk::context::RunMode;
use crate::system::{OutputStream, Platform};
use crate::types::json_forms::Bytes;

/// What the host says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum FromHost {
    /// The first message: which versions of the protocol the host speaks.
    Hello { protocols: Vec<u32>, host: String },
    /// Something is to be done. The answer is a `result` with the same id.
    Call {
        id: u64,
        method: Method,
        /// The task that it is about, but for `schema`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<u64>,
        /// Of `prepare`: the type of the resource.
        #[serde(default, skip_serializing_if = "Option::is_none", rename = "of")]
        resource: Option<String>,
        /// Of `prepare`: the fields that the module gives.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fields: Option<IndexMap<String, WireValue>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<Box<CallContext>>,
    },
    /// The call should end soon.
    Cancel { id: u64 },
    /// Nobody waits for the result of the call any more; it is still to be given.
    Abandon { id: u64 },
    /// A task is not needed any more.
    Drop { task: u64 },
    /// What came of a question.
    Answer {
        call: u64,
        ask: u64,
        #[serde(default)]
        ok: Json,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<WireSystemError>,
    },
    /// A program that is run for a question has printed this.
    Printed { call: u64, ask: u64, stream: OutputStream, bytes: Bytes },
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Method {
    Schema,
    Prepare,
    Check,
    Apply,
    Refresh,
}

#[cfg(feature = "plugin-host")]
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

    /// Whether the machine may be changed in it.
    pub(crate) fn may_change(self) -> bool {
        matches!(self, Self::Apply | Self::Refresh)
    }
}

/// What is known of the run in a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallContext {
    /// The id of the resource.
    pub(crate) id: String,
    pub(crate) run: String,
    pub(crate) mode: RunMode,
    /// When the run began.
    pub(crate) started_ns: i64,
    /// How long the call may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) remaining_ns: Option<u64>,
    /// Whether a refresh is due: `never`, `not-now` or `now`.
    pub(crate) refreshing: WireRefreshing,
    /// Whether anybody listens to progress.
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

/// What the plugin says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum FromPlugin {
    /// The first message: which of the versions is spoken.
    Hello {
        protocol: u32,
        /// The version of the plugin.
        version: String,
    },
    /// What came of a call.
    Result {
        id: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ok: Option<Json>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<WireError>,
    },
    /// A question to the machine, or about the run.
    Ask {
        call: u64,
        ask: u64,
        /// An [`Ask`](super::Ask), which is read where it can be answered with an error.
        question: Json,
    },
    /// Nobody waits for the answer to a question any more.
    Forget { call: u64, ask: u64 },
    /// How far the work is.
    Progress { call: u64, progress: ProgressOf },
    /// A text that must not be shown from now on.
    Hide { call: u64, secret: String },
    /// Something that is open is not needed any more.
    Close { task: u64, handle: u64 },
}

/// An answer on its way to who asked.
pub(crate) type Answer = Result<Json, WireSystemError>;

/// How far the work is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ProgressOf {
    Step(String),
    Bytes { done: u64, total: Option<u64> },
    Line { stream: OutputStream, bytes: Bytes },
}

/// What a call on a task gives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Told {
    /// What was found and done; `prepare` has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<WireStatus>,
    /// What the task exports now; `prepare` has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exports: Option<IndexMap<String, WireValue>>,
}
