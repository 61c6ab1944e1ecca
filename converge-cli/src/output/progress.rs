//! The progress line at the bottom of a terminal, and progress notes in a log.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use converge_core::engine::{EventKind, HeldBy};
use converge_core::graph::NodeId;
use converge_core::view::render::sanitize_line;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::activity::{Activity, Waiting};
use crate::wording::elapsed;

/// The shortest work that is named, so that the line does not flicker.
const MIN_SHOWN_DURATION: Duration = Duration::from_millis(500);

/// The maximum width in columns of the activity of one resource, which leaves room for others.
const ACTIVITY_WIDTH: usize = 48;

/// The assumed width in columns of a terminal that does not report its width.
const USUAL_WIDTH: usize = 80;

/// The duration of work before its first note without a terminal.
///
/// A later note follows whenever the duration has doubled.
const FIRST_NOTE: Duration = Duration::from_secs(30);

/// The control sequence that clears the current line.
const CLEAR: &str = "\r\x1b[2K";

/// The form of the progress output.
#[derive(Debug)]
pub(super) enum ShownAs {
    /// A line that is redrawn at the bottom of a terminal; the function returns its width.
    Line(fn() -> usize),
    /// Lines that stay, for readers of a log.
    Notes,
}

/// The running resources and their start times.
#[derive(Debug)]
pub(super) struct Progress {
    shown: ShownAs,
    total: usize,
    done: usize,
    running: RunningList,
    /// The line that is drawn now.
    drawn: Option<String>,
}

/// The running resources in the order of their start.
///
/// They can be many: members of batches wait for each other.
#[derive(Debug, Default)]
struct RunningList {
    by_number: BTreeMap<usize, Running>,
    numbers: HashMap<NodeId, usize>,
    started: usize,
}

impl RunningList {
    fn get_mut(&mut self, id: &NodeId) -> Option<&mut Running> {
        self.by_number.get_mut(self.numbers.get(id)?)
    }

    fn add(&mut self, id: &NodeId, now: Instant) {
        self.remove(id);
        self.started += 1;
        self.numbers.insert(id.clone(), self.started);
        self.by_number.insert(self.started, Running::new(id, now));
    }

    fn remove(&mut self, id: &NodeId) {
        if let Some(number) = self.numbers.remove(id) {
            self.by_number.remove(&number);
        }
    }
}

#[derive(Debug)]
struct Running {
    id: NodeId,
    since: Instant,
    /// The duration at which the next note is due.
    noted_after: Duration,
    activity: Activity,
}

impl Running {
    fn new(id: &NodeId, now: Instant) -> Self {
        Self { id: id.clone(), since: now, noted_after: FIRST_NOTE, activity: Activity::default() }
    }

    /// Returns the name, and the activity if it is known.
    fn name_and_activity(&self) -> (String, String) {
        let doing = self.activity.describe().map(|doing| format!(" ({})", truncate(&doing, ACTIVITY_WIDTH)));
        (sanitize_line(self.id.short()).into_owned(), doing.unwrap_or_default())
    }

    /// Returns whether the resource only waits for another one of this run, which is named itself.
    fn waits_for_this_run(&self) -> bool {
        matches!(self.activity, Activity { waiting: Some(Waiting { held_by: HeldBy::ThisRun, .. }), .. })
    }
}

impl Progress {
    pub(super) fn new(style: ShownAs) -> Self {
        Self { shown: style, total: 0, done: 0, running: RunningList::default(), drawn: None }
    }

    pub(super) fn event(&mut self, event: &EventKind, now: Instant) {
        match event {
            EventKind::RunStarted { resources, .. } => self.total = *resources,
            EventKind::InstancesKnown { resources, .. } => self.total += *resources,
            EventKind::ResourceStarted { id } => {
                // The resource may have been listed as waiting for its group.
                self.running.add(id, now);
            }
            EventKind::ResourceWaiting { id, .. } => {
                if self.running.get_mut(id).is_none() {
                    self.running.add(id, now);
                }
                self.note_activity(id, event);
            }
            EventKind::ResourceStage { id, .. }
            | EventKind::ResourceBytes { id, .. }
            | EventKind::ResourceStep { id, .. }
            | EventKind::ResourceOutput { id, .. } => {
                self.note_activity(id, event);
            }
            EventKind::ResourceFinished(report) => {
                // Other roles are not counted in the total.
                self.done += usize::from(report.role.is_resource());
                self.running.remove(&report.id);
            }
            _ => {}
        }
    }

    fn note_activity(&mut self, id: &NodeId, event: &EventKind) {
        if let Some(running) = self.running.get_mut(id) {
            running.activity.event(event);
        }
    }

