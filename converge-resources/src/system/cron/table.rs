//! A table of jobs, and one of its entries.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use converge_core::prelude::*;
use indexmap::IndexMap;

use super::times::Times;
use crate::file::edit::lines::{self, Line};
use crate::text::Text;

/// Where the tables of the administrator are.
const FOLDER: &str = "/etc/cron.d";

/// What a comment begins with that has the name of a job.
const MARKER: &str = "# converge: ";

/// What a job begins with that is disabled.
const DISABLED: &str = "#disabled ";

/// The name of a job: some words in one line.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct JobName(String);

/// The name of a file that cron reads.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct FileName(String);

/// Where a job is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// In the crontab of a user; of the one who runs this when none is said.
    Crontab(Option<String>),
    /// In a file of `/etc/cron.d`, where each line says the user.
    File { file: FileName, user: String },
}

impl Table {
    /// The path of the file that we may change ourselves.
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

/// The command as it is in a table, with its variables: set in front of it, a table would have them for all jobs below, too.
pub(super) fn command(command: &str, env: &IndexMap<String, Text>) -> String {
    if env.is_empty() {
        return command.to_owned();
    }
    // For the shell within quotes, and for cron, to which a bare `%` is a line break.
    let quoted = |value: &str| format!("'{}'", value.replace('\'', "'\\''").replace('%', "\\%"));
    let words: Vec<String> = env.iter().map(|(name, value)| format!("{name}={}", quoted(value))).collect();
    format!("export {}; {command}", words.join(" "))
}

/// The line of a job.
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

/// A job as it is to be in a table.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: JobName,
    /// Its line; `None` when it is not to be there.
    pub(super) line: Option<String>,
    pub(super) secret: bool,
}

/// A table that was edited.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edited {
    /// The line that was there.
    pub(super) before: Option<String>,
    pub(super) text: String,
}

impl Entry {
    /// Puts the job into a table, or takes it out.
    ///
    /// # Errors
    ///
    /// The job is there several times.
    pub(super) fn edit(&self, table: &str) -> Result<Edited, String> {
        let marker = format!("{MARKER}{}", self.name);
        let mut all = lines::lines(table);
        let ending = lines::ending(&all);
        let found: Vec<usize> =
            all.iter().enumerate().filter(|(_, line)| line.body == marker).map(|(at, _)| at).collect();
        let at = match found.as_slice() {
            [] => None,
            [at] => Some(*at),
            several => {
                let places: Vec<String> = several.iter().map(|at| (at + 1).to_string()).collect();
                let (name, places) = (&self.name, places.join(", "));
                return Err(format!(
                    "the job {name:?} is there several times, in lines {places}",
                    name = name.0
                ));
            }
        };
        // A marker that lost its job: what follows is somebody else's.
        let is_job = |line: &Line<'_>| {
            let comment = line.body.starts_with('#') && !line.body.starts_with(DISABLED);
            !line.body.trim().is_empty() && !comment
        };
        let job = at.map(|at| at + 1).filter(|job| all.get(*job).is_some_and(is_job));
        let before = job.and_then(|job| all.get(job)).map(|line| line.body.to_owned());
        match (at, job, &self.line) {
            (_, Some(job), Some(line)) => {
                if let Some(place) = all.get_mut(job) {
                    place.body = line;
                    // cron does not run what has no end.
                    if place.ending.is_empty() {
                        place.ending = ending;
                    }
                }
            }
            (Some(at), None, Some(line)) => lines::insert(&mut all, at + 1, [line.as_str()], ending),
            (None, _, Some(line)) => {
                let end = all.len();
                lines::insert(&mut all, end, [marker.as_str(), line.as_str()], ending);
            }
            (Some(at), job, None) => drop(all.drain(at..=job.unwrap_or(at))),
            (None, _, None) => {}
        }
        Ok(Edited { before, text: lines::text(all) })
    }
}

impl FromStr for JobName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const LONGEST: usize = 200;
        if text.trim() != text || text.contains(char::is_control) || text.len() > LONGEST {
            return Err(format!(
                "{text:?} is no name of a job: it is one line of at most {LONGEST} bytes, without blanks around it"
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
                "{text:?} is no name of a file that cron reads: it has letters, digits, `-` and `_` only"
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
