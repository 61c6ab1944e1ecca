//! Where text goes: standard output, standard error, and whether either has colours.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};

use anstream::AutoStream;
use anstream::ColorChoice;

use crate::args::Color;
use crate::error::CliError;
use crate::output::{ERROR, Paint, Stdout, WARNING, sanitize};

/// What is known about the two streams of the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    /// Whether standard output takes colours.
    pub(crate) stdout_color: bool,
    /// Whether standard error takes colours.
    pub(crate) stderr_color: bool,
    /// Whether standard error is a terminal that nothing else writes to.
    pub(crate) progress: bool,
}

impl Console {
    /// Asks the terminal, the environment and the arguments.
    pub(crate) fn new(color: Color) -> Self {
        Self {
            stdout_color: colors(color, AutoStream::choice(&io::stdout())),
            stderr_color: colors(color, AutoStream::choice(&io::stderr())),
            progress: io::stderr().is_terminal(),
        }
    }

    /// Writes `error: ..` to standard error.
    /// Tells what the user should know, though it stops nothing.
    pub(crate) fn warning(self, message: impl Display) {
        let word = Paint { color: self.stderr_color }.paint(WARNING, "warning");
        notice(&format!("{word}: {}\n", sanitize(&message.to_string())));
    }

    pub(crate) fn error(self, message: impl Display) {
        let word = Paint { color: self.stderr_color }.paint(ERROR, "error");
        notice(&format!("{word}: {}\n", sanitize(&message.to_string())));
    }
}

/// Writes to standard output. That nobody reads it any more is not an error.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    let mut stdout = Stdout::new(io::stdout().lock());
    stdout.write(text)?;
    stdout.flush()
}

/// Writes to standard error. Nobody is left to tell when that fails.
pub(crate) fn notice(text: &str) {
    drop(io::stderr().lock().write_all(text.as_bytes()));
}

/// What was asked for, else what suits the stream.
fn colors(asked: Color, suits: ColorChoice) -> bool {
    match asked {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => !matches!(suits, ColorChoice::Never),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_wins() {
        let check = |asked, suits, expect| assert_eq!(colors(asked, suits), expect, "{asked:?} {suits:?}");
        check(Color::Auto, ColorChoice::Never, false);
        check(Color::Auto, ColorChoice::Always, true);
        check(Color::Always, ColorChoice::Never, true);
        check(Color::Never, ColorChoice::Always, false);
    }
}
