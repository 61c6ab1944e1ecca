//! Errors of git, with advice for the user.

use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::system::{Exit, Output};

/// The maximum number of characters of a reason that are shown.
const MOST: usize = 300;

/// The reason why git failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum GitError {
    #[error("there is no `git`: install the package `git`")]
    NoGit,
    #[error(
        "git {what} did not end in the remaining time ({limit:?}): the server may be slow, or the repository large"
    )]
    TooSlow { what: String, limit: Duration },
    #[error(
        "{files} would be overwritten by the checkout: untracked files are never removed; move these files away"
    )]
    InTheWay { files: String },
    #[error("git {what} failed: {said}{}", help.map(|help| format!(": {help}")).unwrap_or_default())]
    Refused { what: String, said: String, help: Option<&'static str> },
}

/// The advice about a server with an untrusted certificate.
const UNTRUSTED: &str = "add the authority that signed its certificate to those of this machine, or name a file with it: \
                         `environment = { GIT_SSL_CAINFO = \"/path\" }`";

/// Parts of git's messages, each with its advice.
const HELP: [(&str, &str); 14] = [
    (
        "Host key verification failed",
        "the host key of the server is unknown or has changed; add it with a `user.known_host` for the user who runs git, or name a file of keys with `known_hosts`",
    ),
    (
        "dubious ownership",
        "it belongs to another user; name the owner with `user`, so that git runs as that user",
    ),
    (
        "unsafe repository",
        "it belongs to another user; name the owner with `user`, so that git runs as that user",
    ),
    ("cannot run ssh", "there is no `ssh`; install the package `openssh-client`"),
    (
        "terminal prompts disabled",
        "the server asks for credentials; set a `credential.helper` in git's config of the user, or use ssh with a `key`",
    ),
    (
        "could not read Username",
        "the server asks for credentials; set a `credential.helper`, or use ssh with a `key`",
    ),
    ("Permission denied (", "the server accepts no key of the user who runs git; name one with `key`"),
    (
        ".lock': File exists",
        "when no git runs in it, the file was left by one that was killed, and may be removed",
    ),
    ("would be overwritten", "untracked files are never removed; move these files away"),
    ("SSL certificate problem", UNTRUSTED),
    ("certificate verification failed", UNTRUSTED),
    (
        "Authentication failed",
        "the server refuses the credentials of the `credential.helper`: the password or the token may be wrong or expired",
    ),
    (
        "Protocol \"http\"",
        "the server redirects to `http://`, where others can read and change what is fetched: write the final URL of the repository",
    ),
    ("not allowed", "submodules and redirections may lead only to places that `repository` may name"),
];

/// Returns the error of a failed run.
pub(super) fn refusal(action: &str, output: &Output) -> GitError {
    let text = String::from_utf8_lossy(&output.stderr);
    let mut message = reason(&text);
    if message.is_empty() {
        message = match output.exit {
            Exit::Code(code) => format!("it printed nothing, and exited with code {code}"),
            Exit::Signal(signal) => format!("it was ended by signal {signal}"),
            Exit::TimedOut => "it was ended".to_owned(),
        };
    }
    let help = HELP.iter().find(|(words, _)| text.contains(words)).map(|(_, help)| *help);
    GitError::Refused { what: action.to_owned(), said: message, help }
}

/// Whether git refused to overwrite an untracked file, before it wrote anything.
pub(super) fn is_in_the_way(error: &Error) -> bool {
    let Error::Other(other) = error else { return false };
    let error = other.downcast_ref::<GitError>();
    matches!(error, Some(GitError::Refused { said, .. }) if said.contains("would be overwritten"))
}

/// Extracts the reason from git's messages.
///
/// It consists of the first error line, and of the message of another program before it: `ssh` says why, and
/// then git that it could not read. Later lines are advice, except for file names, which follow a tab.
pub(super) fn reason(text: &str) -> String {
    /// Prefixes of lines that say nothing about the reason.
    const ASIDE: [&str; 4] = ["warning:", "hint:", "remote: Enumerating", "From "];
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let is_last_word = |line: &&str| line.starts_with("fatal:") || line.starts_with("error:");
    let end = lines.iter().position(is_last_word).unwrap_or(lines.len().saturating_sub(1));
    let before = lines.iter().take(end).rfind(|line| !ASIDE.iter().any(|aside| line.starts_with(aside)));
    let names = lines.iter().skip(end + 1).take_while(|line| line.starts_with('\t')).take(5);
    let parts = before.into_iter().chain(lines.get(end)).chain(names);
    let parts = parts.map(|line| line.trim_start_matches("fatal: ").trim_start_matches("error: ").trim());
    let parts: Vec<&str> = parts.map(|part| part.trim_end_matches(['.', ':'])).collect();
    // Control characters could affect a terminal.
    parts.join("; ").chars().filter(|c| !c.is_control()).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong() {
        let check = |said: &str, expect: &str| assert_eq!(reason(said), expect, "{said}");
        check("", "");
        check("fatal: repository 'x' not found\n", "repository 'x' not found");
        check(
            "Host key verification failed.\r\nfatal: Could not read from remote repository.\n\nPlease make sure you have\n",
            "Host key verification failed; Could not read from remote repository",
        );
        check("warning: redirecting\nfatal: no\nhint: try\n", "no");
        check(
            "remote: Not Found\nfatal: unable to access 'u': 404\n",
            "remote: Not Found; unable to access 'u': 404",
        );
        check(
            "error: The following untracked working tree files would be overwritten by checkout:\n\ta\n\tb/c\nPlease move them\n",
            "The following untracked working tree files would be overwritten by checkout; a; b/c",
        );
        check("killed", "killed");
        check("fatal: \u{1b}[31mred", "[31mred");
        check(&format!("fatal: {}", "x".repeat(1 << 20)), &"x".repeat(MOST));
    }

    #[test]
    fn what_to_do() {
        let check = |stderr: &str, expect: &str| {
            let error = refusal("fetch", &Output::failure(128, stderr)).to_string();
            assert!(error.starts_with("git fetch failed: ") && error.contains(expect), "{error}");
        };
        check("Host key verification failed.\nfatal: Could not read\n", "add it with a `user.known_host`");
        check("fatal: detected dubious ownership in repository at '/srv/a'\n", "name the owner with `user`");
        check(
            "error: cannot run ssh: No such file or directory\nfatal: unable to fork\n",
            "`openssh-client`",
        );
        check(
            "fatal: could not read Username for 'https://h': terminal prompts disabled\n",
            "`credential.helper`",
        );
        check("git@h: Permission denied (publickey).\nfatal: Could not read\n", "name one with `key`");
        check("fatal: Unable to create '/a/.git/index.lock': File exists.\n", "may be removed");
        check("fatal: transport 'ext' not allowed\n", "only to places that `repository` may name");
        check("", "it printed nothing, and exited with code 128");
    }
}
