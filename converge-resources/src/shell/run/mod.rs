//! Runs scripts with an interpreter.

mod error;
mod result;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Duration;

use converge_core::prelude::*;
use converge_core::system::{Command, Exit, Follow, KeepOutput, Output, SystemErrorKind};
use converge_core::value::{FieldError, FieldErrorKind};
use indexmap::IndexMap;

pub(crate) use error::{ScriptError, printed};
pub(crate) use result::ScriptResult;

use crate::output_progress::Told;
use crate::run_user::{Prepared, RunAsFields};
use crate::text::Text;

/// The interpreter of a script for which none is given.
const DEFAULT_INTERPRETER: &str = "/bin/sh";

/// Shells that check a script without running it when they get `-n`.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"];

/// How scripts are run.
///
/// The interpreter reads the script from its standard input, as in the original: this works for every
/// interpreter, has no limit of length, and does not show the script to other users in the list of
/// processes.
#[derive(Debug, Default, HclBlock)]
pub(crate) struct Shell {
    /// The program that runs the script: a path, or a name that is searched in `PATH`. It is `/bin/sh`
    /// when nothing else is given.
    #[hcl(default)]
    pub(crate) interpreter: Text,
    /// Flags with which the interpreter checks the syntax of a script without running it. For `sh`, `bash`,
    /// `dash`, `ash`, `ksh`, `mksh` and `zsh` they are `-n` when none are given; for other interpreters, and
    /// with an empty list, the syntax is not checked.
    pub(crate) check_flags: Option<Vec<Text>>,
    /// Flags with which the interpreter runs a script.
    #[hcl(default)]
    pub(crate) exec_flags: Vec<Text>,
    /// How long a script may run. Then it is killed, with every program that it started, and has failed.
    pub(crate) timeout: Option<Duration>,
    /// The directory in which scripts run. When nothing else is given it is the working directory of this program, and with `user` the home
    /// directory of that user, or `/` where there is none.
    #[hcl(default)]
    pub(crate) dir: Text,
    /// Variables that are added to the environment of scripts.
    #[hcl(default)]
    pub(crate) env: IndexMap<String, Text>,
    #[hcl(embed)]
    pub(crate) run_as: RunAsFields,
}

/// What became of a program that was to be started.
enum Started {
    Ended(Output),
    /// A pending change may bring what is missing.
    NotYet {
        missing: String,
    },
}

#[derive(Debug)]
pub(crate) enum ScriptOutcome {
    Done(ScriptResult),
    /// It could not be started, and a pending change may bring what is missing.
    NotYet {
        missing: String,
    },
}

impl Shell {
    fn interpreter(&self) -> &str {
        if self.interpreter.is_empty() { DEFAULT_INTERPRETER } else { &self.interpreter }
    }

    fn shown_interpreter(&self) -> &str {
        if self.interpreter.is_empty() { DEFAULT_INTERPRETER } else { self.interpreter.shown() }
    }

    /// The flags that make the interpreter check a script; none when nobody knows them.
    fn check_flags(&self) -> Vec<String> {
        let name = || Path::new(self.interpreter()).file_name().and_then(|name| name.to_str());
        match &self.check_flags {
            Some(flags) => texts(flags),
            None if name().is_some_and(|name| SHELLS.contains(&name)) => vec!["-n".to_owned()],
            None => Vec::new(),
        }
    }

    /// Whether what `script` prints may show a secret.
    fn is_secret(&self, script: &Text) -> bool {
        let flags = self.exec_flags.iter().chain(self.check_flags.iter().flatten());
        let mut texts = flags.chain(self.env.values()).chain([&self.interpreter, &self.dir, script]);
        texts.any(Text::is_secret)
    }

    fn command(&self, flags: Vec<String>, script: &Text) -> Command {
        let mut command = Command::new(self.interpreter()).args(flags);
        command.env = self.env.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
        command.stdin = script.as_bytes().to_vec();
        command.keep = KeepOutput::Ends;
        command
    }

