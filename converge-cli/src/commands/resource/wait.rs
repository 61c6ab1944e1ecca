//! Waiting for conditions of a resource, or for its deletion.

use std::str::FromStr;
use std::time::Duration;

use super::show::conditions;
use crate::error::CliError;
use crate::remote::{Change, Changes, Found, Named, Server};
use crate::server_runtime::block_on;

/// A condition to wait for: `accepted`, `accepted=false`, `tenancy/accepted`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConditionArg {
    /// The key of the status that holds the condition; `None` for any status.
    key: Option<String>,
    condition: String,
    state: String,
}

impl FromStr for ConditionArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (place, state) = text.split_once('=').unwrap_or((text, "true"));
        let (key, condition) = match place.rsplit_once('/') {
            Some((key, condition)) => (Some(key.to_owned()), condition),
            None => (None, place),
        };
        if condition.is_empty() || key.as_ref().is_some_and(String::is_empty) {
            return Err("write it like `accepted`, `accepted=false` or `key/accepted`".to_owned());
        }
        if !["true", "false", "unknown"].contains(&state) {
            return Err(format!("{state:?} is not a state of a condition: write true, false or unknown"));
        }
        Ok(Self { key, condition: condition.to_owned(), state: state.to_owned() })
    }
}

impl ConditionArg {
    /// Returns whether a status reports the condition for the current generation of the resource.
    fn holds(&self, resource: &Found) -> bool {
        resource.conditions().any(|(key, current, condition)| {
            current
                && self.key.as_deref().is_none_or(|expected| expected == key)
                && condition.name == self.condition
                && condition.state == self.state
        })
    }

    fn shown(&self) -> String {
        format!("{}={}", self.condition, self.state)
    }
}

/// Waits until the condition holds for an existing resource.
pub(super) fn until(
    server: &Server,
    found: &Found,
    named: &Named,
    wanted: &ConditionArg,
    time: Duration,
) -> Result<(), CliError> {
    let mut last = conditions(found);
    let ended = block_on(async {
        let mut changes = changes(server, named);
        tokio::time::timeout(time, async {
            loop {
                match changes.next().await? {
                    Change::Added(one) | Change::Changed(one) if one.uid() == found.uid() => {
                        if wanted.holds(&one) {
                            return Ok(());
                        }
                        last = conditions(&one);
                    }
                    Change::Deleted(one) if one.uid() == found.uid() => {
                        return Err(CliError::Wait(format!("{} was deleted", named.name)));
                    }
                    _ => {}
                }
            }
        })
        .await
    })
    .map_err(CliError::Start)?;
    ended.unwrap_or_else(|_| {
        let last = if last.is_empty() {
            "no controller has reported on it".to_owned()
        } else {
            format!("it has {last}")
        };
        let (name, condition, time) = (&named.name, wanted.shown(), time.as_secs_f64());
        Err(CliError::Wait(format!("{name} did not get {condition} in {time} s: {last}")))
    })
}

/// Waits until no resource has this name.
pub(super) fn until_gone(server: &Server, id: &Named, time: Duration) -> Result<(), CliError> {
    let mut exists = false;
    let ended = block_on(async {
        let mut changes = changes(server, id);
        tokio::time::timeout(time, async {
            loop {
                match changes.next().await? {
                    Change::Added(one) | Change::Changed(one) if one.name() == id.name => exists = true,
                    Change::Deleted(one) if one.name() == id.name => return Ok(()),
                    Change::Synced if !exists => return Ok(()),
                    _ => {}
                }
            }
        })
        .await
    })
    .map_err(CliError::Start)?;
    ended.unwrap_or_else(|_| {
        let (name, time) = (&id.name, time.as_secs_f64());
        Err(CliError::Wait(format!("{name} is marked for deletion but still exists after {time} s")))
    })
}

fn changes(server: &Server, id: &Named) -> Changes {
    Changes::new(server.clone(), id.resource_type.clone(), id.query().with("name_prefix", &id.name))
}
