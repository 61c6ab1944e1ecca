//! Things on the machine, identified by kind and name.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::kinds::kind;
use super::{image, path};

/// A thing on the machine: its kind, and its name within that kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Thing {
    kind: &'static str,
    name: Arc<str>,
}

impl Thing {
    /// Creates a thing. Names of paths and images are normalized.
    pub fn new(kind: &'static str, name: &str) -> Self {
        Self { kind, name: normal(kind, name).into() }
    }

    /// Creates a thing that shares the text of its name if the name is in normal form.
    pub(super) fn from_shared_name(kind: &'static str, name: &Arc<str>) -> Self {
        let name = match normal(kind, name) {
            Cow::Borrowed(same) if same.len() == name.len() => Arc::clone(name),
            normal => normal.into(),
        };
        Self { kind, name }
    }

    /// Creates the thing for a file or folder.
    pub fn path(path: &str) -> Self {
        Self::new(kind::PATH, path)
    }

    /// Returns a thing that sorts, in byte order, directly before all paths inside the folder.
    #[doc(hidden)]
    pub fn before_all_in(folder: &str) -> Self {
        let name = if folder == "/" { Arc::from("/") } else { [folder, "/"].concat().into() };
        Self { kind: kind::PATH, name }
    }

    /// Returns the kind, such as `path`.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns the name, such as `/srv/www`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the thing is a path.
    pub fn is_path(&self) -> bool {
        self.kind == kind::PATH
    }

    /// Returns the parents of a path, the closest first.
    pub fn above(&self) -> impl Iterator<Item = &str> {
        let name = if self.is_path() { self.name() } else { "" };
        std::iter::successors(path::parent(name), |path| path::parent(path))
    }
}

fn normal<'n>(kind: &'static str, name: &'n str) -> Cow<'n, str> {
    match kind {
        kind::PATH => path::normal(name),
        kind::IMAGE => image::normal(name),
        _ => Cow::Borrowed(name),
    }
}

impl Thing {
    /// Returns a short label: `path /srv/www`, `user deploy`.
    #[doc(hidden)]
    pub fn label(&self) -> String {
        format!("{} {}", self.kind.replace('_', " "), self.name)
    }
}

/// Writes the thing for people: a path alone, anything else with its kind.
impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_path() {
            return write!(f, "`{}`", self.name);
        }
        write!(f, "the {} `{}`", self.kind.replace('_', " "), self.name)
    }
}
