//! Runs of scripts with an interpreter.

mod error;
mod result;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Exit, Follow, KeepOutput, Output, SystemErrorKind};
use converge_sdk::value::{FieldError, FieldErrorKind};
use indexmap::IndexMap;

pub(crate) use error::{ScriptError, printed};
pub(crate) use result::ScriptResult;

use crate::output_progress::OutputProgress;
use crate::run_user::{PreparedCommand, RunAsFields};
use crate::text::Text;

/// The default interpreter of a script.
const DEFAULT_INTERPRETER: &str = "/bin/sh";

/// Shells that check the syntax of a script without running it if they get `-n`.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"];

/// The interpreter and the environment of scripts.
///
/// The interpreter reads the script from its standard input, as in the original Converge. This works for
/// every interpreter, has no limit of length, and does not show the script to other users in the list of
/// processes.
#[derive(Debug, Default, HclBlock)]
pub(crate) struct Shell {
    /// The program that runs the script: a path, or a name that is searched in `PATH`.
    ///
    /// The default is `/bin/sh`.
    #[hcl(default)]
    pub(crate) interpreter: Text,
    /// Flags with which the interpreter checks the syntax of a script without running it.
    ///
    /// The default is `-n` for `sh`, `bash`, `dash`, `ash`, `ksh`, `mksh` and `zsh`. For other interpreters,
    /// and with an empty list, the syntax is not checked.
    pub(crate) check_flags: Option<Vec<Text>>,
    /// Flags with which the interpreter runs a script.
    #[hcl(default)]
    pub(crate) exec_flags: Vec<Text>,
    /// The longest time that a script may run.
    ///
    /// After that it is killed, with every program that it started, and has failed.
    pub(crate) timeout: Option<Duration>,
    /// The working directory of scripts.
    ///
    /// The default is the working directory of this program. With `user`, the default is the home directory
    /// of that user, or `/` if there is none.
    #[hcl(default)]
    pub(crate) dir: Text,
    /// Variables that are added to the environment of scripts.
    #[hcl(default)]
    pub(crate) env: IndexMap<String, Text>,
    #[hcl(embed)]
    pub(crate) run_as: RunAsFields,
}

/// The result of starting a program.
enum Started {
    Ended(Output),
    /// The program is missing, and a pending change may bring it.
    NotYet {
        missing: String,
    },
}

#[derive(Debug)]
pub(crate) enum ScriptOutcome {
    Done(ScriptResult),
    /// The script could not be started, and a pending change may bring what is missing.
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

    /// Returns the flags for a syntax check, or none if they are unknown for the interpreter.
    fn check_flags(&self) -> Vec<String> {
        let name = || Path::new(self.interpreter()).file_name().and_then(|name| name.to_str());
        match &self.check_flags {
            Some(flags) => texts(flags),
            None if name().is_some_and(|name| SHELLS.contains(&name)) => vec!["-n".to_owned()],
            None => Vec::new(),
        }
    }

    /// Whether the output of `script` may show a secret.
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

    /// Checks the variables: a name with `=` or NUL and a value with NUL are errors.
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

    /// Whether the interpreter reads all of a script before it runs any of it: a shell, and a single line.
    ///
    /// If the shell does not accept the line, it says so on standard error, and runs nothing.
    pub(crate) fn reads_at_once(&self, script: &Text) -> bool {
        self.check_flags.is_none() && !self.check_flags().is_empty() && !script.trim_end().contains('\n')
    }

    /// Checks the syntax of a script that has failed, unless the result shows that it was accepted.
    pub(crate) async fn check_failed(
        &self,
        cx: &Context,
        name: &'static str,
        script: &Text,
        result: &ScriptResult,
    ) -> Result<()> {
        if self.reads_at_once(script) && result.is_silent() {
            return Ok(());
        }
        self.check_syntax(cx, name, script).await
    }

    /// Checks the syntax of a script without running it. `name` is its field.
    pub(crate) async fn check_syntax(&self, cx: &Context, name: &'static str, script: &Text) -> Result<()> {
        let flags = self.check_flags();
        if flags.is_empty() || script.is_empty() {
            return Ok(());
        }
        let mut command = self.command(flags, script);
        let limit = cx.remaining();
        command.timeout = limit;
        let Started::Ended(output) = self.start(cx, command, OutputProgress::Nothing).await? else {
            return Ok(());
        };
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

    /// Runs a script to its end. `name` is its field. A failing script is no error here.
    pub(crate) async fn run(&self, cx: &Context, name: &'static str, script: &Text) -> Result<ScriptOutcome> {
        let secret = self.is_secret(script);
        // An empty script needs no interpreter.
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
        // A script that starts after a cancellation completes earlier work: it is the check after an apply
        // that was finished.
        let may_be_stopped = !cx.cancellation().is_cancelled();
        if may_be_stopped {
            command = command.stop_on(cx.cancellation());
        }
        let output_mode = if secret { OutputProgress::Nothing } else { OutputProgress::Lines };
        let output = match self.start(cx, command, output_mode).await? {
            Started::Ended(output) => output,
            Started::NotYet { missing } => return Ok(ScriptOutcome::NotYet { missing }),
        };
        // The failure of a script that was asked to stop says nothing about the machine.
        if may_be_stopped && cx.cancellation().is_cancelled() && !output.exit.success() {
            return Err(Error::Cancelled);
        }
        match output.exit {
            Exit::TimedOut => {
                let output = printed(&output, secret);
                Err(Error::other(ScriptError::TimedOut { name, after: limit, output }))
            }
            Exit::Code(code) => Ok(ScriptOutcome::Done(ScriptResult::new(code, &output, script, secret))),
            // Shells use the same exit code: 128 and the number of the signal.
            Exit::Signal(signal) => {
                Ok(ScriptOutcome::Done(ScriptResult::new(128 + signal, &output, script, secret)))
            }
        }
    }

    /// Runs a command as the declared user.
    async fn start(&self, cx: &Context, command: Command, output_mode: OutputProgress) -> Result<Started> {
        let command = match self.run_as.prepare(cx, command).await? {
            PreparedCommand::Ready(command) => *command,
            PreparedCommand::Missing { kind, name } => {
                return Ok(Started::NotYet { missing: missing(cx, kind, &name)? });
            }
        };
        match output_mode.run(cx, command).await {
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

/// Returns the message about something missing, or an error if no pending change may bring it.
fn missing(cx: &Context, kind: &'static str, name: &str) -> Result<String> {
    if cx.pending().is_empty() {
        return Err(Error::NotFound { kind, name: name.to_owned() });
    }
    Ok(format!("the {kind} {name:?} does not exist yet"))
}
