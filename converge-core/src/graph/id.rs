//! Names of nodes.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

/// The path of a node: `root/file.content.index`, `root/module.web/task.build`.
///
/// ```
/// use converge_core::graph::NodeId;
///
/// let id = NodeId::root().child("module.web").child("file.content.index");
/// assert_eq!(id.as_str(), "root/module.web/file.content.index");
/// assert_eq!(id.name(), "file.content.index");
/// assert_eq!(id.parent(), Some(NodeId::root().child("module.web")));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct NodeId(Arc<str>);

impl NodeId {
    /// The root module.
    pub fn root() -> Self {
        Self("root".into())
    }

    /// A node directly inside this one.
    pub fn child(&self, name: &str) -> Self {
        Self(format!("{}/{name}", self.0).into())
    }

    /// The module or branch that holds this node; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.rfind('/').map(|slash| Self(self.0[..slash].into()))
    }

    /// The path of the module or branch that holds this node; empty for the root.
    pub(crate) fn scope(&self) -> &str {
        self.0.rfind('/').map_or("", |slash| &self.0[..slash])
    }

    /// The last part: `file.content.index`.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The whole path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path without the root, as people name it: `module.web/file.content.index`.
    pub fn short(&self) -> &str {
        self.0.strip_prefix("root/").unwrap_or(&self.0)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for NodeId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for NodeId {
    fn borrow(&self) -> &str {
        &self.0
    }
}
