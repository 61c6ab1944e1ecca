//! The `converge rollout undo` command.

use clap::Args;
use serde_json::json;

use super::module::{ModuleArgs, Rollout, none};
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub(super) struct UndoArgs {
    #[command(flatten)]
    module: ModuleArgs,

    /// Roll back to the version of this rollout, instead of the last one that succeeded on all machines
    #[arg(long, value_name = "NUMBER")]
    to: Option<u64>,
}

impl UndoArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let mut module = self.module.open()?;
        let (name, rollouts) = (module.name().to_owned(), module.rollouts()?);
        let target = target(&rollouts, self.to).map_err(|problem| match problem {
            Problem::NoRollouts => none(&name),
            Problem::NotThere => CliError::Message(format!(
                "{name} has no such rollout: `converge rollout history {name}` lists its rollouts"
            )),
            Problem::NothingEarlier => CliError::Message(format!(
                "no earlier version of {name} succeeded on all machines: choose a rollout of `converge rollout history {name}` with `--to NUMBER`"
            )),
        })?;
        let content = module.content(target.to())?;
        module.change(|data| {
            data["content"] = content.clone();
            if let Some(strategy) = data.get_mut("rollout").filter(|strategy| strategy.is_object()) {
                // A pause would hold back the rollback that the user asks for.
                strategy["paused"] = json!(false);
            }
            Ok(())
        })?;
        let (number, to) = (target.number(), target.to());
        print(&format!("{name} goes back to the version of rollout {number}: {to}\n"))?;
        Ok(Exit::Done)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    NoRollouts,
    NotThere,
    NothingEarlier,
}

/// Selects the rollout to return to; `rollouts` lists the latest first.
fn target(rollouts: &[Rollout], to: Option<u64>) -> Result<&Rollout, Problem> {
    let (last, earlier) = rollouts.split_first().ok_or(Problem::NoRollouts)?;
    if let Some(number) = to {
        return rollouts.iter().find(|rollout| rollout.number() == number).ok_or(Problem::NotThere);
    }
    let is_candidate = |rollout: &&Rollout| rollout.phase() == "complete" && rollout.to() != last.to();
    earlier.iter().find(is_candidate).ok_or(Problem::NothingEarlier)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::Found;

    #[test]
    fn where_it_goes_back_to() {
        #[track_caller]
        fn check(rollouts: &[(u64, &str, &str)], to: Option<u64>, expect: Result<u64, Problem>) {
            let rollouts = rollouts.iter().map(|(number, phase, to)| {
                let data = json!({"number": number.to_string(), "phase": phase, "to": {"name": to}});
                Rollout(Found::new(json!({"id": {"name": "some"}, "data": data})).unwrap())
            });
            let rollouts: Vec<_> = rollouts.collect();
            assert_eq!(target(&rollouts, to).map(Rollout::number), expect);
        }
        const GOOD: &str = "PHASE_COMPLETE";
        const BAD: &str = "PHASE_FAILED";
        check(&[], None, Err(Problem::NoRollouts));
        check(&[(1, GOOD, "a")], None, Err(Problem::NothingEarlier));
        check(&[(2, GOOD, "b"), (1, GOOD, "a")], None, Ok(1));
        check(&[(3, "PHASE_RUNNING", "c"), (2, BAD, "b"), (1, GOOD, "a")], None, Ok(1));
        check(&[(3, GOOD, "a"), (2, BAD, "b"), (1, GOOD, "a")], None, Err(Problem::NothingEarlier));
        check(&[(3, GOOD, "c"), (2, BAD, "b"), (1, GOOD, "a")], Some(2), Ok(2));
        check(&[(3, GOOD, "c")], Some(2), Err(Problem::NotThere));
    }
}
