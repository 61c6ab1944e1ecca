//! What one resource has to do with the machine.

use super::thing::Thing;
use crate::types::schema::Verb;

/// One thing that a resource manages, needs or touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What it has to do with it.
    pub verb: Verb,
    /// The thing.
    pub thing: Thing,
    /// What about it; all of it when nothing is said.
    pub aspect: Option<&'static str>,
    /// The field that says so.
    pub field: Option<&'static str>,
}

impl Claim {
    /// Whether this is about an aspect of its thing: about the same one, or one of the two is about all of it.
    #[doc(hidden)]
    pub fn covers_aspect(&self, aspect: Option<&'static str>) -> bool {
        overlap(self.aspect, aspect)
    }
}

/// Whether two aspects of a thing are the same, or one of them is all of it.
#[doc(hidden)]
pub fn overlap(a: Option<&'static str>, b: Option<&'static str>) -> bool {
    a.is_none() || b.is_none() || a == b
}

/// What on the machine a resource manages, needs, and touches beside that.
///
/// ```
/// use converge_core::footprint::{Footprint, kind};
///
/// let mut footprint = Footprint::new();
/// footprint.manages(kind::IMAGE, "docker.io/library/nginx:1.27");
/// footprint.needs(kind::PATH, "/etc//docker/");
/// assert_eq!(footprint.claims[1].thing.name(), "/etc/docker");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Footprint {
    /// The things, in the order in which they were said.
    pub claims: Vec<Claim>,
    /// What it manages is to be gone.
    pub removes: bool,
    /// A value was not known, so there may be more.
    pub partial: bool,
}

impl Footprint {
    /// One that says nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds something that the resource alone says how it is to be.
    pub fn manages(&mut self, kind: &'static str, name: &str) {
        self.add(Verb::Manages, kind, name);
    }

    /// Adds something that it sees to, as others may, too.
    pub fn ensures(&mut self, kind: &'static str, name: &str) {
        self.add(Verb::Ensures, kind, name);
    }

    /// Adds something without which it does not work, and at which its check may look.
    pub fn needs(&mut self, kind: &'static str, name: &str) {
        self.add(Verb::Needs, kind, name);
    }

    /// Adds something that its changes may change, too.
    pub fn touches(&mut self, kind: &'static str, name: &str) {
        self.add(Verb::Touches, kind, name);
    }

    fn add(&mut self, verb: Verb, kind: &'static str, name: &str) {
        if !name.is_empty() {
            self.claims.push(Claim { verb, thing: Thing::new(kind, name), aspect: None, field: None });
        }
    }

    /// What it manages or sees to: what it stands for on the machine.
    pub fn provided(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| claim.verb.provides())
    }
}
