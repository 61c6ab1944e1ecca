//! Paths in a tree that other resources of the run decide.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;

use crate::claim_kinds::SSH_FOLDER;

/// The paths below a root of which another resource decides one aspect.
pub(crate) struct DeclaredPaths<'a> {
    cx: &'a Context,
    root: &'a Path,
    aspect: &'static str,
    /// The trees that other resources decide whole.
    trees: Vec<PathBuf>,
}

impl<'a> DeclaredPaths<'a> {
    /// Prepares the lookup of paths below `root`.
    ///
    /// SSH files belong to the home directory of their user, which only the machine knows.
    pub(crate) async fn new(cx: &'a Context, root: &'a Path, aspect: &'static str) -> Result<Self> {
        let mut trees = Vec::new();
        for user in cx.declared().names(SSH_FOLDER, "") {
            let user = cx.system().users().user_by_name(user).await?;
            let folder = user.map(|user| Path::new(&user.home).join(".ssh"));
            trees.extend(folder.and_then(|folder| folder.strip_prefix(root).ok().map(Path::to_owned)));
        }
        Ok(Self { cx, root, aspect, trees })
    }

    /// Whether another resource decides the aspect of a path below the root.
    ///
    /// Folders must be asked for before the paths in them.
    pub(crate) fn has(&mut self, path: &Path) -> bool {
        if self.trees.iter().any(|tree| path.starts_with(tree)) {
            return true;
        }
        let decided = self.cx.declared().decided(&self.root.join(path), self.aspect);
        if decided == Some(Decided::Tree) {
            self.trees.push(path.to_owned());
        }
        decided.is_some()
    }
}
