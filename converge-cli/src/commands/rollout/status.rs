//! The `converge rollout status` command.

use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::module::{Module, ModuleArgs, Rollout, none};
use crate::args::{Output, TimeoutArgs};
use crate::console::{print, print_exact};
use crate::document::to_yaml;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Column, table};
use crate::remote::{Change, Changes, Condition, Found, Named};
use crate::server_runtime::block_on;

#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    module: ModuleArgs,

    /// Wait until the rollout ends; a failed rollout is an error
    #[arg(long)]
    wait: bool,

    #[command(flatten)]
    timeout: TimeoutArgs,

    /// The output format
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,
}

impl StatusArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let module = self.module.open()?;
        let last = if self.wait { until_ended(&module, self.timeout.timeout)? } else { last(&module)? };
        let assignments = module.owned("converge.v1.Assignment")?;
        match self.output {
            Output::Table => print(&format_rollout(&module, &last, assignments))?,
            form => {
                let assignments: Vec<_> = assignments.into_iter().map(|resource| resource.json).collect();
                let document = json!({ "rollout": last.0.json, "assignments": assignments });
                match form {
                    Output::Yaml => print_exact(&to_yaml(&document))?,
                    _ => print_exact(&(serde_json::to_string_pretty(&document)? + "\n"))?,
                }
            }
        }
        let failed = self.wait && last.phase() != "complete";
        Ok(if failed { Exit::Error } else { Exit::Done })
    }
}

fn last(module: &Module) -> Result<Rollout, CliError> {
    module.rollouts()?.into_iter().next().ok_or_else(|| none(module.name()))
}

/// Formats a rollout for people.
fn format_rollout(module: &Module, rollout: &Rollout, mut assignments: Vec<Found>) -> String {
    let (number, name, phase) = (rollout.number(), module.name(), rollout.phase());
    let mut lines = vec![format!("rollout {number} of {name}: {phase}")];
    if let Some(condition) = rollout.condition() {
        let reason = if condition.reason == "Paused" { "paused: " } else { "" };
        lines.push(format!("{reason}{}", condition.message));
    }
    lines.push(format!("to    {}", rollout.to()));
    if !rollout.from().is_empty() {
        lines.push(format!("from  {}", rollout.from()));
    }
    lines.push(match rollout.ended() {
        "" => format!("began {}", rollout.began()),
        ended => format!("began {}, ended {ended}", rollout.began()),
    });
    assignments.sort_by_key(|resource| node(resource).to_owned());
    let columns: [Column<'_, Found>; 4] = [
        ("NODE", &|resource| node(resource).to_owned()),
        ("HAS", &|resource| {
            match resource.json["data"]["revision"]["name"].as_str().unwrap_or_default() {
                has if has == rollout.to() => "to",
                has if has == rollout.from() => "from",
                _ => "another",
            }
            .to_owned()
        }),
        ("APPLIED", &|resource| applied(resource, |condition| condition.state.clone())),
        ("MESSAGE", &|resource| applied(resource, |condition| condition.message.clone())),
    ];
    let mut text = lines.join("\n") + "\n";
    if !assignments.is_empty() {
        text.push('\n');
        text.push_str(&table(&columns, &assignments));
    }
    text
}

fn node(assignment: &Found) -> &str {
    assignment.json["data"]["node"]["name"].as_str().unwrap_or_default()
}

/// Returns what the agent reports about its current revision.
fn applied(assignment: &Found, value_of: impl Fn(&Condition) -> String) -> String {
    let mut conditions = assignment.conditions();
    let entry = conditions.find(|(_, current, condition)| *current && condition.name == "applied");
    entry.map_or_else(String::new, |(.., condition)| value_of(condition))
}

/// Waits until the rollout of the current version of the module ends.
fn until_ended(module: &Module, time: Duration) -> Result<Rollout, CliError> {
    let mut message = "its state is unknown".to_owned();
    let ended = block_on(async {
        let Named { resource_type, name, .. } = module.named().clone();
        let query = module.named().query().with("name_prefix", &name);
        let mut changes = Changes::new(module.server().clone(), resource_type, query);
        tokio::time::timeout(time, async {
            loop {
                let (Change::Added(one) | Change::Changed(one)) = changes.next().await? else { continue };
                if one.uid() != module.found.uid() {
                    continue;
                }
                // Conditions about an earlier generation of the module are about an earlier rollout.
                let mut conditions = one.conditions().filter(|(_, current, _)| *current);
                if let Some((.., condition)) = conditions.find(|(.., found)| found.name == "rolled_out") {
                    if condition.state == "true" || condition.reason == "Failed" {
                        return Ok(());
                    }
                    message.clone_from(&condition.message);
                }
            }
        })
        .await
    })
    .map_err(CliError::Start)?;
    let Ok(ended) = ended else {
        let (name, time) = (module.name(), time.as_secs_f64());
        let problem = format!("the rollout of {name} did not finish within {time} s: {message}");
        return Err(CliError::Message(problem));
    };
    ended.and_then(|()| last(module))
}
