//! The commands and options of other tools, and what to write here.

use std::borrow::Cow;

/// The command whose options another program reads.
pub(crate) const SERVER: &str = "server";

/// The commands that load modules.
const MODULES: &[&str] = &["plan", "apply", "healthcheck", "graph", "validate"];

/// The commands that work on the resources of modules.
const RUNS: &[&str] = &["plan", "apply", "healthcheck"];

/// The treatment of the value of an option.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// The option has none.
    None,
    Dropped,
    /// Kept, in the form that this function returns.
    Kept(fn(&str) -> Cow<'_, str>),
}

/// An option of another tool.
pub(super) struct ForeignOption {
    pub(super) names: &'static [&'static str],
    /// The commands that it belongs to; all but `server` if empty.
    pub(super) commands: &'static [&'static str],
    pub(super) value: Value,
    /// The options to write instead, or the command to use without the option. Empty if nothing is needed.
    pub(super) instead: &'static str,
    pub(super) reason: &'static str,
}

/// A command of another tool.
pub(super) struct ForeignCommand {
    pub(super) words: &'static [&'static str],
    pub(super) reason: &'static str,
    pub(super) help: Help,
}

#[derive(Clone, Copy)]
pub(super) enum Help {
    /// The same arguments after another command.
    Renamed(&'static str),
    Text(&'static str),
}

const HERE: &str = "a run is on the machine where it is started, without a server; for other machines run `converge agent` there";
const AUTHORITY: &str = "certificates are in an identity that `converge server init --data DIR` creates";
pub(super) const FILE_OF_OPTIONS: &str = "there is no file of options; parameters are read with `--params-file FILE`, and options from the \
                               environment variables that `converge plan --help` names";
const NO_USER: &str = "resources are applied as the user who runs the command; use `sudo` for another one";
const COLOR: &str = "colours are turned off with `--color never`";
const PARAMETERS: &str = "a parameter is set with `-p NAME=VALUE`";
const HASHES: &str = "modules have no signatures; a fetched module is pinned by its hash, as in URL#sha256=HASH, and modules in git by \
                      `converge modules lock FILE`";
const NO_QUESTION: &str = "an apply asks nothing; `converge plan` shows first what it would change";
const PLAN: &str = "a plan shows what an apply would change";
const HELP: &str = "`converge --help`, and for one command `converge plan --help`";

pub(super) static OPTIONS: &[ForeignOption] = &[
    // The original Converge.
    option(&["-n", "--nocolor"], &[], Value::None, "--color never", COLOR),
    option(
        &["-l", "--log-level"],
        &[],
        Value::Kept(log_level),
        "--log",
        "the level of the log is set with `--log LEVEL`",
    ),
    option(&["--config"], &[], Value::Dropped, "", FILE_OF_OPTIONS),
    option(
        &["--only-show-changes"],
        RUNS,
        Value::None,
        "",
        "unchanged resources are only counted, unless `-v` asks for their messages",
    ),
    option(&["--show-meta"], RUNS, Value::None, "", "parameters and modules are not listed"),
    option(&["--show-params"], MODULES, Value::None, "", "a graph always has the parameters"),
    option(&["--verify-modules"], MODULES, Value::None, "", HASHES),
    option(&["--params"], MODULES, Value::Kept(unchanged), "-p", PARAMETERS),
    option(&["--local", "--no-token", "--use-ssl"], MODULES, Value::None, "", HERE),
    option(
        &["--rpc-addr", "--local-addr", "--rpc-token", "--cert-file", "--key-file", "--ca-file"],
        MODULES,
        Value::Dropped,
        "",
        HERE,
    ),
    option(
        &["--rpc-addr"],
        &[SERVER],
        Value::Kept(address),
        "--grpc",
        "the address for gRPC is set with `--grpc HOST:PORT`",
    ),
    option(
        &["--api-addr", "--addr"],
        &[SERVER],
        Value::Kept(address),
        "--http",
        "the address for HTTP is set with `--http HOST:PORT`",
    ),
    option(
        &["--rpc-token"],
        &[SERVER],
        Value::Dropped,
        "--tokens FILE",
        "a server reads the hashes of its tokens from a file, or creates a token in `converge server init --data DIR`",
    ),
    option(
        &["--no-token"],
        &[SERVER],
        Value::None,
        "--open-on-loopback",
        "only a server on a loopback address goes without tokens",
    ),
    option(&["--use-ssl", "--https"], &[SERVER], Value::None, "--identity DIR", AUTHORITY),
    option(
        &["--cert-file", "--key-file", "--ca-file", "--certFile", "--keyFile"],
        &[SERVER],
        Value::Dropped,
        "",
        AUTHORITY,
    ),
    option(
        &["--root"],
        &[SERVER],
        Value::Dropped,
        "",
        "module files are served by any web server or from git; an assigned module is a resource",
    ),
    option(&["--self-serve"], &[SERVER], Value::None, "", "the programs come with your packages"),
    // Ansible, Terraform and others.
    option(&["--check", "-C", "--dry-run", "--noop", "--diff", "-D"], &["plan"], Value::None, "", PLAN),
    option(&["--check", "-C", "--dry-run", "--noop"], &["apply"], Value::None, "plan", PLAN),
    option(&["--diff", "-D"], &["apply"], Value::None, "", "an apply always shows the differences"),
    option(
        &["--syntax-check"],
        RUNS,
        Value::None,
        "validate",
        "mistakes are reported by `converge validate`",
    ),
    option(&["--auto-approve", "-auto-approve", "--yes", "-y"], &["apply"], Value::None, "", NO_QUESTION),
    option(&["--extra-vars", "-e", "--var", "-var"], MODULES, Value::Kept(unchanged), "-p", PARAMETERS),
    option(
        &["--var-file", "-var-file"],
        MODULES,
        Value::Kept(unchanged),
        "--params-file",
        "parameters are read from a file with `--params-file FILE`",
    ),
    option(
        &["-target"],
        RUNS,
        Value::Kept(unchanged),
        "--target",
        "a resource is selected with `--target TYPE.NAME`",
    ),
    option(&["-t"], RUNS, Value::Kept(unchanged), "--tags", "tags are selected with `--tags TAG`"),
    option(&["-out"], &["plan"], Value::Kept(unchanged), "--out", "a plan is written with `--out PLAN`"),
    option(
        &["--forks", "-f"],
        RUNS,
        Value::Kept(unchanged),
        "--parallelism",
        "the number of resources at once is set with `--parallelism N`",
    ),
    option(
        &["-detailed-exitcode"],
        &["plan"],
        Value::None,
        "--detailed-exitcode",
        "long options begin with two dashes",
    ),
    option(&["--no-color", "-no-color"], &[], Value::None, "--color never", COLOR),
    option(
        &["--json", "-json"],
        RUNS,
        Value::None,
        "--format json",
        "the output format is set with `--format json`",
    ),
    option(&["--inventory", "-i", "--user", "-u"], RUNS, Value::Dropped, "", HERE),
    option(&["--become", "-b", "--ask-become-pass", "-K"], RUNS, Value::None, "", NO_USER),
];

pub(super) static COMMANDS: &[ForeignCommand] = &[
    command(&["key"], HASHES, Help::Text("`converge plan URL#sha256=HASH`, or `converge modules lock FILE`")),
    command(
        &["trust"],
        HASHES,
        Help::Text("`converge plan URL#sha256=HASH`, or `converge modules lock FILE`"),
    ),
    command(&["gen", "docs"], "the types describe themselves", Help::Text("`converge docs`")),
    command(&["gen", "autocomplete"], "there are no completions for shells", Help::Text(HELP)),
    command(&["autocomplete"], "there are no completions for shells", Help::Text(HELP)),
    command(&["gen"], "there are no man pages", Help::Text(HELP)),
    command(
        &["ping"],
        "a server answers at the path /v1/health",
        Help::Text("`curl http://127.0.0.1:8500/v1/health`"),
    ),
    command(&["serve"], "the command is called `server`", Help::Renamed(SERVER)),
    command(&["check"], "the command is called `healthcheck`", Help::Renamed("healthcheck")),
    command(&["init"], "there is nothing to set up", Help::Text("`converge plan FILE`")),
    command(
        &["destroy"],
        "there is no list of what earlier runs made; a module declares what is to be gone",
        Help::Text(
            "write state = \"absent\", or a `file.absent`, into the module, then `converge apply FILE`",
        ),
    ),
];

const fn option(
    names: &'static [&'static str],
    commands: &'static [&'static str],
    value: Value,
    instead: &'static str,
    reason: &'static str,
) -> ForeignOption {
    ForeignOption { names, commands, value, instead, reason }
}

const fn command(words: &'static [&'static str], reason: &'static str, help: Help) -> ForeignCommand {
    ForeignCommand { words, reason, help }
}

fn unchanged(value: &str) -> Cow<'_, str> {
    value.into()
}

/// Converts a level of logrus.
fn log_level(value: &str) -> Cow<'_, str> {
    match value.to_ascii_lowercase().as_str() {
        "warning" => "warn".into(),
        "fatal" | "panic" => "error".into(),
        _ => value.into(),
    }
}

/// Adds the host to an address that has none, which Go takes for all addresses of the machine.
fn address(value: &str) -> Cow<'_, str> {
    if value.starts_with(':') { format!("127.0.0.1{value}").into() } else { value.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_there_once_for_a_command() {
        for command in ["plan", "apply", "healthcheck", "graph", "validate", SERVER] {
            let mut names: Vec<&str> = OPTIONS
                .iter()
                .filter(|option| option.commands.is_empty() || option.commands.contains(&command))
                .flat_map(|option| option.names.iter().copied())
                .collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{command}");
        }
    }
}
