//! The limits that a source gets for reading a text.

use std::io::{self, Read};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::error::SourceError;
use crate::diagnostic::ReachedLimit;
use crate::language::WorkBudget;
use crate::syntax::MAX_SOURCE_BYTES;
use crate::types::cancellation::{Stop, StopReason};

/// The limits on the length of a text and on the time to read it.
///
/// A text that exceeds the limit must never be in memory as a whole. A [`ModuleSource`](super::ModuleSource)
/// reads through [`text`](Self::text), or checks the length of a text before reading it. When the load is
/// cancelled, the load stops waiting for the text, and the reading thread is abandoned. A source that checks
/// `Reading` can end that thread.
#[derive(Clone, Debug)]
pub struct Reading {
    most: u64,
    /// The limit that bounds the length, unless it is the general limit of a text.
    limit: Option<ReachedLimit>,
    stop: Option<Stop>,
}

impl Default for Reading {
    /// Returns the general limit of one text.
    fn default() -> Self {
        Self { most: MAX_SOURCE_BYTES as u64, limit: None, stop: None }
    }
}

impl Reading {
    /// Returns the limits for the next text of a load.
    #[doc(hidden)]
    pub fn within(budget: &WorkBudget) -> Self {
        let (usual, left) = (Self::default(), budget.bytes_left());
        let stop = budget.stop().cloned();
        if left >= usual.most {
            Self { stop, ..usual }
        } else {
            Self { most: left, limit: Some(budget.bytes_limit()), stop }
        }
    }

    /// Returns the maximum number of bytes of the text.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Returns the remaining time of the load; `None` if it is not limited.
    pub fn time_left(&self) -> Option<Duration> {
        self.stop.as_ref().and_then(Stop::time_left)
    }

    /// Returns the token that cancels the load, for an async source.
    pub fn cancellation(&self) -> Option<&CancellationToken> {
        self.stop.as_ref().and_then(Stop::token)
    }

    /// Returns the reason why the load was cancelled, if it was.
    pub fn stopped(&self) -> Option<StopReason> {
        self.stop.as_ref().and_then(Stop::reason)
    }

    pub(super) fn stop(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// Returns a reader that fails once the load is cancelled.
    pub(super) fn watch<R: Read>(&self, from: R) -> impl Read {
        Watched { from, stop: self.stop.clone() }
    }

    /// Reads a text to its end, within the limit.
    ///
    /// # Errors
    ///
    /// Fails if the text is too long, is not UTF-8, or cannot be read.
    pub fn text(&self, name: &str, from: impl Read) -> Result<String, SourceError> {
        let mut bytes = Vec::new();
        // One extra byte is read, to tell a text that is too long from one that just fits.
        let read = self.watch(from).take(self.most.saturating_add(1)).read_to_end(&mut bytes);
        let unreadable = |error: std::io::Error| SourceError::unreadable(name, &error);
        self.check(name, read.map_err(unreadable)? as u64)?;
        String::from_utf8(bytes).map_err(|error| SourceError::NotUtf8 {
            name: name.to_owned(),
            offset: error.utf8_error().valid_up_to(),
        })
    }

    /// Checks the length of a text against the limit.
    ///
    /// # Errors
    ///
    /// Fails if the text is too long.
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
