//! Calls the methods of systemd's manager on the bus.

use std::collections::HashMap;
use std::future::poll_fn;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::time::Duration;

use futures_core::Stream as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use zbus::{Connection, DynamicType, MatchRule, MessageStream, OwnedObjectPath, OwnedVariant, Type};

use super::error::BusError;
use super::properties::Properties;

const DESTINATION: &str = "org.freedesktop.systemd1";
const PATH: &str = "/org/freedesktop/systemd1";
const MANAGER: &str = "org.freedesktop.systemd1.Manager";
const UNIT: &str = "org.freedesktop.systemd1.Unit";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

/// The D-Bus error for a unit file that is not there.
const NO_FILE: &str = "org.freedesktop.DBus.Error.FileNotFound";
/// The same, in the words of other methods.
const NO_UNIT: &str = "org.freedesktop.systemd1.NoSuchUnit";

/// How many ends of jobs may wait to be read: those of all jobs that begin with ours.
const QUEUE: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// systemd, at the other end of a connection.
#[derive(Debug)]
pub(super) struct Manager {
    bus: Connection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobKind {
    Start,
    Stop,
    /// Starts it too when it does not run.
    Restart,
    /// Does nothing when it does not run.
    TryRestart,
    Reload,
}

impl JobKind {
    fn method(self) -> &'static str {
        match self {
            Self::Start => "StartUnit",
            Self::Stop => "StopUnit",
            Self::Restart => "RestartUnit",
            Self::TryRestart => "TryRestartUnit",
            Self::Reload => "ReloadUnit",
        }
    }

    pub(super) fn verb(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Restart | Self::TryRestart => "restart",
            Self::Reload => "reload",
        }
    }
}

/// A change of how a unit is found or started at boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileChange {
    Enable,
    Disable(Persistence),
    Mask,
    Unmask(Persistence),
}

/// How long something about a unit file lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Persistence {
    /// For good.
    Permanent,
    /// Until the next boot.
    Runtime,
}

/// The ends of jobs, from when this was made on.
pub(super) struct JobResults(MessageStream);

impl Manager {
    pub(super) fn new(bus: Connection) -> Self {
        Self { bus }
    }

