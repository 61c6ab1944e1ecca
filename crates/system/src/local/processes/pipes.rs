//! Input and output of a running program, transferred concurrently so that neither blocks the other.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::process::{Child, ChildStdin};

use crate::captured_output::{CaptureLimit, CapturedStream, Recorder};
use crate::{OutputStream, OutputWatch};

/// The chunk size in bytes: the capacity of a pipe on Linux.
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
    pub(super) fn new(
        child: &mut Child,
        stdin: Vec<u8>,
        limits: CaptureLimit,
        watch: Option<OutputWatch>,
    ) -> Self {
        Self {
            stdin: child.stdin.take().map(|pipe| InputPipe { pipe, bytes: stdin, written: 0 }),
            stdout: OutputPipe::new(OutputStream::Stdout, child.stdout.take(), limits),
            stderr: OutputPipe::new(OutputStream::Stderr, child.stderr.take(), limits),
            chunk: vec![0; CHUNK].into_boxed_slice(),
            watch,
        }
    }

    /// Transfers data as far as possible.
    ///
    /// Ready once all output has been read.
    ///
    /// Input that was not read by then is discarded.
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

    /// Returns the output read so far.
    pub(super) fn into_output(self) -> [CapturedStream; 2] {
        [self.stdout.printed.finish(), self.stderr.printed.finish()]
    }
}

impl InputPipe {
    /// Writes input.
    ///
    /// An error only ends writing, as a program may end or close its input early.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.bytes.len() {
            let count = ready!(Pin::new(&mut self.pipe).poll_write(cx, &self.bytes[self.written..]))?;
            self.written += count;
        }
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncRead + Unpin> OutputPipe<R> {
    fn new(stream: OutputStream, pipe: Option<R>, limits: CaptureLimit) -> Self {
        Self { stream, pipe, printed: Recorder::new(limits) }
    }

    /// Reads all available output.
    ///
    /// With a watcher it reads one chunk, so that the other stream and the watcher get their turn.
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
