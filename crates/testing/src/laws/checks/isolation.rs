//! The law that a resource uses only the system that it is given.
//!
//! The machine of the test is not the model host, so differences between the two reveal access around the
//! system. Each path in the values is moved below a new folder of the test machine. The resource then runs
//! twice: with an empty folder, and with a file at each of the paths. The model host has the same directories
//! both times. If the outcomes differ, the resource has read the test machine directly. If the folder
//! changes, the resource has written to it directly.
#![expect(
    clippy::disallowed_methods,
    reason = "this accesses the machine of the test, which no resource may do"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use super::super::case::{Case, Values};
use super::super::description;
use super::super::field_values::problems;
use super::super::runner::{Breach, Ended, Runner, Tried, Verdict};
use crate::sdk::resource::Resource;
use crate::types::value::Value;

/// The content of the files on the test machine.
const CANARY: &str = "a file of this machine\n";

/// The granularity of file times, which may lag behind the clock.
const TICK: Duration = Duration::from_millis(20);

/// The virtual file systems, whose files have the time of each access.
const VIRTUAL_FILE_SYSTEMS: [&str; 4] = ["/proc", "/sys", "/dev", "/run"];

pub(super) async fn only_the_system_is_used<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    let failed = |error: io::Error| Breach(format!("the law needs a temporary folder: {error}"));
    let began = SystemTime::now();
    // After this delay, files that the run writes are newer than all existing files, however fast the run is.
    std::thread::sleep(TICK * 2);
    let folder = Folder::new().map_err(failed)?;
    let (values, mut paths) = folder.moved(&case.values);
    let (values, is_moved) = match problems::<R>(&values) {
        Ok(problems) if problems.is_empty() => (values, true),
        // The type does not accept the moved paths, so the original values are used.
        _ => (case.values.clone(), false),
    };
    if !is_moved {
        paths.clear();
    }
    let mut outcomes = Vec::new();
    for with_files in [false, true] {
        folder.fill(&paths, with_files).map_err(failed)?;
        let before = folder.snapshot();
        let (outcome, accesses) = outcome::<R>(runner, case, &values, &folder, &paths).await?;
        if let Some(change) = changed(&before, &folder.snapshot(), &folder) {
            return Err(Breach(format!(
                "{change} on the machine of the test, around the system: everything goes through `cx.system()`"
            )));
        }
        // The folder itself has been compared already.
        let mut elsewhere = accesses.iter().filter(|path| !path.starts_with(&folder.0));
        if let Some(path) = elsewhere.find(|path| is_younger(path, began)) {
            return Err(Breach(format!(
                "it wrote {} on the machine of the test, around the system: everything goes through `cx.system()`",
                path.display()
            )));
        }
        outcomes.push(folder.shown(&outcome));
    }
    match outcomes.as_slice() {
        [without, with] if without != with => Err(Breach(format!(
            "it looks at the machine of the test, and not at the system: where that has files at {}, it {with}; where it has none, it \
             {without}. The system is the same both times: everything goes through `cx.system()`",
            paths.iter().map(|path| folder.shown(&path.to_string_lossy())).collect::<Vec<_>>().join(", ")
        ))),
        _ => Ok(Tried::Yes),
    }
}

/// Returns a description of what a run reports and does, and the paths that it looked at.
async fn outcome<R: Resource>(
    runner: &Runner<'_>,
    case: &Case,
    values: &Values,
    folder: &Folder,
    paths: &[PathBuf],
) -> Result<(String, Vec<PathBuf>), Breach> {
    let host = runner.host::<R>(case).await?;
    host.model.alter(|machine| {
        machine.put_dir(&folder.0);
        paths.iter().filter_map(|path| path.parent()).for_each(|parent| machine.put_dir(parent));
    });
    let planned = match runner.look::<R>(&host, values).await? {
        Ok(status) => description::status(&status),
        Err(error) => error.to_string(),
    };
    let ended = match runner.run::<R>(&host, values).await? {
        Ended::Same(_) => "has nothing to do".to_owned(),
        Ended::Refused(error) => format!("refuses: {error}"),
        Ended::Failed(error) => format!("fails: {error}"),
        Ended::Applied(applied) => {
            let left = applied.left().map(|left| format!(", and leaves {left}")).unwrap_or_default();
            format!("works{left}")
        }
    };
    let effects = description::effects(&host.effects());
    Ok((format!("says `{planned}`, {ended}, and {effects}"), host.model.looked_at()))
}

