//! What an authorizer is asked, and what it may answer.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::identity::{Id, Name, TenancyPattern, Type};

/// What a caller may do to resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// Read one, and find it in lists and watches.
    Read,
    /// Ask for lists and watches at all.
    List,
    /// Write one, its status too, and delete it.
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

/// Whether a caller may do something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question<'a> {
    /// What it wants to do.
    pub verb: Verb,
    /// The type of what it wants to do it to.
    pub resource_type: &'a Type,
    /// The tenancy, or those of which a list is asked for.
    pub tenancy: &'a TenancyPattern,
    /// The name; of a list there is none.
    pub name: Option<&'a Name>,
}

/// Knows what one caller may do.
pub trait Authorizer: Send + Sync + 'static {
    /// Whether the caller may. It decides by what is in the question alone, and at once.
    fn allows(&self, question: &Question<'_>) -> bool;
}

impl dyn Authorizer + '_ {
    /// Whether the caller may do something to one resource.
    pub fn may(&self, verb: Verb, id: &Id) -> bool {
        let tenancy = TenancyPattern::from(id.tenancy.clone());
        let (resource_type, name) = (&id.resource_type, Some(&id.name));
        self.allows(&Question { verb, resource_type, tenancy: &tenancy, name })
    }

    /// Whether the caller may list and watch resources of a type at all.
    pub fn may_list(&self, resource_type: &Type, tenancy: &TenancyPattern) -> bool {
        self.allows(&Question { verb: Verb::List, resource_type, tenancy, name: None })
    }
}

/// Allows everything: for a process that asks itself, and for trying things out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Everything;

impl Authorizer for Everything {
    fn allows(&self, _: &Question<'_>) -> bool {
        true
    }
}

/// The answer of a hook of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The caller may.
    Allow,
    /// The caller may not.
    Deny,
    /// That depends on what is stored: the hook is asked again, with the resource. To say it where the resource is given
    /// means [`Deny`](Self::Deny).
    NeedResource,
}

impl From<bool> for Access {
    fn from(allowed: bool) -> Self {
        if allowed { Self::Allow } else { Self::Deny }
    }
}
