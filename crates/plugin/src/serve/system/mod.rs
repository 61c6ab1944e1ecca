//! A [`System`] that forwards each operation to the host.

mod directory;
mod files;
mod network;
mod open;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use super::super::protocol::{
    ClockNow, ClockSleep, Env, GroupByGid, GroupByName, GroupsOf, LocalGroups, LocalUsers, ProcessesRun,
    ProcessesStartedElsewhere, Question, RandomBytes, UserByName, UserByUid, UsersInPrimaryGroup,
    WireCommand,
};
use super::host_link::{Current, Link};
use crate::system::{
    Clock, Command, Files, Group, Network, Output, Platform, Processes, Random, System, SystemError, User,
    Users,
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

    fn handle(&self, id: u64) -> Handle {
        Handle { asks: self.asks.clone(), id }
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

#[async_trait]
impl Users for HostSystem {
    async fn user_by_name(&self, name: &str) -> Result<Option<User>, SystemError> {
        self.asks.ask(UserByName { name: name.to_owned() }).await
    }

    async fn user_by_uid(&self, uid: u32) -> Result<Option<User>, SystemError> {
        self.asks.ask(UserByUid { uid }).await
    }

    async fn group_by_name(&self, name: &str) -> Result<Option<Group>, SystemError> {
        self.asks.ask(GroupByName { name: name.to_owned() }).await
    }

    async fn group_by_gid(&self, gid: u32) -> Result<Option<Group>, SystemError> {
        self.asks.ask(GroupByGid { gid }).await
    }

    async fn users_in_primary_group(&self, gid: u32) -> Result<Vec<User>, SystemError> {
        self.asks.ask(UsersInPrimaryGroup { gid }).await
    }

    async fn groups_of(&self, name: &str) -> Result<Option<Vec<u32>>, SystemError> {
        self.asks.ask(GroupsOf { name: name.to_owned() }).await
    }

    async fn local_users(&self) -> Result<Vec<User>, SystemError> {
        self.asks.ask(LocalUsers {}).await
    }

    async fn local_groups(&self) -> Result<Vec<Group>, SystemError> {
        self.asks.ask(LocalGroups {}).await
    }
}

#[async_trait]
impl Random for HostSystem {
    async fn bytes(&self, count: usize) -> Result<Vec<u8>, SystemError> {
        let Bytes(bytes) = self.asks.ask(RandomBytes { count: count as u64 }).await?;
        Ok(bytes)
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
