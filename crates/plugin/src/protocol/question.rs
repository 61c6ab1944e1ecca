//! The questions of a plugin: what it wants of the machine, and of the run.
//!
//! A call of the system with `=>` in its row of `system_calls` is a question with the arguments of the call. The other
//! questions have a row here, an `impl Perform` in `host/requests`, and a method that asks them in `serve/system`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::value::WireValue;
use super::wire_form::{Argument, OpenFile, Outcome};
use crate::system::call_prelude::*;
use crate::system::{HttpError, KeepOutput, RunAs, system_calls};
use crate::types::json_forms::{Bytes, WirePath};

/// The effect of a request on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Reads,
    /// The request changes the machine, so it is refused in a check.
    Changes,
}

/// A request with a typed answer.
pub(crate) trait Question: Serialize + Send {
    type Answer: Serialize + DeserializeOwned + Send;

    /// Converts the request into the enum of all requests.
    fn into_ask(self) -> Ask;
}

/// Defines the questions: those of the run and of handles, and those of the table of system calls.
macro_rules! questions {
    (
        { $($hand_effect:ident $hand_name:literal $Hand:ident { $($field:ident: $type:ty),* } -> $answer:ty;)* }
        $(
            $(#[$doc:meta])*
            trait $Trait:ident $(: $Bound:ident)?,
            $(#[$wrap_doc:meta])*
            trait $Wrap:ident($wrapped:ident) {
                $(plain $plain:tt)?
                $(calls { $(
                    $(#[$call_doc:meta])*
                    async fn $call:ident $args:tt -> $out:ty $(=> $effect:ident $name:literal $Question:ident)?;
                )* })?
                $(provided $provided:tt)?
                $(fixed $fixed:tt)?
            }
        )*
    ) => {
        $(question! { $Hand { $($field: $type),* } -> $answer })*
        $($($($(question! { $Trait $Question $args -> $out })?)*)?)*

        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "do")]
        pub(crate) enum Ask {
            $(#[serde(rename = $hand_name)] $Hand($Hand),)*
            $($($($(#[serde(rename = $name)] $Question($Question),)?)*)?)*
        }

        impl Ask {
            pub(crate) fn name(&self) -> &'static str {
                match self {
                    $(Self::$Hand(_) => $hand_name,)*
                    $($($($(Self::$Question(_) => $name,)?)*)?)*
                }
            }

            pub(crate) fn effect(&self) -> Effect {
                match self {
                    $(Self::$Hand(_) => Effect::$hand_effect,)*
                    $($($($(Self::$Question(_) => Effect::$effect,)?)*)?)*
                }
            }

            /// The names of all requests.
            #[cfg(test)]
            pub(crate) const NAMES: &[&str] = &[$($hand_name,)* $($($($($name,)?)*)?)*];
        }

        /// Calls a generic function with the concrete type of a request.
        macro_rules! with_question {
            ($ask:expr, $with:ident, $on:expr) => {
                match $ask {
                    $($crate::protocol::Ask::$Hand(question) => $with(question, $on).await,)*
                    $($($($($crate::protocol::Ask::$Question(question) => $with(question, $on).await,)?)*)?)*
                }
            };
        }
        pub(crate) use with_question;
    };
}

/// Defines one question, from its fields or from the arguments of a call.
macro_rules! question {
    ($Question:ident { $($field:ident: $type:ty),* } -> $answer:ty) => {
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $Question { $(pub(crate) $field: $type),* }

        impl Question for $Question {
            type Answer = $answer;

            fn into_ask(self) -> Ask {
                Ask::$Question(self)
            }
        }
    };
    (Directory $Question:ident (&$self:ident $(, $arg:ident: $type:ty)*) -> $out:ty) => {
        question! { $Question { handle: u64 $(, $arg: <fn($type) as Argument>::Wire)* } -> <$out as Outcome>::Wire }
    };
    ($Trait:ident $Question:ident (&$self:ident $(, $arg:ident: $type:ty)*) -> $out:ty) => {
        question! { $Question { $($arg: <fn($type) as Argument>::Wire),* } -> <$out as Outcome>::Wire }
    };
}

system_calls! { questions {
    // The run.
    Reads "run.pending" RunPending {} -> Vec<String>;
    Reads "run.render" RunRender { name: String, template: String } -> WireValue;
    // Environment, clock and randomness.
    Reads "env" Env { name: String } -> Option<String>;
    Reads "clock.now" ClockNow {} -> i64;
    Reads "clock.sleep" ClockSleep { ns: u64 } -> ();
    // Files by path.
    Reads "files.read" FilesRead { path: WirePath, most: u64 } -> Option<FileContent>;
    Changes "files.write" FilesWrite {
        path: WirePath, content: Bytes, mode: Option<u32>, ownership: Ownership, inherit: Inherit
    } -> ();
    Reads "files.flush" FilesFlush { paths: Vec<WirePath> } -> ();
    // Open files and handles.
    Reads "file.read-at" FileReadAt { handle: u64, offset: u64, most: u64 } -> Bytes;
    Changes "staged.write" StagedWrite { handle: u64, bytes: Bytes } -> ();
    Changes "staged.commit" StagedCommit { handle: u64, commit: CommitFile } -> ();
    Reads "scratch.write" ScratchWrite { handle: u64, bytes: Bytes } -> ();
    Reads "scratch.read" ScratchRead { handle: u64 } -> OpenFile;
    Reads "temp-dir.remove" TempDirRemove { handle: u64 } -> ();
    // Programs. A check runs programs to read state, which cannot be told apart from others.
    Reads "processes.run" ProcessesRun { command: WireCommand } -> Output;
    Reads "processes.started-elsewhere" ProcessesStartedElsewhere { command: WireCommand } -> ();
    // The network, which is like programs in this respect.
    Reads "network.connect" NetworkConnect { address: Address } -> u64;
    Reads "stream.read" StreamRead { handle: u64, most: u64 } -> Bytes;
    Reads "stream.write" StreamWrite { handle: u64, bytes: Bytes } -> ();
    Reads "stream.shutdown" StreamShutdown { handle: u64 } -> ();
    Reads "network.request" NetworkRequest { request: WireRequest } -> HttpAnswer<WireResponse>;
    Reads "body.chunk" BodyChunk { handle: u64 } -> HttpAnswer<Option<Bytes>>;
} }

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeTarget<'a> {
    Path(&'a Path),
    Handle(u64),
    Elsewhere,
}

impl Ask {
    /// Returns the target of a change that is allowed in a temporary directory.
    ///
    /// Links are excluded, because a write through a link changes a file elsewhere.
    pub(crate) fn change_target(&self) -> ChangeTarget<'_> {
        match self {
            Self::FilesWrite(FilesWrite { path, .. })
            | Self::FilesWriteInPlace(FilesWriteInPlace { path, .. })
            | Self::FilesStage(FilesStage { path })
            | Self::FilesCreateDir(FilesCreateDir { path, .. })
            | Self::FilesSetMode(FilesSetMode { path, .. })
            | Self::FilesRemoveFile(FilesRemoveFile { path })
            | Self::FilesRemoveDir(FilesRemoveDir { path }) => ChangeTarget::Path(&path.0),
            Self::StagedWrite(StagedWrite { handle, .. })
            | Self::StagedCommit(StagedCommit { handle, .. }) => ChangeTarget::Handle(*handle),
            _ => ChangeTarget::Elsewhere,
        }
    }
}

/// A program to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct WireCommand {
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: indexmap::IndexMap<String, String>,
    /// This field and `run_as` are sent only if they are set.
    ///
    /// A host that does not know them then refuses the command instead of running it differently.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) clear_env: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run_as: Option<RunAs>,
    pub(crate) dir: Option<WirePath>,
    pub(crate) stdin: Bytes,
    pub(crate) timeout_ns: Option<u64>,
    pub(crate) keep: KeepOutput,
    /// Whether output is sent as `printed` messages while the program runs.
    pub(crate) watch: bool,
    /// Whether the program is asked to end when the call is cancelled.
    pub(crate) stop: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireRequest {
    /// The method; `GET` if absent.
    #[serde(default)]
    pub(crate) method: Option<String>,
    pub(crate) url: String,
    #[serde(default)]
    pub(crate) headers: Vec<(String, String)>,
    #[serde(default)]
    pub(crate) body: Option<Bytes>,
    /// The handle of an open file that is the body, of any length.
    #[serde(default)]
    pub(crate) body_of: Option<u64>,
    #[serde(default)]
    pub(crate) deadline_ns: Option<u64>,
    #[serde(default)]
    pub(crate) connect_timeout_ns: Option<u64>,
    #[serde(default)]
    pub(crate) inactivity_timeout_ns: Option<u64>,
    /// The minimum number of bytes to receive in each `least_within_ns`.
    #[serde(default)]
    pub(crate) least_bytes: Option<u64>,
    #[serde(default)]
    pub(crate) least_within_ns: Option<u64>,
    /// The TLS settings, sent only if set, so that a host that does not know the field accepts the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tls: Option<WireTls>,
}

/// The certificates by which both sides of a connection authenticate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct WireTls {
    pub(crate) authorities: Option<String>,
    pub(crate) identity: Option<(String, String)>,
    pub(crate) insecure: bool,
}

/// The head of a response.
///
/// `body` is an open handle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireResponse {
    pub(crate) status: u16,
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: u64,
}

/// The answer of a server, or the error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HttpAnswer<T> {
    Said(T),
    Failed(HttpError),
}
