//! The questions of a plugin: what it wants of the machine, and of the run.
//!
//! A row of this table is all that a question needs on the wire. What it does is an `impl Perform` in `host/requests`, and who
//! asks it is a method of the system in `serve/system`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::value::WireValue;
use crate::system::{
    Address, CommitFile, DirEntry, FileContent, Follow, Group, HttpError, Inherit, Inode, KeepOutput,
    Metadata, NamedEntry, Output, Ownership, RunAs, User,
};
use crate::types::json_forms::{Bytes, WirePath};

/// The effect of a request on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    Looks,
    /// The request changes the machine, so it is refused in a check.
    Changes,
}

/// A request with a typed answer.
pub(crate) trait Question: Serialize + Send {
    type Answer: Serialize + DeserializeOwned + Send;

    /// Converts the request into the enum of all requests.
    fn into_ask(self) -> Ask;
}

macro_rules! asks {
    ($($nature:ident $name:literal $question:ident { $($field:ident: $type:ty),* } -> $answer:ty;)*) => {
        $(
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub(crate) struct $question { $(pub(crate) $field: $type),* }

            impl Question for $question {
                type Answer = $answer;

                fn into_ask(self) -> Ask {
                    Ask::$question(self)
                }
            }
        )*

        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "do")]
        pub(crate) enum Ask {
            $(#[serde(rename = $name)] $question($question),)*
        }

        impl Ask {
            pub(crate) fn name(&self) -> &'static str {
                match self { $(Self::$question(_) => $name,)* }
            }

            pub(crate) fn nature(&self) -> Nature {
                match self { $(Self::$question(_) => Nature::$nature,)* }
            }

            /// The names of all requests, in the order of the table.
            #[cfg(test)]
            pub(crate) const NAMES: &[&str] = &[$($name),*];
        }

        /// Calls a generic function with the concrete type of a request.
        macro_rules! with_question {
            ($ask:expr, $with:ident, $on:expr) => {
                match $ask { $($crate::protocol::Ask::$question(question) => $with(question, $on).await,)* }
            };
        }
        pub(crate) use with_question;
    };
}

