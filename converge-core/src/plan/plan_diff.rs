//! How two plans differ.

use std::cmp::Ordering;

use serde::Serialize;

use super::resource::ResourceResult;

/// How a plan is another than an earlier one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlanDiff<'a> {
    /// Resources that the earlier plan does not have.
    pub new: Vec<&'a ResourceResult>,
    /// Resources that only the earlier plan has.
    pub gone: Vec<&'a ResourceResult>,
    /// Resources whose outcome or differences are others.
    pub changed: Vec<ChangedResource<'a>>,
}

/// A resource of which two plans say something else.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ChangedResource<'a> {
    /// What the earlier plan says.
    pub before: &'a ResourceResult,
    /// What the later plan says.
    pub after: &'a ResourceResult,
}

impl<'a> PlanDiff<'a> {
    pub(super) fn new(later: &'a [ResourceResult], earlier: &'a [ResourceResult]) -> Self {
        let mut diff = Self::default();
        let mut before = earlier.iter().peekable();
        for after in later {
            while let Some(gone) = before.next_if(|before| before.id < after.id) {
                diff.gone.push(gone);
            }
            match before.peek().map(|before| before.id.cmp(&after.id)) {
                Some(Ordering::Equal) => {
                    let same = before.next().filter(|before| says_another(before, after));
                    diff.changed.extend(same.map(|before| ChangedResource { before, after }));
                }
                _ => diff.new.push(after),
            }
        }
        diff.gone.extend(before);
        diff
    }

    /// Whether both plans say the same.
    pub fn is_empty(&self) -> bool {
        self.new.is_empty() && self.gone.is_empty() && self.changed.is_empty()
    }
}

fn says_another(before: &ResourceResult, after: &ResourceResult) -> bool {
    (before.outcome, &before.differences) != (after.outcome, &after.differences)
}
