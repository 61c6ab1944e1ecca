//! The cost of shell tasks next to a bare loop that starts the same shells.

use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use crate::child;
use crate::error::{BenchError, at};
use crate::table::median;

/// The number of measurements of each kind.
const RUNS: usize = 9;

/// The target: the highest cost as a multiple of the bare loop.
const AIM: f64 = 1.3;

/// The check script of each task.
const SCRIPT: &str = "test -d /";

/// The times for one number of tasks, all of which are converged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shells {
    tasks: usize,
    bare: Duration,
    plan: Duration,
    apply: Duration,
}

/// Measures both sides alternately, so that both meet the same machine.
pub(crate) fn measure(tasks: usize, converge: &Path) -> Result<Shells, BenchError> {
    // The state folder must not be writable by others, which the folder of temporary files is.
    let parent = converge.parent().unwrap_or(Path::new("."));
    let folder = tempfile::tempdir_in(parent).map_err(at(parent))?;
    let module = folder.path().join("shells.hcl");
    let mut text = String::new();
    for task in 0..tasks {
        let _ = write!(text, "task \"t{task}\" {{\n  check = \"{SCRIPT}\"\n  apply = \"false\"\n}}\n");
    }
    fs::write(&module, text).map_err(at(&module))?;
    let state = folder.path().join("state");
    let option = Path::new("--state-dir");
    let mut times: [Vec<Duration>; 3] = Default::default();
    let [bare, plan, apply] = &mut times;
    for _ in 0..RUNS {
        bare.push(shells(tasks)?);
        plan.push(child::measure(converge, &[Path::new("plan"), option, &state, &module])?.elapsed);
        apply.push(child::measure(converge, &[Path::new("apply"), option, &state, &module])?.elapsed);
    }
    let [bare, plan, apply] = times.map(median);
    Ok(Shells { tasks, bare, plan, apply })
}

/// Measures the bare loop in a small process of its own, like the command.
fn shells(tasks: usize) -> Result<Duration, BenchError> {
    let executable = env::current_exe().map_err(at(Path::new("this program")))?;
    let tasks = tasks.to_string();
    Ok(child::measure(&executable, &[Path::new("bare-shells"), Path::new(&tasks)])?.elapsed)
}

/// Starts shells one after the other, passes each the script, and reads its output.
pub(crate) fn bare(tasks: usize) -> Result<(), BenchError> {
    let shell = Path::new("/bin/sh");
    for _ in 0..tasks {
        let mut child = Command::new(shell)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(at(shell))?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(SCRIPT.as_bytes()).map_err(at(shell))?;
        }
        let output = child.wait_with_output().map_err(at(shell))?;
        if !output.status.success() {
            return Err(at(shell)(std::io::Error::other(output.status.to_string())));
        }
    }
    Ok(())
}

/// The start time of a process that does nothing, and of the command with an empty module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    bare: Duration,
    version: Duration,
    plan: Duration,
}

/// Measures the start of the command next to the start of this program when it does nothing.
pub(crate) fn start(converge: &Path) -> Result<Start, BenchError> {
    let began = Instant::now();
    let executable = env::current_exe().map_err(at(Path::new("this program")))?;
    let folder = tempfile::tempdir().map_err(at(&env::temp_dir()))?;
    let module = folder.path().join("empty.hcl");
    fs::write(&module, "").map_err(at(&module))?;
    let mut times: [Vec<Duration>; 3] = Default::default();
    let [bare, version, plan] = &mut times;
    while bare.len() < RUNS || began.elapsed() < Duration::from_secs(2) {
        bare.push(child::measure(&executable, &[Path::new("bare-shells"), Path::new("0")])?.elapsed);
        version.push(child::measure(converge, &[Path::new("version")])?.elapsed);
        plan.push(child::measure(converge, &[Path::new("plan"), &module])?.elapsed);
    }
    let [bare, version, plan] = times.map(median);
    Ok(Start { bare, version, plan })
}

impl fmt::Display for Shells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let baseline = self.bare.as_secs_f64();
        for (step, time) in [("plan", self.plan), ("apply", self.apply)] {
            let ratio = time.as_secs_f64() / baseline;
            let reached = if ratio <= AIM { "reached" } else { "not reached" };
            let (ms, baseline) = (time.as_secs_f64() * 1e3, baseline * 1e3);
            writeln!(
                f,
                "{:>8}  {step:<12} {ms:>9.1} ms, bare {baseline:>9.1} ms  {ratio:.2}x  <= {AIM}x {reached}",
                self.tasks
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let baseline = self.bare.as_secs_f64() * 1e3;
        for (step, time) in [("version", self.version), ("empty plan", self.plan)] {
            let ms = time.as_secs_f64() * 1e3;
            writeln!(
                f,
                "{:>8}  {step:<12} {ms:>9.2} ms, bare {baseline:>9.2} ms  {:.2} ms more",
                "start",
                ms - baseline
            )?;
        }
        Ok(())
    }
}
