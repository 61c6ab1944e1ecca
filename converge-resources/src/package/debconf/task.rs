use std::path::Path;
use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Follow, SystemErrorKind};

use super::database::{self, Question};
use super::question::QuestionType;
use crate::output_progress::OutputProgress;
use crate::package::lock_timeout::LockTimeout;
use crate::package::output::OutputTail;
use crate::package::platform;
use crate::text::Text;

/// The directory of debconf's answers; those of type `password` are in a file of their own.
const FOLDER: &str = "/var/cache/debconf";
const ANSWERS: &str = "/var/cache/debconf/config.dat";
const PASSWORDS: &str = "/var/cache/debconf/passwords.dat";

/// The maximum number of bytes of a file; all questions of Debian need less.
const MOST: u64 = 64 << 20;

const PROGRAM: &str = "debconf-set-selections";

/// The task of a `package.debconf` resource.
#[derive(Debug, Export)]
pub struct Answer {
    /// The package.
    #[export]
    pub(super) name: String,
    /// The name of the question.
    #[export]
    pub(super) question: String,
    pub(super) kind: QuestionType,
    pub(super) value: Text,
    pub(super) seen: bool,
    pub(super) lock_timeout: Duration,
}

impl Answer {
    async fn found(&self, cx: &Context) -> Result<Option<Question>> {
        let path = if self.kind == QuestionType::Password { PASSWORDS } else { ANSWERS };
        let head = cx.system().files().read_head(Path::new(path), MOST).await?;
        // The records of other packages may have any encoding.
        Ok(head.and_then(|head| database::find(&String::from_utf8_lossy(&head.bytes), &self.question)))
    }

    fn differs(&self, question: Option<&Question>) -> bool {
        let value = question.map(|question| question.value.as_deref().unwrap_or_default());
        value != Some(&*self.value) || (self.seen && !question.is_some_and(|found| found.is_seen))
    }

    fn compare(&self, question: Option<&Question>, status: &mut Status) {
        let before = question.map(|question| question.value.as_deref().unwrap_or_default());
        if before != Some(&*self.value) {
            if self.value.is_secret() {
                status.add_diff("value", SecretDiff { changes: true });
            } else {
                status.add_difference("value", before.unwrap_or("absent"), &*self.value);
            }
        }
        if self.seen && !question.is_some_and(|question| question.is_seen) {
            status.add_difference("seen", "no", "yes");
        }
        status.raise_level_for_diffs();
    }

    fn unsupported(cx: &Context) -> Error {
        let reason = "there is no debconf, which Debian and its relatives have".to_owned();
        platform::unsupported(cx, "package.debconf", reason)
    }

    /// Stores the answer, as soon as no other program uses the database.
    async fn set(&self, cx: &Context) -> Result<()> {
        let mut lock = LockTimeout::new(self.lock_timeout);
        loop {
            let unseen = (!self.seen).then(|| "--unseen".to_owned());
            let mut command = Command::new(PROGRAM).args(unseen);
            command.env.insert("LC_ALL".to_owned(), "C.UTF-8".to_owned());
            let Self { name, question, kind, value, .. } = self;
            command.stdin = format!("{name} {question} {} {}\n", kind.as_str(), &**value).into_bytes();
            command.timeout = cx.remaining();
            let output = match OutputProgress::Nothing.run(cx, command).await {
                Ok(output) => output,
                Err(error) if error.kind == SystemErrorKind::NotFound => return Err(Self::unsupported(cx)),
                Err(error) => return Err(error.into()),
            };
            if output.exit.success() {
                return Ok(());
            }
            let stderr = String::from_utf8_lossy(&output.stderr);
            if !stderr.contains("is locked by another process") {
                // The program prints a line that it refuses.
                let detail = if value.is_secret() {
                    String::new()
                } else {
                    OutputTail::from_lines(stderr.lines()).to_string()
                };
                return Err(Error::msg(format!("{PROGRAM} failed{detail}")));
            }
            if !lock.wait(cx).await? {
                return Err(Error::msg(format!(
                    "another program has worked with debconf for more than {:?}: end it, or give it more time with \
                     `lock_timeout`",
                    lock.limit()
                )));
            }
        }
    }
}

impl Task for Answer {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        if cx.system().files().metadata(Path::new(FOLDER), Follow::Links).await?.is_none() {
            if cx.pending().is_empty() {
                return Err(Self::unsupported(cx));
            }
            status.add_message("debconf does not exist yet");
            status.raise_level(StatusLevel::MayChange);
            return Ok(status);
        }
        self.compare(self.found(cx).await?.as_ref(), &mut status);
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        if self.differs(self.found(cx).await?.as_ref()) {
            self.set(cx).await?;
        }
        Ok(Status::new())
    }
}
