//! The output of programs, line by line.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use super::Processes;
use super::SystemError;
use super::processes::{Command, KeepOutput, Output, OutputStream, OutputWatch};

/// A line that a program printed, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputLine {
    /// The stream of the line.
    pub stream: OutputStream,
    /// The bytes of the line, up to the limit.
    pub bytes: Vec<u8>,
    /// The number of bytes that are cut off at its end.
    pub left_out: u64,
}

impl OutputLine {
    /// Returns the line as text.
    ///
    /// Invalid UTF-8 is replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

/// A splitter that joins pieces of output into lines of limited length.
#[doc(hidden)]
pub struct LineSplitter {
    most: usize,
    open: [OpenLine; 2],
}

/// A line whose end has not been read yet.
#[derive(Default)]
struct OpenLine {
    kept: Vec<u8>,
    left_out: u64,
    /// Whether the last line ended with a carriage return.
    ///
    /// A line feed that follows belongs to that end.
    returned: bool,
}

impl OpenLine {
    fn add(&mut self, bytes: &[u8], maximum: usize) {
        let (prefix, rest) = bytes.split_at(bytes.len().min(maximum - self.kept.len()));
        self.kept.extend_from_slice(prefix);
        self.left_out += rest.len() as u64;
    }

    fn take(&mut self, stream: OutputStream) -> OutputLine {
        let left_out = std::mem::take(&mut self.left_out);
        OutputLine { stream, bytes: std::mem::take(&mut self.kept), left_out }
    }

    fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.left_out == 0
    }
}

impl LineSplitter {
    #[doc(hidden)]
    pub fn new(maximum: usize) -> Self {
        Self { most: maximum, open: Default::default() }
    }

    /// Adds a piece, and passes on the lines that end in it.
    #[doc(hidden)]
    pub fn add(&mut self, stream: OutputStream, mut piece: &[u8], mut emit: impl FnMut(OutputLine)) {
        let line = &mut self.open[stream as usize];
        while let Some((first, rest)) = piece.split_first() {
            if std::mem::take(&mut line.returned) && *first == b'\n' {
                piece = rest;
                continue;
            }
            let Some(end) = piece.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                line.add(piece, self.most);
                return;
            };
            line.add(&piece[..end], self.most);
            line.returned = piece[end] == b'\r';
            piece = &piece[end + 1..];
            // A progress bar that is redrawn begins with a carriage return, before which there is no line.
            if !line.returned || !line.is_empty() {
                emit(line.take(stream));
            }
        }
    }

    /// Passes on the last line, which may have no end.
    #[doc(hidden)]
    pub fn finish(&mut self, mut emit: impl FnMut(OutputLine)) {
        for stream in [OutputStream::Stdout, OutputStream::Stderr] {
            let line = &mut self.open[stream as usize];
            if !line.is_empty() {
                emit(line.take(stream));
            }
        }
    }
}

/// A stream of the lines that a program prints, for a task that reacts to each of them.
///
/// The program runs only while lines are awaited: one that prints faster than its lines are taken has to
/// wait. Dropping this kills the program and its process group.
///
/// ```
/// use converge_core::system::{Command, ModelSystem, Output, OutputLines, System};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let model = ModelSystem::new().with_query(["zfs", "list"], Output::success("tank\ntank/home\n"));
/// let mut lines = OutputLines::new(model.processes(), Command::new("zfs").arg("list"), 1024);
/// let mut pools = Vec::new();
/// while let Some(line) = lines.next().await {
///     pools.extend(Some(line.text().into_owned()).filter(|name| !name.contains('/')));
/// }
/// assert!(lines.output().await?.exit.success());
/// assert_eq!(pools, ["tank"]);
/// # Ok::<(), converge_core::system::SystemError>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct OutputLines<'a> {
    run: Pin<Box<dyn Future<Output = Result<Output, SystemError>> + Send + 'a>>,
    printed: Arc<Mutex<PendingOutput>>,
    ended: Option<Result<Output, SystemError>>,
}

/// The output that has not been taken yet.
struct PendingOutput {
    splitter: LineSplitter,
    lines: VecDeque<OutputLine>,
}

impl PendingOutput {
    fn add(&mut self, stream: OutputStream, piece: &[u8]) {
        let Self { splitter, lines } = self;
        splitter.add(stream, piece, |line| lines.push_back(line));
    }

    fn finish(&mut self) {
        let Self { splitter, lines } = self;
        splitter.finish(|line| lines.push_back(line));
    }
}

impl<'a> OutputLines<'a> {
    /// Runs a program whose lines are kept up to `longest` bytes each.
    ///
    /// A carriage return also ends a line. An existing [watcher](Command::watch) still receives the output.
    /// Of the whole output, the [ends](KeepOutput::Ends) are kept.
    pub fn new(processes: &'a dyn Processes, mut command: Command, longest: usize) -> Self {
        let splitter = LineSplitter::new(longest);
        let printed = Arc::new(Mutex::new(PendingOutput { splitter, lines: VecDeque::new() }));
        let (adds, watch) = (Arc::clone(&printed), command.watch.take());
        command.keep = KeepOutput::Ends;
        command.watch = Some(OutputWatch::new(move |stream, piece| {
            if let Some(watch) = &watch {
                watch.printed(stream, piece);
            }
            lock(&adds).add(stream, piece);
        }));
        Self { run: processes.run(command), printed, ended: None }
    }

    /// Returns the next line, or `None` if the program has ended or could not be started.
    pub async fn next(&mut self) -> Option<OutputLine> {
        poll_fn(|cx| {
            loop {
                if let Some(line) = lock(&self.printed).lines.pop_front() {
                    return Poll::Ready(Some(line));
                }
                if self.ended.is_some() {
                    return Poll::Ready(None);
                }
                match self.run.as_mut().poll(cx) {
                    Poll::Ready(ended) => {
                        self.ended = Some(ended);
                        lock(&self.printed).finish();
                    }
                    Poll::Pending if lock(&self.printed).lines.is_empty() => return Poll::Pending,
                    Poll::Pending => {}
                }
            }
        })
        .await
    }

    /// Waits for the end of the program, and returns its result with the ends of its output.
    ///
    /// Lines that were not taken are skipped.
    ///
    /// # Errors
    ///
    /// Like [`Processes::run`].
    pub async fn output(mut self) -> Result<Output, SystemError> {
        loop {
            if let Some(ended) = self.ended.take() {
                return ended;
            }
            let _ = self.next().await;
        }
    }
}

impl fmt::Debug for OutputLines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputLines").field("ended", &self.ended).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A watcher that passes lines to a function.
///
/// The last line, which may have no end, is passed on drop.
struct LinesWatch<F: Fn(OutputLine)> {
    splitter: Mutex<LineSplitter>,
    told: F,
}

impl<F: Fn(OutputLine)> Drop for LinesWatch<F> {
    fn drop(&mut self) {
        lock(&self.splitter).finish(&self.told);
    }
}

impl OutputWatch {
    /// Calls `told` with each line, up to `longest` bytes of it.
    ///
    /// A carriage return also ends a line. A last line without an end is passed on when the run has ended and
    /// all clones of the watcher are dropped. The function must not block.
    ///
    /// A task that reacts to lines asynchronously uses [`OutputLines`].
    pub fn lines(longest: usize, emit: impl Fn(OutputLine) + Send + Sync + 'static) -> Self {
        let watch = LinesWatch { splitter: Mutex::new(LineSplitter::new(longest)), told: emit };
        Self::new(move |stream, piece| lock(&watch.splitter).add(stream, piece, &watch.told))
    }
}
