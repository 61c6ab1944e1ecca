use converge_sdk::prelude::*;
use converge_sdk::system::{LeftOut, Output};

use super::error::Printed;
use crate::text::Text;

/// The exit code and the output of a script.
#[derive(Clone, Debug, Default, Export)]
pub(crate) struct ScriptResult {
    /// The exit code of the script, or 128 and the number of the signal that ended it.
    #[export]
    exitstatus: i32,
    /// The standard output of the script, including a final newline.
    ///
    /// If it is longer than 2 MiB, only the first and the last MiB are kept, with a line between them that
    /// gives the number of omitted bytes.
    #[export]
    stdout: Text,
    /// The standard error of the script, with the same limit.
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

    /// Whether the script printed nothing to standard error.
    pub(crate) fn is_silent(&self) -> bool {
        self.stderr.is_empty()
    }

    /// Returns the end of the output for a message.
    pub(crate) fn printed(&self) -> Printed {
        Printed::from_texts(&self.stdout, &self.stderr, self.stdout.is_secret()).without(self.left_out)
    }
}
