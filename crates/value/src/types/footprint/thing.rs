//! Things on the machine.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::kinds::kind;
use super::{image, path};

/// One thing on the machine: its kind, and its name among those of its kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Thing {
    kind: &'static str,
    name: Arc<str>,
}

impl Thing {
    /// The thing of this kind and name. Paths and images are brought into one form.
    pub fn new(kind: &'static str, name: &str) -> Self {
        Self { kind, name: normal(kind, name).into() }
    }

    /// The same, of a name that is a text as it is in a value, which is then shared with it.
    pub(super) fn of_text(kind: &'static str, name: &Arc<str>) -> Self {
        let name = match normal(kind, name) {
            Cow::Borrowed(same) if same.len() == name.len() => Arc::clone(name),
            normal => normal.into(),
        };
        Self { kind, name }
    }

    /// The file or folder of this path.
    pub fn path(path: &str) -> Self {
        Self::new(kind::PATH, path)
    }

    /// Comes before every path in a folder, and after all that do not follow the folder's own, in the order of their bytes.
    #[doc(hidden)]
    pub fn before_all_in(folder: &str) -> Self {
        let name = if folder == "/" { Arc::from("/") } else { [folder, "/"].concat().into() };
        Self { kind: kind::PATH, name }
    }

    /// What kind of thing it is: `path`.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// What it is called: `/srv/www`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is a path.
    pub fn is_path(&self) -> bool {
        self.kind == kind::PATH
    }

    /// The paths above a path, the closest first.
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
    /// In the fewest words: `path /srv/www`, `user deploy`.
    #[doc(hidden)]
    pub fn label(&self) -> String {
        format!("{} {}", self.kind.replace('_', " "), self.name)
    }
}

/// For people: a path alone, anything else with its kind.
impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_path() {
            return write!(f, "`{}`", self.name);
        }
        write!(f, "the {} `{}`", self.kind.replace('_', " "), self.name)
    }
}
