//! Calls of systemd's manager on the bus.

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

/// The D-Bus error for a missing unit file.
const NO_FILE: &str = "org.freedesktop.DBus.Error.FileNotFound";
/// The D-Bus error for a missing unit file in other methods.
const NO_UNIT: &str = "org.freedesktop.systemd1.NoSuchUnit";

/// The maximum number of unread `JobRemoved` signals.
///
/// They include those of all jobs that start together with ours.
const QUEUE: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// A client of systemd's manager.
#[derive(Debug)]
pub(super) struct Manager {
    bus: Connection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobKind {
    Start,
    Stop,
    /// Also starts the unit if it does not run.
    Restart,
    /// Does nothing if the unit does not run.
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

/// The lifetime of a change of a unit file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Persistence {
    /// Until it is changed again.
    Permanent,
    /// Until the next boot.
    Runtime,
}

/// A stream of job results, from its creation on.
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
        let reply = reply.map_err(|error| BusError::from_call(operation, unit, error))?;
        let answer = reply.body().deserialize();
        answer.map_err(|error| {
            let (unit, reason) = (unit.to_owned(), error.to_string());
            BusError::Answer { operation, unit, reason }
        })
    }

    /// Calls a method of the manager, and ignores the content of its answer.
    async fn send<A: Serialize + DynamicType>(
        &self,
        (operation, unit): (&'static str, &str),
        method: &str,
        arguments: &A,
    ) -> Result<(), BusError> {
        let reply = self.bus.call_method(Some(DESTINATION), PATH, Some(MANAGER), method, arguments).await;
        reply.map(drop).map_err(|error| BusError::from_call(operation, unit, error))
    }

    /// Returns the properties common to all units, and those of the unit's kind.
    ///
    /// `interface` is the last part of the name of the kind's D-Bus interface (`Service`).
    pub(super) async fn properties(
        &self,
        unit: &str,
        interface: &str,
    ) -> Result<(Properties, Properties), BusError> {
        let operation = ("look at", unit);
        // `LoadUnit` also reads the file of a unit that systemd has not loaded yet, as `systemctl show` does.
        let path: OwnedObjectPath = self.call(operation, (PATH, MANAGER), "LoadUnit", &(unit,)).await?;
        let get_all = async |interface: &str| {
            let properties: HashMap<String, OwnedVariant> =
                self.call(operation, (path.as_str(), PROPERTIES), "GetAll", &(interface,)).await?;
            Ok::<_, BusError>(Properties::new(properties))
        };
        // Some kinds have no interface with properties, for example targets.
        Ok((get_all(UNIT).await?, get_all(&format!("{DESTINATION}.{interface}")).await?))
    }

    /// Returns systemd's state of a unit file on disk (`enabled`, `masked`), if there is such a file.
    ///
    /// The property of the unit with the same meaning may be outdated: it dates from the first query.
    pub(super) async fn file_state(&self, unit: &str) -> Result<Option<String>, BusError> {
        let result = self.call(("look at", unit), (PATH, MANAGER), "GetUnitFileState", &(unit,)).await;
        match result {
            Ok(state) => Ok(Some(state)),
            Err(error) if error.is_named(NO_FILE) || error.is_named(NO_UNIT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn reload(&self, unit: &str) -> Result<(), BusError> {
        self.send(("read the unit files again for", unit), "Reload", &()).await
    }

    /// Creates or removes the links of a unit file. systemd has to [`reload`](Self::reload) to see them.
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

    /// Resets the failed state of a unit, and its count of recent starts.
    pub(super) async fn reset_failed(&self, unit: &str) -> Result<(), BusError> {
        self.send(("reset", unit), "ResetFailedUnit", &(unit,)).await
    }

    pub(super) async fn kill(&self, unit: &str, signal: u8) -> Result<(), BusError> {
        let arguments = (unit, "all", i32::from(signal));
        self.send(("send a signal to", unit), "KillUnit", &arguments).await
    }

    /// Subscribes to job results. A job whose result is waited for may start only afterwards.
    pub(super) async fn listen(&self, unit: &str) -> Result<JobResults, BusError> {
        let operation = "listen for the jobs of";
        let failed = |error| BusError::from_call(operation, unit, error);
        let rule = MatchRule::builder()
            .msg_type(zbus::message::Type::Signal)
            .sender(DESTINATION)
            .path(PATH)
            .interface(MANAGER)
            .member("JobRemoved")
            .build()
            .map_err(failed)?;
        let stream = MessageStream::for_match_rule(rule, &self.bus, Some(QUEUE)).await.map_err(failed)?;
        self.send((operation, unit), "Subscribe", &()).await?;
        Ok(JobResults(stream))
    }

    /// Keeps systemd from unloading an inactive unit and its result, as long as this connection lasts.
    pub(super) async fn hold(&self, unit: &str) -> Result<(), BusError> {
        self.send(("refer to", unit), "RefUnit", &(unit,)).await
    }

    /// Returns the directories of unit files, in the order of precedence.
    pub(super) async fn folders(&self) -> Result<Vec<String>, BusError> {
        let operation = ("look for the files of", "units");
        let folders: OwnedVariant =
            self.call(operation, (PATH, PROPERTIES), "Get", &(MANAGER, "UnitPath")).await?;
        folders.try_into().map_err(|error: zbus::Error| BusError::from_call(operation.0, operation.1, error))
    }

    pub(super) async fn begin(&self, unit: &str, kind: JobKind) -> Result<OwnedObjectPath, BusError> {
        let arguments = (unit, "replace");
        self.call((kind.verb(), unit), (PATH, MANAGER), kind.method(), &arguments).await
    }
}

impl JobResults {
    /// Waits for the end of a job, and returns its result in systemd's word.
    ///
    /// Returns `None` if `limit` passes before.
    pub(super) async fn wait_for(
        &mut self,
        job: &OwnedObjectPath,
        (kind, unit): (JobKind, &str),
        limit: Duration,
    ) -> Result<Option<String>, BusError> {
        let wait = async {
            while let Some(message) = poll_fn(|cx| Pin::new(&mut self.0).poll_next(cx)).await {
                let message = message.map_err(|error| BusError::from_call(kind.verb(), unit, error))?;
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
