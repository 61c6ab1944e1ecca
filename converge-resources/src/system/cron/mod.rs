//! The `cron.job` resource: a command that cron runs.

mod table;
mod task;
#[cfg(test)]
mod tests;
mod times;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};
use indexmap::IndexMap;

pub use task::CronJob;

use crate::text::Text;
use table::{Entry, FileName, JobName, Table};
use times::{Day, Hour, Minute, Month, Special, Times, Weekday};

/// The maximum length of a command in cron, in bytes.
const LONGEST: usize = 998;

/// Ensures that cron runs a command at some times, or that it does not.
///
/// The job is in the crontab of a user, which `crontab` reads and writes, or in a file of `/etc/cron.d`. It
/// is one line, below a comment with its name that identifies it: `# converge: NAME`.
///
/// # Guarantees
///
/// All other lines stay as they are, byte for byte. Times that cron would not accept are refused before
/// anything is changed.
///
/// # Caveats
///
/// In a command, cron reads `%` as a line break, and `\%` as a percent sign. If both `day` and `weekday` are
/// given, cron runs the job when either matches. A user whose jobs are in `/etc/cron.d` cannot change them.
/// The output of a job is sent by mail, if mail is set up.
#[derive(Debug, Preparer)]
#[preparer(name = "cron.job", task = CronJob, validate, footprint, lock = "cron", example = "example.hcl")]
pub struct CronJobPreparer {
    /// Name of the job, which identifies it.
    #[hcl(required, nonempty, touches = "cron_jobs at all")]
    name: JobName,
    /// The user who runs the job.
    ///
    /// The default is the user who runs converge; in a file of `/etc/cron.d` it is root.
    #[hcl(needs = "user")]
    user: Option<String>,
    /// The command, for cron's shell `/bin/sh`.
    #[hcl(required_if = "state=present")]
    command: Option<Text>,
    /// Minutes from 0 to 59: `"0"`, `"*/15"`, `"0,30"`, `"10-20"`. The default is every minute.
    minute: Option<Minute>,
    /// Hours from 0 to 23.
    hour: Option<Hour>,
    /// Days of the month from 1 to 31.
    day: Option<Day>,
    /// Months from 1 to 12, or one month by the first three letters of its name.
    month: Option<Month>,
    /// Days of the week from 0 to 7, where 0 and 7 are Sunday.
    ///
    /// One day may be given by the first three letters of its name.
    weekday: Option<Weekday>,
    /// A named time, instead of the five other fields.
    special: Option<Special>,
    /// Environment variables of this job only.
    #[hcl(default)]
    env: IndexMap<String, Text>,
    /// Name of a file in `/etc/cron.d` for the job. Without it, the job is in the crontab of the user.
    file: Option<FileName>,
    /// Whether the job is kept as a comment, so that cron does not run it.
    #[hcl(default)]
    disabled: bool,
    /// Whether the job is to be present.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl CronJobPreparer {
    fn times(&self) -> Times {
        let Self { minute, hour, day, month, weekday, special, .. } = self;
        Times::new(
            *special,
            [
                minute.as_ref().map(ToString::to_string),
                hour.as_ref().map(ToString::to_string),
                day.as_ref().map(ToString::to_string),
                month.as_ref().map(ToString::to_string),
                weekday.as_ref().map(ToString::to_string),
            ],
        )
    }

    fn table(&self) -> Table {
        // In modules for other tools, an empty name means that there is none.
        let user = self.user.clone().filter(|user| !user.is_empty());
        match &self.file {
            Some(file) => Table::File { file: file.clone(), user: user.unwrap_or_else(|| "root".to_owned()) },
            None => Table::Crontab(user),
        }
    }
}

impl Validate for CronJobPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = Vec::new();
        let mut refuse = |field: &'static str, message: &str| {
            errors.push(FieldError::new(field, FieldErrorKind::Invalid { message: message.to_owned() }));
        };
        let has_times = self.minute.is_some()
            || self.hour.is_some()
            || self.day.is_some()
            || self.month.is_some()
            || self.weekday.is_some();
        if self.special.is_some() && has_times {
            refuse("special", "it replaces `minute`, `hour`, `day`, `month` and `weekday`");
        }
        let is_line = |text: &str| !text.contains(['\n', '\r', '\0']);
        if let Some(command) = &self.command {
            if command.trim().is_empty() && self.state.is_present() {
                refuse("command", "it is empty");
            } else if !is_line(command) {
                refuse(
                    "command",
                    "it has several lines, which cron cannot run: write a script, and run that",
                );
            } else if table::command(command, &self.env).len() > LONGEST {
                refuse("command", "it has more than 998 bytes with its variables, which cron does not take");
            }
        }
        let is_name = |name: &str| {
            let allowed = |char: char| char.is_ascii_alphanumeric() || char == '_';
            !name.is_empty()
                && !name.starts_with(|char: char| char.is_ascii_digit())
                && name.chars().all(allowed)
        };
        for (name, value) in &self.env {
            if !is_name(name) {
                refuse("env", &format!("{name:?} is not the name of a variable"));
            } else if !is_line(value) {
                refuse("env", &format!("the value of `{name}` has several lines"));
            }
        }
        let is_user = |user: &str| {
            !user.contains(|char: char| char.is_whitespace() || char.is_control() || char == ':')
        };
        if self.user.as_deref().is_some_and(|user| !is_user(user) || user.starts_with('-')) {
            refuse("user", "it is not the name of a user");
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl HasFootprint for CronJobPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let table = self.table();
        footprint.manages("cron job", &format!("{} in {table}", self.name));
        if let Some(path) = table.path() {
            footprint.edits(&path.to_string_lossy());
        }
    }
}

impl Resource for CronJobPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<CronJob> {
        let (table, times) = (self.table(), self.times());
        let Self { name, user, command, env, file, disabled, state, .. } = self;
        let command = command.unwrap_or_default();
        let line = state.is_present().then(|| table::line(&table, &times, &command, &env, disabled));
        let secret = command.is_secret() || env.values().any(Text::is_secret);
        let entry = Entry { name: name.clone(), line, secret };
        Ok(CronJob { name, user, command, file, state, table, entry, steps: Vec::new() })
    }
}
