//! Operations and answers for the laws of files.

use std::path::PathBuf;
use std::time::SystemTime;

use converge_core::system::{FileKind, Follow, SystemErrorKind};

/// An operation. Paths are below the directory of the test.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Metadata(&'static str, Follow),
    Read(&'static str),
    Write {
        path: &'static str,
        content: &'static str,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
    },
    /// Writes in two pieces; without `commit`, the file is not committed.
    Stage {
        path: &'static str,
        content: &'static str,
        mode: Option<u32>,
        modified: Option<u64>,
        commit: bool,
    },
    WriteInPlace(&'static str, &'static str),
    /// Reads three bytes at a time.
    ReadAt(&'static str),
    Modified(&'static str),
    CreateDir(&'static str, u32),
    SyncDir(&'static str),
    ReadDir(&'static str),
    SetMode(&'static str, u32),
    SetOwnership {
        path: &'static str,
        uid: Option<u32>,
        gid: Option<u32>,
        follow: Follow,
    },
    ReadLink(&'static str),
    Symlink {
        path: &'static str,
        target: &'static str,
    },
    AbsoluteSymlink {
        path: &'static str,
        target: &'static str,
    },
    HardLink {
        existing: &'static str,
        path: &'static str,
    },
    /// Whether two paths refer to one file.
    IsSame(&'static str, &'static str),
    Rename {
        from: &'static str,
        to: &'static str,
    },
    RemoveFile(&'static str),
    RemoveDir(&'static str),
}

/// The answer to an operation, without machine-specific parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    Done,
    Nothing,
    Known { kind: FileKind, mode: u32, uid: u32, gid: u32, len: u64 },
    Text(String),
    Modified(SystemTime),
    Target(PathBuf),
    Entries(Vec<(PathBuf, FileKind)>),
    Failed(SystemErrorKind),
}
