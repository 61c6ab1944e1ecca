//! The last lines of a unit's journal.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Exit};

const LINES: &str = "10";

/// The time limit for writing pending messages to the journal.
const SYNC: Duration = Duration::from_secs(3);

/// The time limit for reading the journal.
const READ: Duration = Duration::from_secs(10);

/// The result of reading the journal of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Journal {
    /// The last lines of the unit and of systemd about it; empty if there is no readable journal.
    Lines(Vec<String>),
    /// The time limit has passed; the name of the unit allows the user to read the journal.
    Late(String),
}

impl Journal {
    /// The result without any lines.
    pub(super) const EMPTY: Self = Self::Lines(Vec::new());

    /// Reads the lines since a time, or the last lines of any time.
    pub(super) async fn read(cx: &Context, unit: &str, start: Option<SystemTime>) -> Self {
        let run = async |command: Command, limit: Duration| {
            let command = command_within(cx, command, limit);
            cx.system().processes().run(command).await.ok()
        };
        // Recent messages may still be pending, and this writes them to the journal. Only root may request
        // it.
        run(Command::new("journalctl").arg("--sync"), SYNC).await;
        let mut command =
            Command::new("journalctl").args(["--no-pager", "--quiet", "-o", "cat", "-n", LINES, "-u", unit]);
        if let Some(since) = start.and_then(|start| start.duration_since(UNIX_EPOCH).ok()) {
            command = command.arg(format!("--since=@{}", since.as_secs()));
        }
        match run(command, READ).await {
            Some(output) if output.exit == Exit::TimedOut => Self::Late(unit.to_owned()),
            Some(output) if output.exit.success() => Self::Lines(lines(&output.stdout)),
            _ => Self::EMPTY,
        }
    }
}

/// Returns the non-empty lines, without immediate repetitions.
fn lines(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.dedup();
    lines
}

fn command_within(cx: &Context, mut command: Command, limit: Duration) -> Command {
    command.timeout = Some(cx.remaining().map_or(limit, |remaining| limit.min(remaining / 2)));
    command
}

impl fmt::Display for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines(lines) if lines.is_empty() => Ok(()),
            Self::Lines(lines) => {
                f.write_str("\nits journal:")?;
                lines.iter().try_for_each(|line| write!(f, "\n  {line}"))
            }
            Self::Late(unit) => {
                write!(f, "\nthere was no time left to read its journal, which `journalctl -u {unit}` shows")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_shown_by_its_lines_or_by_how_to_read_it() {
        let check = |journal: Journal, expect: &str| assert_eq!(journal.to_string(), expect);
        check(Journal::EMPTY, "");
        check(Journal::Lines(lines(b"a\n\na \nb\n")), "\nits journal:\n  a\n  b");
        check(
            Journal::Late("a.service".to_owned()),
            "\nthere was no time left to read its journal, which `journalctl -u a.service` shows",
        );
    }
}
