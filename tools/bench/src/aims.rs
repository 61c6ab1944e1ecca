//! The table of aims: what people wait for, next to programs that make only the necessary system calls.

use std::cell::Cell;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use tempfile::TempDir;

use crate::child::{self, Cost};
use crate::error::{BenchError, at};
use crate::module::{self, Declared};
use crate::shells;
use crate::table::median;

/// The number of runs of which the median counts.
const RUNS: usize = 3;

/// The same for a start, which takes only milliseconds.
const STARTS: usize = 41;

const FILES: usize = 10_000;
const TASKS: usize = 200;

const MIB: f64 = 1024.0;

/// One kind of work.
#[derive(Debug)]
struct Line {
    work: &'static str,
    floor: f64,
    measured: f64,
    unit: &'static str,
    aim: Aim,
}

/// The highest accepted result.
#[derive(Clone, Copy, Debug)]
enum Aim {
    /// A multiple of the floor.
    Times(f64),
    /// An amount in the unit of the line.
    Amount(f64),
}

/// The measured lines.
#[derive(Debug)]
pub(crate) struct Aims(Vec<Line>);

/// A program to measure, which is prepared anew before each run.
type Step<'a> = &'a dyn Fn() -> Result<Cost, BenchError>;

/// Measures all lines.
pub(crate) fn measure(converge: &Path) -> Result<Aims, BenchError> {
    let place = Place::new(converge)?;
    let mut lines = place.starts()?;
    lines.extend(place.files()?);
    lines.extend(place.scripts()?);
    Ok(Aims(lines))
}

