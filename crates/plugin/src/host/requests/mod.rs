//! The implementation of each plugin request on the system of the run.

mod calls;
mod files;
mod network;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value as Json;

use super::super::protocol::{
    Ask, ClockNow, ClockSleep, Env, FromHost, ProcessesRun, ProcessesStartedElsewhere, Question, RunPending,
    RunRender, WireCommand, WireValue, with_question,
};
use super::handles::Handles;
use super::process::Process;
use crate::sdk::context::Context;
use crate::sdk::resource::Renderer;
use crate::system::{Command, Output, OutputWatch, SystemError, SystemErrorKind};
use crate::types::json_forms::{Bytes, to_nanos};

/// The surroundings of a request: its call and all that the call works with.
#[derive(Clone, Copy)]
pub(super) struct Machine<'c> {
    pub(super) cx: &'c Context,
    /// The renderer of the call; `None` in an apply.
    pub(super) renderer: Option<&'c dyn Renderer>,
    pub(super) handles: &'c Handles,
    pub(super) process: &'c Arc<Process>,
    pub(super) call: u64,
    pub(super) ask: u64,
    /// Whether the request changes only files in a temporary directory.
    pub(super) temporary: bool,
}

pub(super) trait Perform: Question {
    fn perform(self, machine: Machine<'_>) -> impl Future<Output = Result<Self::Answer, SystemError>> + Send;
}

pub(super) async fn answer(machine: Machine<'_>, ask: Ask) -> Result<Json, SystemError> {
    with_question!(ask, to_json, machine)
}

async fn to_json<Q: Perform>(question: Q, machine: Machine<'_>) -> Result<Json, SystemError> {
    let answer = question.perform(machine).await?;
    serde_json::to_value(answer).map_err(|error| {
        SystemError::other("answer", "the plugin", SystemErrorKind::Other(error.to_string()))
    })
}

impl Perform for RunPending {
    async fn perform(self, machine: Machine<'_>) -> Result<Vec<String>, SystemError> {
        Ok(machine.cx.pending().iter().map(ToString::to_string).collect())
    }
}

impl Perform for RunRender {
    async fn perform(self, machine: Machine<'_>) -> Result<WireValue, SystemError> {
        let fail =
            |reason: String| SystemError::other("render", self.name.clone(), SystemErrorKind::Other(reason));
        let renderer = machine
            .renderer
            .ok_or_else(|| fail("templates are rendered in `prepare` and in `check`".to_owned()))?;
        let text = renderer.render(&self.name, &self.template);
        text.map(WireValue).map_err(|error| fail(error.to_string()))
    }
}

impl Perform for Env {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<String>, SystemError> {
        Ok(machine.cx.system().env(&self.name))
    }
}

impl Perform for ClockNow {
    async fn perform(self, machine: Machine<'_>) -> Result<i64, SystemError> {
        Ok(to_nanos(machine.cx.system().clock().now()))
    }
}

impl Perform for ClockSleep {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.cx.system().clock().sleep(Duration::from_nanos(self.ns)).await;
        Ok(())
    }
}

fn command(wire: WireCommand) -> Command {
    let mut command = Command::new(wire.program).args(wire.args);
    command.env = wire.env;
    command.clear_env = wire.clear_env;
    command.run_as = wire.run_as;
    command.dir = wire.dir.map(|dir| dir.0);
    command.stdin = wire.stdin.0;
    command.timeout = wire.timeout_ns.map(Duration::from_nanos);
    command.keep = wire.keep;
    command
}

impl Perform for ProcessesRun {
    async fn perform(self, machine: Machine<'_>) -> Result<Output, SystemError> {
        let (watch, stop) = (self.command.watch, self.command.stop);
        let program = self.command.program.clone();
        let mut command = command(self.command);
        if stop {
            command = command.stop_on(machine.cx.cancellation());
        }
        let is_lost = Arc::new(AtomicBool::new(false));
        if watch {
            let (process, call, ask, is_lost) =
                (Arc::clone(machine.process), machine.call, machine.ask, Arc::clone(&is_lost));
            command.watch = Some(OutputWatch::new(move |stream, piece| {
                let message = FromHost::Printed { call, ask, stream, bytes: Bytes(piece.to_vec()) };
                if !process.printed(&message, piece.len()) {
                    is_lost.store(true, Ordering::Relaxed);
                }
            }));
        }
        let output = machine.cx.system().processes().run(command).await?;
        if is_lost.load(Ordering::Relaxed) {
            let reason = "the plugin does not read what the program prints".to_owned();
            return Err(SystemError::other("watch", program, SystemErrorKind::Other(reason)));
        }
        Ok(output)
    }
}

impl Perform for ProcessesStartedElsewhere {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.cx.system().processes().started_elsewhere(&command(self.command)).await;
        Ok(())
    }
}
