//! The `converge validate` command.

use std::path::PathBuf;

use clap::Args;
use converge_core::diagnostic::Severity;
use serde::Serialize;

use crate::args::{Format, ModuleArgs};
use crate::command_context::Surroundings;
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;
use crate::modules::{FileReport, ModuleLoader, Purpose, in_folders};
use crate::output::json_line;
use crate::plugins;

#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// Module files, URLs, or folders. Of a folder: every `.hcl` file in it and in nested folders,
    /// including files of parameters
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    #[command(flatten)]
    modules: ModuleArgs,
}

/// The outcome of one file in JSON output.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "validated")]
struct Validated<'a> {
    file: &'a str,
    valid: bool,
    errors: usize,
    warnings: usize,
}

impl<'a> Validated<'a> {
    fn from_report(FileReport { name, diagnostics, .. }: &'a FileReport) -> Self {
        let errors = diagnostics.iter().filter(|item| item.severity == Severity::Error).count();
        Self { file: name, valid: errors == 0, errors, warnings: diagnostics.len() - errors }
    }
}

impl ValidateArgs {
    pub(crate) fn run(self, surroundings: Surroundings<'_>) -> Result<Exit, CliError> {
        let (files, others) = in_folders(&self.files);
        let plugins = plugins::start(surroundings, &self.modules.plugins, &files)?;
        let surroundings = plugins.around(surroundings);
        let loader = ModuleLoader::new(surroundings, &self.modules, Purpose::Inspect, self.format)?;
        let Some(loader) = loader else { return Ok(Exit::Error) };
        let modules = loader.load_all(&files).into_iter().map(FileReport::from);
        let reports: Vec<FileReport> = modules.chain(others).collect();
        reports.iter().try_for_each(|report| report.show(self.format, surroundings.console))?;
        let valid = reports.iter().filter(|report| !report.diagnostics.has_errors()).count();
        match self.format {
            Format::Json => {
                for report in &reports {
                    print(&json_line(&Validated::from_report(report))?)?;
                }
            }
            Format::Human => print(&counted(valid, reports.len()))?,
        }
        Ok(if valid == reports.len() { Exit::Done } else { Exit::Error })
    }
}

/// Returns text such as `3 files are valid`, or nothing if no file is valid.
fn counted(valid: usize, total: usize) -> String {
    match (valid, total) {
        (0, _) => String::new(),
        (1, 1) => "1 file is valid\n".into(),
        (valid, all) if valid == all => format!("{all} files are valid\n"),
        (valid, all) => format!("{valid} of {all} files are valid\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_files_are_counted() {
        let check = |valid, all, expect: &str| assert_eq!(counted(valid, all), expect);
        check(0, 1, "");
        check(1, 1, "1 file is valid\n");
        check(3, 3, "3 files are valid\n");
        check(1, 3, "1 of 3 files are valid\n");
    }
}