/// Runs steps in turn, so that all meet the same machine, and returns the median of each.
fn in_turn<const N: usize>(runs: usize, steps: [Step<'_>; N]) -> Result<[Cost; N], BenchError> {
    let mut costs: [Vec<Cost>; N] = [const { Vec::new() }; N];
    for _ in 0..runs {
        for (costs, step) in costs.iter_mut().zip(steps) {
            costs.push(step()?);
        }
    }
    Ok(costs.map(|costs| Cost {
        elapsed: median(costs.iter().map(|cost| cost.elapsed).collect()),
        peak_memory: median(costs.iter().map(|cost| cost.peak_memory).collect()),
    }))
}

fn milliseconds(work: &'static str, floor: Cost, measured: Cost, aim: f64) -> Line {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let (floor, measured) = (ms(floor.elapsed), ms(measured.elapsed));
    Line { work, floor, measured, unit: "ms", aim: Aim::Times(aim) }
}

#[expect(clippy::cast_precision_loss, reason = "a table shows three digits")]
fn mebibytes(work: &'static str, floor: Cost, measured: Cost, aim: f64) -> Line {
    let mib = |cost: Cost| cost.peak_memory as f64 / MIB;
    Line { work, floor: mib(floor), measured: mib(measured), unit: "MiB", aim: Aim::Amount(aim) }
}

/// Writes a module for files in a folder, beside the folder.
fn module_of(files: &Path, count: usize, declared: Declared) -> Result<PathBuf, BenchError> {
    let both = if declared == Declared::Content { "content" } else { "both" };
    let path = files.with_extension(format!("{both}.hcl"));
    Ok(module::write(&path, files, count, declared)?.path)
}

/// The programs, and the folders that they work in.
struct Place {
    converge: PathBuf,
    bench: PathBuf,
    /// The folder for modules and their files.
    folder: TempDir,
    /// The state folder.
    ///
    /// It is not in a folder for temporary files, which others can write.
    state: TempDir,
    /// The number of folders that were made so far.
    folders: Cell<usize>,
}

impl Place {
    fn new(converge: &Path) -> Result<Self, BenchError> {
        let parent = converge.parent().unwrap_or(Path::new("."));
        let bench = env::current_exe().map_err(at(Path::new("this program")))?;
        let folder = tempfile::tempdir().map_err(at(&env::temp_dir()))?;
        let state = tempfile::tempdir_in(parent).map_err(at(parent))?;
        Ok(Self { converge: converge.to_owned(), bench, folder, state, folders: Cell::new(0) })
    }

    /// Returns a new folder.
    ///
    /// Old ones stay until the end, because some file systems are slow after a removal.
    fn fresh(&self) -> Result<PathBuf, BenchError> {
        self.folders.set(self.folders.get() + 1);
        let folder = self.folder.path().join(self.folders.get().to_string());
        fs::create_dir(&folder).map_err(at(&folder))?;
        Ok(folder)
    }

    fn command(&self, name: &str, module: &Path) -> Result<Cost, BenchError> {
        let option = Path::new("--state-dir");
        child::measure(&self.converge, &[Path::new(name), option, self.state.path(), module])
    }

    fn bare(&self, arguments: &[&str], folder: &Path) -> Result<Cost, BenchError> {
        let mut all: Vec<&Path> = arguments.iter().map(Path::new).collect();
        all.push(folder);
        child::measure(&self.bench, &all)
    }

    fn starts(&self) -> Result<Vec<Line>, BenchError> {
        let folder = self.fresh()?;
        let module = module_of(&folder, 1, Declared::Content)?;
        self.command("apply", &module)?;
        let [echo, version, validate, plan] = in_turn(
            STARTS,
            [
                &|| child::measure(Path::new("/bin/echo"), &[Path::new("a line")]),
                &|| child::measure(&self.converge, &[Path::new("version")]),
                &|| child::measure(&self.converge, &[Path::new("validate"), &module]),
                &|| self.command("plan", &module),
            ],
        )?;
        Ok(vec![
            milliseconds("version", echo, version, 3.5),
            milliseconds("validate one file", echo, validate, 3.5),
            milliseconds("plan one file", echo, plan, 3.5),
        ])
    }

    fn files(&self) -> Result<Vec<Line>, BenchError> {
        let count = FILES.to_string();
        let folder = self.fresh()?;
        let module = module_of(&folder, FILES, Declared::Content)?;
        let both = module_of(&folder, FILES, Declared::ContentAndMode)?;
        self.command("apply", &module)?;
        let [version, verify, plan, plan_both, create, apply] = in_turn(
            RUNS,
            [
                &|| child::measure(&self.converge, &[Path::new("version")]),
                &|| self.bare(&["bare-files", "verify", &count], &folder),
                &|| self.command("plan", &module),
                &|| self.command("plan", &both),
                &|| self.bare(&["bare-files", "create", &count], &self.fresh()?),
                &|| self.command("apply", &module_of(&self.fresh()?, FILES, Declared::Content)?),
            ],
        )?;
        Ok(vec![
            milliseconds("plan 10,000 files", verify, plan, 1.5),
            milliseconds("plan, two resources a file", verify, plan_both, 2.5),
            milliseconds("first apply of 10,000 files", create, apply, 1.25),
            mebibytes("memory: plan of 20,000 resources", version, plan_both, 35.0),
            mebibytes("memory: first apply of 10,000", version, apply, 35.0),
        ])
    }

    fn scripts(&self) -> Result<Vec<Line>, BenchError> {
        let count = TASKS.to_string();
        let module = |folder: &Path| {
            let path = folder.with_extension("scripts.hcl");
            let mut text = String::new();
            for task in 0..TASKS {
                let [check, change] = shells::scripts(folder, task);
                let _ = writeln!(text, "task \"t{task}\" {{\n  check = {check:?}\n  apply = {change:?}\n}}");
            }
            fs::write(&path, text).map_err(at(&path))?;
            Ok::<_, BenchError>(path)
        };
        let folder = self.fresh()?;
        let done = module(&folder)?;
        self.command("apply", &done)?;
        let [bare_check, plan, bare_change, apply] = in_turn(
            RUNS,
            [
                &|| self.bare(&["bare-shells", "check", &count], &folder),
                &|| self.command("plan", &done),
                &|| self.bare(&["bare-shells", "change", &count], &self.fresh()?),
                &|| self.command("apply", &module(&self.fresh()?)?),
            ],
        )?;
        Ok(vec![
            milliseconds("200 scripts, nothing to do", bare_check, plan, 1.3),
            milliseconds("200 scripts, applied", bare_change, apply, 1.3),
        ])
    }
}

impl fmt::Display for Aims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<36} {:>9} {:>9}      {:>6}  aim", "work", "floor", "measured", "ratio")?;
        for Line { work, floor, measured, unit, aim } in &self.0 {
            let ratio = measured / floor;
            let (is_reached, aim) = match aim {
                Aim::Times(times) => (ratio <= *times, format!("{times}x")),
                Aim::Amount(amount) => (measured <= amount, format!("{amount} {unit}")),
            };
            let reached = if is_reached { "reached" } else { "not reached" };
            writeln!(
                f,
                "{work:<36} {floor:>9.1} {measured:>9.1} {unit:<3} {ratio:>6.2}x  <= {aim} {reached}"
            )?;
        }
        Ok(())
    }
}
