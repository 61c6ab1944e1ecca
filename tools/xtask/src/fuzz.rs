//! `cargo xtask fuzz`.

use std::ffi::OsString;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::{env, fs, thread};

use crate::cargo;
use crate::error::Error;
use crate::files;
use crate::tally::Tally;

/// The default number of inputs per target, which reaches most of the code within seconds.
pub(crate) const RUNS: u32 = 2000;

/// The targets that start a server for each input, which takes as long as a hundred other inputs.
const SERVED: [&str; 2] = ["grpc", "http"];
/// The number of inputs for these targets in tests.
const SERVED_RUNS: u32 = 200;

/// The maximum length of an input in bytes.
///
/// Longer inputs are slower and find little more.
const MAX_LEN: u32 = 2048;

/// Disables weighting of inputs by rare paths, which only pays off in long runs.
const WITHOUT_WEIGHTS: &str = "-entropic=0";

/// The time in seconds after which an input counts as hanging, even on a busy machine.
const TIMEOUT: u32 = 60;

/// The compiler flags for coverage counters in every branch, which guide the fuzzer.
///
/// All are stable.
const FLAGS: [&str; 7] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg fuzzing",
    "-Cdebug-assertions",
];

/// The text of libFuzzer before the path of an input that it stores because of a failure.
const WRITTEN: &str = "Test unit written to ";

/// The options of the command.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// One of the files in tools/fuzz/src/targets [default: all]
    pub(crate) target: Option<String>,
    /// Inputs for each target
    #[arg(long, value_name = "N", default_value_t = RUNS)]
    pub(crate) runs: u32,
}

/// Builds the fuzzer and runs it.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let all_targets = targets()?;
    let targets = match &options.target {
        None => all_targets,
        Some(target) if all_targets.contains(target) => vec![target.clone()],
        Some(target) => return Err(Error::UnknownTarget { target: target.clone(), known: all_targets }),
    };
    let fuzzer = Fuzzer::build()?;
    let mut failed = Vec::new();
    for target in targets {
        println!("fuzzing {target} with {} inputs", options.runs);
        if !fuzzer.run(&target, options.runs, &fuzzer.folder.join("found").join(&target), &[])? {
            failed.push(target);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Error::Fuzz { targets: failed }) }
}

/// Runs each target on a few fixed inputs; each target counts as a test.
pub(crate) fn test(tally: &mut Tally) -> Result<(), Error> {
    if !has_cpp() {
        tally.add_skip_report("fuzz: there is no C++ compiler (`c++`), which libFuzzer is built with");
        return Ok(());
    }
    let fuzzer = Fuzzer::build()?;
    let targets = targets()?;
    // Each target is one single-threaded program.
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let next = Mutex::new(targets.iter());
    let work = || -> Result<Vec<bool>, Error> {
        let mut ended = Vec::new();
        loop {
            let target = next.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(target) = target else { return Ok(ended) };
            ended.push(fuzzer.test(target)?);
        }
    };
    let ended = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect::<Result<Vec<_>, _>>()
    })?;
    for is_ok in ended.into_iter().flatten() {
        tally.add(is_ok);
    }
    Ok(())
}

/// Returns the names of the targets from their file names.
fn targets() -> Result<Vec<String>, Error> {
    let folder = cargo::root().join("tools/fuzz/src/targets");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(Error::at(&folder))? {
        let path = entry.map_err(Error::at(&folder))?.path();
        match path.file_stem().and_then(|name| name.to_str()) {
            Some("mod") | None => {}
            Some(name) => names.push(name.to_owned()),
        }
    }
    names.sort();
    Ok(names)
}

/// A compiled fuzzer.
struct Fuzzer {
    program: PathBuf,
    /// The folder of the build and of all outputs.
    folder: PathBuf,
}

impl Fuzzer {
    fn build() -> Result<Self, Error> {
        let folder = cargo::workspace()?.target_directory.join("fuzz");
        let host = host()?;
        // With an explicit target, the flags do not apply to build scripts and macros.
        let mut build =
            cargo::command(&["build", "--package", "converge-fuzz", "--profile", "fuzz", "--target"]);
        build.arg(&host).arg("--target-dir").arg(&folder);
        let mut flags = env::var_os("RUSTFLAGS").unwrap_or_default();
        for flag in FLAGS {
            flags.push(" ");
            flags.push(flag);
        }
        build.env("RUSTFLAGS", flags);
        cargo::run(build)?;
        let program = folder.join(host).join("fuzz/converge-fuzz");
        Ok(Self { program, folder })
    }

    /// Runs one target on a few fixed inputs, and returns whether it succeeded.
    fn test(&self, target: &str) -> Result<bool, Error> {
        let fresh = self.folder.join("fresh").join(target);
        files::remove(&fresh)?;
        let runs = if SERVED.contains(&target) { SERVED_RUNS } else { RUNS };
        let is_ok = self.run(target, runs, &fresh, &[WITHOUT_WEIGHTS])?;
        println!("test fuzz::{target} ... {}", if is_ok { "ok" } else { "FAILED" });
        Ok(is_ok)
    }

    /// Runs one target, and stores interesting inputs in `found`, from where later runs reuse them.
    ///
    /// Returns whether the run succeeded. Otherwise the failure, and how to reproduce it, has been printed.
    fn run(&self, target: &str, runs: u32, corpus: &Path, arguments: &[&str]) -> Result<bool, Error> {
        let crashes = self.folder.join("crashes");
        // The working directory is empty, so that module references in inputs find nothing.
        let empty = self.folder.join("empty");
        for folder in [corpus, &crashes, &empty] {
            fs::create_dir_all(folder).map_err(Error::at(folder))?;
        }
        let mut prefix = OsString::from("-artifact_prefix=");
        prefix.push(crashes.join(format!("{target}-")));
        let mut command = Command::new(&self.program);
        command
            .current_dir(&empty)
            .env("CONVERGE_FUZZ_TARGET", target)
            .arg(format!("-runs={runs}"))
            .arg("-seed=1")
            .arg(format!("-max_len={MAX_LEN}"))
            .arg(format!("-timeout={TIMEOUT}"))
            .arg(prefix)
            .args(arguments)
            .arg(corpus)
            .arg(seeds(target))
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let program = || self.program.display().to_string();
        let output = command.output().map_err(|source| Error::Start { program: program(), source })?;
        if output.status.success() {
            return Ok(true);
        }
        let text = String::from_utf8_lossy(&output.stderr);
        println!("{}", text.trim_end());
        println!("{target} failed ({})", output.status);
        if let Some(input) = text.lines().find_map(|line| line.split_once(WRITTEN)) {
            println!("to run the input again: cargo run --package converge-fuzz -- {target} {}", input.1);
        }
        Ok(false)
    }
}

/// Returns the folder of the initial inputs.
fn seeds(target: &str) -> PathBuf {
    let corpus = cargo::root().join("tools/fuzz/corpus").join(target);
    if corpus.exists() { corpus } else { cargo::root().join("tests/modules") }
}

/// Returns the target triple of the compiler's host.
fn host() -> Result<String, Error> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc).arg("-vV").output();
    let program = || rustc.to_string_lossy().into_owned();
    let output = output.map_err(|source| Error::Start { program: program(), source })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or(Error::Failed { command: "rustc -vV".to_owned(), status: output.status })
}

fn has_cpp() -> bool {
    let cpp = env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let status = Command::new(cpp).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
