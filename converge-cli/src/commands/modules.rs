//! The `converge modules` command.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use converge_core::diagnostic::SourceFile;
use converge_core::load::{Locked, ModuleLock, Source, Sources};
use converge_core::system::{LocalSystem, System as _, WriteFile};
use serde_json::json;

use crate::args::{Format, ModuleArgs};
use crate::command_context::Surroundings;
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;
use crate::modules::{ModuleLoader, Purpose};
use crate::output::json_line;
use crate::plugins;

#[derive(Debug, Args)]
pub(crate) struct ModulesArgs {
    #[command(subcommand)]
    command: ModulesCommand,
}

#[derive(Debug, Subcommand)]
enum ModulesCommand {
    /// Lock the branches and tags that a module and the modules it calls name to commits, in
    /// `converge.lock` beside the module. Existing locks stay; entries that no module names any more are
    /// removed
    Lock(LockArgs),
    /// Like `lock`, but with the branches and tags as they are today
    Update(UpdateArgs),
    /// Print the files of a module and of the modules it calls, and what is locked
    List(ListArgs),
}

#[derive(Debug, Args)]
struct LockArgs {
    /// The module file or folder
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    modules: ModuleArgs,
}

#[derive(Debug, Args)]
struct UpdateArgs {
    #[command(flatten)]
    of: LockArgs,

    /// Update only this repository [default: all]
    #[arg(value_name = "REPOSITORY")]
    repository: Option<String>,
}

#[derive(Debug, Args)]
struct ListArgs {
    #[command(flatten)]
    of: LockArgs,

    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: ListFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// Text for people: one line for each
    Human,
    /// JSON for programs
    Json,
}

impl ModulesArgs {
    pub(crate) fn run(self, around: Surroundings<'_>) -> Result<Exit, CliError> {
        match self.command {
            ModulesCommand::Lock(args) => {
                let before = args.before()?;
                args.lock(&before, before.clone(), around)
            }
            ModulesCommand::Update(UpdateArgs { of, repository }) => {
                let before = of.before()?;
                let kept = match &repository {
                    None => ModuleLock::default(),
                    Some(repository) if before.entries().any(|entry| entry.repository == *repository) => {
                        before.clone().without(repository)
                    }
                    Some(repository) => return Err(of.unknown(repository, &before)),
                };
                of.lock(&before, kept, around)
            }
            ModulesCommand::List(args) => args.list(around),
        }
    }
}

impl LockArgs {
    /// Returns the path of the lock file.
    ///
    /// It is beside a module file, or in a module folder. For a URL it is in the working directory.
    fn path(&self) -> PathBuf {
        // A path that is not UTF-8 cannot be a URL.
        let source = self
            .file
            .to_str()
            .map_or_else(|| Ok(Source::file(&self.file)), |written| Sources::new().resolve(None, written));
        source.ok().and_then(|source| source.folder()).unwrap_or_default().join(ModuleLock::FILE)
    }

    /// Reads the existing lock.
    fn before(&self) -> Result<ModuleLock, CliError> {
        let file = self.path();
        ModuleLock::read(&file).map_err(|problem| CliError::File { file, problem: problem.to_string() })
    }

    fn unknown(&self, repository: &str, before: &ModuleLock) -> CliError {
        let mut known: Vec<String> = before.entries().map(|entry| entry.repository).collect();
        known.dedup();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let problem = format!("no reference of {repository} is locked; locked are: {known}");
        CliError::File { file: self.path(), problem }
    }

    /// Loads the module with this lock, and writes the commits that were used.
    ///
    /// Nothing is written if a module has mistakes.
    fn lock(
        &self,
        before: &ModuleLock,
        kept: ModuleLock,
        around: Surroundings<'_>,
    ) -> Result<Exit, CliError> {
        let plugins = plugins::start(around, &self.modules.plugins, std::slice::from_ref(&self.file))?;
        let loader =
            ModuleLoader::new(plugins.around(around), &self.modules, Purpose::Inspect, Format::Human)?;
        let Some(loader) = loader else { return Ok(Exit::Error) };
        let sources = self.modules.sources.to_lock(kept, around.console);
        let module = loader.with_sources(sources.clone()).load(&self.file);
        module.report(Format::Human, around.console)?;
        if module.has_errors() {
            return Ok(Exit::Error);
        }
        let lock = sources.locked();
        let path = self.path();
        let shown = path.display().to_string();
        let mut told: String = lock.entries().map(|entry| line(&entry, before)).collect();
        told.extend(gone(before, &lock));
        let is_same = lock == *before;
        if is_same && lock.is_empty() {
            told.push_str("nothing to lock: no module is loaded from a repository by a branch or a tag\n");
        } else if is_same {
            told.extend([shown.as_str(), " is as it was\n"]);
        } else {
            write(&path, &lock)?;
            told.extend([shown.as_str(), " is written\n"]);
        }
        print(&told)?;
        Ok(Exit::Done)
    }
}

/// Writes a lock file atomically.
fn write(path: &Path, lock: &ModuleLock) -> Result<(), CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(CliError::Start)?;
    let text = lock.to_json();
    let system = LocalSystem::new();
    let written = runtime.block_on(system.files().write(path, WriteFile::new(text.as_bytes())));
    written.map_err(|error| CliError::File { file: path.to_owned(), problem: error.to_string() })
}

/// Describes an entry of the lock, and its earlier commit if that differs.
fn line(entry: &Locked, before: &ModuleLock) -> String {
    let Locked { repository, reference, commit, .. } = entry;
    let same = |other: &Locked| other.repository == *repository && other.reference == *reference;
    let was = match before.entries().find(same) {
        None => ", which is new".to_owned(),
        Some(old) if old.commit == *commit => String::new(),
        Some(old) => format!(", and was {}", old.commit),
    };
    format!("{reference} of {repository} is {commit}{was}\n")
}

/// Describes the entries that the new lock no longer contains.
fn gone(before: &ModuleLock, after: &ModuleLock) -> Option<String> {
    let is_there = |old: &Locked| {
        after.entries().any(|entry| entry.repository == old.repository && entry.reference == old.reference)
    };
    let gone: Vec<Locked> = before.entries().filter(|old| !is_there(old)).collect();
    let line = |old: &Locked| format!("{} of {} is no longer used\n", old.reference, old.repository);
    (!gone.is_empty()).then(|| gone.iter().map(line).collect())
}

impl ListArgs {
    fn list(&self, around: Surroundings<'_>) -> Result<Exit, CliError> {
        let LockArgs { file, modules } = &self.of;
        let format = if self.format == ListFormat::Json { Format::Json } else { Format::Human };
        let plugins = plugins::start(around, &modules.plugins, std::slice::from_ref(file))?;
        let loader = ModuleLoader::new(plugins.around(around), modules, Purpose::Inspect, format)?;
        let Some(loader) = loader else { return Ok(Exit::Error) };
        let module = loader.load(file);
        module.report(format, around.console)?;
        if module.has_errors() {
            return Ok(Exit::Error);
        }
        let mut files: Vec<&str> = module.loaded.sources.files().map(SourceFile::name).collect();
        files.sort_unstable();
        files.dedup();
        let locked = self.of.before()?;
        print(&match self.format {
            ListFormat::Json => {
                let git: Vec<Locked> = locked.entries().collect();
                json_line(&json!({ "files": files, "git": git }))?
            }
            ListFormat::Human => {
                let files = files.iter().map(|file| format!("{file}\n"));
                files.chain(locked.entries().map(|entry| line(&entry, &locked))).collect()
            }
        })?;
        Ok(Exit::Done)
    }
}
