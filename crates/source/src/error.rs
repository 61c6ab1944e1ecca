//! Errors of finding and reading module sources.

use thiserror::Error;

#[cfg(feature = "http")]
use super::fetch_error::{Cached, FetchError};
#[cfg(feature = "git")]
use super::git_error::{GitError, GitUrlError};
#[cfg(feature = "http")]
use super::pin::SourceUrlError;
use crate::diagnostic::{Diagnostic, ReachedLimit, Span};
use crate::types::cancellation::StopReason;
use crate::types::scope::ScopeError;
use converge_value::debug_as_text;

/// The reason why a module, or a file that it reads, cannot be found or read.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A path or a URL is empty.
    #[error("the source of a module is empty")]
    Empty,
    /// A URL has an unsupported scheme.
    #[error("`{written}` cannot be loaded: there are no `{scheme}` sources")]
    UnknownScheme {
        /// The source as written.
        written: String,
        /// The text before `://`.
        scheme: String,
        /// The supported schemes.
        known: Vec<&'static str>,
    },
    /// A `file://` URL is invalid.
    #[error("`{url}` names no file: {problem}")]
    BadFileUrl {
        /// The URL as written.
        url: String,
        /// The error in the URL.
        problem: FileUrlError,
    },
    /// A file cannot be read.
    #[error("cannot read {name}: {reason}")]
    Unreadable {
        /// The path of the file.
        name: String,
        /// The message of the operating system or the source.
        reason: String,
    },
    /// The text is not UTF-8.
    #[error("{name} is not UTF-8: byte {offset} begins no character")]
    NotUtf8 {
        /// The path or URL.
        name: String,
        /// The number of leading bytes that are UTF-8.
        offset: usize,
    },
    /// A text is too long.
    #[error("{name} has more than {limit} bytes, which is too much to be loaded")]
    TooLarge {
        /// The path or URL.
        name: String,
        /// The maximum length in bytes.
        limit: u64,
    },
    /// All texts that were read are too long together.
    #[error("with {name} all modules together have more than {} bytes", .limit.most)]
    TooMuch {
        /// The path or URL.
        name: String,
        /// The limit that was reached.
        limit: ReachedLimit,
    },
    /// The load was cancelled while the text was read.
    #[error("{name} was not read to its end: {reason}")]
    Stopped {
        /// The path or URL.
        name: String,
        /// The reason of the cancellation.
        reason: StopReason,
    },
    /// A relative file name is used in a module that has no folder.
    #[error("{path} cannot be read here: the module is not a file, so nothing is next to it")]
    NoFolder {
        /// The path as written.
        path: String,
    },
    /// A path leads outside of what modules may be loaded from.
    #[error("`{written}` is outside of what may be loaded here")]
    Outside {
        /// The path as written, or its target.
        written: String,
    },
    /// The source of files does not support checking or listing files.
    #[error("cannot list the files at {name}: its source reads files by name only")]
    NotTold {
        /// The name of the file or the folder.
        name: String,
    },
    /// A folder has more entries than the limit.
    #[error("{folder} has more than {most} entries, which are not looked at")]
    TooMany {
        /// The path of the folder.
        folder: String,
        /// The maximum number of entries.
        most: usize,
    },
    /// A folder contains no modules.
    #[error("there is no module in {folder}")]
    NoModules {
        /// The path of the folder.
        folder: String,
    },
    /// A folder has no `module.hcl`, so it is not a module.
    #[error("{folder} is a folder, and there is no `module.hcl` in it, which would make it a module")]
    NoModuleFile {
        /// The path of the folder.
        folder: String,
    },
    /// An `http://` or `https://` URL is invalid.
    #[cfg(feature = "http")]
    #[error("`{url}` cannot be fetched: {problem}")]
    BadUrl {
        /// The URL as written.
        url: String,
        /// The error in the URL.
        problem: SourceUrlError,
    },
    /// A module that was fetched names a file of this machine.
    #[cfg(feature = "http")]
    #[error("`{written}` is a file of this machine, which {module} may not load")]
    FileOfUrl {
        /// The path as written.
        written: String,
        /// The URL of the module.
        module: String,
    },
    /// A module cannot be read from a git repository.
    #[cfg(feature = "git")]
    #[error("cannot load modules from the repository {repository}: {problem}")]
    Git {
        /// The URL that git fetches from.
        repository: String,
        /// The error of the repository.
        problem: GitError,
    },
    /// A `git::` URL is invalid.
    #[cfg(feature = "git")]
    #[error("`{url}` is not a valid repository source: {problem}")]
    BadGitUrl {
        /// The URL as written, without a password.
        url: String,
        /// The error in the URL.
        problem: GitUrlError,
    },
    /// A module of a repository names a file outside of it.
    #[cfg(feature = "git")]
    #[error("`{written}` is outside of the repository of {module}, which may not load files of this machine")]
    OutsideRepository {
        /// The path as written.
        written: String,
        /// The name of the module.
        module: String,
    },
    /// A module cannot be fetched from a URL.
    #[cfg(feature = "http")]
    #[error("cannot fetch {url}: {problem}")]
    Http {
        /// The URL of the module.
        url: String,
        /// The error of the request.
        problem: FetchError,
        /// Whether the cache has a copy.
        cached: Cached,
    },
}

