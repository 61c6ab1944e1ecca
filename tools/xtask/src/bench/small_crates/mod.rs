//! Build times of small crates from scratch.
//!
//! The samples are a crate with a resource, next to crates of similar size with the derives of `clap` and
//! `serde`. Programs with the command are measured with the two families of the README's first example, and
//! with all families.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use crate::cargo;
use crate::error::Error;

/// The number of builds of each sample, which alternate; the median counts.
const ROUNDS: usize = 3;

/// The clock ticks per second of process times on Linux.
const TICKS: u64 = 100;

struct Sample {
    name: &'static str,
    source: &'static str,
    /// The dependencies in manifest syntax; `@root@` is replaced by the folder of these sources.
    dependencies: &'static str,
}

const SAMPLES: [Sample; 6] = [
    Sample {
        name: "a resource",
        source: include_str!("resource.rs"),
        dependencies: "converge-sdk = { path = \"@root@/crates/sdk\" }",
    },
    Sample {
        name: "a resource, with the engine",
        source: include_str!("resource.rs"),
        dependencies: "converge-sdk = { path = \"@root@/crates/sdk\" }\nconverge-core = { path = \"@root@/converge-core\" }",
    },
    Sample {
        name: "clap's derive",
        source: include_str!("clap.rs"),
        dependencies: "clap = { version = \"4\", features = [\"derive\"] }",
    },
    Sample {
        name: "serde's derive, and JSON",
        source: include_str!("serde.rs"),
        dependencies: "serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"",
    },
    Sample {
        name: "the command, two families",
        source: include_str!("command.rs"),
        dependencies: "converge-cli = { path = \"@root@/converge-cli\", default-features = false, features = [\"file\", \"shell\"] }",
    },
    Sample {
        name: "the command",
        source: include_str!("command.rs"),
        dependencies: "converge-cli = { path = \"@root@/converge-cli\" }",
    },
];

/// The cost of one build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Took {
    /// The processor time of all processors together, which does not depend on the load of the machine.
    processor: Duration,
    clock: Duration,
}

/// Builds the samples and prints a table.
pub(super) fn run() -> Result<(), Error> {
    let folder = env::temp_dir().join(format!("converge-light-{}", std::process::id()));
    let measured = measure(&folder);
    // The folder is removed after a failure as well.
    let _ = fs::remove_dir_all(&folder);
    let measured = measured?;
    println!("| a small crate with | crates it needs | seconds of processors | seconds |");
    println!("| --- | ---: | ---: | ---: |");
    for (sample, (crates, mut times)) in SAMPLES.iter().zip(measured) {
        times.sort_unstable();
        let Some(middle) = times.get(times.len() / 2) else { continue };
        let (processor, clock) = (middle.processor.as_secs_f64(), middle.clock.as_secs_f64());
        println!("| {} | {crates} | {processor:.1} | {clock:.1} |", sample.name);
    }
    Ok(())
}

fn measure(folder: &Path) -> Result<Vec<(usize, Vec<Took>)>, Error> {
    let mut projects = Vec::new();
    for (number, sample) in SAMPLES.iter().enumerate() {
        let path = make(&folder.join(number.to_string()), sample)?;
        projects.push((count(&path)?, Vec::new(), path));
    }
    for round in 0..ROUNDS {
        for (sample, (_, times, path)) in SAMPLES.iter().zip(&mut projects) {
            let target = path.join("target");
            let (start, before) = (Instant::now(), children_time()?);
            let mut build = cargo::command(&["build", "--quiet", "--offline", "--target-dir"]);
            build.arg(&target).current_dir(&*path).env_remove("RUSTC_WRAPPER");
            println!("round {} of {ROUNDS}: {}", round + 1, sample.name);
            cargo::run(build)?;
            let processor = children_time()?.saturating_sub(before);
            times.push(Took { processor, clock: start.elapsed() });
            fs::remove_dir_all(&target).map_err(Error::at(&target))?;
        }
    }
    Ok(projects.into_iter().map(|(crates, times, _)| (crates, times)).collect())
}

/// Creates the crate of a sample.
fn make(folder: &Path, sample: &Sample) -> Result<PathBuf, Error> {
    let root = cargo::root();
    let source = folder.join("src");
    fs::create_dir_all(&source).map_err(Error::at(&source))?;
    let dependencies = sample.dependencies.replace("@root@", &root.display().to_string());
    let manifest = format!(
        "[package]\nname = \"light\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\n\n[workspace]\n"
    );
    let write = |path: PathBuf, text: &str| fs::write(&path, text).map_err(Error::at(&path));
    write(folder.join("Cargo.toml"), &manifest)?;
    write(source.join("lib.rs"), sample.source)?;
    // The locked versions of the workspace are already on this machine.
    let lock = root.join("Cargo.lock");
    fs::copy(&lock, folder.join("Cargo.lock")).map_err(Error::at(&lock))?;
    Ok(folder.to_owned())
}

/// Returns the number of dependencies of other authors.
fn count(folder: &Path) -> Result<usize, Error> {
    let mut tree = cargo::command(&["tree", "--offline", "--edges", "normal,build", "--prefix", "none"]);
    let line = cargo::format_command(&tree);
    let listed = tree.current_dir(folder).output();
    let listed = listed.map_err(|source| Error::Start { program: line.clone(), source })?;
    if !listed.status.success() {
        return Err(Error::Failed { command: line, status: listed.status });
    }
    let listed = String::from_utf8_lossy(&listed.stdout);
    // Repeated packages have a mark, and packages from a folder have its path.
    let names: BTreeSet<&str> =
        listed.lines().filter(|line| !line.contains('/')).map(|line| line.trim_end_matches(" (*)")).collect();
    Ok(names.len())
}

/// Returns the processor time of all child processes that have ended.
fn children_time() -> Result<Duration, Error> {
    let path = Path::new("/proc/self/stat");
    let text = fs::read_to_string(path).map_err(Error::at(path))?;
    // The second field is the program name in parentheses, which may contain any character.
    let fields: Vec<&str> =
        text.rsplit_once(')').map(|(_, rest)| rest.split_ascii_whitespace().collect()).unwrap_or_default();
    let field =
        |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok()).unwrap_or_default();
    Ok(Duration::from_millis((field(13) + field(14)) * 1000 / TICKS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_programs_is_counted_when_they_have_ended() {
        let before = children_time().unwrap();
        let script = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done";
        assert!(std::process::Command::new("sh").args(["-c", script]).status().unwrap().success());
        assert!(children_time().unwrap() > before);
    }
}
