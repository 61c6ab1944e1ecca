//! Logs, on standard error, when they are asked for.

use std::io;

use tracing_subscriber::EnvFilter;

use crate::args::Global;

/// The filter that the arguments ask for; `None` for silence. A filter says more than `-v`, so it wins.
fn filter(global: &Global) -> Option<String> {
    let verbose = match global.verbose {
        0 => None,
        1 => Some("info"),
        2 => Some("debug"),
        _ => Some("trace"),
    };
    global.log.clone().or_else(|| verbose.map(str::to_owned))
}

/// Sends the logs of the whole process to standard error. Gives whether there are any.
pub(crate) fn start(global: &Global, color: bool) -> bool {
    let Some(filter) = filter(global) else { return false };
    // The filter was read once with the arguments, so it is one.
    let Ok(filter) = EnvFilter::try_new(filter) else { return false };
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(color).with_writer(io::stderr).init();
    true
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn silence_is_the_default() {
        let check = |args: &[&str], expect: Option<&str>| {
            let cli = Cli::try_parse_from(["converge", "version"].iter().chain(args)).unwrap();
            assert_eq!(filter(&cli.global).as_deref(), expect, "{args:?}");
        };
        check(&[], None);
        check(&["-v"], Some("info"));
        check(&["-vv"], Some("debug"));
        check(&["-vvvv"], Some("trace"));
        check(&["-v", "--log", "converge_core=warn"], Some("converge_core=warn"));
    }
}
