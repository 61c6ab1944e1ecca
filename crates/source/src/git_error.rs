//! Errors of modules in git repositories.

use std::time::Duration;

use thiserror::Error;

use converge_value::debug_as_text;

/// The reason why a repository gives no module.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GitError {
    /// The branch or tag is not locked, so it might be another commit tomorrow.
    #[error("`{reference}` is not locked to a commit")]
    NotLocked {
        /// The name of a branch or a tag, or `HEAD`.
        reference: String,
    },
    /// The lock file cannot be used.
    #[error("{file} is not a lock file: {reason}")]
    BadLock {
        /// The path of the lock file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// The repository has no such branch or tag.
    #[error("the repository has no branch or tag `{reference}`")]
    NoReference {
        /// The name that was requested.
        reference: String,
    },
    /// The repository has no such commit.
    #[error("the repository has no commit {commit}")]
    NoCommit {
        /// The hash of the commit.
        commit: String,
    },
    /// The network may not be used, and the commit is not in the cache.
    #[error("commit {commit} is not in the cache, and the network is not used")]
    NotCached {
        /// The hash of the commit.
        commit: String,
    },
    /// There is no safe folder for the cache of repositories.
    #[error("there is no folder to cache repositories in: {reason}")]
    NoCache {
        /// The reason.
        reason: String,
    },
    /// The program `git` cannot be run.
    #[error("`git` cannot be started: {reason}")]
    NoProgram {
        /// The message of the operating system.
        reason: String,
    },
    /// Git failed.
    #[error("git says: {said}")]
    Refused {
        /// The reason that git printed.
        said: String,
    },
    /// Git took longer than this.
    #[error("git took longer than {0:?}")]
    TooSlow(Duration),
    /// The commit is larger than the limit.
    #[error("it is larger than {} MiB", .most >> 20)]
    TooLarge {
        /// The maximum size in bytes.
        most: u64,
    },
}

debug_as_text!(GitError);

impl GitError {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::NotLocked { .. } => "not-locked",
            Self::BadLock { .. } => "bad-lock",
            Self::NoReference { .. } | Self::NoCommit { .. } => "no-such-commit",
            Self::NotCached { .. } => "not-cached",
            Self::NoCache { .. } | Self::NoProgram { .. } | Self::Refused { .. } | Self::TooLarge { .. } => {
                "git-failed"
            }
            Self::TooSlow(_) => "git-timeout",
        }
    }

    pub(super) fn help(&self) -> Option<String> {
        let help = match self {
            Self::NotLocked { .. } => {
                "lock it: `converge modules lock MODULE` writes its commit to `converge.lock` beside the module; or write the commit: `?ref=` and its 40 digits"
            }
            Self::BadLock { .. } => {
                "take the file from version control again, or remove it and write it with `converge modules lock MODULE`"
            }
            Self::NoReference { .. } => "list the branches and tags with `git ls-remote`",
            Self::NoCommit { .. } => {
                "the commit may have been removed: `converge modules update MODULE` locks the current commit of the branch or the tag"
            }
            Self::NotCached { .. } => "load it once without `--offline`",
            Self::NoCache { .. } => "name a folder of your own with `--cache-dir`",
            Self::NoProgram { .. } => "install git",
            Self::Refused { said } => return refusal(said).map(str::to_owned),
            Self::TooSlow(_) | Self::TooLarge { .. } => return None,
        };
        Some(help.to_owned())
    }
}

/// Returns a hint for a known message of git.
fn refusal(output: &str) -> Option<&'static str> {
    let explanations = [
        (
            "Host key verification failed",
            "the host key of the server is unknown: verify it and add it to the `known_hosts` of the user who runs this, for example with `user.known_host`",
        ),
        (
            "Permission denied",
            "the user who runs this needs a key that the server accepts: test it with `ssh` as this user",
        ),
        (
            "could not read Username",
            "the server asks for credentials: set up a git credential helper for the user who runs this",
        ),
        (
            "Authentication failed",
            "the server refuses the credentials of the git credential helper: the password or the token may be wrong or expired",
        ),
        (
            "Protocol \"http\"",
            "the server redirects to `http://`, where others can read and change what is fetched: write the final URL of the repository",
        ),
        (
            "certificate",
            "add the authority that signed its certificate to those of this machine, or name a file with it in GIT_SSL_CAINFO",
        ),
    ];
    explanations.into_iter().find(|(what, _)| output.contains(what)).map(|(_, help)| help)
}

/// The error in a `git::` URL.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GitUrlError {
    /// The transport is unknown, or lets others modify the content on the way.
    #[error("`{0}` is not how a repository is fetched")]
    Transport(String),
    /// The address of the server has no `://`.
    #[error("it has no `://`")]
    NoTransport,
    /// The URL names no server, or a server but no repository.
    #[error("it names no repository")]
    NoRepository,
    /// The URL contains a password or a token.
    #[error("there is a user name or a password in it")]
    Credentials,
    /// The URL names a file of another machine.
    #[error("`{0}` is read as the name of a machine")]
    Host(String),
    /// The URL contains a character that is not allowed.
    #[error("it contains {0:?}")]
    Character(char),
    /// The path leads outside of the repository.
    #[error("`{0}` is not a path in a repository")]
    Path(String),
    /// The query is something other than `ref=`.
    #[error("`?{0}` is not known")]
    Query(String),
    /// The reference is not a valid name of a branch, a tag or a commit.
    #[error("`{0}` is not a branch, a tag or a commit")]
    Reference(String),
}

debug_as_text!(GitUrlError);

impl GitUrlError {
    pub(super) fn help(&self) -> String {
        match self {
            Self::Transport(_) => "a repository is fetched with https, with ssh, or from a file",
            Self::NoTransport => "write it like git::ssh://git@example.com/team/modules.git",
            Self::Credentials => {
                "remove the user name and the password, as a source is shown in messages: git asks its credential helper"
            }
            Self::Host(_) => "write three slashes: git::file:///srv/modules.git",
            Self::Query(_) | Self::Reference(_) => "write ?ref= and a tag, a branch or a commit",
            Self::NoRepository | Self::Character(_) | Self::Path(_) => {
                "write it like git::https://example.com/modules.git//web/main.hcl?ref=v1.2"
            }
        }
        .to_owned()
    }
}
