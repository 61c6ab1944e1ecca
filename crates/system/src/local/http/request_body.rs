//! The body of a request, passed from the task to the thread that sends it.
//!
//! The thread of the client blocks. The task that waits for the response reads the file or the stream and
//! passes on the pieces.

use std::io::{self, Cursor, Read};
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::http::client::RequestSource;
use crate::{HttpBody, HttpError, ReadAt, RequestBody};

/// The number of bytes of a file that are read at once.
const PIECE: u64 = 64 * 1024;

/// A request for the next piece.
pub(super) struct Pull {
    /// The offset of the piece.
    ///
    /// A stream is read in order.
    offset: u64,
    reply: oneshot::Sender<Result<Vec<u8>, HttpError>>,
}

pub(super) enum ThreadHalf {
    Nothing,
    Bytes(Arc<[u8]>),
    Pulled { pulls: mpsc::Sender<Pull>, length: Option<u64>, repeatable: bool },
}

pub(super) struct Feed {
    body: RequestBody,
    pulls: mpsc::Receiver<Pull>,
}

pub(super) fn halves(body: RequestBody) -> (ThreadHalf, Option<Feed>) {
    let (repeatable, length) = match &body {
        RequestBody::Empty => return (ThreadHalf::Nothing, None),
        RequestBody::Bytes(bytes) => return (ThreadHalf::Bytes(bytes.as_slice().into()), None),
        RequestBody::File(file) => (true, Some(file.metadata().len)),
        RequestBody::Stream { length, .. } => (false, *length),
    };
    let (pulls, pulled) = mpsc::channel(1);
    (ThreadHalf::Pulled { pulls, length, repeatable }, Some(Feed { body, pulls: pulled }))
}

impl Feed {
    /// Supplies pieces until no more are requested.
    pub(super) async fn run(mut self) {
        while let Some(Pull { offset, reply }) = self.pulls.recv().await {
            let piece = match &mut self.body {
                RequestBody::File(file) => read(&**file, offset).await,
                RequestBody::Stream { body, .. } => next(&mut **body).await,
                RequestBody::Empty | RequestBody::Bytes(_) => Ok(Vec::new()),
            };
            // The request may have ended.
            let _ = reply.send(piece);
        }
    }
}

async fn read(file: &dyn ReadAt, offset: u64) -> Result<Vec<u8>, HttpError> {
    let left = file.metadata().len.saturating_sub(offset).min(PIECE);
    let mut piece = vec![0; usize::try_from(left).unwrap_or_default()];
    let count = file.read_at(offset, &mut piece).await.map_err(|error| HttpError::Body(error.to_string()))?;
    piece.truncate(count);
    Ok(piece)
}

/// Returns the next piece that is not empty, or an empty one at the end.
async fn next(body: &mut dyn HttpBody) -> Result<Vec<u8>, HttpError> {
    while let Some(piece) = body.chunk().await.map_err(|error| HttpError::Body(error.to_string()))? {
        if !piece.is_empty() {
            return Ok(piece);
        }
    }
    Ok(Vec::new())
}

impl RequestSource for ThreadHalf {
    fn is_some(&self) -> bool {
        !matches!(self, Self::Nothing)
    }

    fn is_repeatable(&self) -> bool {
        match self {
            Self::Nothing | Self::Bytes(_) => true,
            Self::Pulled { repeatable, .. } => *repeatable,
        }
    }

    fn length(&self) -> Option<u64> {
        match self {
            Self::Nothing => Some(0),
            Self::Bytes(bytes) => Some(bytes.len() as u64),
            Self::Pulled { length, .. } => *length,
        }
    }

    fn open(&mut self) -> Box<dyn Read> {
        match self {
            Self::Nothing => Box::new(io::empty()),
            Self::Bytes(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            Self::Pulled { pulls, length, .. } => Box::new(Pulling {
                pulls: pulls.clone(),
                length: *length,
                given: 0,
                piece: Cursor::default(),
            }),
        }
    }
}

/// A reader that requests piece after piece.
struct Pulling {
    pulls: mpsc::Sender<Pull>,
    length: Option<u64>,
    /// The number of bytes received so far.
    given: u64,
    piece: Cursor<Vec<u8>>,
}

impl Read for Pulling {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.piece.read(buffer)?;
        if count > 0 || buffer.is_empty() {
            return Ok(count);
        }
        let (reply, piece) = oneshot::channel();
        let closed_error = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.pulls.blocking_send(Pull { offset: self.given, reply }).map_err(|_| closed_error())?;
        let piece = piece.blocking_recv().map_err(|_| closed_error())?.map_err(io::Error::other)?;
        self.given += piece.len() as u64;
        let body_error = |what: String| io::Error::other(HttpError::Body(what));
        match self.length {
            // The server would wait forever for the missing bytes.
            Some(length) if piece.is_empty() && self.given < length => {
                return Err(body_error(format!("it ends after {} of {length} bytes", self.given)));
            }
            Some(length) if self.given > length => {
                return Err(body_error(format!("it has more than {length} bytes")));
            }
            _ => {}
        }
        self.piece = Cursor::new(piece);
        self.piece.read(buffer)
    }
}
