//! The story of most resources: a plan, what it announced, and nothing more to do.

use super::Host;
use crate::said::Said;

/// What the first two commands of a story said.
#[derive(Debug)]
pub struct Story {
    /// The plan before anything was changed.
    pub plan: Said,
    /// The apply that followed.
    pub apply: Said,
}

impl Host {
    /// Plans a module, which has something to change; applies it, which changes what was planned; and then neither an apply
    /// nor a plan has anything left to do.
    #[track_caller]
    pub fn story(&self, module: &str, arguments: &[&str]) -> Story {
        let plan = self.converge("plan", module, arguments).success();
        let summary = plan.summary();
        assert!(
            summary["will_change"] != 0 || summary["may_change"] != 0,
            "there is nothing to do: {}",
            plan.everything()
        );
        let apply = self.converge("apply", module, arguments).success();
        agree(&plan, &apply);
        self.nothing_to_do(module, arguments);
        Story { plan, apply }
    }

    /// Neither an apply nor a plan of a module has anything to do.
    #[track_caller]
    pub fn nothing_to_do(&self, module: &str, arguments: &[&str]) {
        for command in ["apply", "plan"] {
            let again = self.converge(command, module, arguments).success();
            let summary = again.summary();
            let none = ["changed", "will_change", "may_change"].iter().all(|outcome| summary[outcome] == 0);
            assert!(none, "{command} has something left to do: {}", again.everything());
        }
    }
}

/// An apply did what the plan before it announced: the same resources, and what was to change was changed.
#[track_caller]
fn agree(plan: &Said, apply: &Said) {
    let applied = apply.outcomes();
    for (id, planned) in plan.outcomes() {
        let expect: &[&str] = match planned.as_str() {
            "will-change" => &["changed"],
            // It depends on what others do first, which is what the plan said.
            "may-change" => &["changed", "unchanged", "not-taken"],
            other => &[other],
        };
        let applied = applied.get(&id).map(String::as_str);
        assert!(
            applied.is_some_and(|applied| expect.contains(&applied)),
            "{id}: the plan says {planned}, the apply {applied:?}\n{}\n{}",
            plan.everything(),
            apply.everything()
        );
    }
}
