//! The thread that writes events while they happen.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use converge_core::RunMode;
use converge_core::diagnostic::SourceMap;
use converge_core::engine::{Event, EventKind, EventSink};
use converge_core::view::json;

use super::human::{HumanView, attempt_failed, forgotten, held, interrupted};
use super::json::json_line;
use super::progress::{Progress, ShownAs};
use super::steps::step_line;
use crate::args::Format;
use crate::console::{Console, Paint, Stdout, safe};
use crate::error::CliError;
use crate::interrupt::Stop;
use crate::platform::terminal_width;

/// The maximum number of events in a batch. Waking the thread costs more than writing a line.
const BATCH: usize = 256;

/// The maximum number of batches that wait to be written.
///
/// A run that is faster than its reader waits, so that events do not pile up in memory.
const WAITING: usize = 16;

/// The interval at which the progress line is redrawn.
const TICK: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(crate) enum View {
    /// The view for people.
    Human(HumanView),
    /// A line of JSON for each event, for programs. The spans of failures point into the sources.
    Json(Arc<SourceMap>),
    /// Only the progress line, if this format has one: the run is shown at its end.
    Progress(Format),
}

impl View {
    fn event(&mut self, event: &Event) -> Result<String, CliError> {
        match self {
            Self::Human(view) => Ok(view.event(&event.kind)),
            Self::Json(sources) => Ok(json_line(&json::event(event, sources)?)?),
            Self::Progress(_) => Ok(String::new()),
        }
    }
}

/// Takes the events of a run, and writes them on its own thread.
///
/// A slow terminal therefore delays no resource, and the elapsed time is redrawn while no event happens.
#[derive(Debug)]
pub(crate) struct Printer {
    /// The events that were not handed over yet.
    batch: Vec<Event>,
    batches: SyncSender<Vec<Event>>,
    thread: JoinHandle<Result<(), CliError>>,
}

impl Printer {
    /// Starts the thread. If the output is closed or fails, the run is asked to finish.
    pub(crate) fn start(view: View, console: Console, stop: Stop) -> Result<Self, CliError> {
        let (batches, received) = sync_channel(WAITING);
        let for_people = matches!(view, View::Human(_) | View::Progress(Format::Human));
        let style = if console.progress { ShownAs::Line(terminal_width) } else { ShownAs::Notes };
        let write = move || {
            let stdout = Stdout::new(io::stdout().lock());
            let progress = for_people.then(|| Progress::new(style));
            let (stderr, paint) = (io::stderr(), console.stderr);
            let writer = Writer {
                view,
                stdout,
                stderr,
                progress,
                flushes: console.progress,
                tells_progress: for_people && (console.progress || console.verbose),
                tells_steps: for_people && console.verbose,
                paint,
                mode: RunMode::Plan,
                stop: stop.clone(),
            };
            writer.run(&received).inspect_err(|_| stop.finish.cancel())
        };
        let thread = thread::Builder::new().name("printer".into()).spawn(write).map_err(CliError::Start)?;
        Ok(Self { batch: Vec::new(), batches, thread })
    }

    pub(crate) fn finish(mut self) -> Result<(), CliError> {
        self.flush();
        drop(self.batches);
        self.thread.join().unwrap_or(Err(CliError::PrinterGone))
    }
}

impl EventSink for Printer {
    fn emit(&mut self, event: Event) {
        self.batch.push(event);
        if self.batch.len() >= BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.batch.is_empty() {
            // The thread ends early only with an error, which `finish` returns. The next batch is about as
            // long as this one; the maximum capacity would waste memory in all waiting batches.
            let next = Vec::with_capacity(self.batch.len());
            let batch = std::mem::replace(&mut self.batch, next);
            drop(self.batches.send(batch));
        }
    }
}

struct Writer<O: Write, E: Write> {
    view: View,
    stdout: Stdout<O>,
    stderr: E,
    /// The progress on standard error.
    progress: Option<Progress>,
    /// Whether each line is written at once, because it stands above the progress line.
    flushes: bool,
    /// Whether failed attempts are shown as they happen.
    tells_progress: bool,
    /// Whether the steps of resources and the output of their programs are shown as they come.
    tells_steps: bool,
    paint: Paint,
    mode: RunMode,
    stop: Stop,
}

