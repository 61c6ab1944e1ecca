//! Plans in files.

use std::path::{Path, PathBuf};

use converge_core::plan::Plan;
use converge_core::system::{LocalSystem, System as _, WriteFile};

use crate::error::CliError;

/// The mode of the file: others must not read the key of the digests.
const MODE: u32 = 0o600;

/// The metadata key of the module, as named on the command line.
const MODULE: &str = "module";
/// The metadata key of the working directory, the base of relative paths in modules.
const DIRECTORY: &str = "directory";
/// The metadata key for whether inferred edges were off.
const NO_AUTO_EDGES: &str = "no_auto_edges";

/// The module and working directory that a plan was made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlanOrigin {
    pub(crate) module: PathBuf,
    pub(crate) no_auto_edges: bool,
    directory: String,
}

impl PlanOrigin {
    /// Returns the origin of a plan made in the current working directory.
    pub(crate) fn current(module: &str, no_auto_edges: bool) -> Result<Self, CliError> {
        let directory = directory()?;
        Ok(Self { module: module.into(), no_auto_edges, directory })
    }

    /// Returns the origin of a plan that was read from `file`.
    pub(crate) fn from_plan(plan: &Plan, file: &Path) -> Result<Self, CliError> {
        let label = |name: &str| {
            plan.labels.get(name).ok_or_else(|| CliError::File {
                file: file.to_owned(),
                problem: format!("it was not made by `converge plan --out`: there is no label `{name}`"),
            })
        };
        Ok(Self {
            module: label(MODULE)?.into(),
            directory: label(DIRECTORY)?.clone(),
            no_auto_edges: label(NO_AUTO_EDGES)? == "true",
        })
    }

    /// Checks that the working directory is that of the plan.
    ///
    /// Relative paths in modules begin there: elsewhere, the apply would change other files than the plan
    /// showed.
    pub(crate) fn check_directory(&self, file: &Path) -> Result<(), CliError> {
        if directory()? == self.directory {
            return Ok(());
        }
        let problem = format!(
            "it was made in {}, and its relative paths start there: apply it in that folder, or make a new plan here",
            self.directory
        );
        Err(CliError::File { file: file.to_owned(), problem })
    }

    pub(crate) fn directory(&self) -> &str {
        &self.directory
    }

    /// Stores the origin in a plan.
    pub(crate) fn mark(self, plan: &mut Plan) {
        let module = self.module.display().to_string();
        let labels =
            [(MODULE, module), (DIRECTORY, self.directory), (NO_AUTO_EDGES, self.no_auto_edges.to_string())];
        plan.labels.extend(labels.map(|(name, value)| (name.to_owned(), value)));
    }
}

fn directory() -> Result<String, CliError> {
    let directory = std::env::current_dir().map_err(CliError::Start)?;
    Ok(directory.display().to_string())
}

/// Writes a plan atomically.
pub(crate) async fn write(plan: &Plan, file: &Path) -> Result<(), CliError> {
    let mut text = serde_json::to_string_pretty(plan)?;
    text.push('\n');
    let write = WriteFile { mode: Some(MODE), ..WriteFile::new(text.as_bytes()) };
    let result = LocalSystem::new().files().write(file, write).await;
    result.map_err(|error| CliError::File { file: file.to_owned(), problem: error.to_string() })
}

/// Reads a plan, or returns `None` if the file is not a plan but may be a module.
///
/// No module begins with a brace.
pub(crate) async fn find(file: &Path) -> Result<Option<Plan>, CliError> {
    let system = LocalSystem::new();
    // Loading the file as a module reports why it cannot be read.
    let Ok(Some(head)) = system.files().read_head(file, 64).await else { return Ok(None) };
    let first = head.bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if first == Some(&b'{') { read(file).await.map(Some) } else { Ok(None) }
}

pub(crate) async fn read(file: &Path) -> Result<Plan, CliError> {
    let problem = |problem: String| CliError::File { file: file.to_owned(), problem };
    let content = LocalSystem::new().files().read(file).await.map_err(|error| problem(error.to_string()))?;
    let content = content.ok_or_else(|| problem("there is no such file".to_owned()))?;
    let text = String::from_utf8(content.bytes).map_err(|_| problem("it is not text".to_owned()))?;
    Plan::from_json(&text).map_err(|error| problem(format!("it is not a valid plan: {error}")))
}
