//! The memory and disk space of a store, and the time to open it after a crash.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;
use std::{env, fs, io};

use converge_controller::storage::{Backend, Memory};

use super::redb_baseline;
use super::report::{Report, Row};
use super::stores::{Kind, Stores, fill, open};
use crate::error::{BenchError, at};

/// Measures a store that a separate process has filled, and the files left when that process is killed.
pub(super) fn measure(
    stores: &Stores,
    kind: Kind,
    resources: usize,
    report: &mut Report,
) -> Result<(), BenchError> {
    if let (Kind::Etcd, Some(etcd)) = (kind, &stores.etcd) {
        return measure_etcd(stores, etcd.process(), resources, report);
    }
    let folder = tempfile::tempdir().map_err(at(&env::temp_dir()))?;
    let (mut child, grown) = start_filled(kind.name(), folder.path(), resources)?;
    report.add(Row::bytes(format!("memory of {resources}"), kind.name(), grown, resources));
    kill(&mut child)?;
    if kind == Kind::Memory {
        return Ok(());
    }
    let file = folder.path().join("resources.redb");
    let size = || Ok::<_, BenchError>(fs::metadata(&file).map_err(at(&file))?.len());
    report.add(Row::bytes(format!("file of {resources}"), kind.name(), size()?, resources));
    let runtime = tokio::runtime::Runtime::new().map_err(BenchError::Runtime)?;
    let start = Instant::now();
    let store = runtime.block_on(open(folder.path()))?;
    report.add(Row::time("open after a crash".to_owned(), kind.name(), start.elapsed()));
    drop(store);
    let start = Instant::now();
    let store = runtime.block_on(open(folder.path()))?;
    report.add(Row::time("open".to_owned(), kind.name(), start.elapsed()));
    let start = Instant::now();
    runtime.block_on(store.compact()).map_err(BenchError::store)?;
    report.add(Row::time("compact".to_owned(), kind.name(), start.elapsed()));
    report.add(Row::bytes("compacted file".to_owned(), kind.name(), size()?, resources));
    Ok(())
}

/// Measures the growth of the etcd process.
fn measure_etcd(
    stores: &Stores,
    process: u32,
    resources: usize,
    report: &mut Report,
) -> Result<(), BenchError> {
    let status = format!("/proc/{process}/status");
    let before = resident(Path::new(&status))?;
    let runtime = tokio::runtime::Runtime::new().map_err(BenchError::Runtime)?;
    runtime.block_on(async { fill(&**stores.open(Kind::Etcd).await?, resources).await })?;
    let grown = resident(Path::new(&status))?.saturating_sub(before);
    report.add(Row::bytes(format!("memory of {resources}"), Kind::Etcd.name(), grown, resources));
    Ok(())
}

/// Measures the time to open a file after a crash if it was written with `set_quick_repair`.
pub(super) fn repair_quickly(resources: usize, report: &mut Report) -> Result<(), BenchError> {
    let folder = tempfile::tempdir().map_err(at(&env::temp_dir()))?;
    let file = folder.path().join("bare.redb");
    redb_baseline::fill_quickly(&file, resources)?;
    // The copy is what a killed process would leave. This process still has the original open.
    let copy = folder.path().join("copy.redb");
    fs::copy(&file, &copy).map_err(at(&copy))?;
    let start = Instant::now();
    drop(redb::Database::open(&copy).map_err(BenchError::store)?);
    report.add(Row::time("open after a crash".to_owned(), "quick repair", start.elapsed()));
    Ok(())
}

/// Starts a process that fills and holds a store; also returns its growth in bytes.
fn start_filled(kind: &str, folder: &Path, resources: usize) -> Result<(Child, u64), BenchError> {
    let executable = env::current_exe().map_err(at(Path::new("this program")))?;
    let mut child = Command::new(&executable)
        .args(["hold-store", kind])
        .arg(folder)
        .arg(resources.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(at(&executable))?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line).map_err(at(&executable))?;
    }
    let grown = line.trim().parse().map_err(|_| BenchError::WrongResult {
        step: "hold-store",
        expected: "a number".to_owned(),
        got: line,
    })?;
    Ok((child, grown))
}

fn kill(child: &mut Child) -> Result<(), BenchError> {
    let path = Path::new("this program");
    child.kill().map_err(at(path))?;
    child.wait().map(drop).map_err(at(path))
}

/// Fills a store, prints the growth of this process in bytes, and holds the store until it is killed.
pub(super) fn hold(kind: Kind, folder: &Path, resources: usize) -> Result<(), BenchError> {
    let runtime = tokio::runtime::Runtime::new().map_err(BenchError::Runtime)?;
    let store: Box<dyn Backend> = match kind {
        Kind::Memory => Box::new(Memory::new()),
        Kind::Redb => Box::new(runtime.block_on(open(folder))?),
        Kind::Etcd => return Err(BenchError::store("etcd is a process of its own")),
    };
    let path = Path::new("/proc/self/status");
    let before = resident(path)?;
    runtime.block_on(fill(&*store, resources))?;
    let mut stdout = io::stdout();
    let result = writeln!(stdout, "{}", resident(path)?.saturating_sub(before)).and_then(|()| stdout.flush());
    result.map_err(at(Path::new("standard output")))?;
    // Standard input ends when the parent process is gone.
    let waited = io::stdin().read_to_end(&mut Vec::new());
    waited.map(drop).map_err(at(Path::new("standard input")))
}

/// Returns the resident memory of a process in bytes, as its status file states it.
fn resident(path: &Path) -> Result<u64, BenchError> {
    let status = fs::read_to_string(path).map_err(at(path))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let kibibytes: Option<u64> = line.split_whitespace().next().and_then(|number| number.parse().ok());
    kibibytes.map(|kibibytes| kibibytes * 1_024).ok_or_else(|| BenchError::WrongResult {
        step: "memory",
        expected: "a line VmRSS".to_owned(),
        got: line.to_owned(),
    })
}
