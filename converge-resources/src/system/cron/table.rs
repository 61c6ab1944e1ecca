//! A table of cron jobs, and its entries.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use converge_sdk::prelude::*;
use indexmap::IndexMap;

use super::times::Times;
use crate::file::edit::lines::{self, Line};
use crate::text::Text;

/// The directory of the administrator's tables.
const FOLDER: &str = "/etc/cron.d";

/// The prefix of a comment with the name of a job.
const MARKER: &str = "# converge: ";

/// The prefix of a disabled job.
const DISABLED: &str = "#disabled ";

/// The name of a job: words in one line.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct JobName(String);

/// The name of a file that cron reads.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct FileName(String);

/// The table that contains a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// The crontab of a user, or of the user who runs this program if none is given.
    Crontab(Option<String>),
    /// A file of `/etc/cron.d`, in which each line names the user.
    File { file: FileName, user: String },
}

impl Table {
    /// Returns the path of a file that this program edits itself.
    pub(super) fn path(&self) -> Option<PathBuf> {
        match self {
            Self::Crontab(_) => None,
            Self::File { file, .. } => Some(Path::new(FOLDER).join(&file.0)),
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crontab(Some(user)) => write!(f, "the crontab of {user}"),
            Self::Crontab(None) => f.write_str("the crontab"),
            Self::File { file, .. } => write!(f, "{FOLDER}/{}", file.0),
        }
    }
}

/// Returns the command with its variables in front.
///
/// Variables on lines of their own would also apply to all jobs below.
pub(super) fn command(command: &str, env: &IndexMap<String, Text>) -> String {
    if env.is_empty() {
        return command.to_owned();
    }
    // The value is quoted for the shell, and `%` is escaped for cron, which reads it as a line break.
    let quoted = |value: &str| format!("'{}'", value.replace('\'', "'\\''").replace('%', "\\%"));
    let words: Vec<String> = env.iter().map(|(name, value)| format!("{name}={}", quoted(value))).collect();
    format!("export {}; {command}", words.join(" "))
}

/// Returns the line of a job.
pub(super) fn line(
    table: &Table,
    times: &Times,
    command: &Text,
    env: &IndexMap<String, Text>,
    disabled: bool,
) -> String {
    let disabled = if disabled { DISABLED } else { "" };
    let command = self::command(command, env);
    match table {
        Table::Crontab(_) => format!("{disabled}{times} {command}"),
        Table::File { user, .. } => format!("{disabled}{times} {user} {command}"),
    }
}

/// The declared state of a job in a table.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: JobName,
    /// The line of the job, or `None` if it is to be removed.
    pub(super) line: Option<String>,
    pub(super) secret: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edited {
    /// The previous line.
    pub(super) before: Option<String>,
    pub(super) text: String,
}

impl Entry {
    /// Puts the job into a table, or removes it.
    ///
    /// # Errors
    ///
    /// Returns an error if the job occurs several times.
    pub(super) fn edit(&self, table: &str) -> Result<Edited, String> {
        let marker = format!("{MARKER}{}", self.name);
        let mut all_lines = lines::lines(table);
        let ending = lines::ending(&all_lines);
        let positions: Vec<usize> =
            all_lines.iter().enumerate().filter(|(_, line)| line.body == marker).map(|(at, _)| at).collect();
        let index = match positions.as_slice() {
            [] => None,
            [at] => Some(*at),
            several => {
                let places: Vec<String> = several.iter().map(|index| (index + 1).to_string()).collect();
                let (name, places) = (&self.name, places.join(", "));
                return Err(format!(
                    "the job {name:?} is there several times, in lines {places}",
                    name = name.0
                ));
            }
        };
        // If the line after the marker is not a job, the marker has lost its job, and the line belongs to
        // something else.
        let is_job = |line: &Line<'_>| {
            let comment = line.body.starts_with('#') && !line.body.starts_with(DISABLED);
            !line.body.trim().is_empty() && !comment
        };
        let job = index.map(|index| index + 1).filter(|job| all_lines.get(*job).is_some_and(is_job));
        let before = job.and_then(|job| all_lines.get(job)).map(|line| line.body.to_owned());
        match (index, job, &self.line) {
            (_, Some(job), Some(line)) => {
                if let Some(place) = all_lines.get_mut(job) {
                    place.body = line;
                    // cron does not run a last line without a line break.
                    if place.ending.is_empty() {
                        place.ending = ending;
                    }
                }
            }
            (Some(at), None, Some(line)) => lines::insert(&mut all_lines, at + 1, [line.as_str()], ending),
            (None, _, Some(line)) => {
                let end = all_lines.len();
                lines::insert(&mut all_lines, end, [marker.as_str(), line.as_str()], ending);
            }
            (Some(at), job, None) => drop(all_lines.drain(at..=job.unwrap_or(at))),
            (None, _, None) => {}
        }
        Ok(Edited { before, text: lines::text(all_lines) })
    }
}

impl FromStr for JobName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const LONGEST: usize = 200;
        if text.trim() != text || text.contains(char::is_control) || text.len() > LONGEST {
            return Err(format!(
                "{text:?} is not the name of a job: it is one line of at most {LONGEST} bytes, without blanks around it"
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl FromStr for FileName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let allowed = |char: char| char.is_ascii_alphanumeric() || char == '-' || char == '_';
        if text.is_empty() || text.len() > 200 || !text.chars().all(allowed) {
            return Err(format!(
                "{text:?} is not the name of a file that cron reads: it has letters, digits, `-` and `_` only"
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

macro_rules! display {
    ($($name:ident),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

display!(JobName, FileName);
