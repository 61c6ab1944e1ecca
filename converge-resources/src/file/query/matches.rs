//! What a query finds.

use std::collections::BTreeMap;
use std::time::SystemTime;

use converge_core::prelude::*;
use converge_core::system::{FileKind, Metadata, SpecialFile};

use crate::file::ids::Database;
use crate::file::mode::Mode;

/// What something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(super) enum Kind {
    /// A file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device, or whatever else has a name.
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

/// What was found at the path, or by the pattern.
#[derive(Debug, Default, Export)]
pub(super) struct Found {
    /// Whether there is something at the path, or the pattern finds something.
    #[export]
    pub(super) exists: bool,
    /// What it is: `file`, `directory`, `pipe`, `socket`, `other`. A link is what it leads to.
    #[export]
    pub(super) kind: Option<Kind>,
    /// Where the path leads when it is a symbolic link, as it is written there.
    #[export]
    pub(super) link: Option<String>,
    /// The permissions as four octal digits.
    #[export]
    pub(super) mode: Option<Mode>,
    /// The name of the owner, or the user id where no user has it.
    #[export]
    pub(super) owner: Option<String>,
    /// The name of the group, or the group id where no group has it.
    #[export]
    pub(super) group: Option<String>,
    /// The size in bytes.
    #[export]
    pub(super) size: Option<u64>,
    /// When the content was last changed, in seconds since 1970.
    #[export]
    pub(super) modified: Option<u64>,
    /// The SHA-256 of a file in hexadecimal digits, when `hash` asks for it.
    #[export]
    pub(super) hash: Option<String>,
    /// The text in a file that is not larger than `content_limit`.
    #[export]
    pub(super) content: Option<String>,
    /// The paths that the pattern finds, in order.
    #[export]
    pub(super) paths: Vec<String>,
    /// What the pattern finds, in order of the paths, each with `path`, `kind`, `mode`, `owner`, `group`, `size` and `modified`.
    #[export]
    pub(super) files: Vec<FoundFile>,
}

/// One of several that were found.
#[derive(Debug, Export)]
pub(super) struct FoundFile {
    /// The path.
    #[export]
    pub(super) path: String,
    /// What it is.
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
    /// When it was changed.
    #[export]
    pub(super) modified: Option<u64>,
}

/// Names of ids, each asked for once.
#[derive(Debug, Default)]
pub(super) struct Names {
    users: BTreeMap<u32, String>,
    groups: BTreeMap<u32, String>,
}

impl Names {
    async fn name(&mut self, cx: &Context, database: Database, id: u32) -> Result<String> {
        let known = match database {
            Database::Users => &mut self.users,
            Database::Groups => &mut self.groups,
        };
        if let Some(name) = known.get(&id) {
            return Ok(name.clone());
        }
        let name = database.name_of(cx.system().users(), id).await?.unwrap_or_else(|| id.to_string());
        known.insert(id, name.clone());
        Ok(name)
    }

    /// What is known of something without reading it.
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
    time.duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| since.as_secs())
}
