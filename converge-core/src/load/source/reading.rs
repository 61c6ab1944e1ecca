//! What a source is told about the text that is asked of it.

use std::io::Read;

use super::error::SourceError;
use crate::diagnostic::ReachedLimit;
use crate::language::WorkBudget;
use crate::syntax::MAX_SOURCE_BYTES;

/// How much of a text may be read.
///
/// What is not is never in memory as a whole: a [`ModuleSource`](super::ModuleSource) reads by [`text`](Self::text), or asks how large a
/// text is before it reads it.
#[derive(Clone, Debug)]
pub struct Reading {
    most: u64,
    /// Why it is no more, unless that is because no text may be longer.
    limit: Option<ReachedLimit>,
}

impl Default for Reading {
    /// All that one text may have.
    fn default() -> Self {
        Self { most: MAX_SOURCE_BYTES as u64, limit: None }
    }
}

impl Reading {
    /// What is left for the next text.
    pub(crate) fn within(budget: &WorkBudget) -> Self {
        let (usual, left) = (Self::default(), budget.bytes_left());
        if left >= usual.most { usual } else { Self { most: left, limit: Some(budget.bytes_limit()) } }
    }

    /// How many bytes the text may have.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Reads a text to its end, but no more of it than there may be.
    ///
    /// # Errors
    ///
    /// It is too long, is not UTF-8, or cannot be read.
    pub fn text(&self, name: &str, from: impl Read) -> Result<String, SourceError> {
        let mut bytes = Vec::new();
        // One byte past the limit tells a text that is too long from one that just fits.
        let read = from.take(self.most.saturating_add(1)).read_to_end(&mut bytes);
        let unreadable = |error: std::io::Error| SourceError::unreadable(name, &error);
        self.check(name, read.map_err(unreadable)? as u64)?;
        String::from_utf8(bytes).map_err(|error| SourceError::NotUtf8 {
            name: name.to_owned(),
            offset: error.utf8_error().valid_up_to(),
        })
    }

    /// Refuses a text of so many bytes when that is too much.
    ///
    /// # Errors
    ///
    /// It is.
    pub fn check(&self, name: &str, bytes: u64) -> Result<(), SourceError> {
        let name = || name.to_owned();
        match self.limit {
            _ if bytes <= self.most => Ok(()),
            Some(limit) => Err(SourceError::TooMuch { name: name(), limit }),
            None => Err(SourceError::TooLarge { name: name(), limit: self.most }),
        }
    }
}
