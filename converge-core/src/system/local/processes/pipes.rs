//! Input and output of a running program, moved at the same time so that neither side ever waits for the
//! other.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::process::{Child, ChildStdin};

use super::printed::{Most, Printed, Recorder};

/// As much as a pipe holds on Linux.
const CHUNK: usize = 64 * 1024;

pub(super) struct Pipes {
    stdin: Option<InputPipe>,
    stdout: OutputPipe<tokio::process::ChildStdout>,
    stderr: OutputPipe<tokio::process::ChildStderr>,
    chunk: Box<[u8]>,
}

struct InputPipe {
    pipe: ChildStdin,
    bytes: Vec<u8>,
    written: usize,
}

struct OutputPipe<R> {
    pipe: Option<R>,
    printed: Recorder,
}

impl Pipes {
    pub(super) fn of(child: &mut Child, stdin: Vec<u8>, most: Most) -> Self {
        Self {
            stdin: child.stdin.take().map(|pipe| InputPipe { pipe, bytes: stdin, written: 0 }),
            stdout: OutputPipe { pipe: child.stdout.take(), printed: Recorder::new(most) },
            stderr: OutputPipe { pipe: child.stderr.take(), printed: Recorder::new(most) },
            chunk: vec![0; CHUNK].into_boxed_slice(),
        }
    }

    /// Moves what can be moved. Ready when all output has been read to its end; input that nobody took
    /// by then is not needed.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(input) = &mut self.stdin
            && input.poll(cx).is_ready()
        {
            self.stdin = None;
        }
        let stdout = self.stdout.poll(cx, &mut self.chunk);
        let stderr = self.stderr.poll(cx, &mut self.chunk);
        if stdout.is_ready() && stderr.is_ready() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// What has been read so far.
    pub(super) fn into_output(self) -> (Printed, Printed) {
        (self.stdout.printed.finish(), self.stderr.printed.finish())
    }
}

impl InputPipe {
    /// A program may end, or close its input, without reading all of it: an error only ends the writing.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.bytes.len() {
            let count = ready!(Pin::new(&mut self.pipe).poll_write(cx, &self.bytes[self.written..]))?;
            self.written += count;
        }
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncRead + Unpin> OutputPipe<R> {
    fn poll(&mut self, cx: &mut Context<'_>, chunk: &mut [u8]) -> Poll<()> {
        while let Some(pipe) = &mut self.pipe {
            let mut read = ReadBuf::new(chunk);
            let result = ready!(Pin::new(pipe).poll_read(cx, &mut read));
            if result.is_err() || read.filled().is_empty() {
                self.pipe = None;
            }
            self.printed.add(read.filled());
        }
        Poll::Ready(())
    }
}
