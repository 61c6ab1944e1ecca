//! Paths in a tree that other resources of the run decide.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;

/// The paths below a root of which another resource decides one aspect.
pub(crate) struct DeclaredPaths<'a> {
    declared: DeclaredBelow<'a>,
    aspect: &'static str,
    /// The trees that other resources decide whole.
    trees: Vec<PathBuf>,
}

impl<'a> DeclaredPaths<'a> {
    pub(crate) fn new(cx: &'a Context, root: &Path, aspect: &'static str) -> Self {
        Self { declared: cx.declared().below(root), aspect, trees: Vec::new() }
    }

    /// Whether another resource decides the aspect of a path below the root.
    ///
    /// Folders must be asked for before the paths in them.
    pub(crate) fn has(&mut self, path: &Path) -> bool {
        if self.trees.iter().any(|tree| path.starts_with(tree)) {
            return true;
        }
        let decided = self.declared.decided(path, self.aspect);
        if decided == Some(Decided::Tree) {
            self.trees.push(path.to_owned());
        }
        decided.is_some()
    }
}
