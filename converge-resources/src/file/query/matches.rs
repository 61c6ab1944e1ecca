//! The results of a query.

use std::collections::BTreeMap;
use std::time::SystemTime;

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Metadata, SpecialFile};

use crate::file::ids::Database;
use crate::file::mode::Mode;

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(super) enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device, or anything else.
    Other,
}

impl From<FileKind> for Kind {
    fn from(kind: FileKind) -> Self {
        match kind {
            FileKind::File => Self::File,
            FileKind::Directory => Self::Directory,
            FileKind::Symlink => Self::Link,
            FileKind::Special(SpecialFile::Pipe) => Self::Pipe,
            FileKind::Special(SpecialFile::Socket) => Self::Socket,
            FileKind::Special(_) => Self::Other,
        }
    }
}

/// The results for a path or a pattern.
#[derive(Debug, Default, Export)]
pub(super) struct Found {
    /// Whether the path exists, or the pattern matches anything.
    #[export]
    pub(super) exists: bool,
    /// The kind: `file`, `directory`, `pipe`, `socket`, `other`. For a link, it is the kind of the target.
    #[export]
    pub(super) kind: Option<Kind>,
    /// The target of the path if it is a symbolic link, as it is written there.
    #[export]
    pub(super) link: Option<String>,
    /// The permissions as four octal digits.
    #[export]
    pub(super) mode: Option<Mode>,
    /// The name of the owner, or the user id if no user has it.
    #[export]
    pub(super) owner: Option<String>,
    /// The name of the group, or the group id if no group has it.
    #[export]
    pub(super) group: Option<String>,
    /// The size in bytes.
    #[export]
    pub(super) size: Option<u64>,
    /// The time of the last change of the content, in seconds since 1970.
    #[export]
    pub(super) modified: Option<u64>,
    /// The SHA-256 of the file in hexadecimal digits, if `hash` is set.
    #[export]
    pub(super) hash: Option<String>,
    /// The text in a file that is not larger than `content_limit`.
    #[export]
    pub(super) content: Option<String>,
    /// The paths that the pattern matches, in order.
    #[export]
    pub(super) paths: Vec<String>,
    /// The files that the pattern matches, in order of their paths.
    ///
    /// Each has `path`, `kind`, `mode`, `owner`, `group`, `size` and `modified`.
    #[export]
    pub(super) files: Vec<FoundFile>,
}

/// One of the files that a pattern matches.
#[derive(Debug, Export)]
pub(super) struct FoundFile {
    /// The path.
    #[export]
    pub(super) path: String,
    /// The kind of file.
    #[export]
    pub(super) kind: Kind,
    /// The permissions.
    #[export]
    pub(super) mode: Mode,
    /// The owner.
    #[export]
    pub(super) owner: String,
    /// The group.
    #[export]
    pub(super) group: String,
    /// The size in bytes.
    #[export]
    pub(super) size: u64,
    /// The time of the last change, in seconds since 1970.
    #[export]
    pub(super) modified: Option<u64>,
}

/// A cache of the names of ids.
#[derive(Debug, Default)]
pub(super) struct Names {
    users: BTreeMap<u32, String>,
    groups: BTreeMap<u32, String>,
}

impl Names {
    async fn name(&mut self, cx: &Context, database: Database, id: u32) -> Result<String> {
        let names = match database {
            Database::Users => &mut self.users,
            Database::Groups => &mut self.groups,
        };
        if let Some(name) = names.get(&id) {
            return Ok(name.clone());
        }
        let name = database.name_of(cx.system().users(), id).await?.unwrap_or_else(|| id.to_string());
        names.insert(id, name.clone());
        Ok(name)
    }

    /// Describes a file without reading it.
    pub(super) async fn described(
        &mut self,
        cx: &Context,
        path: String,
        has: &Metadata,
    ) -> Result<FoundFile> {
        Ok(FoundFile {
            path,
            kind: has.kind.into(),
            mode: Mode::new(has.mode),
            owner: self.name(cx, Database::Users, has.uid).await?,
            group: self.name(cx, Database::Groups, has.gid).await?,
            size: has.len,
            modified: has.modified.and_then(seconds),
        })
    }
}

fn seconds(time: SystemTime) -> Option<u64> {
    time.duration_since(SystemTime::UNIX_EPOCH).ok().map(|duration| duration.as_secs())
}
