//! A client of the Docker engine for the resources of this family.
//!
//! [`bollard`] implements the Engine API over a transport that the caller supplies. The connection comes from
//! the system, so the engine is the one that the machine sees. Each request has a connection of its own,
//! because the engine may close an idle one at any time.
//!
//! `bollard` logs request bodies, including their secrets, through the crate `log` at the level `debug`. A
//! program should install no logger for that crate at that level; the `converge` command installs none.

mod address;
mod error;
mod transport;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bollard::{API_DEFAULT_VERSION, ClientVersion, Docker};
use converge_sdk::prelude::*;
use converge_sdk::system::Address;

pub(super) use error::{EngineError, FoundExt};

use crate::missing_dependency;

/// The default time limit for an answer of the engine.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A client of the engine that `DOCKER_HOST` names.
#[derive(Debug)]
pub(super) struct Engine {
    docker: Docker,
    cx: Context,
}

impl Engine {
    /// Connects to the engine, and negotiates the version of its API.
    pub(super) async fn connect(cx: &Context) -> Result<Self, EngineError> {
        let address = address::find(|name| cx.system().env(name))?;
        let version = Arc::new(OnceLock::new());
        let transport = transport::new(cx.clone(), address.clone(), Arc::clone(&version));
        // `ask` sets deadlines; a limit set here would end a slow pull.
        let docker = Docker::connect_with_custom_transport(
            transport,
            Some(transport::AUTHORITY),
            u64::MAX,
            API_DEFAULT_VERSION,
        )
        .map_err(|error| EngineError::from_client("make a client".to_owned(), error))?;
        let engine = Self { docker, cx: cx.clone() };
        let agreed = engine.agree(&address).await?;
        tracing::debug!(%address, %agreed, "reached the Docker engine");
        // Only this function sets it.
        let _ = version.set(agreed);
        Ok(engine)
    }

    /// Like [`connect`](Self::connect), but waits for a pending change that may bring the engine.
    ///
    /// Returns an `Err` within `Ok` that says what is missing in that case.
    pub(super) async fn connect_or_wait(cx: &Context) -> Result<Result<Self, Status>> {
        match Self::connect(cx).await {
            Ok(engine) => Ok(Ok(engine)),
            Err(error @ EngineError::Absent { .. }) if !cx.pending().is_empty() => {
                Ok(Err(missing_dependency::not_yet(error.to_string())))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the newest API version that both sides support.
    ///
    /// The transport puts the version in front of each path. Requests of `bollard` name none, so the
    /// negotiation of `bollard` itself would change nothing.
    async fn agree(&self, address: &Address) -> Result<String, EngineError> {
        let theirs = self.ask("ask the Docker engine for its version", self.docker.version()).await?;
        let parse = |version: Option<String>| {
            let (major, minor) = version.as_deref()?.split_once('.')?;
            Some(ClientVersion { major_version: major.parse().ok()?, minor_version: minor.parse().ok()? })
        };
        let Some(newest) = parse(theirs.api_version) else {
            return Err(EngineError::NotAnEngine { address: address.to_string() });
        };
        if let Some(oldest) = parse(theirs.min_api_version)
            && oldest > *API_DEFAULT_VERSION
        {
            let (theirs, ours) = (oldest.to_string(), API_DEFAULT_VERSION.to_string());
            return Err(EngineError::TooNew { address: address.to_string(), theirs, ours });
        }
        let agreed = if newest < *API_DEFAULT_VERSION { newest } else { *API_DEFAULT_VERSION };
        Ok(agreed.to_string())
    }

    /// Returns the client, for a request that goes through [`ask`](Self::ask).
    pub(super) fn docker(&self) -> &Docker {
        &self.docker
    }

    /// Sleeps, and returns early if the run is cancelled.
    pub(super) async fn pause(&self, pause: Duration) {
        self.cx.cancellation().run_until_cancelled(self.cx.system().clock().sleep(pause)).await;
    }

    /// Waits for an answer, within the default time limit.
    ///
    /// `doing` says what is asked for: `look at the image "x"`.
    pub(super) async fn ask<T>(
        &self,
        doing: impl Into<String>,
        request: impl Future<Output = Result<T, bollard::errors::Error>>,
    ) -> Result<T, EngineError> {
        self.ask_within(TIMEOUT, doing, request).await
    }

    /// Like [`ask`](Self::ask), with another time limit.
    pub(super) async fn ask_within<T>(
        &self,
        limit: Duration,
        doing: impl Into<String>,
        request: impl Future<Output = Result<T, bollard::errors::Error>>,
    ) -> Result<T, EngineError> {
        let limit = self.cx.remaining().map_or(limit, |remaining| remaining.min(limit));
        let answer = tokio::time::timeout(limit, request);
        match self.cx.cancellation().run_until_cancelled(answer).await {
            None => Err(EngineError::Cancelled),
            Some(Err(_)) => Err(EngineError::NoAnswer { doing: doing.into(), after: limit }),
            Some(Ok(answer)) => answer.map_err(|error| EngineError::from_client(doing.into(), error)),
        }
    }
}
