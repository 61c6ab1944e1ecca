//! The story of most resources: a plan, what it announced, and nothing more to do.

use super::Host;
use crate::command_output::Said;

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
        story(&|command| self.converge(command, module, arguments))
    }

    /// Neither an apply nor a plan of a module has anything to do.
    #[track_caller]
    pub fn nothing_to_do(&self, module: &str, arguments: &[&str]) {
        nothing_to_do(&|command| self.converge(command, module, arguments));
    }
}

/// The story of a module on any machine: `converge` runs a command on it there.
#[track_caller]
pub(crate) fn story(converge: &dyn Fn(&str) -> Said) -> Story {
    let plan = converge("plan").success();
    let summary = plan.summary();
    assert!(
        summary["will_change"] != 0 || summary["may_change"] != 0,
        "there is nothing to do: {}",
        plan.everything()
    );
    let apply = converge("apply").success();
    apply.did_what_was_planned(&plan);
    nothing_to_do(converge);
    Story { plan, apply }
}

#[track_caller]
fn nothing_to_do(converge: &dyn Fn(&str) -> Said) {
    for command in ["apply", "plan"] {
        converge(command).has_nothing_to_do();
    }
}
