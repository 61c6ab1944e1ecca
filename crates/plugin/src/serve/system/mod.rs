//! A [`System`] that forwards each operation to the host.

mod calls;
mod files;
mod network;
mod open;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use super::super::protocol::{
    ClockNow, ClockSleep, Env, ProcessesRun, ProcessesStartedElsewhere, Question, WireCommand,
};
use super::host_link::{Current, Link};
use crate::system::{
    Clock, Command, Files, Network, Output, Platform, Processes, Random, System, SystemError, Users,
};
use crate::types::json_forms::{Bytes, WirePath, from_nanos};

/// The connection through which one task makes requests.
#[derive(Clone, Debug)]
pub(super) struct Requester {
    link: Arc<Link>,
    current: Arc<Current>,
}

impl Requester {
    async fn ask<Q: Question>(&self, question: Q) -> Result<Q::Answer, SystemError> {
        self.link.ask(&self.current, question, None).await
    }

    fn handle(&self, id: u64) -> Handle {
        Handle { asks: self.clone(), id }
    }

    fn close(&self, handle: u64) {
        self.link.close(&self.current, handle);
    }
}

/// An open handle on the host, closed there on drop.
#[derive(Debug)]
struct Handle {
    asks: Requester,
    id: u64,
}

impl Handle {
    async fn ask<Q: Question>(&self, question: impl FnOnce(u64) -> Q) -> Result<Q::Answer, SystemError> {
        self.asks.ask(question(self.id)).await
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.asks.close(self.id);
    }
}

#[derive(Debug)]
pub(super) struct HostSystem {
    asks: Requester,
    platform: Platform,
}

impl HostSystem {
    pub(super) fn new(link: Arc<Link>, current: Arc<Current>, platform: Platform) -> Self {
        Self { asks: Requester { link, current }, platform }
    }
}

impl System for HostSystem {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn files(&self) -> &dyn Files {
        self
    }

    fn users(&self) -> &dyn Users {
        self
    }

    fn processes(&self) -> &dyn Processes {
        self
    }

    fn network(&self) -> &dyn Network {
        self
    }

    fn clock(&self) -> &dyn Clock {
        self
    }

    fn random(&self) -> &dyn Random {
        self
    }

    fn env(&self, name: &str) -> Option<String> {
        // A variable that the host does not return counts as unset.
        self.asks.link.ask_now(&self.asks.current, Env { name: name.to_owned() }).ok().flatten()
    }
}

#[async_trait]
impl Clock for HostSystem {
    fn now(&self) -> SystemTime {
        let nanos = self.asks.link.ask_now(&self.asks.current, ClockNow {});
        nanos.map_or(SystemTime::UNIX_EPOCH, from_nanos)
    }

    async fn sleep(&self, duration: Duration) {
        let ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        // If the host is gone, this process ends anyway.
        drop(self.asks.ask(ClockSleep { ns }).await);
    }
}

fn wire(command: &Command) -> WireCommand {
    WireCommand {
        program: command.program.clone(),
        args: command.args.clone(),
        env: command.env.clone(),
        clear_env: command.clear_env,
        run_as: command.run_as.clone(),
        dir: command.dir.clone().map(WirePath),
        stdin: Bytes(command.stdin.clone()),
        timeout_ns: command.timeout.map(|timeout| u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX)),
        keep: command.keep,
        watch: command.watch.is_some(),
        stop: command.stop.is_some(),
    }
}

#[async_trait]
impl Processes for HostSystem {
    async fn run(&self, command: Command) -> Result<Output, SystemError> {
        let question = ProcessesRun { command: wire(&command) };
        self.asks.link.ask(&self.asks.current, question, command.watch).await
    }

    async fn started_elsewhere(&self, command: &Command) {
        // An error is ignored, because only a warning depends on the answer.
        drop(self.asks.ask(ProcessesStartedElsewhere { command: wire(command) }).await);
    }
}