    /// Returns the text that redraws the line or notes long work, or `None` for nothing.
    pub(super) fn draw(&mut self, now: Instant) -> Option<String> {
        let width = match self.shown {
            ShownAs::Notes => return self.notes(now),
            ShownAs::Line(width) => width(),
        };
        match self.line(now, width) {
            None => self.clear(),
            Some(line) if self.drawn.as_ref() == Some(&line) => None,
            Some(line) => {
                let cleared = self.clear();
                let text = format!("{}{line}", cleared.as_deref().unwrap_or(CLEAR));
                self.drawn = Some(line);
                Some(text)
            }
        }
    }

    /// Returns the text that clears the line, or `None` if there is no line.
    pub(super) fn clear(&mut self) -> Option<String> {
        let line = self.drawn.take()?;
        let ShownAs::Line(width) = self.shown else { return None };
        let rows = line.width().div_ceil(columns(width()).max(1));
        // A terminal that became narrower has wrapped the line.
        Some(if rows > 1 { format!("\r\x1b[{}A\x1b[J", rows - 1) } else { CLEAR.to_owned() })
    }

    fn line(&self, now: Instant, width: usize) -> Option<String> {
        let long = |running: &Running| {
            let time = now.saturating_duration_since(running.since);
            let seconds = Duration::from_secs(time.as_secs());
            let (name, doing) = running.name_and_activity();
            (time >= MIN_SHOWN_DURATION).then(|| format!("{name} {}{doing}", short(seconds)))
        };
        let (waiting, working): (Vec<_>, Vec<_>) =
            self.running.by_number.values().partition(|running| running.waits_for_this_run());
        let long: Vec<String> = working.into_iter().chain(waiting).filter_map(long).collect();
        if long.is_empty() {
            return None;
        }
        // Some terminals wrap in the last column.
        let room = columns(width).saturating_sub(1);
        let line = truncate(&format!("[{}/{}] {}", self.done, self.total, long.join(", ")), room);
        (!line.is_empty()).then_some(line)
    }

    /// Returns a line for each resource that takes long and is due for a note.
    fn notes(&mut self, now: Instant) -> Option<String> {
        let (finished, total) = (self.done, self.total);
        let notes = self.running.by_number.values_mut().filter_map(|running| {
            let time = now.saturating_duration_since(running.since);
            if time < running.noted_after || running.waits_for_this_run() {
                return None;
            }
            running.noted_after = time.saturating_mul(2);
            let seconds = Duration::from_secs(time.as_secs());
            let (name, doing) = running.name_and_activity();
            Some(format!("[{finished}/{total}] waiting for {name} since {}{doing}\n", short(seconds)))
        });
        let notes: String = notes.collect();
        (!notes.is_empty()).then_some(notes)
    }
}

/// Returns the usable width of a terminal that reports this width.
fn columns(width: usize) -> usize {
    if width == 0 { USUAL_WIDTH } else { width }
}

/// Shortens a line to fit, with dots at the end if there is room for them.
fn truncate(line: &str, room: usize) -> String {
    const DOTS: &str = "...";
    if line.width() <= room {
        return line.to_owned();
    }
    let dots = if room > 2 * DOTS.len() { DOTS } else { "" };
    let mut left = room - dots.len();
    let mut prefix = String::new();
    for character in line.chars() {
        let Some(rest) = left.checked_sub(character.width().unwrap_or(0)) else { break };
        left = rest;
        prefix.push(character);
    }
    prefix + dots
}

fn short(duration: Duration) -> String {
    if duration.as_secs() < 60 { format!("{}s", duration.as_secs()) } else { elapsed(duration) }
}

#[cfg(test)]
mod tests {
    use converge_core::RunMode;
    use converge_core::engine::{LockKind, Outcome, ResourceReport, Stage};
    use converge_core::system::OutputStream;

    use super::*;

    #[test]
    fn only_what_takes_long_is_named() {
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        let id = |name: &str| NodeId::root().child(name);
        let mut progress = Progress::new(ShownAs::Line(|| 80));
        let run = EventKind::RunStarted { mode: RunMode::Apply, resources: 12 };
        progress.event(&run, start);
        progress.event(&EventKind::ResourceStarted { id: id("task.build") }, start);
        progress.event(&EventKind::ResourceStarted { id: id("wait.port.web") }, after(4_000));
        assert_eq!(progress.line(after(100), 80), None);
        assert_eq!(progress.clear(), None);
        assert_eq!(progress.line(after(4_100), 80).as_deref(), Some("[0/12] task.build 4s"));
        assert_eq!(
            progress.draw(after(65_000)).as_deref(),
            Some("\r\x1b[2K[0/12] task.build 1m05s, wait.port.web 1m01s")
        );
        assert_eq!(progress.draw(after(65_100)), None);
        assert_eq!((progress.clear().as_deref(), progress.clear()), (Some(CLEAR), None));
        let report = ResourceReport::new(id("task.build"), Outcome::Changed);
        progress.event(&EventKind::ResourceFinished(Box::new(report)), after(66_000));
        assert_eq!(progress.line(after(66_000), 80).as_deref(), Some("[1/12] wait.port.web 1m02s"));
        // A failed parameter was not counted in the total.
        let mut failed_report = ResourceReport::new(id("param.port"), Outcome::Failed);
        failed_report.role = converge_core::graph::Role::Param;
        progress.event(&EventKind::ResourceFinished(Box::new(failed_report)), after(66_000));
        assert_eq!(progress.line(after(66_000), 80).as_deref(), Some("[1/12] wait.port.web 1m02s"));
    }

