use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Exit, Output};

use super::table::{Entry, FileName, JobName, Table};
use crate::steps::{self, Findings, Stepwise};
use crate::text::Text;
use crate::{missing_dependency, text_file, tools};

const CRONTAB: &str = "crontab";

/// The task of a `cron.job` resource.
#[derive(Debug, Export)]
pub struct CronJob {
    /// The name of the job.
    #[export]
    pub(super) name: JobName,
    /// The user who runs the job, as the module gives it.
    #[export]
    pub(super) user: Option<String>,
    /// The command of the job.
    #[export]
    pub(super) command: Text,
    /// The name of its file in `/etc/cron.d`; null if the job is in the crontab of the user.
    #[export]
    pub(super) file: Option<FileName>,
    /// Whether the job is to be present.
    #[export]
    pub(super) state: Ensure,
    pub(super) table: Table,
    pub(super) entry: Entry,
    pub(super) steps: Vec<CronStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CronStep {
    /// Edit the table as it is at that moment.
    Edit,
}

impl CronJob {
    /// Reads the table, or returns `None` if there is none.
    async fn read(&self, cx: &Context) -> Result<Option<String>> {
        if let Some(path) = self.table.path() {
            return text_file::read(cx, &path).await;
        }
        let (command, output) = tools::try_look(cx, self.crontab("-l")).await?;
        if output.exit.success() {
            let refused = |reason| Error::msg(format!("{} {reason}", self.table));
            return text_file::text(output.stdout).map(Some).map_err(refused);
        }
        if has_none(&output) { Ok(None) } else { Err(tools::failed(command, &output)) }
    }

    async fn write(&self, cx: &Context, text: String) -> Result<()> {
        let text = Text::new(text, self.entry.secret);
        match self.table.path() {
            Some(path) if text.is_empty() => text_file::remove(cx, &path).await,
            Some(path) => {
                text_file::make_folder(cx, &path).await?;
                text_file::write(cx, &path, &text).await
            }
            None => {
                let mut command = self.crontab("-");
                command.stdin = text.as_bytes().to_vec();
                // The versions of `crontab` differ in how they treat empty input, so an empty table is
                // removed instead.
                if command.stdin.is_empty() {
                    command = self.crontab("-r");
                }
                tools::feed(cx, command).await
            }
        }
    }

    fn crontab(&self, action: &str) -> Command {
        let command = Command::new(CRONTAB);
        match &self.table {
            Table::Crontab(Some(user)) => command.args(["-u", user]).arg(action),
            _ => command.arg(action),
        }
    }

    fn edit(&self, table: Option<&str>) -> Result<super::table::Edited> {
        let edited = self.entry.edit(table.unwrap_or_default());
        edited.map_err(|reason| Error::msg(format!("{}: {reason}", self.table)))
    }

    /// Returns a message if the user does not exist yet, and a pending change may create the user.
    async fn has_user(&self, cx: &Context) -> Result<Option<String>> {
        let (Table::Crontab(Some(user)) | Table::File { user, .. }) = &self.table else { return Ok(None) };
        let entry = cx.system().users().user_by_name(user).await?;
        Ok(entry.is_none().then(|| user.clone()))
    }
}

/// Whether the output of `crontab` says that there is no table; every cron uses these words.
fn has_none(output: &Output) -> bool {
    output.exit == Exit::Code(1) && String::from_utf8_lossy(&output.stderr).contains("no crontab for")
}

#[async_trait]
impl Stepwise for CronJob {
    const TYPE: &'static str = "cron.job";
    const ONLY_LINUX: &'static str = "it is about the cron of Linux";
    type Step = CronStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<CronStep>> {
        let mut findings = Findings::new();
        if let Some(user) = self.has_user(cx).await? {
            if !self.state.is_present() {
                return Ok(findings);
            }
            let status = missing_dependency::missing(
                cx,
                "user",
                &user,
                format!("the user {user:?} does not exist yet"),
            )?;
            return Ok(Findings { status, ..findings });
        }
        let table = self.read(cx).await?;
        let edited = self.edit(table.as_deref())?;
        if edited.text == table.unwrap_or_default() {
            return Ok(findings);
        }
        if self.entry.secret {
            findings.status.add_diff("job", SecretDiff { changes: true });
        } else {
            let absent = || "absent".to_owned();
            let (before, after) = (edited.before.unwrap_or_else(absent), self.entry.line.clone());
            findings.status.add_difference("job", before, after.unwrap_or_else(absent));
        }
        findings.status.raise_level(StatusLevel::WillChange);
        findings.steps.push(CronStep::Edit);
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &CronStep) -> Result<()> {
        let CronStep::Edit = step;
        let edited = self.edit(self.read(cx).await?.as_deref())?;
        self.write(cx, edited.text).await
    }
}

steps::task!(CronJob);
