//! Compile errors in the text of a definition.

use std::fmt;

use converge_controller::validation::Invalid;

/// A compile error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CompileError {
    /// The file, or `None` if the error concerns all files.
    pub(super) path: Option<String>,
    /// The line and column, both from 1.
    pub(super) place: Option<(usize, usize)>,
    pub(super) message: String,
}

impl CompileError {
    /// Creates an error about the definition as a whole.
    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self { path: None, place: None, message: message.into() }
    }

    pub(super) fn at(path: &str, place: Option<(usize, usize)>, message: impl Into<String>) -> Self {
        Self { path: Some(path.to_owned()), place, message: message.into() }
    }

    /// Returns the message with its place: `at 3:5: expected ..`.
    ///
    /// The command parses the line and column.
    fn cause(&self) -> String {
        match self.place {
            Some((line, column)) => format!("at {line}:{column}: {}", self.message),
            None => format!("is refused: {}", self.message),
        }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, place, message } = self;
        if let Some(path) = path {
            write!(f, "{path}:")?;
        }
        if let Some((line, column)) = place {
            write!(f, "{line}:{column}:")?;
        }
        let space = if path.is_some() { " " } else { "" };
        write!(f, "{space}{message}")
    }
}

/// Converts all errors to the validation error of the resource.
pub(crate) fn invalid(mistakes: &[CompileError]) -> Invalid {
    let mut invalid = Invalid::collect();
    for mistake in mistakes {
        let mut files = invalid.field("files");
        match &mistake.path {
            Some(path) => files.value(path).add(mistake.cause()),
            None => files.add(mistake.cause()),
        }
    }
    match invalid.finish() {
        Err(invalid) => invalid,
        // The list of errors is never empty.
        Ok(()) => {
            converge_controller::validation::Problem { path: Vec::new(), cause: "is refused".into() }.into()
        }
    }
}
