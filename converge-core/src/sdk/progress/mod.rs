//! How far the work on a resource is, told while it goes on.

mod bytes;
mod lines;
mod target;
#[cfg(all(test, feature = "engine"))]
mod tests;

use std::sync::{Arc, PoisonError};

use self::lines::{EndOfOutput, KEPT, Lines};
use self::target::readable;
use crate::redact::Redactor;
use crate::system::{Command, Output, OutputStream, OutputWatch, System, SystemError};

pub use self::target::ProgressUpdate;
pub(crate) use self::target::{ProgressSink, ProgressTarget, UpdateKind};

/// What a resource tells of its progress: [`Context::progress`](crate::Context::progress) gives it.
///
/// It is for whoever watches a run: a program gets it as [events](crate::guide::system#progress), and the command shows it. Nothing depends
/// on it, so it may be told as often as there is something to tell: bytes are passed on a hundred times at most, or for each MiB where nobody knows
/// how many there are; what a listener does not take in time is left out and counted. Without a listener nothing is done.
///
/// Secrets that the [redactor](crate::Context::redactor) knows are taken out.
///
/// ```
/// use std::sync::Arc;
/// use converge_core::system::{Command, ModelSystem, Output};
/// use converge_core::testing::{self, ProgressRecorder};
/// use converge_core::{ProgressUpdate, system::OutputStream};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let model = Arc::new(ModelSystem::new().with_query(["make"], Output::success("cc a.c\ncc b.c\n")));
/// let told = ProgressRecorder::new();
/// let cx = told.record(testing::context(&model));
///
/// // In a task:
/// cx.progress().step("building");
/// cx.progress().run(Command::new("make")).await?;
/// cx.progress().bytes(10, Some(10));
///
/// let line = |line: &str| ProgressUpdate::Output { stream: OutputStream::Stdout, line: line.to_owned(), left_out: 0 };
/// assert_eq!(told.take(), [
///     ProgressUpdate::Step { text: "building".to_owned() },
///     line("cc a.c"),
///     line("cc b.c"),
///     ProgressUpdate::Bytes { done: 10, total: Some(10) },
/// ]);
/// # Ok::<(), converge_core::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    system: &'a dyn System,
    redactor: &'a Redactor,
    to: Option<&'a Arc<ProgressTarget>>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(
        system: &'a dyn System,
        redactor: &'a Redactor,
        to: Option<&'a Arc<ProgressTarget>>,
    ) -> Self {
        Self { system, redactor, to }
    }

    /// Whether anybody listens. What is only made to be told need not be made otherwise.
    pub fn is_heard(self) -> bool {
        self.to.is_some()
    }

    /// So many bytes are done, of so many in all where that is known. Fewer than before begin anew, as a second attempt does.
    pub fn bytes(self, done: u64, total: Option<u64>) {
        let Some(to) = self.to else { return };
        let is_news = to.bytes.lock().unwrap_or_else(PoisonError::into_inner).is_news(done, total);
        if is_news {
            to.sink.tell(UpdateKind::Other, &mut || ProgressUpdate::Bytes { done, total });
        }
    }

    /// A step begins: `unpacking the database`. One line, as people read it.
    pub fn step(self, text: impl AsRef<str>) {
        let Some(to) = self.to else { return };
        let text = text.as_ref();
        to.sink.tell(UpdateKind::Other, &mut || {
            let (text, _) = readable(self.redactor, text.as_bytes());
            ProgressUpdate::Step { text }
        });
    }

    /// A line of output, of a program that is not run by [`run`](Self::run), or of something else that prints lines.
    pub fn line(self, stream: OutputStream, line: impl AsRef<[u8]>) {
        let Some(to) = self.to else { return };
        let line = line.as_ref();
        let end = line.len().min(KEPT);
        let left_out = (line.len() - end) as u64;
        to.line(self.redactor, stream, line.get(..end).unwrap_or(line), left_out);
    }

    /// Runs a program as [`Processes::run`](crate::system::Processes::run) does, and tells the lines that it prints as they come.
    ///
    /// A line has at most 4 KiB; what is more is counted. A line also ends where a program goes back to its beginning, as one does
    /// that draws a bar. A command that somebody [watches](Command::watch) already is run as it is. What prints secrets that the
    /// redactor does not know must not be run by this.
    ///
    /// # Errors
    ///
    /// As [`Processes::run`](crate::system::Processes::run).
    pub async fn run(self, mut command: Command) -> Result<Output, SystemError> {
        let processes = self.system.processes();
        let Some(to) = self.to.filter(|_| command.watch.is_none()) else {
            return processes.run(command).await;
        };
        let lines = Arc::new(Lines::new(Arc::clone(to), self.redactor.clone()));
        // The last line may have no end: it is told when this is dropped, also when the run is cancelled.
        let _last = EndOfOutput(Arc::clone(&lines));
        command.watch = Some(OutputWatch::new(move |stream, piece| lines.add(stream, piece)));
        processes.run(command).await
    }
}