    /// Tests that the line fits in one row at every width, also after a resize.
    #[test]
    fn the_line_fits_a_terminal() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static WIDTH: AtomicUsize = AtomicUsize::new(80);
        let start = Instant::now();
        let mut progress = Progress::new(ShownAs::Line(|| WIDTH.load(Ordering::Relaxed)));
        for number in 0..20 {
            let id = NodeId::root().child(&format!("task.number-{number}-é-日本"));
            progress.event(&EventKind::ResourceStarted { id }, start);
        }
        let now = start + Duration::from_secs(9);
        for width in (1..200).chain([usize::MAX]) {
            let line = progress.line(now, width).unwrap_or_default();
            assert!(line.width() < width, "{width}: {line}");
            assert!(width < 2 || !line.is_empty(), "{width}");
        }
        assert_eq!(progress.line(now, 0), progress.line(now, 80));
        assert_eq!(progress.line(now, 3).as_deref(), Some("[0"));
        assert!(progress.line(now, 40).unwrap().ends_with("..."));
        assert!(progress.draw(now).unwrap().starts_with(CLEAR));
        WIDTH.store(30, Ordering::Relaxed);
        // The line is wrapped into three rows.
        assert!(progress.draw(now).unwrap().starts_with("\r\x1b[2A\x1b[J[0/0]"));
        assert_eq!(progress.clear().as_deref(), Some(CLEAR));
    }

    #[test]
    fn what_takes_long_is_told_with_what_it_does() {
        let start = Instant::now();
        let id = |name: &str| NodeId::root().child(name);
        for (style, expect) in [
            (
                ShownAs::Line(|| 120),
                "\r\x1b[2K[0/0] task.build 31s (applying: cc main.c), task.b 31s (waiting for group deploy)",
            ),
            (ShownAs::Notes, "[0/0] waiting for task.build since 31s (applying: cc main.c)\n"),
        ] {
            let mut progress = Progress::new(style);
            let waiting = EventKind::ResourceWaiting {
                id: id("task.b"),
                lock: LockKind::Group,
                name: Some("deploy".to_owned()),
                held_by: HeldBy::ThisRun,
            };
            let line = EventKind::ResourceOutput {
                id: id("task.build"),
                stream: OutputStream::Stdout,
                line: "cc main.c".to_owned(),
                left_out: 0,
            };
            progress.event(&waiting, start);
            progress.event(&EventKind::ResourceStarted { id: id("task.build") }, start);
            progress.event(&EventKind::ResourceStage { id: id("task.build"), stage: Stage::Apply }, start);
            progress.event(&line, start);
            assert_eq!(progress.draw(start + Duration::from_secs(31)).as_deref(), Some(expect));
            // The resource got its lock.
            progress.event(&EventKind::ResourceStarted { id: id("task.b") }, start + Duration::from_secs(31));
            progress.event(
                &EventKind::ResourceFinished(Box::new(ResourceReport::new(
                    id("task.build"),
                    Outcome::Changed,
                ))),
                start,
            );
            let now = start + Duration::from_secs(63);
            let text = progress.draw(now).unwrap();
            assert!(
                text.contains("task.b") && text.contains("32s") && !text.contains("waiting for group"),
                "{text}"
            );
        }
        // A resource that has ended is not listed.
        let mut progress = Progress::new(ShownAs::Notes);
        progress.event(&EventKind::ResourceStage { id: id("task.b"), stage: Stage::Check }, start);
        assert_eq!(progress.draw(start + Duration::from_mins(9)), None);
    }

    #[test]
    fn without_a_terminal_what_takes_long_is_noted() {
        let start = Instant::now();
        let mut progress = Progress::new(ShownAs::Notes);
        progress.event(&EventKind::ResourceStarted { id: NodeId::root().child("wait.port.web") }, start);
        let mut draw_at = |seconds| progress.draw(start + Duration::from_secs(seconds));
        assert_eq!(draw_at(29), None);
        assert_eq!(draw_at(30).as_deref(), Some("[0/0] waiting for wait.port.web since 30s\n"));
        assert_eq!(draw_at(59), None);
        assert_eq!(draw_at(70).as_deref(), Some("[0/0] waiting for wait.port.web since 1m10s\n"));
        assert_eq!(draw_at(139), None);
        assert_eq!(progress.clear(), None);
    }
}
