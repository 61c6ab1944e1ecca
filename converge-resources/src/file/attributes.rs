//! Mode, owner and group of files and directories that resources create.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{Follow, Metadata, Ownership};

use super::acl_mask;
use super::ids::Database;
use super::mode::{Mode, ModeSpec};

/// The declared mode, owner and group. Attributes that are not declared are not managed.
#[derive(Debug, Default, HclBlock)]
pub(crate) struct Attributes {
    /// The permissions: octal as `0644` or `"0644"`, or symbolic as for `file.mode`.
    ///
    /// Without them, a new file has 0600 and a new directory 0700. A symbolic mode changes that default.
    #[hcl(base = 8, manages = "path:mode of destination")]
    mode: Option<ModeSpec>,
    /// Owner, by user name, or by user id if no user has this name.
    #[hcl(manages = "path:owner of destination", needs = "user:uid")]
    owner: Option<String>,
    /// Group, by name, or by group id if no group has this name.
    #[hcl(manages = "path:group of destination", needs = "group:gid")]
    group: Option<String>,
}

/// The changes of mode, owner and group that are needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) mode: Option<Mode>,
    pub(crate) ownership: Ownership,
    /// The certainty that there is something to change.
    pub(crate) level: StatusLevel,
}

impl Changes {
    /// Applies the changes. Owner and group come first, because changing them may clear mode bits.
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
    /// Returns the permissions, if they are managed.
    pub(crate) fn mode(&self) -> Option<&ModeSpec> {
        self.mode.as_ref()
    }

    /// Compares the attributes with those of the file at a path, and adds the differences to `status`.
    ///
    /// A new file or directory starts with the mode `fresh`. A user or group that does not exist is an error,
    /// unless a pending change may create it. A difference is uncertain in that case, and if a pending change
    /// may give an id to the name or take it away.
    pub(crate) async fn compare(
        &self,
        cx: &Context,
        status: &mut Status,
        (path, has): (&Path, Option<&Metadata>),
        fresh: Mode,
        directory: bool,
    ) -> Result<Changes> {
        let mut changes = Changes::default();
        // A new path in a tree with declared permissions has them from its start.
        let parent = path.parent().filter(|_| has.is_none() && self.mode.is_none());
        let of_tree = parent.and_then(|folder| tree_mode(cx, folder));
        if let Some(spec) = self.mode.as_ref().or(of_tree.as_ref()) {
            let base = has.map_or(fresh, |metadata| Mode::new(metadata.mode));
            let target = spec.apply_settled(base, directory)?;
            if has.is_none() || base != target {
                let before = has.map(|_| base.to_string()).unwrap_or_default();
                status.add_difference("mode", before, target.to_string());
                changes.mode = Some(target);
                changes.level = StatusLevel::WillChange;
                if has.is_some() {
                    acl_mask::report(cx, status, path, target.bits()).await?;
                }
            }
        }
        let owner = (Database::Users, &self.owner, has.map(|metadata| metadata.uid));
        let group = (Database::Groups, &self.group, has.map(|metadata| metadata.gid));
        changes.ownership.uid = changes.compare_id(cx, status, "owner", owner).await?;
        changes.ownership.gid = changes.compare_id(cx, status, "group", group).await?;
        Ok(changes)
    }
}

/// The kind of claims on the permissions of a tree whose root the resource makes: `/srv u=rwX,go=rX`.
pub(crate) const TREE_MODE: &str = "tree_mode";

/// Returns the permissions that the innermost `file.directory` declares for the tree of a folder.
pub(crate) fn tree_mode(cx: &Context, folder: &Path) -> Option<ModeSpec> {
    folder.ancestors().find_map(|folder| {
        let prefix = format!("{} ", folder.to_str()?);
        let claim = cx.declared().names(TREE_MODE, &prefix).next()?;
        ModeSpec::parse(claim.strip_prefix(&prefix)?).ok()
    })
}

impl Changes {
    /// Returns the id to set, if any.
    async fn compare_id(
        &mut self,
        cx: &Context,
        status: &mut Status,
        field: &'static str,
        (database, name, has): (Database, &Option<String>, Option<u32>),
    ) -> Result<Option<u32>> {
        // In modules for the original Converge, an empty name means that there is none.
        let Some(name) = name.as_ref().filter(|name| !name.is_empty()) else { return Ok(None) };
        let users = cx.system().users();
        // As in chown, digits that are nobody's name are an id.
        let target_id = database.id_of(users, name).await?.or_else(|| name.parse().ok());
        if target_id.is_none() {
            if cx.pending().is_empty() {
                return Err(Error::NotFound { kind: database.kind(), name: name.clone() });
            }
            status.add_message(format!("the {} {name:?} does not exist yet", database.kind()));
        } else if has == target_id {
            return Ok(None);
        }
        if target_id.is_some() && !database.is_pending(cx) {
            self.level = StatusLevel::WillChange;
        } else if self.level == StatusLevel::NoChange {
            self.level = StatusLevel::MayChange;
        }
        let before = match has {
            None => String::new(),
            Some(id) => database.name_of(users, id).await?.unwrap_or_else(|| id.to_string()),
        };
        status.add_difference(field, before, name.as_str());
        Ok(target_id)
    }
}
