//! Edges between nodes and their reasons.

use std::fmt;

use serde::Serialize;

use super::index::NodeIndex;
use crate::diagnostic::Span;

/// The reason why one node waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgeReason {
    /// The target is named in `depends`.
    Depends,
    /// The target is named in `even_after`; its outcome does not matter.
    #[serde(rename = "even-after")]
    EvenAfter,
    /// A template reads the target with `param`.
    Param,
    /// A template or an expression reads an export of the target.
    Lookup,
    /// The target is named in `on_change_of`.
    #[serde(rename = "on-change-of")]
    OnChange,
    /// The target is a part of this module.
    Module,
    /// The target is a part of this switch, or the case before this one.
    Switch,
    /// The target is an instance of this `for_each`.
    #[serde(rename = "for-each")]
    ForEach,
    /// The target decides whether this node is handled.
    ///
    /// It is a case, or the beginning of a module with `depends` or `when`.
    Gate,
    /// The node manages, needs or touches a thing that the target creates or changes.
    ///
    /// See [`Graph::reason_of`](super::Graph::reason_of).
    Footprint,
    /// The target is the first copy of this node, in a module that is called twice.
    ///
    /// Its work counts for the other copies.
    Copy,
}

impl EdgeReason {
    /// Whether the edge leads from an end node to a part.
    ///
    /// Between two cases of a switch, the same reason means that one comes before the other.
    #[doc(hidden)]
    pub fn is_part(self) -> bool {
        matches!(self, Self::Module | Self::Switch | Self::ForEach)
    }

    /// Whether the dependent needs a value or a decision of the target.
    #[doc(hidden)]
    pub fn needs_value(self) -> bool {
        matches!(self, Self::Lookup | Self::Param | Self::Gate)
    }

    /// Whether the edge follows from footprints or copies, rather than from a name or the structure.
    #[doc(hidden)]
    pub fn is_automatic(self) -> bool {
        matches!(self, Self::Footprint | Self::Copy)
    }

    /// Whether the edge follows from modules, switches and `for_each`, rather than from a name.
    #[doc(hidden)]
    pub fn is_structure(self) -> bool {
        self.is_part() || self == Self::Gate
    }
}

impl fmt::Display for EdgeReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Depends => "depends",
            Self::EvenAfter => "even_after",
            Self::Param => "param",
            Self::Lookup => "lookup",
            Self::OnChange => "on_change_of",
            Self::Module => "module",
            Self::Switch => "switch",
            Self::ForEach => "for_each",
            Self::Gate => "gate",
            Self::Footprint => "footprint",
            Self::Copy => "copy",
        })
    }
}

/// One reason for which a node waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node that is waited for.
    pub on: NodeIndex,
    /// The reason.
    pub reason: EdgeReason,
    /// The span of the reference in the source.
    pub span: Option<Span>,
}
