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

/// What a question does to the machine.
#[cfg(feature = "plugin-host")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// It looks.
    Looks,
    /// It changes something, so it is refused in a check.
    Changes,
}

/// A question with an answer of some type.
pub(crate) trait Question: Serialize + Send {
    /// What is answered.
    type Answer: Serialize + DeserializeOwned + Send;

    /// As one of all questions.
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

        /// Any question.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "do")]
        pub(crate) enum Ask {
            $(#[serde(rename = $name)] $question($question),)*
        }

        impl Ask {
            /// What it is called.
            pub(crate) fn name(&self) -> &'static str {
                match self { $(Self::$question(_) => $name,)* }
            }

            /// What it does to the machine.
            #[cfg(feature = "plugin-host")]
            pub(crate) fn nature(&self) -> Nature {
                match self { $(Self::$question(_) => Nature::$nature,)* }
            }

            /// All names, in the order of the table.
            #[cfg(test)]
            pub(crate) const NAMES: &[&str] = &[$($name),*];
        }

        /// Gives each question to a function that is generic over them.
        #[cfg(feature = "plugin-host")]
        macro_rules! with_question {
            ($ask:expr, $with:ident, $on:expr) => {
                match $ask { $($crate::plugin::protocol::Ask::$question(question) => $with(question, $on).await,)* }
            };
        }
        #[cfg(feature = "plugin-host")]
        pub(crate) use with_question;
    };
}

asks! {
    // The run.
    Looks "run.pending" RunPending {} -> Vec<String>;
    Looks "run.render" RunRender { name: String, template: String } -> WireValue;
    // The environment, the clock and chance.
    Looks "env" Env { name: String } -> Option<String>;
    Looks "clock.now" ClockNow {} -> i64;
    Looks "clock.sleep" ClockSleep { ns: u64 } -> ();
    Looks "random.bytes" RandomBytes { count: u64 } -> Bytes;
    // Files by their path.
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
    // What is open.
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
    // Programs. A check runs some to look, and nobody can tell these from others.
    Looks "processes.run" ProcessesRun { command: WireCommand } -> Output;
    Looks "processes.started-elsewhere" ProcessesStartedElsewhere { command: WireCommand } -> ();
    // The network, in the same way.
    Looks "network.connect" NetworkConnect { address: Address } -> u64;
    Looks "stream.read" StreamRead { handle: u64, most: u64 } -> Bytes;
    Looks "stream.write" StreamWrite { handle: u64, bytes: Bytes } -> ();
    Looks "stream.shutdown" StreamShutdown { handle: u64 } -> ();
    Looks "network.request" NetworkRequest { request: WireRequest } -> HttpAnswer<WireResponse>;
    Looks "body.chunk" BodyChunk { handle: u64 } -> HttpAnswer<Option<Bytes>>;
}

/// What a change is done to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg(feature = "plugin-host")]
pub(crate) enum Place<'a> {
    /// What is at a path.
    Path(&'a std::path::Path),
    /// What is open.
    Handle(u64),
    /// Anything else.
    Elsewhere,
}

#[cfg(feature = "plugin-host")]
impl Ask {
    /// What is changed by it, of the changes that may be made in a folder for a while. Links are not among them, as what is written
    /// through one is elsewhere.
    pub(crate) fn place(&self) -> Place<'_> {
        match self {
            Self::FilesWrite(FilesWrite { path, .. })
            | Self::FilesWriteInPlace(FilesWriteInPlace { path, .. })
            | Self::FilesStage(FilesStage { path })
            | Self::FilesCreateDir(FilesCreateDir { path, .. })
            | Self::FilesSetMode(FilesSetMode { path, .. })
            | Self::FilesRemoveFile(FilesRemoveFile { path })
            | Self::FilesRemoveDir(FilesRemoveDir { path }) => Place::Path(&path.0),
            Self::StagedWrite(StagedWrite { handle, .. })
            | Self::StagedCommit(StagedCommit { handle, .. }) => Place::Handle(*handle),
            _ => Place::Elsewhere,
        }
    }
}

/// A file that was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenFile {
    pub(crate) handle: u64,
    pub(crate) metadata: Metadata,
}

/// A directory that was opened.
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
    /// These two are only said where they are meant: who does not know them refuses the command, and does not run it as another.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) clear_env: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run_as: Option<RunAs>,
    pub(crate) dir: Option<WirePath>,
    pub(crate) stdin: Bytes,
    pub(crate) timeout_ns: Option<u64>,
    pub(crate) keep: KeepOutput,
    /// Whether what it prints is told while it runs, with `printed`.
    pub(crate) watch: bool,
    /// Whether it is asked to end when the call is cancelled.
    pub(crate) stop: bool,
}

/// A request over HTTP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireRequest {
    /// `GET` where it is not said.
    #[serde(default)]
    pub(crate) method: Option<String>,
    pub(crate) url: String,
    #[serde(default)]
    pub(crate) headers: Vec<(String, String)>,
    /// A body as it is.
    #[serde(default)]
    pub(crate) body: Option<Bytes>,
    /// A body of any length: the handle of a file that is open.
    #[serde(default)]
    pub(crate) body_of: Option<u64>,
    #[serde(default)]
    pub(crate) deadline_ns: Option<u64>,
    #[serde(default)]
    pub(crate) connect_timeout_ns: Option<u64>,
    #[serde(default)]
    pub(crate) inactivity_timeout_ns: Option<u64>,
    /// At least so many bytes have to come in `least_within_ns`.
    #[serde(default)]
    pub(crate) least_bytes: Option<u64>,
    #[serde(default)]
    pub(crate) least_within_ns: Option<u64>,
    /// Where nothing is said, it is not there: a host that does not know it takes the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tls: Option<WireTls>,
}

/// How both sides of a connection prove who they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct WireTls {
    pub(crate) authorities: Option<String>,
    /// A certificate, and its key.
    pub(crate) identity: Option<(String, String)>,
    pub(crate) insecure: bool,
}

/// The beginning of a response; `body` is open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireResponse {
    pub(crate) status: u16,
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: u64,
}

/// What a server says, or why it says nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HttpAnswer<T> {
    Said(T),
    Failed(HttpError),
}
