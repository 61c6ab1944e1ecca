//! Why a repository of git gives no module.

use std::time::Duration;

use thiserror::Error;

/// Why a repository of git gives no module.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GitError {
    /// The branch or the tag stands for another commit tomorrow, and nothing says which one is meant.
    #[error("`{reference}` is not locked to a commit")]
    NotLocked {
        /// A branch, a tag, or `HEAD`.
        reference: String,
    },
    /// The lock file cannot be used.
    #[error("{file} is no lock file: {reason}")]
    BadLock {
        /// Its path.
        file: String,
        /// Why.
        reason: String,
    },
    /// There is no such branch and no such tag.
    #[error("the repository has no branch or tag `{reference}`")]
    NoReference {
        /// What was asked for.
        reference: String,
    },
    /// There is no such commit.
    #[error("the repository has no commit {commit}")]
    NoCommit {
        /// The hash.
        commit: String,
    },
    /// The network may not be used, and the commit was not fetched before.
    #[error("commit {commit} is not in the cache, and the network is not used")]
    NotCached {
        /// The hash.
        commit: String,
    },
    /// There is no folder that is safe to keep repositories in.
    #[error("there is no folder to keep repositories in: {reason}")]
    NoCache {
        /// Why.
        reason: String,
    },
    /// The program `git` cannot be run.
    #[error("`git` cannot be started: {reason}")]
    NoProgram {
        /// What the machine says.
        reason: String,
    },
    /// The program says no.
    #[error("git says: {said}")]
    Refused {
        /// The last thing that it said.
        said: String,
    },
    /// It took too long.
    #[error("git took longer than {0:?}")]
    TooSlow(Duration),
    /// The commit is larger than what is fetched.
    #[error("it is larger than {} MiB", .most >> 20)]
    TooLarge {
        /// How much is fetched, in bytes.
        most: u64,
    },
}

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
            Self::NoReference { .. } => "look it up with `git ls-remote`",
            Self::NoCommit { .. } => {
                "it may be gone from the repository: `converge modules update MODULE` takes what the branch or the tag has today"
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

/// What to do about what git says, where that can be told.
fn refusal(said: &str) -> Option<&'static str> {
    let about = [
        (
            "Host key verification failed",
            "the key of the server is not known to the user who runs this: look at it, and add it to `known_hosts`, as `user.known_host` does",
        ),
        (
            "Permission denied",
            "the user who runs this needs a key that the server takes: try `ssh` as this user",
        ),
        (
            "could not read Username",
            "the server asks who you are, and nobody is there to answer: set up a credential helper of git for the user who runs this",
        ),
        (
            "Authentication failed",
            "the server refuses what git's credential helper of the user who runs this gave: a password or a token may be wrong or too old",
        ),
        (
            "Protocol \"http\"",
            "the server leads to `http://`, where anybody in between can read and change what is fetched: name the repository where it is",
        ),
        (
            "certificate",
            "add the authority that signed its certificate to those of this machine, or name a file with it in GIT_SSL_CAINFO",
        ),
    ];
    about.into_iter().find(|(what, _)| said.contains(what)).map(|(_, help)| help)
}

/// What is wrong with a `git::` URL.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GitUrlError {
    /// It is reached in a way that is not known, or that anybody between here and there could write.
    #[error("`{0}` is not how a repository is fetched")]
    Transport(String),
    /// The address of a server, without `://`.
    #[error("it has no `://`")]
    NoTransport,
    /// It names no server, or a server and no repository.
    #[error("it names no repository")]
    NoRepository,
    /// A password, or a token.
    #[error("there is a user name or a password in it")]
    Credentials,
    /// A file of another machine.
    #[error("`{0}` is read as the name of a machine")]
    Host(String),
    /// A character that no URL of a repository has.
    #[error("it has {0:?} in it")]
    Character(char),
    /// The path in the repository leads out of it.
    #[error("`{0}` is no path in a repository")]
    Path(String),
    /// What follows `?` is something else than `ref=`.
    #[error("`?{0}` is not known")]
    Query(String),
    /// No branch, tag or commit has this name.
    #[error("`{0}` is no branch, no tag and no commit")]
    Reference(String),
}

impl GitUrlError {
    pub(super) fn help(&self) -> String {
        match self {
            Self::Transport(_) => "a repository is fetched with https, with ssh, or from a file",
            Self::NoTransport => "write it like git::ssh://git@example.com/team/modules.git",
            Self::Credentials => {
                "leave them out, as a source is shown in messages: git asks its credential helper"
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
