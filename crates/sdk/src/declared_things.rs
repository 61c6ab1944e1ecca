//! The things that the resources of a run declare.
//!
//! A resource that covers more than it names, such as a whole tree, leaves out what another resource
//! decides.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use crate::types::footprint::{Footprint, Thing, Verb, aspect, overlap};

/// The things that all resources of a run declare, as far as they are known at load.
///
/// It has the claims of the asking resource too.
#[derive(Clone, Default)]
pub struct Declared(Option<Arc<Index>>);

/// Returns the canonical name of a path, by which two spellings are one.
type Canonical = Box<dyn Fn(&str) -> String + Send + Sync>;

struct Index {
    /// The claims of resources by thing, with canonical paths.
    claims: BTreeMap<Thing, Vec<DeclaredClaim>>,
    /// The number of resources in this index and in `known`.
    resources: usize,
    canonical: Arc<Canonical>,
    /// A resource with a path that cannot be known.
    unknown: Option<Arc<str>>,
    /// The index of what was known before.
    known: Option<Arc<Index>>,
}

impl Index {
    /// Returns this index, and then the one of what was known before.
    fn layers(&self) -> impl Iterator<Item = &Self> + Clone {
        std::iter::successors(Some(self), |index| index.known.as_deref())
    }

    fn claims_of<'a>(&'a self, thing: &'a Thing) -> impl Iterator<Item = &'a DeclaredClaim> + Clone {
        self.layers().filter_map(|index| index.claims.get(thing)).flatten()
    }
}

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
    /// Collects the claims of footprints with canonical paths.
    ///
    /// `canonical` also returns the canonical names for the paths of queries.
    #[doc(hidden)]
    pub fn from_footprints(
        footprints: impl IntoIterator<Item = Footprint>,
        canonical: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Self {
        let canonical: Canonical = Box::new(canonical);
        let (claims, resources) = claims(footprints, 0);
        Self(Some(Arc::new(Index {
            claims,
            resources,
            canonical: Arc::new(canonical),
            unknown: None,
            known: None,
        })))
    }

    /// Returns the same things with more footprints, which have canonical paths.
    ///
    /// `unknown` names a resource with a path that cannot be known.
    #[doc(hidden)]
    pub fn with(&self, footprints: impl IntoIterator<Item = Footprint>, unknown: Option<Arc<str>>) -> Self {
        let Some(known) = &self.0 else { return Self::default() };
        let (claims, resources) = claims(footprints, known.resources);
        let (canonical, known) = (Arc::clone(&known.canonical), Some(Arc::clone(known)));
        Self(Some(Arc::new(Index { claims, resources, canonical, unknown, known })))
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
    /// let folder = declared.below(Path::new("/srv/www"));
    /// assert_eq!(folder.decided(Path::new("secret"), aspect::MODE), Some(Decided::Path));
    /// assert_eq!(folder.decided(Path::new("other"), aspect::MODE), None);
    /// ```
    pub fn new(footprints: impl IntoIterator<Item = Footprint>) -> Self {
        Self::from_footprints(footprints, |path| Thing::path(path).name().to_owned())
    }

    /// Returns what other resources declare below a folder that the asking resource covers.
    pub fn below(&self, folder: &Path) -> DeclaredBelow<'_> {
        let index = self.0.as_ref().zip(folder.to_str());
        DeclaredBelow(index.map(|(index, folder)| (&**index, Thing::path(&(index.canonical)(folder)))))
    }

    /// Returns the name of a resource with a path that cannot be known.
    ///
    /// The path may be in the covered tree. The lookup of the path failed, or a plan does not know its result yet. An apply must not remove what
    /// this resource may declare.
    pub fn unknown(&self) -> Option<&str> {
        self.0.as_ref()?.unknown.as_deref()
    }

    /// Whether a resource provides a thing: one that is no path, or a path as a whole.
    pub fn is_provided(&self, kind: &'static str, name: &str) -> bool {
        let Some(index) = &self.0 else { return false };
        index.claims_of(&Thing::new(kind, name)).any(|claim| claim.verb.provides() && !claim.removes)
    }

    /// Returns the names of the things of a kind that begin with a text.
    pub fn names<'a>(&'a self, kind: &'static str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        let first = Thing::new(kind, prefix);
        let layers = self.0.iter().flat_map(|index| index.layers());
        let things = layers.flat_map(move |index| {
            let things = index.claims.range(first.clone()..).map(|(thing, _)| thing);
            things.take_while(move |thing| thing.kind() == kind && thing.name().starts_with(prefix))
        });
        things.map(Thing::name)
    }
}

