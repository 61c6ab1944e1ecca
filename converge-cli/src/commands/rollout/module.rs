//! A module and its rollouts, as a server shows them.

use clap::Args;
use serde_json::Value as Json;

use crate::args::{ServerArgs, TenancyArgs};
use crate::error::CliError;
use crate::remote::{Condition, Found, Named, Server, Types};

/// How often a change is tried that others have come before: controllers report on a module at any time.
const ATTEMPTS: usize = 10;

/// Which module is meant.
#[derive(Debug, Args)]
pub(super) struct ModuleArgs {
    /// What the module is called.
    #[arg(value_name = "MODULE")]
    name: String,

    #[command(flatten)]
    tenancy: TenancyArgs,

    #[command(flatten)]
    server: ServerArgs,
}

/// A module on a server.
#[derive(Debug)]
pub(super) struct Module {
    server: Server,
    types: Types,
    named: Named,
    pub(super) found: Found,
}

impl ModuleArgs {
    pub(super) fn open(&self) -> Result<Module, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let TenancyArgs { partition, namespace } = &self.tenancy;
        let named = Named {
            resource_type: types.find("converge.v1.Module")?.clone(),
            name: self.name.clone(),
            partition: partition.clone(),
            namespace: namespace.clone(),
        };
        let found = server.read(&named, true)?;
        Ok(Module { server, types, named, found })
    }
}

impl Module {
    pub(super) fn name(&self) -> &str {
        &self.named.name
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    pub(super) fn named(&self) -> &Named {
        &self.named
    }

    /// Its rollouts, the last one first.
    pub(super) fn rollouts(&self) -> Result<Vec<Rollout>, CliError> {
        let mut rollouts: Vec<_> = self.owned("converge.v1.Rollout")?.into_iter().map(Rollout).collect();
        rollouts.sort_by_key(|rollout| std::cmp::Reverse(rollout.number()));
        Ok(rollouts)
    }

    /// What it owns of a type.
    pub(super) fn owned(&self, resource_type: &str) -> Result<Vec<Found>, CliError> {
        let query = self.named.query().with("consistent", "true");
        let mut found = self.server.list(self.types.find(resource_type)?, &query)?;
        found.retain(|found| self.owns(found));
        Ok(found)
    }

    fn owns(&self, found: &Found) -> bool {
        found.json["owner"]["uid"].as_str() == Some(self.found.uid())
    }

    /// What a revision of it says.
    pub(super) fn content(&self, revision: &str) -> Result<Json, CliError> {
        let resource_type = self.types.find("converge.v1.Revision")?.clone();
        let named = Named { resource_type, name: revision.to_owned(), ..self.named.clone() };
        Ok(self.server.read(&named, true)?.json["data"]["content"].clone())
    }

    /// Changes its data; `change` says what is wrong with them when they cannot be changed so.
    pub(super) fn change(
        &mut self,
        change: impl Fn(&mut Json) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        for attempt in 1.. {
            let mut body = self.found.json.clone();
            change(&mut body["data"])?;
            if let Some(fields) = body.as_object_mut() {
                fields.retain(|name, _| name != "status" && name != "generation");
            }
            match self.server.write(&self.named, &body, false) {
                Err(error) if error.is("aborted") && attempt < ATTEMPTS => {}
                written => {
                    self.found = written?;
                    break;
                }
            }
            self.found = self.server.read(&self.named, true)?;
        }
        Ok(())
    }

    /// The part of its data that says how versions come to machines.
    pub(super) fn strategy<'a>(name: &str, data: &'a mut Json) -> Result<&'a mut Json, CliError> {
        match data.get_mut("rollout") {
            Some(strategy) if strategy.is_object() => Ok(strategy),
            _ => Err(none(name)),
        }
    }
}

/// A module without rollouts.
pub(super) fn none(name: &str) -> CliError {
    CliError::Rollout(format!(
        "{name} has no rollouts: what it says comes to all machines at once, unless its data have a `rollout`, such as \
         `rollout {{ canary = 1 }}`"
    ))
}

/// A rollout of a module.
#[derive(Clone, Debug)]
pub(super) struct Rollout(pub(super) Found);

impl Rollout {
    fn data(&self) -> &Json {
        &self.0.json["data"]
    }

    /// Which one of the module it is.
    pub(super) fn number(&self) -> u64 {
        // In the JSON of protobuf a number of 64 bits is a text.
        let number = &self.data()["number"];
        number.as_u64().or_else(|| number.as_str()?.parse().ok()).unwrap_or_default()
    }

    /// Such as `running`.
    pub(super) fn phase(&self) -> String {
        let phase = self.data()["phase"].as_str().unwrap_or_default();
        phase.trim_start_matches("PHASE_").to_ascii_lowercase()
    }

    /// The revision that nodes get.
    pub(super) fn to(&self) -> &str {
        self.data()["to"]["name"].as_str().unwrap_or_default()
    }

    /// The revision that nodes go back to; empty, when there is none.
    pub(super) fn from(&self) -> &str {
        self.data()["from"]["name"].as_str().unwrap_or_default()
    }

    pub(super) fn began(&self) -> &str {
        seconds(self.data()["began"].as_str().unwrap_or_default())
    }

    pub(super) fn ended(&self) -> &str {
        seconds(self.data()["ended"].as_str().unwrap_or_default())
    }

    /// What is said of it.
    pub(super) fn said(&self) -> Option<&Condition> {
        self.0.conditions().map(|(.., condition)| condition).find(|condition| condition.name == "complete")
    }
}

/// A time without what is less than a second.
fn seconds(time: &str) -> &str {
    time.split_once('.').map_or(time, |(seconds, _)| seconds).trim_end_matches('Z')
}
