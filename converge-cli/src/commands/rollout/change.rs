//! The `converge rollout` commands `pause`, `resume` and `retry`.

use clap::Args;
use serde_json::json;

use super::module::{Module, ModuleArgs};
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
pub(super) struct PauseArgs {
    #[command(flatten)]
    module: ModuleArgs,
}

#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    #[command(flatten)]
    module: ModuleArgs,
}

#[derive(Debug, Args)]
pub(super) struct RetryArgs {
    #[command(flatten)]
    module: ModuleArgs,
}

impl PauseArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let mut module = self.module.open()?;
        set_paused(&mut module, Paused::Yes)?;
        print(&format!("{} is paused: no further machine gets its latest version\n", module.name()))?;
        Ok(Exit::Done)
    }
}

impl ResumeArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let mut module = self.module.open()?;
        let last = module.rollouts()?.into_iter().next();
        set_paused(&mut module, Paused::No)?;
        let name = module.name();
        match last {
            Some(last) if last.phase() == "failed" => print(&format!(
                "{name} is not paused, but rollout {} failed: `converge rollout retry {name}` tries it again\n",
                last.number()
            ))?,
            _ => print(&format!("{name} goes on\n"))?,
        }
        Ok(Exit::Done)
    }
}

impl RetryArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let mut module = self.module.open()?;
        let name = module.name().to_owned();
        let last = module.rollouts()?.into_iter().next();
        let last = last.ok_or_else(|| super::module::none(&name))?;
        if last.phase() != "failed" {
            let (number, phase) = (last.number(), last.phase());
            let message =
                format!("rollout {number} of {name} is {phase}: only a failed rollout can be retried");
            return Err(CliError::Message(message));
        }
        module.change(|data| {
            let strategy = Module::strategy(&name, data)?;
            let attempt = strategy["attempt"].as_u64().unwrap_or_default();
            strategy["attempt"] = json!(attempt + 1);
            strategy["paused"] = json!(false);
            Ok(())
        })?;
        print(&format!("{name} is tried again\n"))?;
        Ok(Exit::Done)
    }
}

#[derive(Clone, Copy)]
enum Paused {
    Yes,
    No,
}

fn set_paused(module: &mut Module, paused: Paused) -> Result<(), CliError> {
    let name = module.name().to_owned();
    module.change(|data| {
        Module::strategy(&name, data)?["paused"] = json!(matches!(paused, Paused::Yes));
        Ok(())
    })
}
