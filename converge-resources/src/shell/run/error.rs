use std::fmt;
use std::time::Duration;

use converge_sdk::system::{LeftOut, Output};
use converge_sdk::value::REDACTED;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ScriptError {
    #[error("`{name}` did not end within {after:?}, so its process group was killed{output}")]
    TimedOut { name: &'static str, after: Duration, output: Printed },
    #[error("`{name}` ended with exit code {code}{output}")]
    Failed { name: &'static str, code: i32, output: Printed },
}

/// The end of a script's output for a message: nothing, or text on lines of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Printed(String);

/// Returns the end of a script's output, standard output first.
pub(crate) fn printed(output: &Output, secret: bool) -> Printed {
    let text = |bytes| String::from_utf8_lossy(bytes);
    Printed::from_texts(&text(&output.stdout), &text(&output.stderr), secret).without(output.left_out)
}

impl Printed {
    /// Adds a note about output that was not kept, if there is any.
    pub(crate) fn without(self, left_out: LeftOut) -> Self {
        match left_out.stdout.saturating_add(left_out.stderr) {
            0 => self,
            count => Self(format!("[{count} bytes of what it printed were not kept]\n{}", self.0)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn from_texts(stdout: &str, stderr: &str, secret: bool) -> Self {
        let parts = [stdout.trim_end(), stderr.trim_end()];
        let text = parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("\n");
        match text.is_empty() {
            true => Self::default(),
            false if secret => Self(REDACTED.to_owned()),
            false => Self(tail(&text)),
        }
    }
}

/// Returns the last lines, up to a limit of bytes: errors are printed last.
fn tail(text: &str) -> String {
    const LINES: usize = 20;
    const BYTES: usize = 4096;
    let by_lines = text.rmatch_indices('\n').nth(LINES - 1).map_or(0, |(at, _)| at + 1);
    let by_bytes = (text.len().saturating_sub(BYTES)..text.len()).find(|index| text.is_char_boundary(*index));
    let start = by_lines.max(by_bytes.unwrap_or(0));
    let cut = if start == 0 { "" } else { "[..]\n" };
    format!("{cut}{}", &text[start..])
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ":\n{}", self.0) }
    }
}
