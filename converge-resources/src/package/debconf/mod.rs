//! The `package.debconf` resource: answers to the questions of Debian packages.

mod database;
#[cfg(test)]
mod model;
mod question;
mod task;
#[cfg(test)]
mod tests;

use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub use task::Answer;

use super::lock_timeout::DEFAULT_LOCK_TIMEOUT;
use super::names::invalid;
use crate::text::Text;
use question::QuestionType;

/// Answers a question of a Debian package before the package is installed.
///
/// `debconf-set-selections` writes the answer. A resource that installs a package of this `name` waits for
/// it. `debconf-show NAME` lists the questions of an installed package.
///
/// # Guarantees
///
/// A secret answer, or one whose `type` is `password`, is never shown, and is passed to the program on its
/// standard input only.
///
/// # Caveats
///
/// A package reads its answers when it is installed or reconfigured: an answer does not change an installed
/// package, and some packages replace answers by the values in their files. The answers are read from
/// `/var/cache/debconf`, the default of debconf, even if `/etc/debconf.conf` names another place.
#[derive(Debug, Preparer)]
#[preparer(name = "package.debconf", task = Answer, validate, lock = "apt", example = "example.hcl")]
pub struct DebconfPreparer {
    /// The package.
    #[hcl(
        required,
        pattern = "^[a-z0-9][a-z0-9+.-]+$",
        expects = "the name of a Debian package, without a version",
        ensures = "debconf_answers"
    )]
    name: String,
    /// The question: `postfix/main_mailer_type`. Several packages may share it.
    #[hcl(
        required,
        pattern = "^[^\\s/]+(/[^\\s/]+)+$",
        expects = "the name of a question, such as postfix/mailname",
        manages = "debconf_question"
    )]
    question: String,
    /// The type of the question.
    #[hcl(required, name = "type")]
    kind: QuestionType,
    /// The answer.
    ///
    /// It is `"true"` or `"false"` for a question of type `boolean`, one of the choices of a `select`, or
    /// several separated by `, ` for a `multiselect`.
    #[hcl(required)]
    value: Text,
    /// Whether the question counts as asked, so that it is not asked again.
    ///
    /// If false, the answer is only the proposed one.
    #[hcl(default = true)]
    seen: bool,
    /// The time to wait for another program that uses debconf. The default is 5 minutes.
    lock_timeout: Option<Duration>,
}

impl Validate for DebconfPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let value = &*self.value;
        if value.contains(|c: char| c.is_control()) {
            return Err(invalid(
                "value",
                "it has a line break or another character that debconf cannot keep",
            ));
        }
        if value.trim() != value {
            return Err(invalid(
                "value",
                "debconf does not keep blanks at the start or the end of an answer",
            ));
        }
        if value.ends_with('\\') {
            return Err(invalid("value", "debconf reads a `\\` at the end of an answer as a continuation"));
        }
        if self.kind == QuestionType::Boolean && !["true", "false"].contains(&value) {
            return Err(invalid(
                "value",
                "the answer to a question of type \"boolean\" is \"true\" or \"false\"",
            ));
        }
        Ok(())
    }
}

impl Resource for DebconfPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Answer> {
        let Self { name, question, kind, value, seen, lock_timeout } = self;
        let is_secret = value.is_secret() || kind == QuestionType::Password;
        let lock_timeout = lock_timeout.unwrap_or(DEFAULT_LOCK_TIMEOUT);
        Ok(Answer { name, question, kind, value: Text::new(&*value, is_secret), seen, lock_timeout })
    }
}