    async fn call<A, R>(
        &self,
        (operation, unit): (&'static str, &str),
        (path, interface): (&str, &str),
        method: &str,
        arguments: &A,
    ) -> Result<R, BusError>
    where
        A: Serialize + DynamicType,
        R: DeserializeOwned + Type,
    {
        let reply = self.bus.call_method(Some(DESTINATION), path, Some(interface), method, arguments).await;
        let reply = reply.map_err(|error| BusError::of_call(operation, unit, error))?;
        let answer = reply.body().deserialize();
        answer.map_err(|error| {
            let (unit, reason) = (unit.to_owned(), error.to_string());
            BusError::Answer { operation, unit, reason }
        })
    }

    /// Calls a method of the manager whose answer says nothing that is needed.
    async fn send<A: Serialize + DynamicType>(
        &self,
        (operation, unit): (&'static str, &str),
        method: &str,
        arguments: &A,
    ) -> Result<(), BusError> {
        let reply = self.bus.call_method(Some(DESTINATION), PATH, Some(MANAGER), method, arguments).await;
        reply.map(drop).map_err(|error| BusError::of_call(operation, unit, error))
    }

    /// The properties that all units have, and those of the interface of its kind (`Service`).
    pub(super) async fn look(
        &self,
        unit: &str,
        interface: &str,
    ) -> Result<(Properties, Properties), BusError> {
        let what = ("look at", unit);
        // This also reads the file of a unit that systemd has not seen yet, as `systemctl show` does.
        let path: OwnedObjectPath = self.call(what, (PATH, MANAGER), "LoadUnit", &(unit,)).await?;
        let all = async |interface: &str| {
            let properties: HashMap<String, OwnedVariant> =
                self.call(what, (path.as_str(), PROPERTIES), "GetAll", &(interface,)).await?;
            Ok::<_, BusError>(Properties::new(properties))
        };
        // Not every kind has an interface with properties: targets have none of their own.
        Ok((all(UNIT).await?, all(&format!("{DESTINATION}.{interface}")).await?))
    }

    /// What systemd says about how a unit is started at boot (`enabled`, `masked`), as it is on disk. `None` when there is no
    /// file of that name. The property of the unit says the same as of whenever somebody first asked for it.
    pub(super) async fn file_state(&self, unit: &str) -> Result<Option<String>, BusError> {
        let asked = self.call(("look at", unit), (PATH, MANAGER), "GetUnitFileState", &(unit,)).await;
        match asked {
            Ok(state) => Ok(Some(state)),
            Err(error) if error.is_named(NO_FILE) || error.is_named(NO_UNIT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn reload(&self, unit: &str) -> Result<(), BusError> {
        self.send(("read the unit files again for", unit), "Reload", &()).await
    }

    /// Makes or removes the links of a unit file. systemd has to [`reload`](Self::reload) to see them.
    pub(super) async fn change(&self, unit: &str, change: FileChange) -> Result<(), BusError> {
        let units = [unit];
        match change {
            FileChange::Enable => {
                self.send(("enable", unit), "EnableUnitFiles", &(&units[..], false, false)).await
            }
            FileChange::Disable(persistence) => {
                let arguments = (&units[..], persistence == Persistence::Runtime);
                self.send(("disable", unit), "DisableUnitFiles", &arguments).await
            }
            FileChange::Mask => self.send(("mask", unit), "MaskUnitFiles", &(&units[..], false, false)).await,
            FileChange::Unmask(persistence) => {
                let arguments = (&units[..], persistence == Persistence::Runtime);
                self.send(("unmask", unit), "UnmaskUnitFiles", &arguments).await
            }
        }
    }

    /// Forgets that a unit has failed, and how often it was started lately.
    pub(super) async fn reset_failed(&self, unit: &str) -> Result<(), BusError> {
        self.send(("reset", unit), "ResetFailedUnit", &(unit,)).await
    }

    pub(super) async fn kill(&self, unit: &str, signal: u8) -> Result<(), BusError> {
        let arguments = (unit, "all", i32::from(signal));
        self.send(("send a signal to", unit), "KillUnit", &arguments).await
    }

    /// Begins to listen for the ends of jobs. Only then a job may be begun whose end is waited for.
    pub(super) async fn listen(&self, unit: &str) -> Result<JobResults, BusError> {
        let what = "listen for the jobs of";
        let failed = |error| BusError::of_call(what, unit, error);
        let rule = MatchRule::builder()
            .msg_type(zbus::message::Type::Signal)
            .sender(DESTINATION)
            .path(PATH)
            .interface(MANAGER)
            .member("JobRemoved")
            .build()
            .map_err(failed)?;
        let stream = MessageStream::for_match_rule(rule, &self.bus, Some(QUEUE)).await.map_err(failed)?;
        self.send((what, unit), "Subscribe", &()).await?;
        Ok(JobResults(stream))
    }

    /// Keeps systemd from forgetting a unit that does not run, and how it ended, as long as this connection lasts.
    pub(super) async fn hold(&self, unit: &str) -> Result<(), BusError> {
        self.send(("refer to", unit), "RefUnit", &(unit,)).await
    }

    /// The folders in which unit files are, in the order in which they win.
    pub(super) async fn folders(&self) -> Result<Vec<String>, BusError> {
        let what = ("look for the files of", "units");
        let folders: OwnedVariant =
            self.call(what, (PATH, PROPERTIES), "Get", &(MANAGER, "UnitPath")).await?;
        folders.try_into().map_err(|error: zbus::Error| BusError::of_call(what.0, what.1, error))
    }

    pub(super) async fn begin(&self, unit: &str, kind: JobKind) -> Result<OwnedObjectPath, BusError> {
        let arguments = (unit, "replace");
        self.call((kind.verb(), unit), (PATH, MANAGER), kind.method(), &arguments).await
    }
}

impl JobResults {
    /// Waits for the end of a job, and gives systemd's word for how it came out; `None` when `limit` passes before.
    pub(super) async fn of(
        &mut self,
        job: &OwnedObjectPath,
        (kind, unit): (JobKind, &str),
        limit: Duration,
    ) -> Result<Option<String>, BusError> {
        let wait = async {
            while let Some(message) = poll_fn(|cx| Pin::new(&mut self.0).poll_next(cx)).await {
                let message = message.map_err(|error| BusError::of_call(kind.verb(), unit, error))?;
                let body = message.body();
                let Ok((_, ended, _, result)) = body.deserialize::<(u32, OwnedObjectPath, String, String)>()
                else {
                    continue;
                };
                if ended == *job {
                    return Ok(result);
                }
            }
            let reason = "the bus closed it".to_owned();
            Err(BusError::Lost { operation: kind.verb(), unit: unit.to_owned(), reason })
        };
        match tokio::time::timeout(limit, wait).await {
            Ok(result) => result.map(Some),
            Err(_) => Ok(None),
        }
    }
}
