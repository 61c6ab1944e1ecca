//! Declared permissions and owners of whole trees, which override those of the source.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{Metadata, Ownership};

use super::attributes::tree_mode;
use super::ids::Database;
use super::mode::{Mode, ModeSpec};

/// The declared permissions and owners of a tree.
#[derive(Clone, Debug, Default, HclBlock)]
pub(crate) struct Wanted {
    /// The permissions of files, instead of those in the source: octal, or symbolic as for `file.mode`.
    #[hcl(base = 8)]
    mode: Option<ModeSpec>,
    /// The permissions of directories, instead of those in the source.
    #[hcl(base = 8)]
    dir_mode: Option<ModeSpec>,
    /// Owner of everything that comes from the source, by user name.
    ///
    /// A user id is accepted if no user has this name. Without this field, new files belong to the user who
    /// runs the apply.
    #[hcl(needs = "user:uid")]
    owner: Option<String>,
    /// Group of everything that comes from the source, by name, or by group id if no group has this name.
    #[hcl(name = "group", needs = "group:gid")]
    group: Option<String>,
}

impl Wanted {
    /// Returns the attributes in a tree whose permissions a `file.directory` declares.
    ///
    /// That resource comes before what is put into its folder. Permissions of the module itself win.
    pub(crate) fn in_tree(&self, cx: &Context, root: &Path) -> Self {
        let of_tree = if self.has_modes() { None } else { tree_mode(cx, root) };
        let Some(spec) = of_tree else { return self.clone() };
        Self { mode: Some(spec.clone()), dir_mode: Some(spec), ..self.clone() }
    }

    /// Returns the permissions of a file or directory that has the mode `of_source` in the source.
    pub(crate) fn mode(&self, of_source: Mode, directory: bool) -> Mode {
        let spec = if directory { &self.dir_mode } else { &self.mode };
        spec.as_ref().map_or(of_source, |spec| spec.apply_to(of_source, directory))
    }

    /// Whether the module declares any permissions.
    pub(crate) fn has_modes(&self) -> bool {
        self.mode.is_some() || self.dir_mode.is_some()
    }

    /// Whether the module declares permissions of directories.
    #[cfg(unix)]
    pub(crate) fn has_dir_mode(&self) -> bool {
        self.dir_mode.is_some()
    }

    /// Returns owner and group, or a message if a pending change may create one that does not exist yet.
    pub(crate) async fn ownership(&self, cx: &Context) -> Result<Result<Ownership, String>> {
        let mut ids = [None, None];
        let names = [(Database::Users, &self.owner), (Database::Groups, &self.group)];
        for (id, (database, name)) in ids.iter_mut().zip(names) {
            // In modules for other tools, an empty name means that there is none.
            let Some(name) = name.as_ref().filter(|name| !name.is_empty()) else { continue };
            // As in chown, digits that are nobody's name are an id.
            *id = database.id_of(cx.system().users(), name).await?.or_else(|| name.parse().ok());
            if id.is_none() {
                if cx.pending().is_empty() {
                    return Err(Error::NotFound { kind: database.kind(), name: name.clone() });
                }
                return Ok(Err(format!("the {} {name:?} does not exist yet", database.kind())));
            }
        }
        let [uid, gid] = ids;
        Ok(Ok(Ownership { uid, gid }))
    }
}

/// Returns the part of the declared ownership that a file does not have.
pub(crate) fn missing(target: Ownership, metadata: &Metadata) -> Ownership {
    Ownership {
        uid: target.uid.filter(|uid| *uid != metadata.uid),
        gid: target.gid.filter(|gid| *gid != metadata.gid),
    }
}
