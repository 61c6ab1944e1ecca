//! What to do with a network or a volume, and when nothing may be done.

use converge_core::prelude::*;

use super::differences::Differences;
use super::engine::{Engine, EngineError};

/// Why something differs and stays as it is.
#[derive(Debug, thiserror::Error)]
pub(super) enum ChangeError {
    /// It cannot be changed in its place, and the module does not say that it may be made anew.
    #[error(
        "{kind} {name:?} differs in {fields}, and these cannot be changed while it exists: with `force = true` {anew}"
    )]
    NeedsForce {
        /// What it is.
        kind: &'static str,
        /// Its name.
        name: String,
        /// What differs.
        fields: String,
        /// What would happen.
        anew: &'static str,
    },
    /// Containers use it.
    #[error("{kind} {name:?} cannot be removed: it is used by the container{} {}", plural(.containers), quoted(.containers))]
    InUse {
        /// What it is.
        kind: &'static str,
        /// Its name.
        name: String,
        /// Who uses it.
        containers: Vec<String>,
    },
}

fn plural(containers: &[String]) -> &'static str {
    if containers.len() == 1 { "" } else { "s" }
}

fn quoted(containers: &[String]) -> String {
    containers.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}

/// Whether something is to be in the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, HclEnum)]
pub enum State {
    /// It exists.
    #[default]
    Present,
    /// It does not exist.
    Absent,
}

/// What an apply has to do with a network or a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Plan {
    #[default]
    Nothing,
    Create,
    Remove,
    Recreate,
}

impl Plan {
    pub(super) fn removes(self) -> bool {
        matches!(self, Self::Remove | Self::Recreate)
    }

    pub(super) fn creates(self) -> bool {
        matches!(self, Self::Create | Self::Recreate)
    }
}

/// A network or a volume as it is declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'a> {
    /// What it is, as the engine calls it too.
    pub(super) kind: &'static str,
    pub(super) name: &'a str,
    pub(super) state: State,
    pub(super) force: bool,
    /// What happens when it is made anew: `it is removed and made anew`.
    pub(super) anew: &'static str,
}

impl Declared<'_> {
    /// Decides what to do, and reports it. `found` is what of it is not as declared, or `None` when it does not exist.
    pub(super) async fn decide(
        &self,
        cx: &Context,
        engine: &Engine,
        found: Option<&Differences>,
        status: &mut Status,
    ) -> Result<Plan> {
        if (self.state == State::Present) != found.is_some() {
            let (has, wants) = match self.state {
                State::Present => ("absent", "present"),
                State::Absent => ("present", "absent"),
            };
            status.add_difference("state", has, wants, "");
            status.raise_level(StatusLevel::WillChange);
        }
        let plan = match (self.state, found) {
            (State::Present, None) => return Ok(Plan::Create),
            (State::Absent, None) => return Ok(Plan::Nothing),
            (State::Absent, Some(_)) => Plan::Remove,
            (State::Present, Some(differences)) if differences.is_empty() => return Ok(Plan::Nothing),
            (State::Present, Some(differences)) => {
                differences.report(status);
                status.raise_level(StatusLevel::WillChange);
                if !self.force {
                    let (kind, name, anew) = (self.kind, self.name.to_owned(), self.anew);
                    let fields = differences.names();
                    status.set_error(Error::other(ChangeError::NeedsForce { kind, name, fields, anew }));
                    return Ok(Plan::Nothing);
                }
                Plan::Recreate
            }
        };
        let containers = users(engine, self.kind, self.name).await?;
        if !containers.is_empty() {
            let error = ChangeError::InUse { kind: self.kind, name: self.name.to_owned(), containers };
            if cx.pending().is_empty() {
                status.set_error(Error::other(error));
            } else {
                // Something that comes first may end the use.
                status.add_message(error.to_string());
                status.raise_level(StatusLevel::MayChange);
            }
        }
        Ok(plan)
    }
}

/// The containers that use a network or a volume, running or not, by name. `filter` is the kind.
async fn users(engine: &Engine, filter: &str, value: &str) -> Result<Vec<String>, EngineError> {
    let options = bollard::query_parameters::ListContainersOptions {
        all: true,
        filters: Some([(filter.to_owned(), vec![value.to_owned()])].into()),
        ..Default::default()
    };
    let doing = format!("list the containers of the {filter} {value:?}");
    let found = engine.ask(doing, engine.docker().list_containers(Some(options))).await?;
    let mut names: Vec<_> = found
        .into_iter()
        .filter_map(|container| {
            // Others that link to it have names of their own for it: `/other/alias`.
            let own =
                |name: &String| name.strip_prefix('/').filter(|name| !name.contains('/')).map(str::to_owned);
            container.names.unwrap_or_default().iter().find_map(own).or(container.id)
        })
        .collect();
    names.sort();
    Ok(names)
}