/// The visible state of a file: its kind and content.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Directory,
    File(Vec<u8>),
    Other,
}

/// A folder of the test machine that is removed with its content on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = std::env::temp_dir().canonicalize()?;
        let path = temporary.join(format!("converge-laws-{}-{number}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(Self(path))
    }

    /// Returns the values with their paths moved below this folder, and those paths.
    fn moved(&self, values: &Values) -> (Values, Vec<PathBuf>) {
        let mut paths = Vec::new();
        let moved = values.iter().map(|(name, value)| (*name, self.moved_value(value, &mut paths))).collect();
        paths.sort();
        paths.dedup();
        (moved, paths)
    }

    fn moved_value(&self, value: &Value, paths: &mut Vec<PathBuf>) -> Value {
        match value {
            Value::String(text) if text.starts_with('/') && !text.contains('\0') => {
                let moved = format!("{}{text}", self.0.display());
                // The path is normalized without following links.
                let mut path = PathBuf::new();
                for component in Path::new(&moved).components() {
                    match component {
                        Component::ParentDir => drop(path.pop()),
                        Component::CurDir => {}
                        part => path.push(part),
                    }
                }
                if path != self.0 && path.starts_with(&self.0) {
                    paths.push(path);
                }
                Value::from(moved)
            }
            Value::List(items) => {
                Value::List(items.iter().map(|item| self.moved_value(item, paths)).collect())
            }
            Value::Map(items) => {
                let moved = items.iter().map(|(name, item)| (name.clone(), self.moved_value(item, paths)));
                Value::Map(moved.collect())
            }
            value => value.clone(),
        }
    }

    /// Clears the folder and creates the parent directories of the paths.
    ///
    /// With `with_files`, each path that is not a directory becomes a file.
    fn fill(&self, paths: &[PathBuf], with_files: bool) -> io::Result<()> {
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path))?;
        }
        for path in paths {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
        }
        for path in paths.iter().filter(|path| with_files && !path.is_dir()) {
            fs::write(path, CANARY)?;
        }
        Ok(())
    }

    fn snapshot(&self) -> BTreeMap<PathBuf, Seen> {
        let mut entries = BTreeMap::new();
        let mut left = vec![self.0.clone()];
        while let Some(path) = left.pop() {
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            let kind = if metadata.is_dir() {
                left.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
                Seen::Directory
            } else if metadata.is_file() {
                Seen::File(fs::read(&path).unwrap_or_default())
            } else {
                Seen::Other
            };
            entries.insert(path, kind);
        }
        entries
    }

    /// Returns a text with the paths as the author wrote them.
    fn shown(&self, text: &str) -> String {
        text.replace(&*self.0.to_string_lossy(), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind in the temporary directory does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn changed(
    before: &BTreeMap<PathBuf, Seen>,
    after: &BTreeMap<PathBuf, Seen>,
    folder: &Folder,
) -> Option<String> {
    let display = |path: &Path| folder.shown(&path.to_string_lossy());
    let missing = before.keys().find(|path| !after.contains_key(*path));
    if let Some(path) = missing {
        return Some(format!("it removed {}", display(path)));
    }
    after.iter().find_map(|(path, seen)| match before.get(path) {
        None => Some(format!("it made {}", display(path))),
        Some(old) if old != seen => Some(format!("it changed {}", display(path))),
        Some(_) => None,
    })
}

/// Whether a file of the test machine was written since `began`.
fn is_younger(path: &Path, began: SystemTime) -> bool {
    if VIRTUAL_FILE_SYSTEMS.iter().any(|made_up| path.starts_with(made_up)) {
        return false;
    }
    let file = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file);
    let mtime = file.and_then(|metadata| metadata.modified().ok());
    mtime.is_some_and(|mtime| mtime > began + TICK)
}
