//! Input and output of a running program, moved at the same time so that neither side ever waits for the
//! other.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::process::{Child, ChildStdin};

use crate::captured_output::{Most, Printed, Recorder};
use crate::{OutputStream, OutputWatch};

/// As much as a pipe holds on Linux.
const CHUNK: usize = 64 * 1024;

pub(super) struct Pipes {
    stdin: Option<InputPipe>,
    stdout: OutputPipe<tokio::process::ChildStdout>,
    stderr: OutputPipe<tokio::process::ChildStderr>,
    chunk: Box<[u8]>,
    watch: Option<OutputWatch>,
}

struct InputPipe {
    pipe: ChildStdin,
    bytes: Vec<u8>,
    written: usize,
}

struct OutputPipe<R> {
    stream: OutputStream,
    pipe: Option<R>,
    printed: Recorder,
}

impl Pipes {
    pub(super) fn of(child: &mut Child, stdin: Vec<u8>, most: Most, watch: Option<OutputWatch>) -> Self {
        Self {
            stdin: child.stdin.take().map(|pipe| InputPipe { pipe, bytes: stdin, written: 0 }),
            stdout: OutputPipe::new(OutputStream::Stdout, child.stdout.take(), most),
            stderr: OutputPipe::new(OutputStream::Stderr, child.stderr.take(), most),
            chunk: vec![0; CHUNK].into_boxed_slice(),
            watch,
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
        let watch = self.watch.as_ref();
        let stdout = self.stdout.poll(cx, &mut self.chunk, watch);
        let stderr = self.stderr.poll(cx, &mut self.chunk, watch);
        if stdout.is_ready() && stderr.is_ready() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// What has been read so far.
    pub(super) fn into_output(self) -> [Printed; 2] {
        [self.stdout.printed.finish(), self.stderr.printed.finish()]
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
    fn new(stream: OutputStream, pipe: Option<R>, most: Most) -> Self {
        Self { stream, pipe, printed: Recorder::new(most) }
    }

    /// Reads all that there is; one piece when somebody watches, so that the other stream, and whoever is told of this one, have
    /// a turn before the next.
    fn poll(&mut self, cx: &mut Context<'_>, chunk: &mut [u8], watch: Option<&OutputWatch>) -> Poll<()> {
        while let Some(pipe) = &mut self.pipe {
            let mut read = ReadBuf::new(chunk);
            let result = ready!(Pin::new(pipe).poll_read(cx, &mut read));
            if result.is_err() || read.filled().is_empty() {
                self.pipe = None;
            }
            self.printed.add(read.filled());
            if let Some(watch) = watch.filter(|_| !read.filled().is_empty()) {
                watch.printed(self.stream, read.filled());
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        Poll::Ready(())
    }
}
