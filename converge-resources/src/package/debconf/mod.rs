//! `package.debconf`: answers to the questions of Debian packages.

mod database;
#[cfg(test)]
mod model;
mod question;
mod task;
#[cfg(test)]
mod tests;

use std::time::Duration;

use converge_core::prelude::*;
use converge_core::value::FieldError;

pub use task::Answer;

use super::lock_timeout::DEFAULT_LOCK_TIMEOUT;
use super::names::invalid;
use crate::text::Text;
use question::QuestionType;

/// Answers a question of a Debian package before it is asked, so that the package is installed as it is wanted.
///
/// `debconf-set-selections` writes the answer. What installs a package of this `name` waits for it. The questions of a package that is installed are listed by
/// `debconf-show NAME`.
///
/// # Guarantees
///
/// An answer that is a secret, or whose `type` is `password`, is shown nowhere, and given to the program on its standard input alone.
///
/// # Caveats
///
/// A package reads its answers when it is installed or configured again: what is installed already is not changed by an answer, and some packages put what their
/// files say in its place. The answers are looked at where debconf keeps them unless `/etc/debconf.conf` says otherwise, in `/var/cache/debconf`.
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
    /// The question: `postfix/main_mailer_type`. It may be one that several packages ask.
    #[hcl(
        required,
        pattern = "^[^\\s/]+(/[^\\s/]+)+$",
        expects = "the name of a question, such as postfix/mailname",
        manages = "debconf_question"
    )]
    question: String,
    /// What kind of question it is.
    #[hcl(required, name = "type")]
    kind: QuestionType,
    /// The answer: `"true"` or `"false"` to a question of type `boolean`, one of the choices of a `select`, some of them with `, ` between them of a `multiselect`.
    #[hcl(required)]
    value: Text,
    /// Whether the question counts as asked, so that nobody is asked. When this is false, the answer is only what is proposed.
    #[hcl(default = true)]
    seen: bool,
    /// How long to wait for another program that works with debconf. It is 5 minutes when nothing else is given.
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
            return Err(invalid("value", "debconf keeps no blanks at the begin or the end of an answer"));
        }
        if value.ends_with('\\') {
            return Err(invalid("value", "debconf reads a `\\` at the end of an answer as one that goes on"));
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
