//! The questions that an authorizer is asked, and its answers.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::identity::{Id, Name, TenancyPattern, Type};

/// An operation of a caller on resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// Read a resource, and see it in lists and watches.
    Read,
    /// Request lists and watches at all.
    List,
    /// Write a resource, including its status, and delete it.
    Write,
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Read => "read",
            Self::List => "list",
            Self::Write => "write",
        })
    }
}

/// The question whether a caller may do something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question<'a> {
    /// The operation.
    pub verb: Verb,
    /// The type of the resource.
    pub resource_type: &'a Type,
    /// The tenancy of the resource, or the pattern of a list.
    pub tenancy: &'a TenancyPattern,
    /// The name; `None` for a list.
    pub name: Option<&'a Name>,
}

/// Decides what one caller may do.
pub trait Authorizer: Send + Sync + 'static {
    /// Returns whether the caller may do this. It decides by the question alone, and does not block.
    fn allows(&self, question: &Question<'_>) -> bool;
}

impl dyn Authorizer + '_ {
    /// Returns whether the caller may do something to one resource.
    pub fn may(&self, verb: Verb, id: &Id) -> bool {
        let tenancy = TenancyPattern::from(id.tenancy.clone());
        let (resource_type, name) = (&id.resource_type, Some(&id.name));
        self.allows(&Question { verb, resource_type, tenancy: &tenancy, name })
    }

    /// Returns whether the caller may list and watch resources of a type at all.
    pub fn may_list(&self, resource_type: &Type, tenancy: &TenancyPattern) -> bool {
        self.allows(&Question { verb: Verb::List, resource_type, tenancy, name: None })
    }
}

/// Allows everything: for calls by the process itself, and for experiments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Everything;

impl Authorizer for Everything {
    fn allows(&self, _: &Question<'_>) -> bool {
        true
    }
}

/// The answer of an authorization hook of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The caller may do this.
    Allow,
    /// The caller may not do this.
    Deny,
    /// The answer depends on the stored resource: the hook is called again with it.
    ///
    /// If the resource was already given, this answer means [`Deny`](Self::Deny).
    NeedResource,
}

impl From<bool> for Access {
    fn from(allowed: bool) -> Self {
        if allowed { Self::Allow } else { Self::Deny }
    }
}
