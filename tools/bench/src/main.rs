//! Benchmarks of the engine and the command next to a bare loop of the same system calls.
//!
//! Start them with `cargo xtask bench`. Both sides are measured in the same run.
//!
//! A timing never fails a run, because machines differ and a busy machine is slow. A step fails if it did not
//! do the measured work, for example a plan that finds changes on a converged tree.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command talks to its user through these")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs};

mod aims;
mod args;
mod baseline;
mod child;
mod controllers;
mod documents;
mod editor;
mod embed;
mod engine;
mod error;
mod fleet;
mod load;
mod module;
mod reload;
mod shells;
mod table;

use args::{Args, Request};
use clap::Parser as _;
use engine::Measured;
use error::{BenchError, at};
use module::Declared;
use table::{Row, Table, median};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), BenchError> {
    let args = Args::parse();
    match args.request {
        None => measure(&args.sizes.0, args.converge),
        Some(Request::Load { sizes }) => {
            print!("{}", load::measure(&sizes.0)?);
            Ok(())
        }
        Some(Request::Embed { resources }) => {
            print!("{}{}{}", embed::measure(resources)?, reload::measure()?, documents::measure()?);
            Ok(())
        }
        Some(Request::Editor { lines }) => {
            let converge = args.converge.map_or_else(|| beside("converge"), Ok)?;
            print!("{}", editor::measure(lines, &converge)?);
            Ok(())
        }
        Some(Request::Controllers(amount)) => {
            print!("{}", controllers::measure(amount)?);
            Ok(())
        }
        Some(Request::Fleet { agents, server }) => {
            fleet::measure(&server.map_or_else(|| beside("converge-server"), Ok)?, agents)
        }
        Some(Request::HoldStore { store, folder, resources }) => controllers::hold(store, &folder, resources),
        Some(Request::Aims) => {
            print!("{}", aims::measure(&beside("converge")?)?);
            Ok(())
        }
        Some(Request::BareFiles { kind, files, folder }) => baseline::run(kind, files, &folder),
        Some(Request::BareShells { kind, tasks, folder }) => shells::bare(kind, tasks, &folder),
        Some(Request::Child { command }) => {
            let (nanoseconds, kibibytes) = child::run(&command)?;
            println!("{nanoseconds} {kibibytes}");
            Ok(())
        }
    }
}

fn measure(sizes: &[usize], converge: Option<PathBuf>) -> Result<(), BenchError> {
    let converge = converge.map_or_else(|| beside("converge"), Ok)?;
    let folder = tempfile::tempdir().map_err(at(&env::temp_dir()))?;
    println!("files in {}, command {}", folder.path().display(), converge.display());
    let bench = Bench { folder: folder.path().to_owned(), converge, engine: Measured::new()? };
    let base_memory = bench.row(1)?.peak_memory;
    let mut rows = Vec::new();
    for &size in sizes {
        eprintln!("measuring {size} ..");
        rows.push(bench.row(size)?);
    }
    print!("{}", Table { rows, base_memory });
    Ok(())
}

/// Returns the path of a program that was built along with this one.
fn beside(name: &str) -> Result<PathBuf, BenchError> {
    let executable = env::current_exe().map_err(at(Path::new("this program")))?;
    let program = executable.with_file_name(name);
    fs::metadata(&program).map_err(at(&program))?;
    Ok(program)
}

struct Bench {
    folder: PathBuf,
    converge: PathBuf,
    engine: Measured,
}

impl Bench {
    /// Measures all steps at one number of resources.
    ///
    /// Compared steps alternate, so that both meet the same machine.
    fn row(&self, resources: usize) -> Result<Row, BenchError> {
        let runs = runs(resources);
        let mut bare_create = Vec::with_capacity(runs);
        let mut bare_durable = Vec::with_capacity(runs);
        let mut first_apply = Vec::with_capacity(runs);
        for _ in 0..runs {
            let module = self.fresh(resources)?;
            bare_create.push(timed(|| baseline::create(&module.files))?.0);
            let module = self.fresh(resources)?;
            bare_durable.push(timed(|| baseline::create_durably(&module.files))?.0);
            let module = self.fresh(resources)?;
            let graph = self.engine.load(&module)?;
            first_apply.push(timed(|| self.engine.first_apply(&graph, resources))?.0);
        }

        // The last apply left the tree converged.
        let module = module::write(&self.module(), &self.tree(), resources, Declared::Content)?;
        let with_modes = self.folder.join("modes.hcl");
        module::write(&with_modes, &self.tree(), resources, Declared::ContentAndMode)?;
        let mut row: [Vec<Duration>; 5] = Default::default();
        let [bare_verify, load, plan, process, process_with_modes] = &mut row;
        let mut peak_memory = Vec::with_capacity(runs);
        for _ in 0..runs {
            bare_verify.push(timed(|| baseline::verify(&module.files))?.0);
            let (elapsed, graph) = timed(|| self.engine.load(&module))?;
            load.push(elapsed);
            plan.push(timed(|| self.engine.converged_plan(&graph, resources))?.0);
            drop(graph);
            let cost = child::measure(&self.converge, &[Path::new("plan"), &module.path])?;
            process.push(cost.elapsed);
            peak_memory.push(cost.peak_memory);
            let cost = child::measure(&self.converge, &[Path::new("plan"), &with_modes])?;
            process_with_modes.push(cost.elapsed);
        }
        let [bare_verify, load, plan, process, process_with_modes] = row.map(median);
        Ok(Row {
            resources,
            bare_verify,
            bare_create: median(bare_create),
            bare_durable: median(bare_durable),
            load,
            plan,
            process,
            process_with_modes,
            first_apply: median(first_apply),
            peak_memory: median(peak_memory),
        })
    }

    fn module(&self) -> PathBuf {
        self.folder.join("bench.hcl")
    }

    fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    /// Returns a module and an empty directory for its files.
    fn fresh(&self, resources: usize) -> Result<module::Module, BenchError> {
        let tree = self.tree();
        if tree.is_dir() {
            fs::remove_dir_all(&tree).map_err(at(&tree))?;
        }
        fs::create_dir(&tree).map_err(at(&tree))?;
        module::write(&self.module(), &tree, resources, Declared::Content)
    }
}

/// Returns the number of repetitions: more for short runs, because one interruption distorts them more.
fn runs(resources: usize) -> usize {
    (20_000 / resources).clamp(3, 21)
}

fn timed<T>(step: impl FnOnce() -> Result<T, BenchError>) -> Result<(Duration, T), BenchError> {
    let start = Instant::now();
    let value = step()?;
    Ok((start.elapsed(), value))
}
