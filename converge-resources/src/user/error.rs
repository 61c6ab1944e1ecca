//! Messages about users and groups that cannot be as declared.

use converge_sdk::prelude::*;
use converge_sdk::system::{Exit, Output};

use super::tool::AccountTool;

pub(super) fn not_installed(tool: AccountTool) -> String {
    format!("`{tool}` is not installed; it comes with the package {}", tool.package())
}

/// Returns the message about a failed program.
pub(super) fn failure_message(tool: AccountTool, output: &Output) -> String {
    let ending = match output.exit {
        Exit::Code(code) => format!("ended with exit code {code}"),
        Exit::Signal(signal) => format!("was ended by signal {signal}"),
        Exit::TimedOut => "did not end in time and was killed".to_owned(),
    };
    let texts = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    let texts: Vec<_> = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    let colon = if texts.is_empty() { "" } else { ": " };
    format!("`{tool}` {ending}{colon}{}", texts.join("\n"))
}

pub(super) fn both_exist(kind: &str, name: &str, new_name: &str) -> String {
    format!("{name:?} cannot be renamed to {new_name:?}: there is a {kind} of either name")
}

pub(super) fn changed(kind: &str, name: &str) -> String {
    format!("the {kind} {name:?} was changed by somebody else after it was checked; run again")
}

/// Reports obstacles in `status`. In a plan, a pending change of a dependency may remove them.
pub(super) fn report(cx: &Context, status: &mut Status, obstacles: &[String]) {
    if obstacles.is_empty() {
        return;
    }
    if cx.pending().is_empty() {
        status.set_error(obstacles.join("\n"));
        return;
    }
    for obstacle in obstacles {
        status.add_message(format!("not possible yet: {obstacle}"));
    }
}