asks! {
    // The run.
    Looks "run.pending" RunPending {} -> Vec<String>;
    Looks "run.render" RunRender { name: String, template: String } -> WireValue;
    // Environment, clock and randomness.
    Looks "env" Env { name: String } -> Option<String>;
    Looks "clock.now" ClockNow {} -> i64;
    Looks "clock.sleep" ClockSleep { ns: u64 } -> ();
    Looks "random.bytes" RandomBytes { count: u64 } -> Bytes;
    // Files by path.
    Looks "files.metadata" FilesMetadata { path: WirePath, follow: Follow } -> Option<Metadata>;
    Looks "files.read" FilesRead { path: WirePath, most: u64 } -> Option<FileContent>;
    Looks "files.open" FilesOpen { path: WirePath } -> Option<OpenFile>;
    Looks "files.read-dir" FilesReadDir { path: WirePath } -> Vec<DirEntry>;
    Looks "files.read-link" FilesReadLink { path: WirePath } -> Option<WirePath>;
    Looks "files.open-dir" FilesOpenDir { path: WirePath } -> Option<OpenDirectory>;
    Looks "files.inode" FilesInode { path: WirePath, follow: Follow } -> Option<Inode>;
    Looks "files.inherited" FilesInherited { path: WirePath, inherit: Inherit } -> Option<Metadata>;
    Looks "files.may-change" FilesMayChange { path: WirePath, follow: Follow } -> ();
    Looks "files.scratch" FilesScratch {} -> u64;
    Looks "files.temp-dir" FilesTempDir {} -> OpenDirectory;
    Changes "files.write" FilesWrite {
        path: WirePath, content: Bytes, mode: Option<u32>, ownership: Ownership, inherit: Inherit
    } -> ();
    Changes "files.write-in-place" FilesWriteInPlace { path: WirePath, content: Bytes } -> ();
    Changes "files.stage" FilesStage { path: WirePath } -> u64;
    Changes "files.create-dir" FilesCreateDir { path: WirePath, mode: u32 } -> ();
    Changes "files.set-mode" FilesSetMode { path: WirePath, mode: u32 } -> ();
    Changes "files.set-ownership" FilesSetOwnership { path: WirePath, ownership: Ownership, follow: Follow } -> ();
    Changes "files.symlink" FilesSymlink { target: WirePath, path: WirePath } -> ();
    Changes "files.hard-link" FilesHardLink { existing: WirePath, path: WirePath } -> ();
    Changes "files.rename" FilesRename { from: WirePath, to: WirePath } -> ();
    Changes "files.remove-file" FilesRemoveFile { path: WirePath } -> ();
    Changes "files.remove-dir" FilesRemoveDir { path: WirePath } -> ();
    Looks "files.sync-dir" FilesSyncDir { path: WirePath } -> ();
    Looks "files.flush" FilesFlush { paths: Vec<WirePath> } -> ();
    // Open files and handles.
    Looks "file.read-at" FileReadAt { handle: u64, offset: u64, most: u64 } -> Bytes;
    Changes "staged.write" StagedWrite { handle: u64, bytes: Bytes } -> ();
    Changes "staged.commit" StagedCommit { handle: u64, commit: CommitFile } -> ();
    Looks "scratch.write" ScratchWrite { handle: u64, bytes: Bytes } -> ();
    Looks "scratch.read" ScratchRead { handle: u64 } -> OpenFile;
    Looks "temp-dir.remove" TempDirRemove { handle: u64 } -> ();
    // Entries of an open directory.
    Looks "dir.own-metadata" DirOwnMetadata { handle: u64 } -> Metadata;
    Looks "dir.entries" DirEntries { handle: u64 } -> Vec<NamedEntry>;
    Looks "dir.metadata" DirMetadata { handle: u64, name: WirePath } -> Option<Metadata>;
    Looks "dir.open-dir" DirOpenDir { handle: u64, name: WirePath } -> Option<OpenDirectory>;
    Looks "dir.open-below" DirOpenBelow { handle: u64, path: WirePath } -> Option<OpenDirectory>;
    Looks "dir.open" DirOpen { handle: u64, name: WirePath } -> Option<OpenFile>;
    Looks "dir.read-link" DirReadLink { handle: u64, name: WirePath } -> Option<WirePath>;
    Looks "dir.inode" DirInode { handle: u64, name: WirePath } -> Option<Inode>;
    Looks "dir.may-change" DirMayChange { handle: u64, name: WirePath } -> ();
    Changes "dir.stage" DirStage { handle: u64, name: WirePath } -> u64;
    Changes "dir.create-dir" DirCreateDir { handle: u64, name: WirePath, mode: u32 } -> ();
    Changes "dir.symlink" DirSymlink { handle: u64, target: WirePath, name: WirePath } -> ();
    Changes "dir.hard-link" DirHardLink { handle: u64, existing: WirePath, name: WirePath } -> ();
    Changes "dir.set-mode" DirSetMode { handle: u64, name: WirePath, mode: u32 } -> ();
    Changes "dir.set-ownership" DirSetOwnership { handle: u64, name: WirePath, ownership: Ownership } -> ();
    Changes "dir.rename" DirRename { handle: u64, from: WirePath, to: WirePath } -> ();
    Changes "dir.remove-file" DirRemoveFile { handle: u64, name: WirePath } -> ();
    Changes "dir.remove-dir" DirRemoveDir { handle: u64, name: WirePath } -> ();
    Looks "dir.sync" DirSync { handle: u64 } -> ();
    // Users and groups.
    Looks "users.user-by-name" UserByName { name: String } -> Option<User>;
    Looks "users.user-by-uid" UserByUid { uid: u32 } -> Option<User>;
    Looks "users.group-by-name" GroupByName { name: String } -> Option<Group>;
    Looks "users.group-by-gid" GroupByGid { gid: u32 } -> Option<Group>;
    Looks "users.in-primary-group" UsersInPrimaryGroup { gid: u32 } -> Vec<User>;
    Looks "users.groups-of" GroupsOf { name: String } -> Option<Vec<u32>>;
    Looks "users.local-users" LocalUsers {} -> Vec<User>;
    Looks "users.local-groups" LocalGroups {} -> Vec<Group>;
    // Programs. A check runs programs to read state, which cannot be told apart from others.
    Looks "processes.run" ProcessesRun { command: WireCommand } -> Output;
    Looks "processes.started-elsewhere" ProcessesStartedElsewhere { command: WireCommand } -> ();
    // The network, which is like programs in this respect.
    Looks "network.connect" NetworkConnect { address: Address } -> u64;
    Looks "stream.read" StreamRead { handle: u64, most: u64 } -> Bytes;
    Looks "stream.write" StreamWrite { handle: u64, bytes: Bytes } -> ();
    Looks "stream.shutdown" StreamShutdown { handle: u64 } -> ();
    Looks "network.request" NetworkRequest { request: WireRequest } -> HttpAnswer<WireResponse>;
    Looks "body.chunk" BodyChunk { handle: u64 } -> HttpAnswer<Option<Bytes>>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeTarget<'a> {
    Path(&'a std::path::Path),
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

/// The answer of a request that opens a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenFile {
    pub(crate) handle: u64,
    pub(crate) metadata: Metadata,
}

/// The answer of a request that opens a directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenDirectory {
    pub(crate) handle: u64,
    pub(crate) path: WirePath,
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