impl<O: Write, E: Write> Writer<O, E> {
    fn run(mut self, batches: &Receiver<Vec<Event>>) -> Result<(), CliError> {
        loop {
            let batch = match batches.try_recv() {
                Ok(batch) => batch,
                Err(TryRecvError::Disconnected) => break,
                Err(TryRecvError::Empty) => {
                    // No batch is waiting, so readers should see all output so far.
                    self.stdout.flush()?;
                    self.notice_closed();
                    self.draw();
                    match self.wait(batches) {
                        Ok(batch) => batch,
                        Err(()) => break,
                    }
                }
            };
            // One time for the whole batch: reading the clock costs as much as the other work on most events.
            let now = Instant::now();
            for event in &batch {
                self.event(event, now)?;
            }
        }
        self.clear();
        self.stdout.flush()
    }

    /// Waits for the next events; returns none when it is time to redraw, and an error at the end.
    fn wait(&self, batches: &Receiver<Vec<Event>>) -> Result<Vec<Event>, ()> {
        if self.progress.is_none() {
            return batches.recv().map_err(drop);
        }
        match batches.recv_timeout(TICK) {
            Err(RecvTimeoutError::Timeout) => Ok(Vec::new()),
            received => received.map_err(drop),
        }
    }

    fn event(&mut self, event: &Event, now: Instant) -> Result<(), CliError> {
        if let Some(progress) = &mut self.progress {
            progress.event(&event.kind, now);
        }
        if let EventKind::RunStarted { mode, .. } = &event.kind {
            self.mode = *mode;
        }
        let text = self.view.event(event)?;
        if !text.is_empty() {
            self.clear();
            self.stdout.write(&text)?;
            if self.flushes {
                self.stdout.flush()?;
            }
        }
        self.notice_closed();
        let message = match &event.kind {
            EventKind::Interrupted { interrupt, running } => interrupted(*interrupt, running, self.paint),
            EventKind::Waiting { holder } => held("waiting", holder, self.paint),
            EventKind::ApplyUnderWay { holder } => {
                held("an apply is running, so this may change", holder, self.paint)
            }
            EventKind::RefreshForgotten { node, module, since, causes } => {
                forgotten(node, module, since, causes, self.paint)
            }
            EventKind::AttemptFailed { id, attempt, attempts, wait, reason } if self.tells_progress => {
                let attempt_text = format!("attempt {attempt} of {attempts}");
                attempt_failed(id, &attempt_text, *wait, reason, self.paint)
            }
            // A reader that closed the output may still see the counts on standard error.
            EventKind::RunFinished { .. } if self.stdout.is_closed() && self.mode == RunMode::Apply => text,
            step if self.tells_steps => match step_line(step, self.paint) {
                Some(line) => line,
                None => return Ok(()),
            },
            _ => return Ok(()),
        };
        self.clear();
        self.write_error(&safe(&message));
        Ok(())
    }

    /// Ends a run whose output is closed, so that no machine is changed unseen.
    fn notice_closed(&mut self) {
        if self.stdout.is_closed() {
            self.stop.finish.cancel();
        }
    }

    fn draw(&mut self) {
        if let Some(progress) = &mut self.progress
            && let Some(text) = progress.draw(Instant::now())
        {
            self.write_error(&text);
        }
    }

    fn clear(&mut self) {
        if let Some(text) = self.progress.as_mut().and_then(Progress::clear) {
            self.write_error(&text);
        }
    }

