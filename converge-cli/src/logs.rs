//! Logs, on standard error, when they are asked for.

use std::io::{self, Write};

use converge_core::Redactor;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::args::Global;
use crate::console::SafeWriter;

/// The filter that the arguments ask for; `None` for silence. A filter says more than `-v`, so it wins.
fn filter(global: &Global) -> Option<Targets> {
    let verbose = match global.verbose {
        0 => None,
        1 => Some(LevelFilter::INFO),
        2 => Some(LevelFilter::DEBUG),
        _ => Some(LevelFilter::TRACE),
    };
    global.log.clone().or_else(|| verbose.map(|level| Targets::new().with_default(level)))
}

/// Sends the logs of the whole process to standard error, without its secrets. Gives whether there are any.
pub(crate) fn start(global: &Global, color: bool, redactor: Redactor) -> bool {
    let Some(filter) = filter(global) else { return false };
    let logs = tracing_subscriber::fmt::layer().with_ansi(color);
    // Each line is written by a writer of its own, so nothing is held back. Secrets first: what is escaped is no longer one.
    let logs = logs.with_writer(move || redactor.writer(SafeWriter(Lines(io::stderr()))));
    // A program that embeds the command may have a subscriber of its own.
    tracing_subscriber::registry().with(filter).with(logs).try_init().is_ok()
}

/// Standard error. That nobody reads it any more ends no run: logs are lost then, and nothing else.
struct Lines(io::Stderr);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        drop(self.0.write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        drop(self.0.flush());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Arguments {
        #[command(flatten)]
        global: Global,
    }

    #[test]
    fn silence_is_the_default() {
        let check = |args: &[&str], expect: Option<&str>| {
            let arguments = Arguments::try_parse_from(["converge"].iter().chain(args)).unwrap();
            let found = filter(&arguments.global).map(|filter| filter.to_string());
            assert_eq!(found.as_deref(), expect, "{args:?}");
        };
        check(&[], None);
        check(&["-v"], Some("info"));
        check(&["-vv"], Some("debug"));
        check(&["-vvvv"], Some("trace"));
        check(&["-v", "--log", "converge_core=warn"], Some("converge_core=warn"));
    }
}
