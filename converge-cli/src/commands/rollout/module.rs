//! A module and its rollouts, as stored on a server.

use clap::Args;
use serde_json::Value as Json;

use crate::args::{ServerArgs, TenancyArgs};
use crate::error::CliError;
use crate::remote::{Condition, Found, Named, Server, Types};

/// The maximum number of attempts at a write that conflicts with others.
///
/// Controllers report on a module at any time, so conflicts are common.
const ATTEMPTS: usize = 10;

/// The arguments that name a module.
#[derive(Debug, Args)]
pub(super) struct ModuleArgs {
    /// The name of the module
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
        let id = Named {
            resource_type: types.find("converge.v1.Module")?.clone(),
            name: self.name.clone(),
            partition: partition.clone(),
            namespace: namespace.clone(),
        };
        let resource = server.read(&id, true)?;
        Ok(Module { server, types, named: id, found: resource })
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

    /// Lists the rollouts of the module, latest first.
    pub(super) fn rollouts(&self) -> Result<Vec<Rollout>, CliError> {
        let mut rollouts: Vec<_> = self.owned("converge.v1.Rollout")?.into_iter().map(Rollout).collect();
        rollouts.sort_by_key(|rollout| std::cmp::Reverse(rollout.number()));
        Ok(rollouts)
    }

    /// Lists the resources of a type that the module owns.
    pub(super) fn owned(&self, resource_type: &str) -> Result<Vec<Found>, CliError> {
        let query = self.named.query().with("consistent", "true");
        let mut resources = self.server.list(self.types.find(resource_type)?, &query)?;
        resources.retain(|resource| self.owns(resource));
        Ok(resources)
    }

    fn owns(&self, resource: &Found) -> bool {
        resource.json["owner"]["uid"].as_str() == Some(self.found.uid())
    }

    /// Returns the content of a revision of the module.
    pub(super) fn content(&self, revision: &str) -> Result<Json, CliError> {
        let resource_type = self.types.find("converge.v1.Revision")?.clone();
        let id = Named { resource_type, name: revision.to_owned(), ..self.named.clone() };
        Ok(self.server.read(&id, true)?.json["data"]["content"].clone())
    }

    /// Changes the data of the module; `change` returns an error if the data cannot be changed.
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

    /// Returns the rollout strategy in the data of a module.
    pub(super) fn strategy<'a>(name: &str, data: &'a mut Json) -> Result<&'a mut Json, CliError> {
        match data.get_mut("rollout") {
            Some(strategy) if strategy.is_object() => Ok(strategy),
            _ => Err(none(name)),
        }
    }
}

/// Returns the error for a module without rollouts.
pub(super) fn none(name: &str) -> CliError {
    CliError::Message(format!(
        "{name} has no rollouts: all machines get a new version at once, unless its data have a `rollout`, such as \
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

    /// Returns the number of the rollout within its module.
    pub(super) fn number(&self) -> u64 {
        // Protobuf encodes 64 bit integers as strings in JSON.
        let number = &self.data()["number"];
        number.as_u64().or_else(|| number.as_str()?.parse().ok()).unwrap_or_default()
    }

    /// Returns the phase, such as `running`.
    pub(super) fn phase(&self) -> String {
        let phase = self.data()["phase"].as_str().unwrap_or_default();
        phase.trim_start_matches("PHASE_").to_ascii_lowercase()
    }

    /// Returns the revision that nodes get.
    pub(super) fn to(&self) -> &str {
        self.data()["to"]["name"].as_str().unwrap_or_default()
    }

    /// Returns the revision that nodes roll back to, or an empty text if there is none.
    pub(super) fn from(&self) -> &str {
        self.data()["from"]["name"].as_str().unwrap_or_default()
    }

    pub(super) fn began(&self) -> &str {
        seconds(self.data()["began"].as_str().unwrap_or_default())
    }

    pub(super) fn ended(&self) -> &str {
        seconds(self.data()["ended"].as_str().unwrap_or_default())
    }

    /// Returns the condition of the rollout.
    pub(super) fn condition(&self) -> Option<&Condition> {
        self.0.conditions().map(|(.., condition)| condition).find(|condition| condition.name == "complete")
    }
}

/// Truncates a time to whole seconds.
fn seconds(time: &str) -> &str {
    time.split_once('.').map_or(time, |(seconds, _)| seconds).trim_end_matches('Z')
}