    /// Writes to standard error, ignoring failures because no other place for a message is left.
    fn write_error(&mut self, text: &str) {
        let result = self.stderr.write_all(text.as_bytes()).and_then(|()| self.stderr.flush());
        if result.is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            self.stop.finish.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use converge_core::RunId;
    use converge_core::engine::{HeldBy, InterruptKind, LockKind, Outcome, ResourceReport, Stage};
    use converge_core::graph::NodeId;
    use converge_core::system::OutputStream;

    use super::*;

    /// Returns the content of both streams for events that arrive at once.
    fn written(view: View, events: Vec<Event>) -> (String, String) {
        let (sender, received) = sync_channel(1);
        sender.send(events).unwrap();
        drop(sender);
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let writer = Writer {
            view,
            stdout: Stdout::new(&mut stdout),
            stderr: &mut stderr,
            progress: Some(Progress::new(ShownAs::Line(|| 80))),
            flushes: true,
            tells_progress: true,
            tells_steps: true,
            paint: Paint { color: false },
            mode: RunMode::Plan,
            stop: Stop::default(),
        };
        writer.run(&received).unwrap();
        (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
    }

    fn events() -> Vec<Event> {
        let id = NodeId::root().child("task.a");
        let kinds = [
            EventKind::ResourceStarted { id: id.clone() },
            EventKind::Interrupted { interrupt: InterruptKind::Cancel, running: vec![id.clone()] },
            EventKind::ResourceFinished(Box::new(ResourceReport::new(id, Outcome::Changed))),
        ];
        let time = "2026-01-02T03:04:05Z".parse().unwrap();
        kinds.map(|kind| Event::new(kind, RunId::new("r"), time)).into()
    }

    #[test]
    fn people_read_interrupts_on_standard_error() {
        let view = View::Human(HumanView::new(Paint { color: false }, Arc::new(SourceMap::new())));
        let expect = ("+ task.a  changed\n", "interrupted: cancelling 1 resource (task.a)\n");
        let (stdout, stderr) = written(view, events());
        assert_eq!((stdout.as_str(), stderr.as_str()), expect);
    }

    #[test]
    fn with_v_people_read_what_programs_print() {
        let id = || NodeId::root().child("task.a");
        let line = |stream, line: &str, left_out| EventKind::ResourceOutput {
            id: id(),
            stream,
            line: line.to_owned(),
            left_out,
        };
        let kinds = [
            EventKind::ResourceStarted { id: id() },
            EventKind::ResourceStage { id: id(), stage: Stage::Apply },
            EventKind::ResourceStep { id: id(), text: "building".to_owned() },
            line(OutputStream::Stdout, "cc\ta.c \u{1b}[2J", 0),
            line(OutputStream::Stderr, "xxx", 9),
            EventKind::ResourceBytes { id: id(), done: 1, total: None },
            EventKind::ProgressLeftOut { events: 7 },
            EventKind::ResourceWaiting {
                id: NodeId::root().child("task.b"),
                lock: LockKind::Group,
                name: Some("g".to_owned()),
                held_by: HeldBy::AnotherRun,
            },
        ];
        let time = "2026-01-02T03:04:05Z".parse().unwrap();
        let events = kinds.map(|kind| Event::new(kind, RunId::new("r"), time));
        let view = View::Human(HumanView::new(Paint { color: false }, Arc::new(SourceMap::new())));
        let expect = "\
            task.a: building\n\
            task.a | cc\ta.c \\u{1b}[2J\n\
            task.a | xxx [.. 9 bytes are left out here ..]\n\
            7 lines or other steps are left out here\n\
            task.b: waiting for group g, which another run has\n";
        let (stdout, stderr) = written(view, events.into());
        assert_eq!((stdout.as_str(), stderr.as_str()), ("", expect));
    }

    #[test]
    fn programs_read_every_event_on_standard_output() {
        let (stdout, stderr) = written(View::Json(Arc::new(SourceMap::new())), events());
        let expect = "\
            {\"event\":\"resource-started\",\"id\":\"root/task.a\",\"run\":\"r\",\"time\":\"2026-01-02T03:04:05Z\"}\n\
            {\"event\":\"interrupted\",\"interrupt\":\"cancel\",\"running\":[\"root/task.a\"],\
             \"run\":\"r\",\"time\":\"2026-01-02T03:04:05Z\"}\n\
            {\"event\":\"resource-finished\",\"id\":\"root/task.a\",\"outcome\":\"changed\",\
             \"level\":\"no-change\",\"elapsed_seconds\":0.0,\
             \"run\":\"r\",\"time\":\"2026-01-02T03:04:05Z\"}\n";
        assert_eq!(stdout, expect);
        assert_eq!(stderr, "interrupted: cancelling 1 resource (task.a)\n");
    }
}
