//! The things that the resources of a run declare.
//!
//! A resource that covers more than it names, such as a whole tree, leaves out what another resource
//! decides.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::types::footprint::{Footprint, Thing, Verb, aspect, overlap};

/// The things that all resources of a run declare, as far as they are known at load.
///
/// It has the claims of the asking resource too. Names below the root of a tree are of other resources,
/// because a resource claims the root alone.
#[derive(Clone, Default)]
pub struct Declared(Option<Arc<LazyIndex>>);

type LazyIndex = LazyLock<Index, Box<dyn FnOnce() -> Index + Send>>;

/// The claims of all resources by thing.
type Index = BTreeMap<Thing, Vec<DeclaredClaim>>;

#[derive(Clone, Copy, Debug)]
struct DeclaredClaim {
    /// The number of the resource.
    resource: usize,
    verb: Verb,
    aspect: Option<&'static str>,
    removes: bool,
}

/// The paths that another resource decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    /// The path alone.
    Path,
    /// The path and everything below it.
    Tree,
}

impl Declared {
    /// Collects the claims of footprints on first use.
    #[doc(hidden)]
    pub fn lazy<F>(footprints: impl FnOnce() -> F + Send + 'static) -> Self
    where
        F: IntoIterator<Item = Footprint>,
    {
        Self(Some(Arc::new(LazyLock::new(Box::new(move || index(footprints()))))))
    }

    /// Collects the claims of footprints, for tests of resources.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use converge_core::footprint::{Footprint, aspect, kind};
    /// use converge_core::{Decided, Declared};
    ///
    /// let mut other = Footprint::new();
    /// other.manages(kind::PATH, "/srv/www/secret");
    /// let declared = Declared::new([other]);
    /// assert_eq!(declared.decided(Path::new("/srv/www/secret"), aspect::MODE), Some(Decided::Path));
    /// assert_eq!(declared.decided(Path::new("/srv/www/other"), aspect::MODE), None);
    /// ```
    pub fn new(footprints: impl IntoIterator<Item = Footprint> + Send + 'static) -> Self {
        Self::lazy(move || footprints)
    }

    fn claims(&self, thing: &Thing) -> &[DeclaredClaim] {
        self.0.as_ref().and_then(|index| index.get(thing)).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a resource decides this aspect of a path, and whether also for everything below.
    ///
    /// A resource that removes the path decides all aspects of it.
    pub fn decided(&self, path: &Path, aspect: &'static str) -> Option<Decided> {
        let claims = self.claims(&Thing::path(path.to_str()?));
        let decides = |claim: &&DeclaredClaim| {
            claim.verb == Verb::Manages && (overlap(claim.aspect, Some(aspect)) || claim.removes)
        };
        let deciding = claims.iter().find(decides)?;
        let is_tree = claims.iter().any(|claim| {
            claim.resource == deciding.resource
                && claim.verb == Verb::Touches
                && claim.aspect == Some(aspect::TREE)
        });
        Some(if is_tree { Decided::Tree } else { Decided::Path })
    }

    /// Whether a resource provides or needs a path below `root`, or something inside of it.
    ///
    /// It is also true for everything in a tree that a resource fills, such as the destination of a copy.
    pub fn is_declared(&self, root: &Path, path: &Path) -> bool {
        let (Some(name), Some(index)) = (path.to_str(), &self.0) else { return false };
        let is_wanted = |claim: &DeclaredClaim| !claim.removes && claim.verb != Verb::Touches;
        let thing = Thing::path(name);
        let first = Thing::before_all_in(thing.name());
        let inside = index.range((Bound::Excluded(&first), Bound::Unbounded));
        let mut inside =
            inside.take_while(|(other, _)| other.is_path() && other.name().starts_with(first.name()));
        let root = root.to_str().map(Thing::path);
        let is_filled = |folder: &str| {
            let claims = self.claims(&Thing::path(folder)).iter();
            claims.clone().any(|claim| {
                claim.verb == Verb::Ensures && claim.aspect == Some(aspect::TREE) && !claim.removes
            })
        };
        self.claims(&thing).iter().any(is_wanted)
            || inside.any(|(_, claims)| claims.iter().any(is_wanted))
            || thing
                .above()
                .take_while(|folder| root.as_ref().is_none_or(|root| root.name() != *folder))
                .any(is_filled)
    }

    /// Whether a resource provides a thing: one that is no path, or a path as a whole.
    pub fn is_provided(&self, kind: &'static str, name: &str) -> bool {
        self.claims(&Thing::new(kind, name)).iter().any(|claim| claim.verb.provides() && !claim.removes)
    }

    /// Returns the names of the things of a kind that begin with a text.
    pub fn names<'a>(&'a self, kind: &'static str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        let first = Thing::new(kind, prefix);
        let things = self.0.iter().flat_map(move |index| index.range(first.clone()..));
        let things = things.map(|(thing, _)| thing);
        things
            .take_while(move |thing| thing.kind() == kind && thing.name().starts_with(prefix))
            .map(Thing::name)
    }
}

impl fmt::Debug for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Declared(..)")
    }
}

fn index(footprints: impl IntoIterator<Item = Footprint>) -> Index {
    let mut index = Index::new();
    for (resource, Footprint { claims, removes, .. }) in footprints.into_iter().enumerate() {
        for claim in claims {
            let removes = removes && claim.verb.provides();
            let declared = DeclaredClaim { resource, verb: claim.verb, aspect: claim.aspect, removes };
            index.entry(claim.thing).or_default().push(declared);
        }
    }
    index
}
