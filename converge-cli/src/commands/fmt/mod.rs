//! `converge fmt`.

mod difference;
mod find;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use converge_core::report::{Diagnostic, Diagnostics, SourceMap};
use converge_core::syntax;
use converge_core::system::{Files, LocalSystem, System as _, SystemError, SystemErrorKind, WriteFile};

use crate::console::{Console, notice, print};
use crate::diagnostics;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Paint, sanitize_line};

/// What stands for standard input among the arguments.
const STANDARD_INPUT: &str = "-";

/// What standard input is called in what is said about it.
const STANDARD_INPUT_NAME: &str = "standard input";

/// The arguments of `converge fmt`.
#[derive(Debug, Args)]
pub(crate) struct FmtArgs {
    /// Module files, and folders with files named `*.hcl`, at any depth; links in folders and names that begin
    /// with a dot are left alone. `-` formats standard input to standard output.
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,

    /// Write nothing; list the files that are not formatted and end with 1 when there are any.
    #[arg(long)]
    check: bool,

    /// Write nothing; show what would change, as a unified diff.
    #[arg(long)]
    diff: bool,
}

/// A text that was read.
struct Source<'a> {
    /// What messages call it.
    name: String,
    text: &'a str,
}

impl FmtArgs {
    /// Formats, and reports the mistakes of what cannot be formatted.
    pub(super) fn run(self, console: Console) -> Result<Exit, CliError> {
        let formatter = Formatter { args: &self, console };
        if self.paths.iter().any(|path| path.as_os_str() == STANDARD_INPUT) {
            return match self.paths.as_slice() {
                [_] => formatter.standard_input(),
                _ => Err(CliError::StandardInputAndFiles),
            };
        }
        // The local system works on the calling thread; nothing else runs.
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
            let mut found = find::Found::default();
            found.look(files, path).await;
            for error in &found.errors {
                self.unreadable(error);
                exit = Exit::Error;
            }
            for path in &found.files {
                exit = exit.worst(self.file(files, path).await?);
            }
        }
        Ok(exit)
    }

    async fn file(&self, files: &dyn Files, path: &Path) -> Result<Exit, CliError> {
        let content = match files.read(path).await {
            Ok(Some(content)) => content.bytes,
            Ok(None) => {
                self.unreadable(&SystemError::file("read", path, SystemErrorKind::NotFound));
                return Ok(Exit::Error);
            }
            Err(error) => {
                self.unreadable(&error);
                return Ok(Exit::Error);
            }
        };
        let name = path.display().to_string();
        let Some(text) = self.utf8(&name, &content) else { return Ok(Exit::Error) };
        let source = Source { name, text };
        let Some(formatted) = self.format(&source) else { return Ok(Exit::Error) };
        if formatted == text {
            return Ok(Exit::Done);
        }
        if !self.args.check && !self.args.diff {
            let written = files.write(path, WriteFile::new(formatted.as_bytes())).await;
            if let Err(error) = written {
                self.console.error(error);
                return Ok(Exit::Error);
            }
        }
        self.changed(&source, &formatted)
    }

    fn standard_input(&self) -> Result<Exit, CliError> {
        let mut content = Vec::new();
        // One byte more than is accepted is enough to see that it is too much.
        let limit = syntax::MAX_SOURCE_BYTES as u64 + 1;
        let read = std::io::stdin().lock().take(limit).read_to_end(&mut content);
        read.map_err(CliError::StandardInput)?;
        let name = STANDARD_INPUT_NAME.to_owned();
        let Some(text) = self.utf8(&name, &content) else { return Ok(Exit::Error) };
        let source = Source { name, text };
        let Some(formatted) = self.format(&source) else { return Ok(Exit::Error) };
        if !self.args.check && !self.args.diff {
            print(&formatted)?;
            return Ok(Exit::Done);
        }
        if formatted == text { Ok(Exit::Done) } else { self.changed(&source, &formatted) }
    }

    /// Tells that a text was not in form.
    fn changed(&self, source: &Source<'_>, formatted: &str) -> Result<Exit, CliError> {
        if self.args.diff {
            let paint = Paint { color: self.console.stdout_color };
            print(&difference::unified(&source.name, source.text, formatted, paint))?;
        } else {
            print(&format!("{}\n", sanitize_line(&source.name)))?;
        }
        Ok(if self.args.check { Exit::Error } else { Exit::Done })
    }

    /// The text in form; nothing when it has mistakes, which are told.
    fn format(&self, source: &Source<'_>) -> Option<String> {
        let mut sources = SourceMap::new();
        let file = sources.add(source.name.clone(), source.text);
        match syntax::format(file, source.text) {
            Ok(formatted) => Some(formatted.into_owned()),
            Err(mistakes) => {
                self.report(&source.name, &mistakes, &sources);
                None
            }
        }
    }

    fn utf8<'t>(&self, name: &str, content: &'t [u8]) -> Option<&'t str> {
        let told = |error: std::str::Utf8Error| {
            let offset = error.valid_up_to();
            let message = format!("{name} is not UTF-8: byte {offset} begins no character");
            self.report_one(name, Diagnostic::error("not-utf8", message));
        };
        std::str::from_utf8(content).map_err(told).ok()
    }

    fn unreadable(&self, error: &SystemError) {
        let name = error.path.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
        self.report_one(&name, Diagnostic::error("unreadable-file", error.to_string()));
    }

    fn report_one(&self, name: &str, diagnostic: Diagnostic) {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(diagnostic);
        self.report(name, &diagnostics, &SourceMap::new());
    }

    fn report(&self, name: &str, diagnostics: &Diagnostics, sources: &SourceMap) {
        let color = self.console.stderr_color;
        notice(&diagnostics::render_all("format", name, diagnostics, sources, color));
    }
}
