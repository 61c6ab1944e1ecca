//! What a source is told about the text that is asked of it.

use std::io::{self, Read};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::error::SourceError;
use crate::diagnostic::ReachedLimit;
use crate::language::WorkBudget;
use crate::syntax::MAX_SOURCE_BYTES;
use crate::types::cancellation::{Stop, StopReason};

/// How much of a text may be read, and for how long.
///
/// What is not is never in memory as a whole: a [`ModuleSource`](super::ModuleSource) reads by [`text`](Self::text), or asks how large a
/// text is before it reads it. When the load is given up nobody waits for the text any more, whatever the source does: the thread that
/// reads is left to itself. A source that looks here ends it.
#[derive(Clone, Debug)]
pub struct Reading {
    most: u64,
    /// Why it is no more, unless that is because no text may be longer.
    limit: Option<ReachedLimit>,
    stop: Option<Stop>,
}

impl Default for Reading {
    /// All that one text may have.
    fn default() -> Self {
        Self { most: MAX_SOURCE_BYTES as u64, limit: None, stop: None }
    }
}

impl Reading {
    /// What is left for the next text.
    pub(crate) fn within(budget: &WorkBudget) -> Self {
        let (usual, left) = (Self::default(), budget.bytes_left());
        let stop = budget.stop().cloned();
        if left >= usual.most {
            Self { stop, ..usual }
        } else {
            Self { most: left, limit: Some(budget.bytes_limit()), stop }
        }
    }

    /// How many bytes the text may have.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// How long the load may still take; `None` when that is not limited.
    pub fn time_left(&self) -> Option<Duration> {
        self.stop.as_ref().and_then(Stop::time_left)
    }

    /// What cancels the load, for a source that awaits.
    pub fn cancellation(&self) -> Option<&CancellationToken> {
        self.stop.as_ref().and_then(Stop::token)
    }

    /// Why nobody waits for the text any more, when nobody does.
    pub fn stopped(&self) -> Option<StopReason> {
        self.stop.as_ref().and_then(Stop::reason)
    }

    pub(super) fn stop(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// The same bytes, and an error when nobody waits for them any more.
    pub(super) fn watch<R: Read>(&self, from: R) -> impl Read {
        Watched { from, stop: self.stop.clone() }
    }

    /// Reads a text to its end, but no more of it than there may be.
    ///
    /// # Errors
    ///
    /// It is too long, is not UTF-8, or cannot be read.
    pub fn text(&self, name: &str, from: impl Read) -> Result<String, SourceError> {
        let mut bytes = Vec::new();
        // One byte past the limit tells a text that is too long from one that just fits.
        let read = self.watch(from).take(self.most.saturating_add(1)).read_to_end(&mut bytes);
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

struct Watched<R> {
    from: R,
    stop: Option<Stop>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.stop.as_ref().and_then(Stop::reason) {
            Some(reason) => Err(io::Error::other(reason)),
            None => self.from.read(buffer),
        }
    }
}
