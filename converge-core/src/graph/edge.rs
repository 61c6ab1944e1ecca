//! Edges: what must be handled before what, and why.

use std::fmt;

use serde::Serialize;

use super::index::NodeIndex;
use crate::diagnostic::Span;

/// Why one node waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EdgeReason {
    /// It is named in `depends`.
    Depends,
    /// It is named in `even_after`: what came of it does not matter.
    #[serde(rename = "even-after")]
    EvenAfter,
    /// A template reads it with `param`.
    Param,
    /// A template or an expression reads one of its exports.
    Lookup,
    /// It is named in `on_change_of`.
    #[serde(rename = "on-change-of")]
    OnChange,
    /// It is a part of this module.
    Module,
    /// It is a part of this switch, or the case before this one.
    Switch,
    /// It is an instance of this `for_each`.
    #[serde(rename = "for-each")]
    ForEach,
    /// It decides whether this node is handled at all: a case, or the beginning of a module that has
    /// `depends` or `when`.
    Gate,
    /// It manages, needs or touches a thing of the machine that this one makes or changes; see
    /// [`Graph::reason_of`](super::Graph::reason_of).
    Footprint,
    /// It is a copy of this one, by a module that is used twice: what the first does is done for the others.
    Copy,
}

impl EdgeReason {
    /// Whether it leads from the end of something to a part of it. Between two cases of a switch the same reason
    /// means that one comes before the other.
    pub(crate) fn is_part(self) -> bool {
        matches!(self, Self::Module | Self::Switch | Self::ForEach)
    }

    /// Whether what waits needs a value of what it waits for, or its decision.
    pub(crate) fn needs_value(self) -> bool {
        matches!(self, Self::Lookup | Self::Param | Self::Gate)
    }

    /// Whether no name and no structure makes it, but what resources are about.
    pub(crate) fn is_automatic(self) -> bool {
        matches!(self, Self::Footprint | Self::Copy)
    }

    /// Whether it follows from modules, switches and `for_each`, and no name makes it.
    pub(crate) fn is_structure(self) -> bool {
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
    /// Why.
    pub reason: EdgeReason,
    /// Where the reference is written.
    pub span: Option<Span>,
}
