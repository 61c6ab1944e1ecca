//! Scripts that simulate the programs of the model host.

use super::machine::Machine;
use crate::{Command, Output};

type Program = dyn Fn(&Command, &mut Machine) -> Option<Output> + Send + Sync;

pub(super) enum Script {
    /// A fixed result of one program with its arguments.
    Line {
        line: Vec<String>,
        output: Output,
        is_effect: bool,
    },
    Program(Box<Program>),
}

pub(super) struct ScriptedRun {
    pub(super) output: Output,
    /// The machine after the program, if the script may have changed it.
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

    /// Runs a program; `None` if the script does not know it.
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