/// The things that are declared below a folder.
#[derive(Clone)]
pub struct DeclaredBelow<'a>(Option<(&'a Index, Thing)>);

impl DeclaredBelow<'_> {
    /// Returns whether a resource decides an aspect of a path, and whether also for everything below.
    ///
    /// The path is relative to the folder. A resource that removes the path decides all aspects of it.
    pub fn decided(&self, path: &Path, aspect: &'static str) -> Option<Decided> {
        let (index, folder) = self.0.as_ref()?;
        let thing = inside(folder, path)?;
        let claims = index.claims_of(&thing);
        let decides = |claim: &&DeclaredClaim| match claim.verb {
            Verb::Manages => overlap(claim.aspect, Some(aspect)) || claim.removes,
            Verb::Ensures => claim.aspect == Some(aspect) && aspect != aspect::CONTENT,
            Verb::Needs | Verb::Touches => false,
        };
        let deciding = claims.clone().find(decides)?;
        Some(if covers_tree(claims, deciding.resource) { Decided::Tree } else { Decided::Path })
    }

    /// Whether a resource decides an aspect of the whole tree around a path.
    ///
    /// The path is relative to the folder. The tree may begin above the folder.
    pub fn is_in_tree(&self, path: &Path, aspect: &'static str) -> bool {
        let Some((index, folder)) = &self.0 else { return false };
        let Some(thing) = inside(folder, path) else { return false };
        let decides = |above: &str| {
            let above = Thing::path(above);
            let claims = index.claims_of(&above);
            let mut managers = claims.clone().filter(|claim| {
                claim.verb == Verb::Manages && claim.aspect == Some(aspect) && !claim.removes
            });
            managers.any(|manager| covers_tree(claims.clone(), manager.resource))
        };
        thing.above().any(decides)
    }

    /// Whether a resource provides or needs a path, or something inside of it.
    ///
    /// The path is relative to the folder. The result is also true in a tree that a resource fills, such as the
    /// destination of a copy.
    pub fn has(&self, path: &Path) -> bool {
        let Some((index, folder)) = &self.0 else { return false };
        let Some(thing) = inside(folder, path) else { return false };
        let is_wanted = |claim: &DeclaredClaim| !claim.removes && claim.verb != Verb::Touches;
        let is_filled = |claim: &DeclaredClaim| {
            claim.verb == Verb::Ensures && claim.aspect == Some(aspect::TREE) && !claim.removes
        };
        let any = |thing: &Thing, is_it: &dyn Fn(&DeclaredClaim) -> bool| index.claims_of(thing).any(is_it);
        let first = Thing::before_all_in(thing.name());
        let mut below = index.layers().flat_map(|index| {
            let below = index.claims.range((Bound::Excluded(&first), Bound::Unbounded));
            below.take_while(|(other, _)| other.is_path() && other.name().starts_with(first.name()))
        });
        let mut folders = thing.above().take_while(|above| *above != folder.name());
        any(&thing, &is_wanted)
            || below.any(|(_, claims)| claims.iter().any(is_wanted))
            || folders.any(|above| any(&Thing::path(above), &is_filled))
    }
}

/// Whether a resource changes everything below the thing of these claims.
fn covers_tree<'a>(claims: impl Iterator<Item = &'a DeclaredClaim>, resource: usize) -> bool {
    let mut of_resource = claims.filter(|claim| claim.resource == resource);
    of_resource.any(|claim| claim.verb == Verb::Touches && claim.aspect == Some(aspect::TREE))
}

/// Returns the thing of a relative path in a folder.
fn inside(folder: &Thing, path: &Path) -> Option<Thing> {
    Path::new(folder.name()).join(path).to_str().map(Thing::path)
}

impl fmt::Debug for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Declared(..)")
    }
}

impl fmt::Debug for DeclaredBelow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeclaredBelow(..)")
    }
}

/// Returns the claims of footprints by thing, and the number after that of the last resource.
fn claims(
    footprints: impl IntoIterator<Item = Footprint>,
    first: usize,
) -> (BTreeMap<Thing, Vec<DeclaredClaim>>, usize) {
    let mut by_thing: BTreeMap<Thing, Vec<DeclaredClaim>> = BTreeMap::new();
    let mut resource = first;
    for Footprint { claims, removes, .. } in footprints {
        for claim in claims {
            let removes = removes && claim.verb.provides();
            let declared = DeclaredClaim { resource, verb: claim.verb, aspect: claim.aspect, removes };
            by_thing.entry(claim.thing).or_default().push(declared);
        }
        resource += 1;
    }
    (by_thing, resource)
}
