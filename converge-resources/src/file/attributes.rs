//! Mode, owner and group of what `file.content` and `file.directory` make.

use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::{Follow, Metadata, Ownership};

use super::ids::Database;
use super::mode::{Mode, ModeSpec};

/// What a module says about mode, owner and group. Nothing that it leaves out is managed.
#[derive(Debug, Default, HclBlock)]
pub(crate) struct Attributes {
    /// The permissions: octal as `0644` or `"0644"`, or symbolic as for `file.mode`. A new file has 0600, and a new
    /// directory 0700, unless they are given, and before a symbolic mode changes it.
    #[hcl(base = 8, manages = "path:mode of destination")]
    mode: Option<ModeSpec>,
    /// Owner, by user name, or by user id where no user has this name.
    #[hcl(manages = "path:owner of destination", needs = "user:uid")]
    owner: Option<String>,
    /// Group, by name, or by group id where no group has this name.
    #[hcl(manages = "path:group of destination", needs = "group:gid")]
    group: Option<String>,
}

/// What has to be changed about mode, owner and group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) mode: Option<Mode>,
    pub(crate) ownership: Ownership,
    /// How certain it is that there is something to change.
    pub(crate) level: StatusLevel,
}

impl Changes {
    /// Makes them. Owner and group come first, as changing them may clear mode bits.
    pub(crate) async fn apply(self, cx: &Context, path: &Path) -> Result<()> {
        let files = cx.system().files();
        if self.ownership != Ownership::default() {
            files.set_ownership(path, self.ownership, Follow::Links).await?;
        }
        if let Some(mode) = self.mode {
            files.set_mode(path, mode.bits()).await?;
        }
        Ok(())
    }
}

impl Attributes {
    /// The permissions, when they are managed.
    pub(crate) fn mode(&self) -> Option<&ModeSpec> {
        self.mode.as_ref()
    }

    /// Compares with what is there, or with a new file or directory that would get the mode `fresh`, and adds
    /// the differences to `status`.
    ///
    /// A user or group that does not exist is an error, unless a pending change may create it. That, and an id which a
    /// pending change may give to the name or take from it, makes a difference uncertain.
    pub(crate) async fn compare(
        &self,
        cx: &Context,
        status: &mut Status,
        has: Option<&Metadata>,
        fresh: Mode,
        directory: bool,
    ) -> Result<Changes> {
        let mut changes = Changes::default();
        if let Some(spec) = &self.mode {
            let base = has.map_or(fresh, |metadata| Mode::new(metadata.mode));
            let wanted = spec.settled_on(base, directory)?;
            if has.is_none() || base != wanted {
                let before = has.map(|_| base.to_string()).unwrap_or_default();
                status.add_difference("mode", before, wanted.to_string());
                changes.mode = Some(wanted);
                changes.level = StatusLevel::WillChange;
            }
        }
        let owner = (Database::Users, &self.owner, has.map(|metadata| metadata.uid));
        let group = (Database::Groups, &self.group, has.map(|metadata| metadata.gid));
        changes.ownership.uid = changes.compare_id(cx, status, "owner", owner).await?;
        changes.ownership.gid = changes.compare_id(cx, status, "group", group).await?;
        Ok(changes)
    }
}

impl Changes {
    /// Gives the id to set, if any.
    async fn compare_id(
        &mut self,
        cx: &Context,
        status: &mut Status,
        field: &'static str,
        (database, name, has): (Database, &Option<String>, Option<u32>),
    ) -> Result<Option<u32>> {
        // In modules for the original, an empty name means that there is none.
        let Some(name) = name.as_ref().filter(|name| !name.is_empty()) else { return Ok(None) };
        let users = cx.system().users();
        // As for chown: digits that are nobody's name are an id.
        let wanted = database.id_of(users, name).await?.or_else(|| name.parse().ok());
        if wanted.is_none() {
            if cx.pending().is_empty() {
                return Err(Error::NotFound { kind: database.kind(), name: name.clone() });
            }
            status.add_message(format!("the {} {name:?} does not exist yet", database.kind()));
        } else if has == wanted {
            return Ok(None);
        }
        if wanted.is_some() && !database.is_pending(cx) {
            self.level = StatusLevel::WillChange;
        } else if self.level == StatusLevel::NoChange {
            self.level = StatusLevel::MayChange;
        }
        let before = match has {
            None => String::new(),
            Some(id) => database.name_of(users, id).await?.unwrap_or_else(|| id.to_string()),
        };
        status.add_difference(field, before, name.as_str());
        Ok(wanted)
    }
}
