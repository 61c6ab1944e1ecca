//! Reads the last lines of a unit's journal.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use converge_core::prelude::*;
use converge_core::system::{Command, Exit};

const LINES: &str = "10";

/// How long it may take to write out what is on its way to the journal.
const SYNC: Duration = Duration::from_secs(3);

/// How long it may take to read it.
const READ: Duration = Duration::from_secs(10);

/// What the journal has of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Journal {
    /// The last lines that the unit and systemd wrote about it; none when there is no journal, or it may not be read.
    Lines(Vec<String>),
    /// There was no time to read it: the unit's name, to read it by.
    Late(String),
}

impl Journal {
    /// Nothing to say.
    pub(super) const EMPTY: Self = Self::Lines(Vec::new());

    /// Reads what was written since then, or the last lines whenever they were written.
    pub(super) async fn of(cx: &Context, unit: &str, since: Option<SystemTime>) -> Self {
        let run = async |command: Command, limit: Duration| {
            let command = command_within(cx, command, limit);
            cx.system().processes().run(command).await.ok()
        };
        // The journal is behind, and this brings it up to date. Only root may ask for that.
        run(Command::new("journalctl").arg("--sync"), SYNC).await;
        let mut command =
            Command::new("journalctl").args(["--no-pager", "--quiet", "-o", "cat", "-n", LINES, "-u", unit]);
        if let Some(since) = since.and_then(|since| since.duration_since(UNIX_EPOCH).ok()) {
            command = command.arg(format!("--since=@{}", since.as_secs()));
        }
        match run(command, READ).await {
            Some(output) if output.exit == Exit::TimedOut => Self::Late(unit.to_owned()),
            Some(output) if output.exit.success() => Self::Lines(lines(&output.stdout)),
            _ => Self::EMPTY,
        }
    }
}

/// The lines with anything on them, each as often as it comes after another one.
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
