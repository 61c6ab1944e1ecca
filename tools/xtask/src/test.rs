//! `cargo xtask test`.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::panic::resume_unwind;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::{env, fs, io, thread};

use crate::cargo;
use crate::error::Error;
use crate::tally::Tally;
use crate::{external_crates, fuzz, hosts};

/// The environment variable with the file to which a skipped test adds the line `name: reason`.
const SKIP_REPORT: &str = "CONVERGE_TEST_SKIP_REPORT";

/// The environment variable with the number of concurrent tests per program.
const THREADS: &str = "RUST_TEST_THREADS";

/// The environment variable with the seed of property tests.
const SEED: &str = "PROPTEST_RNG_SEED";

/// The options of the command.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// Fail if a test was skipped (also with CI=true)
    #[arg(long)]
    pub(crate) no_skips: bool,
    /// Arguments for `cargo test`: cargo xtask test -- -p converge-core
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub(crate) cargo: Vec<String>,
}

/// Runs the tests, then prints the skipped ones with their reasons.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let workspace = cargo::workspace()?;
    let report = workspace.target_directory.join("skipped-tests.txt");
    fs::create_dir_all(&workspace.target_directory).map_err(Error::at(&report))?;
    fs::write(&report, "").map_err(Error::at(&report))?;

    // Without a selection of packages, all tests run.
    let chosen = options.cargo.iter().any(|argument| {
        ["-p", "--package", "--workspace", "--manifest-path"].iter().any(|flag| argument.starts_with(flag))
    });
    // The system tests run programs; selected tests of other packages need no hosts.
    let uses_programs = !chosen || options.cargo.iter().any(|argument| argument == "converge-tests");
    let test_name = options.cargo.iter().skip_while(|argument| *argument != "--test").nth(1);
    let uses = |test: &str| uses_programs && test_name.is_none_or(|name| name == test);
    let (uses_hosts, uses_outside) = (uses("hosts"), uses("system"));
    let with_etcd = ["converge-controller", "converge-demo"];
    let needs_etcd = options.cargo.iter().any(|argument| with_etcd.contains(&argument.as_str()));
    let uses_etcd = !chosen || needs_etcd || uses_outside || uses("policy");
    // The hosts are prepared while the compiler works, because neither uses the whole machine.
    let (hosts, built) = thread::scope(|scope| {
        let hosts = scope.spawn(|| {
            if uses_etcd {
                hosts::install_etcd();
            }
            if uses_outside {
                hosts::install_browser();
            }
            if uses_hosts { hosts::up_for_tests() } else { hosts::Made::default() }
        });
        let built = cargo::run(cargo_test(options, chosen, &["--no-run"]));
        let built = built.and_then(|()| if uses_programs { cargo::build_programs() } else { Ok(()) });
        (hosts.join().unwrap_or_else(|panic| resume_unwind(panic)), built)
    });
    let outside = |()| uses_outside.then(|| external_crates::build(&workspace.target_directory)).transpose();
    let tested =
        built.and_then(outside).and_then(|outside| test(options, chosen, outside.as_deref(), &report));
    // The hosts are removed after a failure as well.
    hosts.remove()?;
    let (tally, status) = tested?;

    println!("\nthe slowest tests:\n{}", tally.slowest());
    println!("{}", tally.failures());
    for skip in tally.skips() {
        println!("skipped: {skip}");
    }
    println!("{tally}");

    if tally.failed > 0 {
        return Err(Error::TestsFailed { count: tally.failed });
    }
    if !status.success() {
        return Err(Error::TestsEndedEarly { status });
    }
    let count = tally.skips().len();
    if count > 0 && (options.no_skips || env::var("CI").is_ok_and(|value| value == "true")) {
        return Err(Error::Skips { count });
    }
    Ok(())
}

/// Returns the command for all or the selected tests.
fn cargo_test(options: &Options, chosen: bool, more: &[&str]) -> Command {
    let mut command = cargo::command(&["test", "--all-features"]);
    if !chosen {
        command.arg("--workspace");
    }
    command.args(more).args(&options.cargo);
    command
}

/// Runs the tests.
fn test(
    options: &Options,
    chosen: bool,
    outside: Option<&Path>,
    report: &Path,
) -> Result<(Tally, ExitStatus), Error> {
    // A selection of tests excludes everything else.
    let everything = !chosen && options.cargo.is_empty();
    let prepared = |more: &[&str]| {
        // One failure must not hide the next.
        let mut command = cargo_test(options, chosen, &[&["--no-fail-fast"], more].concat());
        prepare(&mut command, outside, report);
        command
    };
    let (mut tally, status) = if everything {
        test_everything(&prepared)?
    } else {
        let mut tally = Tally::default();
        let status = run_one(prepared(&[]), &mut tally, io::stdout())?;
        (tally, status)
    };
    tally.add_skip_report(&read_report(report).map_err(Error::at(report))?);
    Ok((tally, status))
}

