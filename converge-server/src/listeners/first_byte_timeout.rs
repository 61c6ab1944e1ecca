//! A timeout for the first bytes of a connection.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::metrics::Counter;

/// A stream whose reads fail if the first bytes do not arrive in time.
///
/// A client of HTTP/2 sends a preface first, for which the HTTP library would wait forever.
#[derive(Debug)]
pub(super) struct FirstByteTimeout<S> {
    stream: S,
    /// The number of bytes still expected.
    awaited: usize,
    timer: Pin<Box<Sleep>>,
    /// Counts the connections that timed out.
    given_up: Counter,
}

impl<S> FirstByteTimeout<S> {
    pub(super) fn new(stream: S, awaited: usize, patience: Duration, given_up: Counter) -> Self {
        Self { stream, awaited, timer: Box::pin(sleep(patience)), given_up }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FirstByteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.awaited = self.awaited.saturating_sub(buffer.filled().len() - before);
        if read.is_ready() || self.awaited == 0 {
            return read;
        }
        ready!(self.timer.as_mut().poll(cx));
        self.given_up.count();
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FirstByteTimeout<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::time::Instant;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn who_says_too_little_at_first_is_not_waited_for() {
        let (near, mut far) = duplex(64);
        let mut near = FirstByteTimeout::new(near, 4, PATIENCE, Counter::default());
        far.write_all(b"abc").await.unwrap();
        let (began, mut bytes) = (Instant::now(), [0; 4]);
        let error = near.read_exact(&mut bytes).await.unwrap_err();
        assert_eq!((error.kind(), began.elapsed().as_secs()), (io::ErrorKind::TimedOut, 30));
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_first_bytes_there_is_time() {
        let (near, mut far) = duplex(64);
        let mut near = FirstByteTimeout::new(near, 4, PATIENCE, Counter::default());
        far.write_all(b"abcd").await.unwrap();
        near.read_exact(&mut [0; 4]).await.unwrap();
        let writing = tokio::spawn(async move {
            sleep(PATIENCE * 2).await;
            far.write_all(b"e").await.unwrap();
            far
        });
        near.read_exact(&mut [0]).await.unwrap();
        writing.await.unwrap();
    }
}
