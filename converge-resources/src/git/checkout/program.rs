//! The `git` program, run so that it asks no questions and starts nothing that the repository names.

use std::fmt::Write as _;
use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Exit, KeepOutput, Output, SystemErrorKind};

use super::git_error;
use super::repository::Repository;
use crate::output_progress::OutputProgress;
use crate::run_user::{PreparedCommand, RunAsFields};

/// Settings that hold for every user: no hook and no watcher starts, nothing runs in the background.
///
/// A server is reached only by protocols that a resource may name.
const SETTINGS: [&str; 19] = [
    "advice.detachedHead=false",
    "core.alternateRefsCommand=true",
    "core.askPass=",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "credential.interactive=false",
    "fetch.fsckObjects=true",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "gc.autoDetach=false",
    "http.followRedirects=initial",
    "init.defaultBranch=main",
    "log.showSignature=false",
    "maintenance.autoDetach=false",
    "protocol.allow=never",
    "protocol.git.allow=always",
    "protocol.https.allow=always",
    "protocol.ssh.allow=always",
    "submodule.recurse=false",
];

/// Variables of the caller that git keeps.
///
/// They say how a server is reached and trusted, and who the user is. All others are removed: git's own
/// variables could lead it to another repository.
const KEPT: [&str; 20] = [
    "ALL_PROXY",
    "GIT_EXEC_PATH",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GNUPGHOME",
    "HOME",
    "HTTPS_PROXY",
    "LOGNAME",
    "NO_PROXY",
    "PATH",
    "SSH_AUTH_SOCK",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "USER",
    "XDG_CONFIG_HOME",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// The git settings of one resource.
#[derive(Debug)]
pub(super) struct Git {
    pub(super) run_as: RunAsFields,
    /// The command that git uses to reach servers over SSH.
    pub(super) ssh: String,
    pub(super) remote: Repository,
    /// The local repository.
    pub(super) destination: String,
}

/// Returns the SSH command, which asks no questions and trusts only known keys.
pub(super) fn ssh(key: Option<&str>, known_hosts: Option<&str>) -> String {
    let mut command =
        "ssh -oBatchMode=yes -oStrictHostKeyChecking=yes -oUpdateHostKeys=no -oControlMaster=no".to_owned();
    if let Some(key) = key {
        let _ = write!(command, " -oIdentitiesOnly=yes -i {}", quoted(key));
    }
    if let Some(file) = known_hosts {
        // ssh itself splits this at spaces.
        let files = quoted(&format!("UserKnownHostsFile=\"{file}\""));
        let _ = write!(command, " -o {files} -oGlobalKnownHostsFile=/dev/null");
    }
    command
}

/// Quotes any text as one word of a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

impl Git {
    /// Returns a git command, which runs in the local repository if `inside` is set, and in none otherwise.
    async fn command(&self, cx: &Context, inside: bool, arguments: &[&str]) -> Result<Command> {
        let mut command = Command::new("git");
        for setting in SETTINGS.into_iter().chain(self.allowed(arguments)) {
            command.args.extend(["-c".to_owned(), setting.to_owned()]);
        }
        let folder = if inside { &self.destination } else { "/" };
        command =
            command.args(["--no-pager", "--no-optional-locks", "-C", folder]).args(arguments.iter().copied());
        let mut command = match self.run_as.prepare(cx, command).await? {
            PreparedCommand::Ready(command) => *command,
            PreparedCommand::Missing { kind, name } => return Err(Error::NotFound { kind, name }),
        };
        if !command.clear_env {
            for name in KEPT {
                if let Some(value) = cx.system().env(name) {
                    command.env.entry(name.to_owned()).or_insert(value);
                }
            }
        }
        command.clear_env = true;
        let parent = Path::new(&self.destination).parent().unwrap_or(Path::new("/"));
        let environment = [
            // A directory inside another repository must not count as that repository.
            ("GIT_CEILING_DIRECTORIES", &*parent.to_string_lossy()),
            ("GIT_LITERAL_PATHSPECS", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_SSH_COMMAND", &self.ssh),
            ("GIT_SSH_VARIANT", "ssh"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("LC_ALL", "C"),
        ];
        command.env.extend(environment.map(|(name, value)| (name.to_owned(), value.to_owned())));
        command.timeout = cx.remaining();
        Ok(command)
    }

    /// Returns the settings for protocols that are not allowed everywhere.
    ///
    /// The value `user` allows a protocol for the URL that the module declares, but not for a redirect or a
    /// submodule.
    fn allowed(&self, arguments: &[&str]) -> [&'static str; 2] {
        let is_local = self.remote.path().is_some();
        // Plain HTTP is safe for a submodule, because its commit is known before it is fetched.
        let is_plain = self.remote.is_plain_http() || word(arguments) == "submodule";
        [
            if is_local { "protocol.file.allow=always" } else { "protocol.file.allow=user" },
            // An encrypted connection must not redirect to one that others can read and change.
            if is_plain { "protocol.http.allow=always" } else { "protocol.http.allow=user" },
        ]
    }

    async fn run(
        &self,
        cx: &Context,
        command: Command,
        output_mode: OutputProgress,
        action: &str,
    ) -> Result<Output> {
        let limit = command.timeout.unwrap_or_default();
        let output = match output_mode.run(cx, command).await {
            Err(error) if error.kind == SystemErrorKind::NotFound => {
                return Err(Error::other(git_error::GitError::NoGit));
            }
            output => output?,
        };
        if output.exit == Exit::TimedOut {
            return Err(Error::other(git_error::GitError::TooSlow { what: action.to_owned(), limit }));
        }
        Ok(output)
    }

    /// Runs a read-only command, and returns its output even if it fails.
    async fn try_look(&self, cx: &Context, inside: bool, arguments: &[&str]) -> Result<Output> {
        let command = self.command(cx, inside, arguments).await?;
        self.run(cx, command, OutputProgress::Nothing, word(arguments)).await
    }

    /// Runs a read-only command that must succeed, and returns its output.
    pub(super) async fn look(&self, cx: &Context, arguments: &[&str]) -> Result<String> {
        text(word(arguments), &self.try_look(cx, true, arguments).await?)
    }

    /// Like `look`, outside of a repository.
    pub(super) async fn look_elsewhere(&self, cx: &Context, arguments: &[&str]) -> Result<String> {
        text(word(arguments), &self.try_look(cx, false, arguments).await?)
    }

    /// Like `look`, with standard input.
    pub(super) async fn look_with(&self, cx: &Context, arguments: &[&str], stdin: String) -> Result<String> {
        let mut command = self.command(cx, true, arguments).await?;
        command.stdin = stdin.into_bytes();
        text(word(arguments), &self.run(cx, command, OutputProgress::Nothing, word(arguments)).await?)
    }

    /// Runs a read-only command, and returns its line of output.
    ///
    /// Returns `None` for exit code 1, by which git says that there is no such object.
    pub(super) async fn find(&self, cx: &Context, arguments: &[&str]) -> Result<Option<String>> {
        let output = self.try_look(cx, true, arguments).await?;
        if output.exit == Exit::Code(1) && output.stderr.is_empty() {
            return Ok(None);
        }
        Ok(Some(text(word(arguments), &output)?.trim_end().to_owned()))
    }

    pub(super) async fn has(&self, cx: &Context, object: &str) -> Result<bool> {
        // `cat-file` with the object as an argument fails with various codes for a missing object.
        let line = format!("{object}\n");
        let printed = self.look_with(cx, &["cat-file", "--batch-check=%(objecttype)"], line).await?;
        Ok(["commit", "tag"].contains(&printed.trim_end()))
    }

    /// Runs the verification of a signature, and returns its output.
    pub(super) async fn judge(&self, cx: &Context, arguments: &[&str]) -> Result<Output> {
        self.try_look(cx, true, arguments).await
    }

    /// Runs a command that changes something and must succeed. Its output becomes progress events.
    pub(super) async fn change(&self, cx: &Context, arguments: &[&str]) -> Result<()> {
        let command = self.command(cx, true, arguments).await?;
        self.finish(cx, command, word(arguments)).await
    }

    /// Like `change`, outside of a repository.
    pub(super) async fn change_elsewhere(&self, cx: &Context, arguments: &[&str]) -> Result<()> {
        let command = self.command(cx, false, arguments).await?;
        self.finish(cx, command, word(arguments)).await
    }

    /// Like `change`, with standard input.
    pub(super) async fn change_with(&self, cx: &Context, arguments: &[&str], stdin: String) -> Result<()> {
        let mut command = self.command(cx, true, arguments).await?;
        command.stdin = stdin.into_bytes();
        self.finish(cx, command, word(arguments)).await
    }

    async fn finish(&self, cx: &Context, command: Command, action: &str) -> Result<()> {
        // On a request to stop, git removes its lock files, which would block the next run.
        let mut command = command.stop_on(cx.cancellation());
        // A server may send any amount of output.
        command.keep = KeepOutput::Ends;
        let output = self.run(cx, command, OutputProgress::Lines, action).await?;
        if !output.exit.success() && cx.cancellation().is_cancelled() {
            return Err(Error::Cancelled);
        }
        text(action, &output).map(drop)
    }
}

/// Returns the subcommand.
fn word<'a>(arguments: &[&'a str]) -> &'a str {
    arguments.first().copied().unwrap_or_default()
}

fn text(action: &str, output: &Output) -> Result<String> {
    if output.exit.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(Error::other(git_error::refusal(action, output)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_ssh() {
        const ALWAYS: &str =
            "ssh -oBatchMode=yes -oStrictHostKeyChecking=yes -oUpdateHostKeys=no -oControlMaster=no";
        let check = |key: Option<&str>, known: Option<&str>, expect: &str| {
            assert_eq!(ssh(key, known), format!("{ALWAYS}{expect}"));
        };
        check(None, None, "");
        check(Some("/etc/a b/it's"), None, " -oIdentitiesOnly=yes -i '/etc/a b/it'\\''s'");
        check(Some("/x; rm -rf /"), None, " -oIdentitiesOnly=yes -i '/x; rm -rf /'");
        let expect = " -o 'UserKnownHostsFile=\"/etc/a b\"' -oGlobalKnownHostsFile=/dev/null";
        check(None, Some("/etc/a b"), expect);
    }
}
