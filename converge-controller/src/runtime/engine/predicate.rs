//! Predicates that select the changes that trigger a reconcile.

use std::fmt;
use std::sync::Arc;

use crate::resource::Resource;

/// A predicate that selects relevant changes of a resource.
///
/// Creation and deletion are always relevant.
///
/// ```
/// use converge_controller::StatusKey;
/// use converge_controller::runtime::Predicate;
///
/// // The status of another controller, besides the default changes.
/// let other: StatusKey = "other".parse()?;
/// let accepted = Predicate::new(move |before, now| before.status.get(&other) != now.status.get(&other));
/// let matters = Predicate::generation_or_metadata().or(accepted);
/// # let _ = matters;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Predicate(Arc<Matters>);

type Matters = dyn Fn(&Resource, &Resource) -> bool + Send + Sync;

impl Predicate {
    /// Creates a predicate from a function of the states before and after a change.
    pub fn new(matters: impl Fn(&Resource, &Resource) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(matters))
    }

    /// Selects all changes.
    pub fn any() -> Self {
        Self::new(|_, _| true)
    }

    /// Selects changes of data or metadata, but not of statuses.
    ///
    /// A controller that selects changes of the status that it writes itself triggers itself.
    pub fn generation_or_metadata() -> Self {
        Self::new(|before, now| before.generation != now.generation || before.metadata != now.metadata)
    }

    /// Selects changes that either predicate selects.
    pub fn or(self, other: Self) -> Self {
        Self::new(move |before, now| self.matters(before, now) || other.matters(before, now))
    }

    /// Selects changes that both predicates select.
    pub fn and(self, other: Self) -> Self {
        Self::new(move |before, now| self.matters(before, now) && other.matters(before, now))
    }

    /// Returns whether a change between two states is relevant.
    pub fn matters(&self, before: &Resource, current: &Resource) -> bool {
        // A resource that was deleted and created again counts as new.
        before.id.uid != current.id.uid || (self.0)(before, current)
    }
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Predicate(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::demo::{Artist, resource, stored};

    #[test]
    fn what_was_made_again_matters_to_everybody() {
        let state = |uid| stored(resource("korn", Artist::default()), uid, 1);
        let nothing = Predicate::new(|_, _| false);
        assert!(!nothing.matters(&state(1), &state(1)));
        assert!(nothing.matters(&state(1), &state(2)));
    }

    #[test]
    fn either_or_both() {
        let [yes, no] = [true, false].map(|matters| Predicate::new(move |_, _| matters));
        let state = stored(resource("korn", Artist::default()), 1, 1);
        let check = |predicate: Predicate, expect| assert_eq!(predicate.matters(&state, &state), expect);
        check(yes.clone().or(no.clone()), true);
        check(no.clone().or(yes.clone()), true);
        check(no.clone().or(no.clone()), false);
        check(yes.clone().and(no.clone()), false);
        check(yes.clone().and(yes), true);
    }
}