debug_as_text!(SourceError);

/// The error in a `file://` URL.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FileUrlError {
    /// The URL names another machine.
    #[error("`{0}` is read as the name of a machine")]
    Host(String),
    /// The URL has no path.
    #[error("it has no path")]
    NoPath,
    /// The URL contains a `?` or a `#`.
    #[error("`{0}` ends the path of a URL")]
    Mark(char),
    /// A `%` is not followed by two hexadecimal digits.
    #[error("`{0}` stands for no byte")]
    Escape(String),
}

debug_as_text!(FileUrlError);

impl SourceError {
    /// Returns the stable code of diagnostics about this error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty-source",
            Self::UnknownScheme { .. } => "unknown-scheme",
            Self::BadFileUrl { .. } => "bad-url",
            Self::Unreadable { .. } => "unreadable-file",
            Self::NotUtf8 { .. } => "not-utf8",
            Self::TooLarge { .. } => "file-too-large",
            Self::TooMuch { .. } => "too-much-text",
            Self::Stopped { reason, .. } => reason.code(),
            Self::NoFolder { .. } => "no-folder",
            Self::Outside { .. } => "outside-source",
            Self::NotTold { .. } => "not-told",
            Self::TooMany { .. } => "too-many-files",
            Self::NoModules { .. } => "no-modules",
            Self::NoModuleFile { .. } => "no-module-file",
            #[cfg(feature = "http")]
            Self::BadUrl { .. } => "bad-url",
            #[cfg(feature = "git")]
            Self::Git { problem, .. } => problem.code(),
            #[cfg(feature = "git")]
            Self::BadGitUrl { .. } => "bad-url",
            #[cfg(feature = "git")]
            Self::OutsideRepository { .. } => "outside-source",
            #[cfg(feature = "http")]
            Self::FileOfUrl { .. } => "file-of-url",
            #[cfg(feature = "http")]
            Self::Http { problem, .. } => problem.code(),
        }
    }

    /// Returns a hint how to fix the error, if there is one.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Empty => Some("write the path of a module, relative to this file".to_owned()),
            Self::UnknownScheme { scheme, known, .. } => {
                let program = match scheme.to_ascii_lowercase().as_str() {
                    "http" | "https" => {
                        "; a program that fetches modules has `Sources::with_http`, with the feature `http` of `converge-core`"
                    }
                    "git::https" | "git::ssh" | "git::file" => {
                        "; a program that fetches from repositories has `Sources::with_git`, with the feature `git` of `converge-core`"
                    }
                    _ => "",
                };
                Some(format!("a source is {}{program}", alternatives(known)))
            }
            Self::BadFileUrl { url, problem } => Some(match problem {
                FileUrlError::Host(_) => {
                    let path = url.split_once("://").map_or("", |(_, path)| path);
                    format!("write file:///{path}, or {path} alone when it is relative to this file")
                }
                FileUrlError::NoPath => "write it like file:///srv/site.hcl".to_owned(),
                FileUrlError::Mark('?') => "write %3F when it belongs to the path".to_owned(),
                FileUrlError::Mark(_) => "write %23 when it belongs to the path".to_owned(),
                FileUrlError::Escape(_) => "write %25 for a percent sign".to_owned(),
            }),
            Self::Unreadable { .. } | Self::TooMuch { .. } | Self::Stopped { .. } => None,
            Self::NotUtf8 { .. } => Some("save the file as UTF-8".to_owned()),
            Self::TooLarge { .. } => Some("split it into several files".to_owned()),
            Self::NotTold { .. } => Some(
                "write the names of the files, as a list or in a parameter, in the place of `fileset`"
                    .to_owned(),
            ),
            Self::TooMany { .. } => {
                Some("put what belongs to the module into a folder of its own".to_owned())
            }
            Self::NoModules { .. } => Some("a module is a file whose name ends in `.hcl`".to_owned()),
            // A suggested path cannot be appended to a URL, because other parts may follow its path.
            Self::NoModuleFile { folder } if folder.contains("://") => Some(
                "name a file of it; or, when its files are one module, name one of them `module.hcl`"
                    .to_owned(),
            ),
            Self::NoModuleFile { folder } => Some(format!(
                "name a file of it, like {}/main.hcl; or, when its files are one module, name one of them `module.hcl`",
                folder.trim_end_matches('/')
            )),
            Self::Outside { .. } => Some(
                "write the path of the module relative to this one, not an absolute path or a URL".to_owned(),
            ),
            Self::NoFolder { .. } => Some("only a module that is a file can read files".to_owned()),
            #[cfg(feature = "http")]
            Self::BadUrl { problem, .. } => Some(problem.help()),
            #[cfg(feature = "git")]
            Self::Git { problem, .. } => problem.help(),
            #[cfg(feature = "git")]
            Self::BadGitUrl { problem, .. } => Some(problem.help()),
            #[cfg(feature = "git")]
            Self::OutsideRepository { .. } => {
                Some("add the file to the repository, and write its path relative to this module".to_owned())
            }
            #[cfg(feature = "http")]
            Self::FileOfUrl { .. } => {
                Some("put the module next to this one, and write its path relative to this one".to_owned())
            }
            #[cfg(feature = "http")]
            Self::Http { problem, cached, .. } => problem.help(*cached),
        }
    }

    /// Converts to a diagnostic at `place`, the position where the source is written.
    pub fn into_diagnostic(self, place: Option<Span>) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.code(), self.to_string()).label(place, "");
        diagnostic.help = self.help();
        match self {
            Self::TooMuch { limit, .. } => diagnostic.reached(limit),
            _ => diagnostic,
        }
    }

    /// Replaces the name of the text by the name that it was requested by.
    pub(super) fn about(mut self, reference: &str) -> Self {
        match &mut self {
            Self::Unreadable { name, .. }
            | Self::NotUtf8 { name, .. }
            | Self::TooLarge { name, .. }
            | Self::TooMuch { name, .. }
            | Self::Stopped { name, .. }
            | Self::NotTold { name }
            | Self::TooMany { folder: name, .. }
            | Self::Outside { written: name } => reference.clone_into(name),
            _ => {}
        }
        self
    }

    /// Creates the error of a text that cannot be read, with the system's message.
    pub(super) fn unreadable(name: &str, error: &std::io::Error) -> Self {
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            std::io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
            _ => error.to_string(),
        };
        Self::Unreadable { name: name.to_owned(), reason }
    }
}

/// Converts the error of a file that an expression reads.
impl From<SourceError> for ScopeError {
    fn from(error: SourceError) -> Self {
        let message = error.to_string();
        match error {
            SourceError::TooMuch { limit, .. } => Self::Limited { message, limit },
            _ => Self::Message(message),
        }
    }
}

impl From<SourceError> for Diagnostic {
    fn from(error: SourceError) -> Self {
        error.into_diagnostic(None)
    }
}

/// Formats words as `a, b or c`.
fn alternatives(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}
