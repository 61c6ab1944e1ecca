//! The programs of the model host.

use async_trait::async_trait;

use super::ModelSystem;
use super::effect::Effect;
use super::script::ScriptedRun;
use crate::captured_output::limited;
use crate::{Command, Output, OutputStream, Processes, SystemError, SystemErrorKind};

#[async_trait]
impl Processes for ModelSystem {
    /// Runs the first script that knows the program.
    ///
    /// Output is limited as on a local system.
    async fn run(&self, mut command: Command) -> Result<Output, SystemError> {
        self.state.turn().await;
        // The record contains the command without its watcher.
        let watch = command.watch.take();
        let failed = |kind| SystemError::other("run", shown(&command), kind);
        let mut state = self.lock();
        state.commands.push(command.clone());
        let run = self.scripts.iter().find_map(|script| script.answer(&command, &state.machine));
        let ScriptedRun { output, changed, is_effect } =
            run.ok_or_else(|| failed(SystemErrorKind::NotFound))?;
        if is_effect {
            state.faults.check_crash().map_err(failed)?;
            if state.faults.fails_now() {
                state.faults.has_failed();
                return Ok(Output::failure(1, "the model lets this fail\n"));
            }
            if let Some(machine) = changed {
                state.machine = machine;
            }
            state.record(Effect::Run { command: command.clone() });
        } else if state.faults.read_fails() {
            return Err(failed(SystemErrorKind::Other("cannot allocate memory".to_owned())));
        }
        let limit = state.output_limit;
        // The lock is released because the watcher may use the model.
        drop(state);
        for (stream, printed) in
            [(OutputStream::Stdout, &output.stdout), (OutputStream::Stderr, &output.stderr)]
        {
            if let Some(watch) = watch.as_ref().filter(|_| !printed.is_empty()) {
                watch.printed(stream, printed);
            }
        }
        limited(&command, output, limit)
    }
}

/// Shows a command with its arguments, for which a script may be missing.
fn shown(command: &Command) -> String {
    let words = std::iter::once(&command.program).chain(&command.args);
    words.map(String::as_str).collect::<Vec<_>>().join(" ")
}
