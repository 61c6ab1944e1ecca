//! The standard scenario of a resource: plan, apply, and nothing left to do.

use super::Host;
use crate::command_output::Said;

/// The output of the first two commands of a scenario.
#[derive(Debug)]
pub struct Story {
    /// The plan before any change.
    pub plan: Said,
    /// The apply after the plan.
    pub apply: Said,
}

impl Host {
    /// Plans and applies a module with changes, and asserts that nothing is left to do.
    ///
    /// The apply must change exactly what was planned.
    #[track_caller]
    pub fn story(&self, module: &str, arguments: &[&str]) -> Story {
        story(&|command| self.converge(command, module, arguments))
    }

    /// Asserts that an apply and a plan of a module have nothing to do.
    #[track_caller]
    pub fn nothing_to_do(&self, module: &str, arguments: &[&str]) {
        nothing_to_do(&|command| self.converge(command, module, arguments));
    }
}

/// Runs the scenario on any machine, where `converge` runs a command on the module.
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
