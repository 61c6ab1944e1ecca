//! `cargo xtask test`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::{env, fs, io};

use crate::args::TestOptions;
use crate::cargo;
use crate::error::Error;
use crate::{fuzz, hosts};

mod tally;

pub(crate) use tally::Tally;

/// Names the file to which a test adds the line `name: reason` when it cannot run here.
const SKIP_REPORT: &str = "CONVERGE_TEST_SKIP_REPORT";

/// Runs every test of the workspace, then says what was skipped and why.
pub(crate) fn run(options: &TestOptions) -> Result<(), Error> {
    let workspace = cargo::workspace()?;
    let report = workspace.target_directory.join("skipped-tests.txt");
    let file_error = |source| Error::File { path: report.display().to_string(), source };
    fs::create_dir_all(&workspace.target_directory).map_err(file_error)?;
    fs::write(&report, "").map_err(file_error)?;

    // Without a choice of packages: everything.
    let chosen = options.cargo.iter().any(|argument| {
        ["-p", "--package", "--workspace", "--manifest-path"].iter().any(|flag| argument.starts_with(flag))
    });
    let uses_hosts = !chosen || options.cargo.iter().any(|argument| argument == "converge-tests");
    let hosts = if uses_hosts { hosts::up_for_tests() } else { hosts::Made::default() };
    let tested = test(options, chosen, &report);
    // Also after a failure.
    hosts.remove()?;
    let (tally, status) = tested?;

    println!();
    for skip in tally.skips() {
        println!("skipped: {skip}");
    }
    println!("{tally}");

    if !status.success() || tally.failed > 0 {
        return Err(Error::Tests { tally, status });
    }
    let count = tally.skips().len();
    if count > 0 && (options.no_skips || env::var("CI").is_ok_and(|value| value == "true")) {
        return Err(Error::Skips { count });
    }
    Ok(())
}

/// Runs the tests, all or those that were chosen.
fn test(options: &TestOptions, chosen: bool, report: &Path) -> Result<(Tally, ExitStatus), Error> {
    let file_error = |source| Error::File { path: report.display().to_string(), source };
    // One failure does not hide the next.
    let mut command = cargo::command(&["test", "--all-features", "--no-fail-fast"]);
    if !chosen {
        command.arg("--workspace");
    }
    command.args(&options.cargo).env(SKIP_REPORT, report).stdout(Stdio::piped());
    let line = cargo::shown(&command);
    println!("$ {line}");

    let mut child = command.spawn().map_err(|source| Error::Start { program: line.clone(), source })?;
    let mut tally = match child.stdout.take() {
        Some(output) => pass_on(BufReader::new(output)).map_err(|source| Error::Output { source })?,
        None => Tally::default(),
    };
    let status = child.wait().map_err(|source| Error::Start { program: line, source })?;
    tally.add_skip_report(&read_report(report).map_err(file_error)?);
    // Who chose some tests did not ask for these.
    if !chosen && options.cargo.is_empty() {
        println!();
        fuzz::test(&mut tally)?;
    }
    Ok((tally, status))
}

/// Passes the output on as it comes, and counts the results in it.
fn pass_on(mut output: impl BufRead) -> io::Result<Tally> {
    let mut tally = Tally::default();
    let mut stdout = io::stdout().lock();
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line)? > 0 {
        stdout.write_all(&line)?;
        stdout.flush()?;
        tally.read_line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(tally)
}

/// A test may write anything into the report; it is still shown.
fn read_report(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}
