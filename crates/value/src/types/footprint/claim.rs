//! Claims and footprints of resources.

use super::thing::Thing;
use crate::types::schema::Verb;

/// A thing that a resource manages, ensures, needs or touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The relation of the resource to the thing.
    pub verb: Verb,
    /// The thing.
    pub thing: Thing,
    /// The aspect of the thing that the claim is about; `None` means the whole thing.
    pub aspect: Option<&'static str>,
    /// The field that makes the claim.
    pub field: Option<&'static str>,
}

impl Claim {
    /// Whether the claim is about this aspect: the aspects are equal, or one of them is the whole thing.
    #[doc(hidden)]
    pub fn covers_aspect(&self, aspect: Option<&'static str>) -> bool {
        overlap(self.aspect, aspect)
    }
}

/// Whether two aspects of a thing are equal, or one of them is the whole thing.
#[doc(hidden)]
pub fn overlap(a: Option<&'static str>, b: Option<&'static str>) -> bool {
    a.is_none() || b.is_none() || a == b
}

/// The things on the machine that a resource manages, ensures, needs and touches.
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
    /// The claims in the order in which they were added.
    pub claims: Vec<Claim>,
    /// Whether the resource removes the things that it manages.
    pub removes: bool,
    /// Whether a value was unknown, so that claims may be missing.
    pub partial: bool,
}

impl Footprint {
    /// Creates an empty footprint.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a thing whose state this resource alone determines.
    pub fn manages(&mut self, kind: &'static str, name: &str) {
        self.add(Verb::Manages, kind, name);
    }

    /// Adds a thing that the resource ensures, possibly together with other resources.
    pub fn ensures(&mut self, kind: &'static str, name: &str) {
        self.add(Verb::Ensures, kind, name);
    }

    /// Adds a thing that the resource requires and that its check may look at.
    pub fn needs(&mut self, kind: &'static str, name: &str) {
        self.add(Verb::Needs, kind, name);
    }

    /// Adds a thing that changes of the resource may also change.
    pub fn touches(&mut self, kind: &'static str, name: &str) {
        self.add(Verb::Touches, kind, name);
    }

    fn add(&mut self, verb: Verb, kind: &'static str, name: &str) {
        if !name.is_empty() {
            self.claims.push(Claim { verb, thing: Thing::new(kind, name), aspect: None, field: None });
        }
    }

    /// Returns the claims to things that the resource manages or ensures.
    pub fn provided(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| claim.verb.provides())
    }
}
