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

/// Names the file to which a test adds the line `name: reason` when it cannot run here.
const SKIP_REPORT: &str = "CONVERGE_TEST_SKIP_REPORT";

/// Says how many tests of a program run at once.
const THREADS: &str = "RUST_TEST_THREADS";

/// Where the random inputs of property tests begin.
const SEED: &str = "PROPTEST_RNG_SEED";

/// How to test.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// Fail when a test could not run (also with CI=true)
    #[arg(long)]
    pub(crate) no_skips: bool,
    /// Given to `cargo test`: cargo xtask test -- -p converge-core
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub(crate) cargo: Vec<String>,
}

/// Runs every test of the workspace, then says what was skipped and why.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let workspace = cargo::workspace()?;
    let report = workspace.target_directory.join("skipped-tests.txt");
    fs::create_dir_all(&workspace.target_directory).map_err(Error::at(&report))?;
    fs::write(&report, "").map_err(Error::at(&report))?;

    // Without a choice of packages: everything.
    let chosen = options.cargo.iter().any(|argument| {
        ["-p", "--package", "--workspace", "--manifest-path"].iter().any(|flag| argument.starts_with(flag))
    });
    // The tests of the whole system run programs; those that are named otherwise need no hosts.
    let uses_programs = !chosen || options.cargo.iter().any(|argument| argument == "converge-tests");
    let named = options.cargo.iter().skip_while(|argument| *argument != "--test").nth(1);
    let uses = |test: &str| uses_programs && named.is_none_or(|name| name == test);
    let (uses_hosts, uses_outside) = (uses("hosts"), uses("system"));
    let with_etcd = ["converge-controller", "converge-demo"];
    let needs_etcd = options.cargo.iter().any(|argument| with_etcd.contains(&argument.as_str()));
    let uses_etcd = !chosen || needs_etcd || uses_outside || uses("policy");
    // Debian is unpacked while the compiler works: neither is quick, and neither keeps all of the machine busy.
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
    // Also after a failure.
    hosts.remove()?;
    let (tally, status) = tested?;

    println!("\n{}", tally.failures());
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

/// The tests, all or those that were chosen.
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
    // Who chose some tests did not ask for everything else.
    let everything = !chosen && options.cargo.is_empty();
    let prepared = |more: &[&str]| {
        // One failure does not hide the next.
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

/// Runs those that use hosts beside all others, as cargo by itself runs one program after the other: they mostly wait, and the others
/// mostly compute. What they say is shown when the others have ended.
fn test_everything(prepared: &(impl Fn(&[&str]) -> Command + Sync)) -> Result<(Tally, ExitStatus), Error> {
    let tests: BTreeSet<String> =
        cargo::workspace()?.packages.into_iter().flat_map(|package| package.tests).collect();
    let others: Vec<&str> = tests
        .iter()
        .filter(|test| *test != HOSTS)
        .flat_map(|test| ["--test", test.as_str()])
        .chain(["--lib", "--bins"])
        .collect();
    thread::scope(|scope| {
        let hosts = scope.spawn(|| {
            let (mut tally, mut output) = (Tally::default(), Vec::new());
            let status = run_one(prepared(&["--test", HOSTS]), &mut tally, &mut output);
            status.map(|status| (tally, status, output))
        });
        let mut tally = Tally::default();
        let mut statuses = Vec::new();
        for choice in [&others[..], &["--doc"]] {
            statuses.push(run_one(prepared(choice), &mut tally, io::stdout())?);
        }
        println!();
        let fuzzed = fuzz::test(&mut tally);
        let (of_hosts, status, output) = hosts.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        io::stdout().write_all(&output).map_err(|source| Error::Output { source })?;
        tally.add_all(of_hosts);
        fuzzed?;
        // The first that failed, or else any.
        statuses.push(status);
        let ended = statuses.iter().find(|status| !status.success()).copied().unwrap_or(status);
        Ok((tally, ended))
    })
}

/// The program of the tests that use hosts.
const HOSTS: &str = "hosts";

/// Tells the tests what they need to know.
fn prepare(command: &mut Command, outside: Option<&Path>, report: &Path) {
    command.env(SKIP_REPORT, report).stdout(Stdio::piped());
    command.envs(outside.map(|programs| (external_crates::PROGRAMS, programs)));
    if env::var_os(THREADS).is_none() {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        // Those that use hosts wait for them most of the time.
        command.env(THREADS, (2 * processors).to_string());
    }
    // The same commit gives the same result: what new inputs find must not fail a change that did nothing.
    if env::var_os(SEED).is_none() {
        command.env(SEED, "1");
    }
}

/// Runs one command of them, and adds up what it reports.
fn run_one(mut command: Command, tally: &mut Tally, mut output: impl Write) -> Result<ExitStatus, Error> {
    let line = cargo::shown(&command);
    writeln!(output, "$ {line}").map_err(|source| Error::Output { source })?;
    let mut child = command.spawn().map_err(|source| Error::Start { program: line.clone(), source })?;
    if let Some(said) = child.stdout.take() {
        pass_on(BufReader::new(said), tally, output).map_err(|source| Error::Output { source })?;
    }
    child.wait().map_err(|source| Error::Start { program: line, source })
}

/// Passes the output on as it comes, and counts the results in it.
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

/// A test may write anything into the report; it is still shown.
fn read_report(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}
