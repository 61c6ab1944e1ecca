//! Reads the last lines of a unit's journal.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use converge_core::prelude::*;
use converge_core::system::Command;

const LINES: &str = "10";

/// How long it may take to write out what is on its way to the journal.
const SYNC: Duration = Duration::from_secs(3);

/// How long it may take to read it.
const READ: Duration = Duration::from_secs(10);

/// The last lines that a unit and systemd wrote about it; none when there is no journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Journal(Vec<String>);

impl Journal {
    /// Reads what was written since then, or the last lines whenever they were written.
    pub(super) async fn of(cx: &Context, unit: &str, since: Option<SystemTime>) -> Self {
        let run = async |command: Command, limit: Duration| {
            let command = command_within(cx, command, limit);
            cx.system().processes().run(command).await.ok().filter(|output| output.exit.success())
        };
        // The journal is behind, and this brings it up to date. Only root may ask for that.
        run(Command::new("journalctl").arg("--sync"), SYNC).await;
        let mut command =
            Command::new("journalctl").args(["--no-pager", "--quiet", "-o", "cat", "-n", LINES, "-u", unit]);
        if let Some(since) = since.and_then(|since| since.duration_since(UNIX_EPOCH).ok()) {
            command = command.arg(format!("--since=@{}", since.as_secs()));
        }
        let Some(output) = run(command, READ).await else { return Self::default() };
        let text = String::from_utf8_lossy(&output.stdout);
        let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        let mut lines: Vec<String> = lines.map(str::to_owned).collect();
        lines.dedup();
        Self(lines)
    }
}

fn command_within(cx: &Context, mut command: Command, limit: Duration) -> Command {
    command.timeout = Some(cx.remaining().map_or(limit, |remaining| limit.min(remaining / 2)));
    command
}

impl fmt::Display for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        f.write_str("\nits journal:")?;
        self.0.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}
