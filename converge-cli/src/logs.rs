//! Logging to standard error, off by default.

use std::io::{self, Write};

use converge_core::Redactor;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::args::Global;
use crate::console::SafeWriter;

/// Returns the filter of the arguments, or `None` for no logs.
///
/// `--log` overrides `-v`, as it is more specific.
fn filter(global: &Global) -> Option<Targets> {
    let verbose = match global.verbose {
        0 => None,
        1 => Some(LevelFilter::INFO),
        2 => Some(LevelFilter::DEBUG),
        _ => Some(LevelFilter::TRACE),
    };
    global.log.clone().or_else(|| verbose.map(|level| Targets::new().with_default(level)))
}

/// Sends the redacted logs of the process to standard error; returns whether logging is on.
pub(crate) fn start(global: &Global, color: bool, redactor: Redactor) -> bool {
    let Some(filter) = filter(global) else { return false };
    let logs = tracing_subscriber::fmt::layer().with_ansi(color);
    // Each line has a writer of its own, so nothing is held back. Redaction comes first: an escaped secret
    // would not be recognized.
    let logs = logs.with_writer(move || redactor.writer(SafeWriter(Lines(io::stderr()))));
    // A program that embeds the command may have a subscriber of its own.
    tracing_subscriber::registry().with(filter).with(logs).try_init().is_ok()
}

/// Standard error for logs; write errors are ignored, so that a closed reader ends no run.
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
            let actual = filter(&arguments.global).map(|filter| filter.to_string());
            assert_eq!(actual.as_deref(), expect, "{args:?}");
        };
        check(&[], None);
        check(&["-v"], Some("info"));
        check(&["-vv"], Some("debug"));
        check(&["-vvvv"], Some("trace"));
        check(&["-v", "--log", "converge_core=warn"], Some("converge_core=warn"));
    }
}
