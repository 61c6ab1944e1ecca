//! Which changes matter.

use std::fmt;
use std::sync::Arc;

use crate::resource::Resource;

/// Which changes of a resource matter to who watches it. That one is new or gone always does.
///
/// ```
/// use converge_controller::StatusKey;
/// use converge_controller::runtime::Predicate;
///
/// // The status of another controller, besides what matters anyway.
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
    /// Those for which a function of the states before and after says so.
    pub fn new(matters: impl Fn(&Resource, &Resource) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(matters))
    }

    /// All.
    pub fn any() -> Self {
        Self::new(|_, _| true)
    }

    /// Those of data or metadata: all but those of a status. A controller to which the status matters that it writes
    /// wakes itself.
    pub fn generation_or_metadata() -> Self {
        Self::new(|before, now| before.generation != now.generation || before.metadata != now.metadata)
    }

    /// Those that matter by either.
    pub fn or(self, other: Self) -> Self {
        Self::new(move |before, now| self.matters(before, now) || other.matters(before, now))
    }

    /// Those that matter by both.
    pub fn and(self, other: Self) -> Self {
        Self::new(move |before, now| self.matters(before, now) && other.matters(before, now))
    }

    /// Whether a change between two states matters.
    pub fn matters(&self, before: &Resource, now: &Resource) -> bool {
        // One that was deleted and made again is new.
        before.id.uid != now.id.uid || (self.0)(before, now)
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
