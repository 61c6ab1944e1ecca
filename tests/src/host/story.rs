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
        apply.did_what_was_planned(&plan);
        self.nothing_to_do(module, arguments);
        Story { plan, apply }
    }

    /// Neither an apply nor a plan of a module has anything to do.
    #[track_caller]
    pub fn nothing_to_do(&self, module: &str, arguments: &[&str]) {
        for command in ["apply", "plan"] {
            self.converge(command, module, arguments).has_nothing_to_do();
        }
    }
}
