//! Tests of the sample modules in `tests/modules`.
//!
//! Each sample is applied in a fresh folder, whose files must then be exactly the expected ones.
//! tests/README.md describes the parts of a sample.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use converge_tests::{Said, converge, root, skip};
use serde_json::Value;

/// One use of a sample: `args.NAME` and `expect.NAME`, or without a name.
struct Sample {
    /// The folder of the module.
    module: PathBuf,
    /// The suffix of `args`, `expect`, `modes` and the like.
    suffix: String,
}

/// The folders in which a sample is applied.
struct Place {
    /// The working directory, whose files are compared.
    work: tempfile::TempDir,
    /// The home directory, which contains state and caches.
    home: tempfile::TempDir,
}

type Outcome<T = ()> = Result<T, String>;

impl Sample {
    fn name(&self) -> String {
        let name = self.module.file_name().unwrap().to_string_lossy();
        format!("{name}{}", self.suffix)
    }

    fn part(&self, name: &str) -> PathBuf {
        self.module.join(format!("{name}{}", self.suffix))
    }

    /// Returns the lines of a file of the sample; empty without the file.
    fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.part(name)).unwrap_or_default();
        let module = self.module.display().to_string();
        text.lines().map(|line| line.replace("{module}", &module)).collect()
    }

    fn run(&self, place: &Place, command: &[&str], with_params: bool) -> Said {
        let mut words: Vec<String> = command.iter().map(ToString::to_string).collect();
        if with_params {
            words.extend(self.lines("args"));
        }
        words.push(self.module.join("main.hcl").display().to_string());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = converge(&words);
        command.current_dir(place.work.path()).env("HOME", place.home.path());
        for variable in ["XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            command.env_remove(variable);
        }
        for line in self.lines("env") {
            let (name, value) = line.split_once('=').unwrap();
            command.env(name, value);
        }
        command.output().unwrap().into()
    }

    /// Runs a command that must succeed, and whose output must not contain the hidden texts of the sample.
    fn succeed(&self, place: &Place, command: &[&str], with_params: bool) -> Outcome<Said> {
        let output = self.run(place, command, with_params);
        if output.code != Some(0) {
            return Err(format!(
                "{command:?} ended with {:?}\n{}{}",
                output.code, output.stdout, output.stderr
            ));
        }
        match self
            .lines("hidden")
            .iter()
            .find(|word| output.stdout.contains(*word) || output.stderr.contains(*word))
        {
            Some(word) => Err(format!("{command:?} told {word:?}\n{}{}", output.stdout, output.stderr)),
            None => Ok(output),
        }
    }

    fn check(&self) -> Outcome {
        let place = Place { work: tempfile::tempdir().unwrap(), home: tempfile::tempdir().unwrap() };
        self.succeed(&place, &["validate"], false)?;
        self.succeed(&place, &["fmt", "--check"], false)?;
        let graph = self.succeed(&place, &["graph"], false)?;
        if !graph.stdout.starts_with("digraph") {
            return Err(format!("`graph` gave {:?}", graph.stdout));
        }
        // A plan of missing files succeeds and changes nothing.
        let plan = self.succeed(&place, &["plan", "--format", "json"], true)?;
        same(&BTreeMap::new(), &files(place.work.path()))?;

        let apply = self.succeed(&place, &["apply", "--format", "json"], true)?;
        self.compare(place.work.path())?;
        // The assertion panics without the name of the sample, which is added here.
        let comparison = std::panic::catch_unwind(|| apply.did_what_was_planned(&plan));
        comparison.map_err(|_| "the apply did something else than its plan said, see above".to_owned())?;

        self.succeed(&place, &["plan", "--detailed-exitcode"], true)?;
        let second_apply = self.succeed(&place, &["apply", "--format", "json"], true)?;
        nothing_changed(&second_apply)?;
        self.compare(place.work.path())
    }

    /// Checks that the folder has exactly the expected files, or satisfies the script of the sample.
    fn compare(&self, folder: &Path) -> Outcome {
        let script = self.part("verify");
        if script.exists() {
            let output = Command::new("sh").arg(&script).current_dir(folder).output().unwrap();
            if !output.status.success() {
                return Err(format!("verify: {:?}", Said::from(output)));
            }
        } else {
            same(&files(&self.part("expect")), &files(folder))?;
        }
        for line in self.lines("modes") {
            let (mode, path) = line.split_once(' ').unwrap();
            let actual_mode = fs::metadata(folder.join(path)).unwrap().permissions().mode() & 0o7777;
            if u32::from_str_radix(mode, 8) != Ok(actual_mode) {
                return Err(format!("{path} has mode {actual_mode:04o}, not {mode}"));
            }
        }
        Ok(())
    }

    /// Returns a required program that is not installed.
    fn missing(&self) -> Option<String> {
        let missing =
            |program: &String| Command::new("which").arg(program).output().is_ok_and(|o| !o.status.success());
        self.lines("needs").into_iter().find(missing)
    }
}

