//! The cost of plans and reports as JSON documents: writing, reading and comparing them.

use std::fmt;
use std::time::{Duration, Instant};
use std::{env, fs};

use converge_core::plan::{Plan, Report};

use crate::engine::Measured;
use crate::error::{BenchError, at};
use crate::module::{self, Declared, Module};
use crate::table::median;

/// The number of resources in the plan.
const RESOURCES: usize = 10_000;

/// The size in bytes of the one file in the report.
const LARGE: usize = 1 << 20;

const ROUNDS: usize = 9;

/// The median times.
#[derive(Debug)]
pub(crate) struct Documents {
    resources: usize,
    plan: Document,
    compared: Duration,
    report: Document,
}

/// The measurements of one document.
#[derive(Debug)]
struct Document {
    bytes: usize,
    written: Duration,
    read: Duration,
}

/// Measures a plan of many missing files, and the report of an apply that wrote a large file.
pub(crate) fn measure() -> Result<Documents, BenchError> {
    measure_for(RESOURCES)
}

fn measure_for(resources: usize) -> Result<Documents, BenchError> {
    let folder = tempfile::tempdir().map_err(at(&env::temp_dir()))?;
    let files = folder.path().join("files");
    fs::create_dir(&files).map_err(at(&files))?;
    let engine = Measured::new()?;

    let module = module::write(&folder.path().join("module.hcl"), &files, resources, Declared::Content)?;
    let graph = engine.load(&module)?;
    let (earlier, plan) = (engine.make_plan(&graph)?, engine.make_plan(&graph)?);
    let mut compared = vec![];
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let differs = plan.diff(&earlier).is_empty();
        compared.push(start.elapsed());
        if !differs {
            return Err(BenchError::wrong("diff", "two equal plans", "a difference"));
        }
    }

    let large = folder.path().join("large.hcl");
    let line = format!("{}\\n", "a line of a long file ".repeat(3));
    let content = line.repeat(LARGE / line.len());
    let text = format!(
        "file.content \"large\" {{\n  destination = \"{}\"\n  content = \"{content}\"\n}}\n",
        files.join("large").display()
    );
    fs::write(&large, text).map_err(at(&large))?;
    let report = engine.apply_for_report(&engine.load(&Module { path: large, files: vec![] })?)?;
    Ok(Documents {
        resources,
        plan: document(&plan, Plan::from_json)?,
        compared: median(compared),
        report: document(&report, Report::from_json)?,
    })
}

/// Writes and reads a document alternately.
fn document<T: serde::Serialize + PartialEq, E: fmt::Display>(
    value: &T,
    read: impl Fn(&str) -> Result<T, E>,
) -> Result<Document, BenchError> {
    let (mut writes, mut reads, mut bytes) = (vec![], vec![], 0);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let text = serde_json::to_string(value)
            .map_err(|error| BenchError::wrong("write", "a document", error.to_string()))?;
        writes.push(start.elapsed());
        bytes = text.len();
        let start = Instant::now();
        let copy =
            read(&text).map_err(|error| BenchError::wrong("read", "the document", error.to_string()))?;
        reads.push(start.elapsed());
        if copy != *value {
            return Err(BenchError::wrong("read", "what was written", "something else"));
        }
    }
    Ok(Document { bytes, written: median(writes), read: median(reads) })
}

impl fmt::Display for Documents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let plan = format!("a plan of {} resources", self.resources);
        writeln!(f, "compare      {:>10.1} us  {plan} with an earlier one", micros(self.compared))?;
        for (document, label) in [(&self.plan, &*plan), (&self.report, "a report with a large file")] {
            let size = format!("{} kB of JSON", document.bytes / 1_000);
            writeln!(f, "write        {:>10.1} us  {label}, {size}", micros(document.written))?;
            writeln!(f, "read         {:>10.1} us  {label}, {size}", micros(document.read))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_documents_are_measured_and_shown() {
        let measured = measure_for(3).unwrap();
        // The report must hold the content of the file and not a summary.
        assert!(measured.report.bytes > LARGE / 2, "{measured:?}");
        let output = measured.to_string();
        let steps: Vec<_> =
            output.lines().map(|line| line.get(..12).unwrap_or_default().trim_end()).collect();
        assert_eq!(steps, ["compare", "write", "read", "write", "read"]);
    }
}
