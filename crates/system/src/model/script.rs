//! What the programs of the model do: each script answers to some.

use super::machine::Machine;
use crate::{Command, Output};

type Program = dyn Fn(&Command, &mut Machine) -> Option<Output> + Send + Sync;

/// What answers when some programs are run.
pub(super) enum Script {
    /// Always the same answer to one program with its arguments.
    Line { line: Vec<String>, output: Output, is_effect: bool },
    /// A function answers.
    Program(Box<Program>),
}

/// What a script answers.
pub(super) struct ScriptedRun {
    pub(super) output: Output,
    /// The machine after a program that changed it.
    pub(super) changed: Option<Machine>,
    pub(super) is_effect: bool,
}

impl Script {
    pub(super) fn line<S: Into<String>>(
        line: impl IntoIterator<Item = S>,
        output: Output,
        is_effect: bool,
    ) -> Self {
        Self::Line { line: line.into_iter().map(Into::into).collect(), output, is_effect }
    }

    /// `None` to what this script does not know.
    pub(super) fn answer(&self, command: &Command, machine: &Machine) -> Option<ScriptedRun> {
        match self {
            Self::Line { line, output, is_effect } => {
                let (program, args) = line.split_first()?;
                let matches = *program == command.program && args == command.args;
                matches.then(|| ScriptedRun { output: output.clone(), changed: None, is_effect: *is_effect })
            }
            Self::Program(program) => {
                let mut after = machine.clone();
                let output = program(command, &mut after)?;
                let is_effect = after != *machine;
                Some(ScriptedRun { output, changed: Some(after), is_effect })
            }
        }
    }
}
