//! The line at the bottom of a terminal: how far the run is, and what takes long.

use std::time::{Duration, Instant};

use converge_core::engine::Event;
use converge_core::graph::NodeId;
use converge_core::view::render::sanitize_line;

use crate::words::elapsed;

/// Work that takes less is not named, so that the line does not flicker.
const LONG: Duration = Duration::from_millis(500);

/// The line ends here, as one that a narrow terminal wraps cannot be cleared.
const WIDTH: usize = 79;

/// Clears the line that the cursor is on.
const CLEAR: &str = "\r\x1b[2K";

/// What runs since when.
#[derive(Debug, Default)]
pub(super) struct Progress {
    total: usize,
    done: usize,
    running: Vec<(NodeId, Instant)>,
    /// The line that is there now.
    drawn: Option<String>,
}

impl Progress {
    pub(super) fn event(&mut self, event: &Event, now: Instant) {
        match event {
            Event::RunStarted { resources, .. } => self.total = *resources,
            Event::ResourceStarted { id } => self.running.push((id.clone(), now)),
            Event::ResourceFinished(report) => {
                self.done += 1;
                // There are never more in here than run at once.
                self.running.retain(|(id, _)| *id != report.id);
            }
            _ => {}
        }
    }

    /// The text that draws the line in the place of the last one; `None` when there is nothing to draw.
    pub(super) fn draw(&mut self, now: Instant) -> Option<String> {
        match self.line(now) {
            None => self.clear().map(str::to_owned),
            Some(line) if self.drawn.as_ref() == Some(&line) => None,
            Some(line) => {
                let text = format!("{CLEAR}{line}");
                self.drawn = Some(line);
                Some(text)
            }
        }
    }

    /// The text that clears the line; `None` when there is none.
    pub(super) fn clear(&mut self) -> Option<&'static str> {
        self.drawn.take().map(|_| CLEAR)
    }

    fn line(&self, now: Instant) -> Option<String> {
        let long = self.running.iter().filter_map(|(id, since)| {
            let time = now.saturating_duration_since(*since);
            let seconds = Duration::from_secs(time.as_secs());
            (time >= LONG).then(|| format!("{} {}", sanitize_line(id.short()), short(seconds)))
        });
        let long: Vec<String> = long.collect();
        if long.is_empty() {
            return None;
        }
        let line = format!("[{}/{}] {}", self.done, self.total, long.join(", "));
        if line.chars().nth(WIDTH).is_none() {
            return Some(line);
        }
        let kept: String = line.chars().take(WIDTH - 3).collect();
        Some(format!("{kept}..."))
    }
}

/// Whole seconds below a minute: the line is drawn again and again, and fractions would only flicker.
fn short(duration: Duration) -> String {
    if duration.as_secs() < 60 { format!("{}s", duration.as_secs()) } else { elapsed(duration) }
}

#[cfg(test)]
mod tests {
    use converge_core::engine::{Outcome, ResourceReport};
    use converge_core::{RunId, RunMode};

    use super::*;

    #[test]
    fn only_what_takes_long_is_named() {
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        let id = |name: &str| NodeId::root().child(name);
        let mut progress = Progress::default();
        let run = Event::RunStarted { run: RunId::new("r"), mode: RunMode::Apply, resources: 12 };
        progress.event(&run, start);
        progress.event(&Event::ResourceStarted { id: id("task.build") }, start);
        progress.event(&Event::ResourceStarted { id: id("wait.port.web") }, after(4_000));
        assert_eq!(progress.line(after(100)), None);
        assert_eq!(progress.clear(), None);
        assert_eq!(progress.line(after(4_100)).as_deref(), Some("[0/12] task.build 4s"));
        assert_eq!(
            progress.draw(after(65_000)).as_deref(),
            Some("\r\x1b[2K[0/12] task.build 1m05s, wait.port.web 1m01s")
        );
        assert_eq!(progress.draw(after(65_100)), None);
        assert_eq!((progress.clear(), progress.clear()), (Some(CLEAR), None));
        let done = ResourceReport::new(id("task.build"), Outcome::Changed);
        progress.event(&Event::ResourceFinished(done), after(66_000));
        assert_eq!(progress.line(after(66_000)).as_deref(), Some("[1/12] wait.port.web 1m02s"));
    }

    #[test]
    fn the_line_fits_a_terminal() {
        let start = Instant::now();
        let mut progress = Progress::default();
        for number in 0..20 {
            let id = NodeId::root().child(&format!("task.number-{number}-é"));
            progress.event(&Event::ResourceStarted { id }, start);
        }
        let line = progress.line(start + Duration::from_secs(9)).unwrap();
        assert_eq!(line.chars().count(), WIDTH);
        assert!(line.ends_with("..."), "{line}");
    }
}
