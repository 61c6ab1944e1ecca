//! The cost of an embedded engine: before the first run, and again for each run.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use crate::engine::Measured;
use crate::error::{BenchError, at};
use crate::module;
use crate::table::median;

const ROUNDS: usize = 9;

/// The number of registries per measurement, because one alone is too quick to be timed.
const REGISTRIES: u32 = 100;

/// The median times.
#[derive(Debug)]
pub(crate) struct EmbedTable {
    types: usize,
    registry: Duration,
    resources: usize,
    load: Duration,
    first_plan: Duration,
    second_plan: Duration,
}

/// Measures a registry, a load of converged files, the plan, and a second plan of the same graph.
pub(crate) fn measure(resources: usize) -> Result<EmbedTable, BenchError> {
    let folder = tempfile::tempdir().map_err(at(&env::temp_dir()))?;
    let files = folder.path().join("files");
    fs::create_dir(&files).map_err(at(&files))?;
    let module =
        module::write(&folder.path().join("module.hcl"), &files, resources, module::Declared::Content)?;
    for (path, content) in &module.files {
        fs::write(path, content).map_err(at(path))?;
    }
    let engine = Measured::new()?;
    let (mut registries, mut loads, mut first_plans, mut second_plans) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        registries.push(time(|| (0..REGISTRIES).try_for_each(|_| converge_resources::registry().map(drop)))?);
        let mut graph = None;
        loads.push(time(|| engine.load(&module).map(|loaded| graph = Some(loaded)))?);
        let Some(graph) = graph else { continue };
        first_plans.push(time(|| engine.converged_plan(&graph, resources))?);
        // The text must not be needed after the load.
        let away_path = folder.path().join("away.hcl");
        rename(&module.path, &away_path)?;
        second_plans.push(time(|| engine.converged_plan(&graph, resources))?);
        rename(&away_path, &module.path)?;
    }
    Ok(EmbedTable {
        types: converge_resources::registry()?.iter().count(),
        registry: median(registries) / REGISTRIES,
        resources,
        load: median(loads),
        first_plan: median(first_plans),
        second_plan: median(second_plans),
    })
}

fn time<E: Into<BenchError>>(work: impl FnOnce() -> Result<(), E>) -> Result<Duration, BenchError> {
    let start = Instant::now();
    work().map_err(Into::into)?;
    Ok(start.elapsed())
}

fn rename(from: &Path, to: &Path) -> Result<(), BenchError> {
    fs::rename(from, to).map_err(at(from))
}

impl fmt::Display for EmbedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let registry = micros(self.registry);
        let reached = if registry <= 100.0 { "reached" } else { "not reached" };
        writeln!(f, "registry     {registry:>10.1} us  {} types, aim <= 100 us {reached}", self.types)?;
        for (step, time) in
            [("load", self.load), ("first plan", self.first_plan), ("second plan", self.second_plan)]
        {
            writeln!(f, "{step:<12} {:>10.1} us  {} resources", micros(time), self.resources)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_steps_are_done_and_shown() {
        let output = measure(3).unwrap().to_string();
        let steps: Vec<_> =
            output.lines().map(|line| line.get(..12).unwrap_or_default().trim_end()).collect();
        assert_eq!(steps, ["registry", "load", "first plan", "second plan"]);
    }

    #[test]
    fn the_aim_is_for_the_registry() {
        let micros = Duration::from_micros;
        let table = |registry| EmbedTable {
            types: 40,
            registry,
            resources: 1_000,
            load: micros(6_000),
            first_plan: micros(9_000),
            second_plan: micros(8_500),
        };
        let expect = "
registry           30.0 us  40 types, aim <= 100 us reached
load             6000.0 us  1000 resources
first plan       9000.0 us  1000 resources
second plan      8500.0 us  1000 resources
";
        assert_eq!(format!("\n{}", table(micros(30))), expect);
        assert!(table(micros(101)).to_string().contains("<= 100 us not reached"));
    }
}
