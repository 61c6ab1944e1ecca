use converge_core::prelude::*;
use converge_core::system::{LeftOut, Output};

use super::error::Printed;
use crate::text::Text;

/// How a script ended and what it printed.
#[derive(Clone, Debug, Default, Export)]
pub(crate) struct ScriptResult {
    /// Its exit code; 128 and the number of the signal when a signal ended it.
    #[export]
    exitstatus: i32,
    /// What it printed, with the newline at the end if there is one. Of more than 2 MiB it is the first and the last MiB,
    /// and a line between them that says how many bytes are left out.
    #[export]
    stdout: Text,
    /// What it printed to its standard error, no more of it either.
    #[export]
    stderr: Text,
    /// The script, which the interpreter read from its standard input.
    #[export]
    stdin: Text,
    left_out: LeftOut,
}

impl ScriptResult {
    pub(super) fn new(exitstatus: i32, output: &Output, script: &Text, secret: bool) -> Self {
        let text = |bytes: &[u8]| Text::new(String::from_utf8_lossy(bytes), secret);
        Self {
            exitstatus,
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            stdin: script.clone(),
            left_out: output.left_out,
        }
    }

    pub(crate) fn exit_code(&self) -> i32 {
        self.exitstatus
    }

    pub(crate) fn success(&self) -> bool {
        self.exitstatus == 0
    }

    /// The end of what it printed, for a message.
    pub(crate) fn printed(&self) -> Printed {
        Printed::of(&self.stdout, &self.stderr, self.stdout.is_secret()).without(self.left_out)
    }
}