/// Runs the tests with hosts in parallel to all others.
///
/// Cargo alone runs one program after the other. Tests with hosts mostly wait, and the others mostly compute.
/// The output of the former is shown when the others have ended.
fn test_everything(prepared: &(impl Fn(&[&str]) -> Command + Sync)) -> Result<(Tally, ExitStatus), Error> {
    let tests: BTreeSet<String> =
        cargo::workspace()?.packages.into_iter().flat_map(|package| package.tests).collect();
    let others: Vec<&str> = tests
        .iter()
        .filter(|test| ![HOSTS, COMPILER].contains(&test.as_str()))
        .flat_map(|test| ["--test", test.as_str()])
        .chain(["--lib", "--bins"])
        .collect();
    // The runner sets the variable for test programs only, so that nothing is compiled again.
    let timed = |more: &[&str]| {
        let mut command = prepared(&[&["--config", TIMED_RUNNER], more].concat());
        command.args(["--", "-Z", "unstable-options", "--report-time"]);
        command
    };
    thread::scope(|scope| {
        let hosts = scope.spawn(|| {
            let (mut tally, mut output) = (Tally::default(), Vec::new());
            let status = run_one(timed(&["--test", HOSTS]), &mut tally, &mut output);
            status.map(|status| (tally, status, output))
        });
        let mut tally = Tally::default();
        let mut statuses = Vec::new();
        for command in [timed(&others), prepared(&["--test", COMPILER]), prepared(&["--doc"])] {
            statuses.push(run_one(command, &mut tally, io::stdout())?);
        }
        println!();
        let fuzzed = fuzz::test(&mut tally);
        let (of_hosts, status, output) = hosts.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        io::stdout().write_all(&output).map_err(|source| Error::Output { source })?;
        tally.add_all(of_hosts);
        fuzzed?;
        // The status of the first failure, or any other.
        statuses.push(status);
        let ended = statuses.iter().find(|status| !status.success()).copied().unwrap_or(status);
        Ok((tally, ended))
    })
}

/// The test of compiler messages.
///
/// It starts cargo and must not see the variable of [`TIMED_RUNNER`], because the compiler would suggest
/// unstable features.
const COMPILER: &str = "compiler";

/// The cargo configuration that lets test programs report the time of each test, which is unstable.
const TIMED_RUNNER: &str = "target.'cfg(unix)'.runner = ['env', 'RUSTC_BOOTSTRAP=1']";

/// The test program with hosts.
const HOSTS: &str = "hosts";

/// Sets the environment of the tests.
fn prepare(command: &mut Command, outside: Option<&Path>, report: &Path) {
    command.env(SKIP_REPORT, report).stdout(Stdio::piped());
    command.envs(outside.map(|programs| (external_crates::PROGRAMS, programs)));
    if env::var_os(THREADS).is_none() {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        // Tests with hosts spend most of their time waiting for them.
        command.env(THREADS, (2 * processors).to_string());
    }
    // A commit always has the same test result: a failure from new random inputs must not be blamed on an
    // unrelated change.
    if env::var_os(SEED).is_none() {
        command.env(SEED, "1");
    }
}

/// Runs one test command, and adds up its results.
fn run_one(mut command: Command, tally: &mut Tally, mut output: impl Write) -> Result<ExitStatus, Error> {
    let line = cargo::format_command(&command);
    writeln!(output, "$ {line}").map_err(|source| Error::Output { source })?;
    let mut child = command.spawn().map_err(|source| Error::Start { program: line.clone(), source })?;
    if let Some(said) = child.stdout.take() {
        pass_on(BufReader::new(said), tally, output).map_err(|source| Error::Output { source })?;
    }
    child.wait().map_err(|source| Error::Start { program: line, source })
}

/// Forwards the output as it arrives, and counts the results in it.
fn pass_on(mut said: impl BufRead, tally: &mut Tally, mut output: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    while said.read_until(b'\n', &mut line)? > 0 {
        output.write_all(&line)?;
        output.flush()?;
        tally.read_line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(())
}

/// Reads the skip report, which may contain invalid UTF-8 from a test.
fn read_report(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}
