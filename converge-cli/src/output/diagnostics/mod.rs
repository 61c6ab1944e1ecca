//! Output of diagnostics: for people on standard error, for programs on standard output.

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::Path;

use converge_core::diagnostic::{Diagnostics, Severity, SourceMap};
use converge_core::load::Source;
use converge_core::view::{json, render};

use super::json::json_line;
use crate::args::Format;
use crate::console::{Console, ERROR, Paint, WARNING, print, print_error};
use crate::error::CliError;
use crate::wording::count;

/// Writes the diagnostics of the file with this name.
pub(crate) fn report(
    name: &str,
    diagnostics: &Diagnostics,
    sources: &SourceMap,
    format: Format,
    console: Console,
) -> Result<(), CliError> {
    match format {
        Format::Human => {
            print_error(&human("load", name, diagnostics, sources, console.stderr));
            Ok(())
        }
        Format::Json => diagnostics
            .iter()
            .try_for_each(|diagnostic| print(&json_line(&json::diagnostic(diagnostic, sources))?)),
    }
}

/// Warns that a file with mistakes was loaded without the other files of its module folder.
///
/// Unknown names may be declared in those files.
pub(crate) fn report_files_beside(name: &str) {
    if let Some(folder) = files_beside(Path::new(name)) {
        let (name, folder) = (render::sanitize_line(name), folder.display().to_string());
        let folder = render::sanitize_line(&folder);
        print_error(&format!(
            "help: {name} was loaded alone: with the files beside it, it is the module {folder}\n"
        ));
    }
}

/// Returns the module folder of a file that is part of one.
#[expect(clippy::disallowed_methods, reason = "modules are read where the program runs, not on the system")]
fn files_beside(file: &Path) -> Option<&Path> {
    Source::folder_of(file)?;
    let folder = file.parent().map(|folder| if folder == Path::new("") { Path::new(".") } else { folder })?;
    let mut names = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.file_name()));
    let is_other =
        |name: OsString| Some(&*name) != file.file_name() && Path::new(&name).extension() == file.extension();
    names.any(is_other).then_some(folder)
}

/// Formats all diagnostics of one file, with a last line that counts them.
///
/// The last line also says what could not be done (`load`). The text is empty if there are no diagnostics.
pub(crate) fn human(
    action: &str,
    name: &str,
    diagnostics: &Diagnostics,
    sources: &SourceMap,
    paint: Paint,
) -> String {
    let errors = diagnostics.iter().filter(|item| item.severity == Severity::Error).count();
    let warnings = diagnostics.len() - errors;
    let counted = match (errors, warnings) {
        (0, 0) => return String::new(),
        (0, warnings) => count(warnings, "warning"),
        (errors, 0) => count(errors, "error"),
        (errors, warnings) => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    };
    let name = render::sanitize_line(name);
    let last = match errors {
        0 => format!("{}: {name}: {counted}", paint.paint(WARNING, "warning")),
        _ => format!("{}: could not {action} {name}: {counted}", paint.paint(ERROR, "error")),
    };
    let text = render::diagnostics(diagnostics, sources, paint.color);
    format!("{text}\n{last}\n")
}
