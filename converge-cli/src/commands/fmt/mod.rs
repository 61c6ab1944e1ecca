//! The `converge fmt` command.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use converge_core::diagnostic::{Diagnostics, SourceMap};
use converge_core::load::{Folder, Source, SourceError, Sources};
use converge_core::syntax;
use converge_core::system::{Files, LocalSystem, System as _, WriteFile};
use converge_core::view::render;

use crate::console::{Console, print, print_error, print_exact};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{diagnostics, unified};

/// The argument that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// The name of standard input in messages.
const STANDARD_INPUT_NAME: &str = "standard input";

#[derive(Debug, Args)]
pub(crate) struct FmtArgs {
    /// Module files, and folders that are searched for files named `*.hcl` at any depth. Symbolic links and
    /// names that begin with a dot are ignored in folders. `-` formats standard input to standard output
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,

    /// Write nothing; list the files that are not formatted, and exit with 1 if there are any
    #[arg(long)]
    check: bool,

    /// Write nothing; show what would change, as a unified diff
    #[arg(long)]
    diff: bool,
}

impl FmtArgs {
    /// Formats the files, and reports the mistakes of those that cannot be formatted.
    pub(crate) fn run(self, console: Console) -> Result<Exit, CliError> {
        let formatter = Formatter { args: &self, console };
        if self.paths.iter().any(|path| path.as_os_str() == STANDARD_INPUT) {
            return match self.paths.as_slice() {
                [_] => formatter.standard_input(),
                _ => Err(CliError::StandardInputAndFiles),
            };
        }
        // The local system works on the calling thread, and nothing else runs.
        let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(CliError::Start)?;
        runtime.block_on(formatter.paths(LocalSystem::new().files()))
    }
}

struct Formatter<'a> {
    args: &'a FmtArgs,
    console: Console,
}

impl Formatter<'_> {
    async fn paths(&self, files: &dyn Files) -> Result<Exit, CliError> {
        let mut exit = Exit::Done;
        for path in &self.args.paths {
            let Some(folder) = Folder::read(path) else {
                exit = exit.max(self.file(files, path).await?);
                continue;
            };
            for problem in folder.problems {
                // A folder without modules is not an error.
                if !matches!(problem, SourceError::NoModules { .. }) {
                    self.unreadable(path, problem);
                    exit = Exit::Error;
                }
            }
            for path in &folder.files {
                let display_path = path.strip_prefix(".").unwrap_or(path);
                exit = exit.max(self.file(files, display_path).await?);
            }
        }
        Ok(exit)
    }

    async fn file(&self, files: &dyn Files, path: &Path) -> Result<Exit, CliError> {
        let text = match Sources::new().read(&Source::file(path)) {
            Ok(text) => text,
            Err(error) => {
                self.unreadable(path, error);
                return Ok(Exit::Error);
            }
        };
        let name = path.display().to_string();
        let Some(formatted) = self.format(&name, &text) else { return Ok(Exit::Error) };
        if formatted == *text {
            return Ok(Exit::Done);
        }
        if !self.args.check && !self.args.diff {
            let result = files.write(path, WriteFile::new(formatted.as_bytes())).await;
            if let Err(error) = result {
                self.console.error(error);
                return Ok(Exit::Error);
            }
        }
        self.changed(&name, &text, &formatted)
    }

    fn standard_input(&self) -> Result<Exit, CliError> {
        let mut content = Vec::new();
        // One byte over the limit is enough to detect a text that is too long.
        let limit = syntax::MAX_SOURCE_BYTES as u64 + 1;
        let read = std::io::stdin().lock().take(limit).read_to_end(&mut content);
        read.map_err(CliError::StandardInput)?;
        let text = match std::str::from_utf8(&content) {
            Ok(text) => text,
            Err(error) => {
                let name = STANDARD_INPUT_NAME.to_owned();
                let problem = SourceError::NotUtf8 { name, offset: error.valid_up_to() };
                self.unreadable(Path::new(STANDARD_INPUT_NAME), problem);
                return Ok(Exit::Error);
            }
        };
        let Some(formatted) = self.format(STANDARD_INPUT_NAME, text) else { return Ok(Exit::Error) };
        if !self.args.check && !self.args.diff {
            print_exact(&formatted)?;
            return Ok(Exit::Done);
        }
        if formatted == text { Ok(Exit::Done) } else { self.changed(STANDARD_INPUT_NAME, text, &formatted) }
    }

    /// Prints the difference to the canonical form.
    fn changed(&self, name: &str, text: &str, formatted: &str) -> Result<Exit, CliError> {
        if self.args.diff {
            print(&unified(name, text, formatted, self.console.stdout))?;
        } else {
            print(&format!("{}\n", render::sanitize_line(name)))?;
        }
        Ok(if self.args.check { Exit::Error } else { Exit::Done })
    }

    /// Returns the text in its canonical form, or reports its mistakes and returns `None`.
    fn format(&self, name: &str, text: &str) -> Option<String> {
        let mut sources = SourceMap::new();
        let file = sources.add(name, text);
        match syntax::format(file, text) {
            Ok(formatted) => Some(formatted.into_owned()),
            Err(mistakes) => {
                self.report(name, &mistakes, &sources);
                None
            }
        }
    }

    fn unreadable(&self, path: &Path, problem: SourceError) {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(problem.into());
        self.report(&path.display().to_string(), &diagnostics, &SourceMap::new());
    }

    fn report(&self, name: &str, diagnostics: &Diagnostics, sources: &SourceMap) {
        print_error(&diagnostics::human("format", name, diagnostics, sources, self.console.stderr));
    }
}
