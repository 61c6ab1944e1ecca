//! What is wrong with the text of a definition, and where.

use std::fmt;

use converge_controller::validation::Invalid;

/// Something is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mistake {
    /// The file; none where it is about all of them.
    pub(super) path: Option<String>,
    /// Line and column, from 1.
    pub(super) place: Option<(usize, usize)>,
    pub(super) message: String,
}

impl Mistake {
    /// Something is wrong with the whole.
    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self { path: None, place: None, message: message.into() }
    }

    pub(super) fn at(path: &str, place: Option<(usize, usize)>, message: impl Into<String>) -> Self {
        Self { path: Some(path.to_owned()), place, message: message.into() }
    }

    /// In words that follow the place: `at 3:5: expected ..`. The command reads line and column of it.
    fn cause(&self) -> String {
        match self.place {
            Some((line, column)) => format!("at {line}:{column}: {}", self.message),
            None => format!("is refused: {}", self.message),
        }
    }
}

impl fmt::Display for Mistake {
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

/// All of them as what is wrong with the resource.
pub(crate) fn invalid(mistakes: &[Mistake]) -> Invalid {
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
        // There is always one.
        Ok(()) => {
            converge_controller::validation::Problem { path: Vec::new(), cause: "is refused".into() }.into()
        }
    }
}
