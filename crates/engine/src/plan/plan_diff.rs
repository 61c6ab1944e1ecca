//! The differences between two plans.

use std::cmp::Ordering;

use serde::Serialize;

use super::resource::ResourceResult;

/// The differences between a plan and an earlier one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlanDiff<'a> {
    /// Resources that only the later plan has.
    pub new: Vec<&'a ResourceResult>,
    /// Resources that only the earlier plan has.
    pub gone: Vec<&'a ResourceResult>,
    /// Resources with another outcome or other differences.
    pub changed: Vec<ChangedResource<'a>>,
}

/// A resource with different results in two plans.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ChangedResource<'a> {
    /// The result in the earlier plan.
    pub before: &'a ResourceResult,
    /// The result in the later plan.
    pub after: &'a ResourceResult,
}

impl<'a> PlanDiff<'a> {
    pub(super) fn new(later: &'a [ResourceResult], earlier: &'a [ResourceResult]) -> Self {
        let mut diff = Self::default();
        let mut before = earlier.iter().peekable();
        for after in later {
            while let Some(old_resource) = before.next_if(|before| before.id < after.id) {
                diff.gone.push(old_resource);
            }
            match before.peek().map(|before| before.id.cmp(&after.id)) {
                Some(Ordering::Equal) => {
                    let old_version = before.next().filter(|before| says_another(before, after));
                    diff.changed.extend(old_version.map(|before| ChangedResource { before, after }));
                }
                _ => diff.new.push(after),
            }
        }
        diff.gone.extend(before);
        diff
    }

    /// Returns whether both plans have the same results.
    pub fn is_empty(&self) -> bool {
        self.new.is_empty() && self.gone.is_empty() && self.changed.is_empty()
    }
}

fn says_another(before: &ResourceResult, after: &ResourceResult) -> bool {
    (before.outcome, &before.differences) != (after.outcome, &after.differences)
}
