//! A timeout for writes to a client that does not read.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::metrics::Counter;

/// A stream whose writes fail after they have waited too long.
///
/// Otherwise a client that does not read would keep its connection, and the answer in memory, forever.
#[derive(Debug)]
pub(super) struct WriteTimeout<S> {
    stream: S,
    patience: Duration,
    /// Counts the connections that timed out.
    given_up: Counter,
    /// The timer, which runs while a write waits.
    timer: Pin<Box<Sleep>>,
    waits: bool,
}

impl<S> WriteTimeout<S> {
    pub(super) fn new(stream: S, patience: Duration, given_up: Counter) -> Self {
        Self { stream, patience, given_up, timer: Box::pin(sleep(patience)), waits: false }
    }

    /// Returns the result of a write, or an error after it has waited too long.
    fn patient<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waits = false;
            return written;
        }
        if !self.waits {
            self.waits = true;
            self.timer.as_mut().reset(Instant::now() + self.patience);
        }
        ready!(self.timer.as_mut().poll(cx));
        self.waits = false;
        self.given_up.count();
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.patient(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.patient(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.patient(cx, shut)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_stops_to_read_ends_it() {
        let (near, far) = duplex(16);
        let mut near = WriteTimeout::new(near, PATIENCE, Counter::default());
        let began = Instant::now();
        let error = near.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!((error.kind(), began.elapsed().as_secs()), (io::ErrorKind::TimedOut, 30));
        drop(far);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_waited_for() {
        let (near, mut far) = duplex(16);
        let mut near = WriteTimeout::new(near, PATIENCE, Counter::default());
        let reading = tokio::spawn(async move {
            let mut bytes = [0; 16];
            for _ in 0..4 {
                sleep(PATIENCE / 2).await;
                far.read_exact(&mut bytes).await.unwrap();
            }
        });
        near.write_all(&[0; 64]).await.unwrap();
        reading.await.unwrap();
    }
}
