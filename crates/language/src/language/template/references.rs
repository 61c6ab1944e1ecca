//! References of templates and expressions, collected from their trees.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::types::scope::Scope;

/// A use of a name, collected from every branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The target of the reference.
    pub target: ReferenceTarget,
    /// The bytes of the name, in the text of a template or in the file of an expression.
    ///
    /// A literal is included with its quotes.
    pub range: Range<u32>,
}

/// The target of a reference.
#[derive(Clone, Debug, PartialEq)]
pub enum ReferenceTarget {
    /// `param`, `paramList` or `paramMap` with a literal name.
    Param(Arc<str>),
    /// `lookup` with a literal path.
    Lookup(Arc<str>),
    /// A dotted name in an expression, possibly of a whole resource: `file.content.page["a"].destination`.
    Traversal(Arc<str>),
    /// A name in an expression with computed keys: `file.content.page[each.key].destination`.
    Picked(Arc<PickedName>),
    /// The path of a file that `templatefile` fills in with the names of the module.
    TemplateFile(LazyText),
    /// `self.FIELD`: another field of the same resource.
    This(Arc<str>),
    /// `each.key` or `each.value`.
    Each,
    /// `param` or `lookup` with a name that is computed during the run.
    Computed,
}

impl ReferenceTarget {
    /// Returns the dotted name, up to its first computed key.
    pub fn path(&self) -> Option<&Arc<str>> {
        match self {
            Self::Lookup(path) | Self::Traversal(path) => Some(path),
            Self::Picked(name) => Some(&name.base),
            Self::Param(_) | Self::TemplateFile(_) | Self::This(_) | Self::Each | Self::Computed => None,
        }
    }
}

/// A name in an expression that goes on behind a computed key.
#[derive(Clone, Debug, PartialEq)]
pub struct PickedName {
    /// The dotted name up to the first computed key.
    pub base: Arc<str>,
    /// The steps behind `base`.
    pub steps: Box<[NameStep]>,
}

/// A part of a [`PickedName`].
#[derive(Clone, Debug, PartialEq)]
pub enum NameStep {
    /// `.name`
    Name(Arc<str>),
    /// `[key]`
    Key(LazyText),
}

/// A text that may be known in a scope, before a run.
#[derive(Clone, Default)]
pub struct LazyText(Option<Arc<ComputeText>>);

type ComputeText = dyn Fn(&dyn Scope) -> Option<Arc<str>> + Send + Sync;

impl LazyText {
    /// Creates a text from a function that computes it in a scope.
    #[doc(hidden)]
    pub fn new(compute: impl Fn(&dyn Scope) -> Option<Arc<str>> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(compute)))
    }

    /// Returns the text, or `None` if the scope does not determine it.
    pub fn in_scope(&self, scope: &dyn Scope) -> Option<Arc<str>> {
        self.0.as_ref().and_then(|compute| compute(scope))
    }
}

impl fmt::Debug for LazyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LazyText")
    }
}

/// Compares whether two texts are computed by the same function.
impl PartialEq for LazyText {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        }
    }
}
