//! Progress events of a resource while it is applied.

mod bytes;
mod lines;
mod target;
#[cfg(test)]
mod tests;

use std::sync::{Arc, PoisonError};

use self::lines::{EndOfOutput, KEPT, Lines};
use self::target::readable;
use crate::redact::Redactor;
use crate::system::{Command, Output, OutputStream, OutputWatch, System, SystemError};

pub use self::target::ProgressUpdate;
#[doc(hidden)]
pub use self::target::{ProgressSink, ProgressTarget, UpdateKind};

/// The reporter of a resource's progress, returned by [`Context::progress`](crate::Context::progress).
///
/// A program receives progress as events, and the command shows it. No
/// result depends on progress, so a resource may report as often as it likes. Byte counts are passed on about
/// a hundred times at most, or per MiB if the total is unknown. Events that a listener does not take in time
/// are dropped and counted. Without a listener, reporting does nothing.
///
/// Secrets that the [redactor](crate::Context::redactor) knows are removed.
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

    /// Whether anybody listens.
    ///
    /// Work that only serves progress can be skipped otherwise.
    pub fn is_heard(self) -> bool {
        self.to.is_some()
    }

    /// Reports the number of bytes done, and the total if it is known.
    ///
    /// A smaller number than before starts again, as a second attempt does.
    pub fn bytes(self, count: u64, total: Option<u64>) {
        let Some(to) = self.to else { return };
        let is_news = to.bytes.lock().unwrap_or_else(PoisonError::into_inner).is_news(count, total);
        if is_news {
            to.sink.tell(UpdateKind::Other, &mut || ProgressUpdate::Bytes { done: count, total });
        }
    }

    /// Reports the start of a step as one readable line: `unpacking the database`.
    pub fn step(self, text: impl AsRef<str>) {
        let Some(to) = self.to else { return };
        let text = text.as_ref();
        to.sink.tell(UpdateKind::Other, &mut || {
            let (text, _) = readable(self.redactor, text.as_bytes());
            ProgressUpdate::Step { text }
        });
    }

    /// Reports a line of output that does not come from a program started by [`run`](Self::run).
    pub fn line(self, stream: OutputStream, line: impl AsRef<[u8]>) {
        let Some(to) = self.to else { return };
        let line = line.as_ref();
        let end = line.len().min(KEPT);
        let left_out = (line.len() - end) as u64;
        to.line(self.redactor, stream, line.get(..end).unwrap_or(line), left_out);
    }

    /// Runs a program and reports its output line by line.
    ///
    /// The program runs as with [`Processes::run`](crate::system::Processes::run). A reported line has at
    /// most 4 KiB; bytes beyond that are counted. A carriage return also ends a line, as progress bars print
    /// it. A command that already has a [watcher](Command::watch) runs unchanged. Do not use this for
    /// programs that print secrets which the redactor does not know.
    ///
    /// # Errors
    ///
    /// Like [`Processes::run`](crate::system::Processes::run).
    pub async fn run(self, mut command: Command) -> Result<Output, SystemError> {
        let processes = self.system.processes();
        let Some(to) = self.to.filter(|_| command.watch.is_none()) else {
            return processes.run(command).await;
        };
        let lines = Arc::new(Lines::new(Arc::clone(to), self.redactor.clone()));
        // The last line may have no end. The guard reports it, also when the run is cancelled.
        let _last = EndOfOutput(Arc::clone(&lines));
        command.watch = Some(OutputWatch::new(move |stream, piece| lines.add(stream, piece)));
        processes.run(command).await
    }
}
