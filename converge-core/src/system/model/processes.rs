//! The programs of the model: what a script answers to.

use async_trait::async_trait;

use super::{Effect, Machine, ModelSystem};
use crate::system::{Command, Output, Processes, SystemError, SystemErrorKind};

type Program = dyn Fn(&Command, &mut Machine) -> Option<Output> + Send + Sync;

/// Answers to some programs.
pub(super) enum Script {
    /// Always the same answer to one program with its arguments.
    Line { line: Vec<String>, output: Output, is_effect: bool },
    /// A function answers.
    Program(Box<Program>),
}

/// What a script says.
struct Answer {
    output: Output,
    /// The machine after a program that changed it.
    changed: Option<Machine>,
    is_effect: bool,
}

impl Script {
    /// `None` to what this script does not know.
    fn answer(&self, command: &Command, machine: &Machine) -> Option<Answer> {
        match self {
            Self::Line { line, output, is_effect } => {
                let (program, args) = line.split_first()?;
                let matches = *program == command.program && args == command.args;
                matches.then(|| Answer { output: output.clone(), changed: None, is_effect: *is_effect })
            }
            Self::Program(program) => {
                let mut after = machine.clone();
                let output = program(command, &mut after)?;
                let is_effect = after != *machine;
                Some(Answer { output, changed: Some(after), is_effect })
            }
        }
    }
}

#[async_trait]
impl Processes for ModelSystem {
    /// The first script that knows the program answers.
    async fn run(&self, command: Command) -> Result<Output, SystemError> {
        let failed = |kind| SystemError::other("run", shown(&command), kind);
        let mut state = self.lock();
        state.commands.push(command.clone());
        let answer = self.scripts.iter().find_map(|script| script.answer(&command, &state.machine));
        let Answer { output, changed, is_effect } =
            answer.ok_or_else(|| failed(SystemErrorKind::NotFound))?;
        if is_effect {
            state.check_crash().map_err(failed)?;
            if let Some(machine) = changed {
                state.machine = machine;
            }
            state.record(Effect::Run { command });
        }
        Ok(output)
    }
}

/// With its arguments, as it is they that a script may be missing for.
fn shown(command: &Command) -> String {
    let words = std::iter::once(&command.program).chain(&command.args);
    words.map(String::as_str).collect::<Vec<_>>().join(" ")
}