fn nothing_changed(output: &Said) -> Outcome {
    let events = output.events();
    let summary = events.last().map_or(&Value::Null, |event| &event["summary"]);
    let is_unchanged =
        ["changed", "failed", "skipped", "not_run", "may_change"].iter().all(|key| summary[key] == 0);
    if is_unchanged { Ok(()) } else { Err(format!("the second apply did something\n{}", output.stdout)) }
}

/// Returns the files below a folder by relative path.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut contents = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                contents.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    contents
}

fn same(expect: &BTreeMap<PathBuf, Vec<u8>>, actual: &BTreeMap<PathBuf, Vec<u8>>) -> Outcome {
    let mut failures = String::new();
    let render = |bytes: Option<&Vec<u8>>| match bytes {
        Some(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
        None => "missing".to_owned(),
    };
    for path in expect.keys().chain(actual.keys().filter(|path| !expect.contains_key(*path))) {
        if expect.get(path) != actual.get(path) {
            let (expect, actual_text) = (render(expect.get(path)), render(actual.get(path)));
            let _ = write!(failures, "\n{}\n  expected {expect}\n  is       {actual_text}", path.display());
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

/// Returns every use of every sample in order.
fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for folder in fs::read_dir(root().join("tests/modules")).unwrap() {
        let module = folder.unwrap().path();
        for entry in fs::read_dir(&module).unwrap() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            let suffix = name.strip_prefix("expect").or_else(|| name.strip_prefix("verify"));
            if let Some(suffix) = suffix {
                samples.push(Sample { module: module.clone(), suffix: suffix.to_owned() });
            }
        }
    }
    samples.sort_by_key(Sample::name);
    samples
}

#[test]
fn every_sample_module_makes_its_files_and_then_has_nothing_to_do() {
    let filter = std::env::var("CONVERGE_TEST_SAMPLE").ok();
    let samples: Vec<Sample> = samples()
        .into_iter()
        .filter(|sample| filter.as_ref().is_none_or(|only| sample.name().contains(only)))
        .collect();
    assert!(filter.is_some() || samples.len() >= 35, "{} samples", samples.len());
    let queue = Mutex::new(samples.iter());
    let failures = Mutex::new(BTreeMap::new());
    let work = || {
        loop {
            // The lock is released at the end of the statement, so that other threads continue.
            let next = queue.lock().unwrap().next();
            let Some(sample) = next else { break };
            let name = sample.name();
            if let Some(program) = sample.missing() {
                skip(&format!("tests/modules/{name}"), &format!("there is no {program}"));
            } else if let Err(error) = sample.check() {
                failures.lock().unwrap().insert(name, error);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner().unwrap();
    let list = failures.iter().fold(String::new(), |mut list, (name, error)| {
        let _ = writeln!(list, "\n== tests/modules/{name}: {error}");
        list
    });
    assert!(failures.is_empty(), "{} of {} samples are wrong:{list}", failures.len(), samples.len());
}
