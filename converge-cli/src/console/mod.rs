//! The standard streams of the process, and whether each uses colours.

mod color;
mod stdout;
mod style;
mod terminal_escape;

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};

use anstream::AutoStream;
use anstyle::Style;
use converge_core::view::render::sanitize;

use crate::error::CliError;

pub(crate) use color::Color;
pub(crate) use stdout::Stdout;
pub(crate) use style::{ADD, BOLD, CHANGE, DIM, ERROR, HUNK, Paint, REMOVE, WARNING};
pub(crate) use terminal_escape::{SafeWriter, safe};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    pub(crate) stdout: Paint,
    pub(crate) stderr: Paint,
    /// Whether standard error is a terminal that nothing else writes to.
    pub(crate) progress: bool,
    /// Whether `-v` asks for more output.
    pub(crate) verbose: bool,
}

impl Console {
    /// Derives the settings from the terminal, the environment and the arguments.
    pub(crate) fn new(color: Color, verbose: bool) -> Self {
        Self {
            stdout: Paint { color: color.is_enabled(AutoStream::choice(&io::stdout())) },
            stderr: Paint { color: color.is_enabled(AutoStream::choice(&io::stderr())) },
            progress: io::stderr().is_terminal(),
            verbose,
        }
    }

    pub(crate) fn warning(self, message: impl Display) {
        self.message(WARNING, "warning", message);
    }

    pub(crate) fn error(self, message: impl Display) {
        self.message(ERROR, "error", message);
    }

    fn message(self, style: Style, severity: &str, message: impl Display) {
        let severity = self.stderr.paint(style, severity);
        print_error(&format!("{severity}: {}\n", sanitize(&message.to_string())));
    }
}

/// Writes to standard output. A closed reader is not an error.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    let mut stdout = Stdout::new(io::stdout().lock());
    stdout.write(text)?;
    stdout.flush()
}

/// Writes a text for programs byte for byte; control sequences are escaped only on a terminal.
pub(crate) fn print_exact(text: &str) -> Result<(), CliError> {
    if io::stdout().is_terminal() {
        return print(text);
    }
    let mut stdout = Stdout::new(io::stdout().lock());
    stdout.write_exact(text)?;
    stdout.flush()
}

/// Writes to standard error, ignoring failures because no other place for a message is left.
pub(crate) fn print_error(text: &str) {
    drop(io::stderr().lock().write_all(safe(text).as_bytes()));
}
