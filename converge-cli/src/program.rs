//! A program that is a `converge` command.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};
use converge_core::Registry;

use crate::cli::{Cli, SERVER, report_foreign};
use crate::console::{Color, Console, print, print_error};
use crate::exit::Exit;

/// A complete `converge` command: its resource types, name and version.
///
/// ```no_run
/// # use converge_core::Registry;
/// let program = converge_cli::Program::new(Registry::new())
///     .with_name(env!("CARGO_PKG_NAME"))
///     .with_version(env!("CARGO_PKG_VERSION"));
/// program.main();
/// ```
#[derive(Debug)]
pub struct Program {
    registry: Registry,
    name: &'static str,
    version: &'static str,
}

impl Program {
    /// Creates a command with these types, the name `converge` and the version of this crate.
    pub fn new(registry: Registry) -> Self {
        Self { registry, name: "converge", version: env!("CARGO_PKG_VERSION") }
    }

    /// Names the program, in its help and its version.
    pub fn with_name(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Sets what `--version` and `version` print after the name.
    pub fn with_version(self, version: &'static str) -> Self {
        Self { version, ..self }
    }

    /// Runs the command with the arguments of the process.
    ///
    /// Like [`main`](crate::main), it must be called outside of any async runtime.
    pub fn main(&self) -> ExitCode {
        // A panic of a resource is reported as its failure, and not in the middle of other lines.
        std::panic::set_hook(Box::new(|panic| tracing::debug!(%panic, "something panicked")));
        let run = AssertUnwindSafe(|| self.run(std::env::args_os()));
        let exit = catch_unwind(run).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            print_error(&format!(
                "error: the program panicked: {}\n",
                text.unwrap_or("for an unknown reason")
            ));
            Exit::Error
        });
        exit.into()
    }

    /// Runs the command with these arguments; the first is the path of the program.
    fn run(&self, arguments: impl IntoIterator<Item = OsString>) -> Exit {
        let command = || Cli::command().name(self.name).version(self.version);
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        let matches = command().try_get_matches_from(&arguments);
        // The program `converge-server` reads its own options, and does not know those of other tools.
        let may_be_foreign =
            matches.as_ref().map_or(true, |matches| matches.subcommand_name() == Some(SERVER));
        if may_be_foreign && report_foreign(&command(), &arguments, Console::new(Color::Auto, false)) {
            return Exit::Error;
        }
        match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
            Ok(cli) => cli.run(&self.registry, &format!("{} {}", self.name, self.version)),
            Err(usage) => {
                if usage.use_stderr() {
                    print_error(&format_usage(&usage, &std::io::stderr()));
                    return Exit::Error;
                }
                // Help is not an error, so it goes to standard output.
                match print(&format_usage(&usage, &std::io::stdout())) {
                    Ok(()) => Exit::Done,
                    Err(_) => Exit::Error,
                }
            }
        }
    }
}

/// Formats help or a usage error, with colours if the stream supports them.
fn format_usage(usage: &clap::Error, stream: &impl anstream::stream::RawStream) -> String {
    match anstream::AutoStream::choice(stream) {
        anstream::ColorChoice::Never => usage.render().to_string(),
        _ => usage.render().ansi().to_string(),
    }
}