    /// Whether all variables can be: the system has no names with `=` or NUL, nor values with NUL.
    pub(crate) fn check_env(&self) -> Result<()> {
        let problem = |name: &str, value: &Text| match name {
            "" => Some("a variable needs a name".to_owned()),
            name if name.contains('=') => Some(format!("no variable has a name with `=`, as {name:?} has")),
            name if name.contains('\0') => Some(format!("no variable has a name with NUL, as {name:?} has")),
            name if value.contains('\0') => {
                Some(format!("the value of {name:?} has a NUL, which no variable can"))
            }
            _ => None,
        };
        let problems = self.env.iter().filter_map(|(name, value)| problem(name, value));
        let errors: Vec<FieldError> =
            problems.map(|message| FieldError::new("env", FieldErrorKind::Invalid { message })).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors.into()) }
    }

    /// Has the interpreter check the syntax of a script, without running it. `name` is its field.
    pub(crate) async fn check_syntax(&self, cx: &Context, name: &'static str, script: &Text) -> Result<()> {
        let flags = self.check_flags();
        if flags.is_empty() || script.is_empty() {
            return Ok(());
        }
        let mut command = self.command(flags, script);
        let limit = cx.remaining();
        command.timeout = limit;
        let Started::Ended(output) = self.start(cx, command, Told::Nothing).await? else { return Ok(()) };
        if output.exit.success() {
            return Ok(());
        }
        let printed = printed(&output, self.is_secret(script));
        if output.exit == Exit::TimedOut {
            let after = limit.unwrap_or_default();
            return Err(Error::other(ScriptError::TimedOut { name, after, output: printed }));
        }
        let message = format!("{} does not accept this script{printed}", self.shown_interpreter());
        Err(vec![FieldError::new(name, FieldErrorKind::Invalid { message })].into())
    }

    /// Runs a script to its end. `name` is its field. A script that fails is no error here.
    pub(crate) async fn run(&self, cx: &Context, name: &'static str, script: &Text) -> Result<ScriptOutcome> {
        let secret = self.is_secret(script);
        // It needs no interpreter.
        if script.is_empty() {
            return Ok(ScriptOutcome::Done(ScriptResult::default()));
        }
        let mut command = self.command(texts(&self.exec_flags), script);
        if !self.dir.is_empty() {
            let dir = Path::new(&*self.dir);
            if cx.system().files().metadata(dir, Follow::Links).await?.is_none() {
                let missing = missing(cx, "directory", self.dir.shown())?;
                return Ok(ScriptOutcome::NotYet { missing });
            }
            command.dir = Some(dir.to_owned());
        }
        command.timeout = self.timeout.into_iter().chain(cx.remaining()).min();
        let limit = command.timeout.unwrap_or_default();
        // What begins after a cancellation is there to end what was begun: the check after an apply that came to its end.
        let may_be_stopped = !cx.cancellation().is_cancelled();
        if may_be_stopped {
            command = command.stop_on(cx.cancellation());
        }
        let told = if secret { Told::Nothing } else { Told::Lines };
        let output = match self.start(cx, command, told).await? {
            Started::Ended(output) => output,
            Started::NotYet { missing } => return Ok(ScriptOutcome::NotYet { missing }),
        };
        // How a script ends that was asked to says nothing about the machine, unless it ends well.
        if may_be_stopped && cx.cancellation().is_cancelled() && !output.exit.success() {
            return Err(Error::Cancelled);
        }
        match output.exit {
            Exit::TimedOut => {
                let output = printed(&output, secret);
                Err(Error::other(ScriptError::TimedOut { name, after: limit, output }))
            }
            Exit::Code(code) => Ok(ScriptOutcome::Done(ScriptResult::new(code, &output, script, secret))),
            // As shells count: 128 and the number of the signal.
            Exit::Signal(signal) => {
                Ok(ScriptOutcome::Done(ScriptResult::new(128 + signal, &output, script, secret)))
            }
        }
    }

    /// Runs the command as whom it is to run.
    async fn start(&self, cx: &Context, command: Command, told: Told) -> Result<Started> {
        let command = match self.run_as.prepare(cx, command).await? {
            Prepared::Ready(command) => *command,
            Prepared::Missing { kind, name } => {
                return Ok(Started::NotYet { missing: missing(cx, kind, &name)? });
            }
        };
        match told.run(cx, command).await {
            Ok(output) => Ok(Started::Ended(output)),
            Err(error) if error.kind == SystemErrorKind::NotFound => {
                Ok(Started::NotYet { missing: missing(cx, "interpreter", self.shown_interpreter())? })
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn texts(flags: &[Text]) -> Vec<String> {
    flags.iter().map(|flag| flag.to_string()).collect()
}

/// What is said of something that is not there: an error, unless a pending change may bring it.
fn missing(cx: &Context, kind: &'static str, name: &str) -> Result<String> {
    if cx.pending().is_empty() {
        return Err(Error::NotFound { kind, name: name.to_owned() });
    }
    Ok(format!("the {kind} {name:?} does not exist yet"))
}
