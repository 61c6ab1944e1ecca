//! Edges: what must be handled before what, and why.

use std::fmt;

use serde::Serialize;

use super::NodeIndex;
use crate::report::Span;

/// Why one node waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EdgeReason {
    /// It is named in `depends`.
    Depends,
    /// A template reads it with `param`.
    Param,
    /// A template reads one of its exports with `lookup`.
    Lookup,
}

impl fmt::Display for EdgeReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Depends => "depends",
            Self::Param => "param",
            Self::Lookup => "lookup",
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
