//! The syntax of sources in git repositories.

use std::fmt;

use super::commit::Commit;
use crate::git_error::GitUrlError;
use crate::module_source::relative_folder;

const PREFIX: &str = "git::";

/// The reference that is used if a source names none.
pub(super) const HEAD: &str = "HEAD";

/// A module in a repository: `git::https://example.com/modules.git//web/main.hcl?ref=v1.2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GitUrl {
    /// The URL that git fetches from.
    pub(super) repository: String,
    /// The path without slashes at its ends; empty for the top folder.
    pub(super) path: String,
    pub(super) reference: Reference,
}

/// A reference to a state of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reference {
    Commit(Commit),
    /// The name of a branch or a tag, or `HEAD`.
    Name(String),
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Commit(commit) => commit.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl GitUrl {
    /// Returns whether a source is intended to be a git source.
    pub(crate) fn is_git_source(reference: &str) -> bool {
        reference.starts_with(PREFIX)
    }

    pub(crate) fn parse(text: &str) -> Result<Self, GitUrlError> {
        let text = text.strip_prefix(PREFIX).unwrap_or(text);
        let is_odd = |c: &char| c.is_control() || c.is_whitespace() || matches!(c, '\\' | '#' | '"' | '\'');
        if let Some(character) = text.chars().find(is_odd) {
            return Err(GitUrlError::Character(character));
        }
        let (address, query) = text.split_once('?').map_or((text, None), |(a, q)| (a, Some(q)));
        let (transport, rest) = address.split_once("://").ok_or(GitUrlError::NoTransport)?;
        let (repository, path) = rest.split_once("//").unwrap_or((rest, ""));
        let repository = repository.trim_end_matches('/');
        let (host, of_host) = repository.split_once('/').ok_or(GitUrlError::NoRepository)?;
        match transport {
            "https" | "ssh" if host.is_empty() || of_host.is_empty() => {
                return Err(GitUrlError::NoRepository);
            }
            "https" if host.contains('@') => return Err(GitUrlError::Credentials),
            "ssh" if host.split_once('@').is_some_and(|(user, _)| user.contains(':')) => {
                return Err(GitUrlError::Credentials);
            }
            // The connecting program would interpret such a host as an option.
            "https" | "ssh" if host.split('@').any(|part| part.is_empty() || part.starts_with('-')) => {
                return Err(GitUrlError::NoRepository);
            }
            "file" if !host.is_empty() => return Err(GitUrlError::Host(host.to_owned())),
            "file" if of_host.is_empty() => return Err(GitUrlError::NoRepository),
            "https" | "ssh" | "file" => {}
            _ => return Err(GitUrlError::Transport(transport.to_owned())),
        }
        let place = relative_folder(None, path).filter(|_| !path.starts_with('/'));
        let place = place.ok_or_else(|| GitUrlError::Path(path.to_owned()))?;
        Ok(Self {
            repository: format!("{transport}://{repository}"),
            path: place,
            reference: query.map_or_else(|| Ok(Reference::Name(HEAD.to_owned())), reference)?,
        })
    }
}

/// Parses the query after `?`.
fn reference(query: &str) -> Result<Reference, GitUrlError> {
    let name = query.strip_prefix("ref=").ok_or_else(|| GitUrlError::Query(query.to_owned()))?;
    if let Ok(commit) = name.parse() {
        return Ok(Reference::Commit(commit));
    }
    // Only a part of what git allows is accepted, and nothing that git interprets as a range, an ancestor or
    // an option.
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-+".contains(&byte);
    let is_name = !name.is_empty()
        && name.bytes().all(is_allowed)
        && !name.starts_with(['-', '/', '.'])
        && !name.ends_with(['/', '.'])
        && !name.contains("..")
        && !name.contains("//")
        && !name.contains("/.");
    if is_name { Ok(Reference::Name(name.to_owned())) } else { Err(GitUrlError::Reference(name.to_owned())) }
}

impl fmt::Display for GitUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.repository)?;
        if !self.path.is_empty() {
            write!(f, "//{}", self.path)?;
        }
        match &self.reference {
            Reference::Name(name) if name == HEAD => Ok(()),
            reference => write!(f, "?ref={reference}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::GitUrl;

    #[track_caller]
    fn check(reference: &str, expect: &str) {
        let parsed = GitUrl::parse(reference);
        let actual = parsed.map_or_else(|error| format!("{error}; {}", error.help()), |url| url.to_string());
        assert_eq!(actual, expect, "{reference}");
    }

    #[test]
    fn places_in_repositories() {
        let check_same = |written: &str| check(written, written);
        check_same("git::https://example.com/modules.git");
        check_same("git::https://example.com/modules.git//web/main.hcl?ref=v1.2");
        check_same("git::ssh://git@example.com/team/modules.git//web?ref=feature/x");
        check_same(
            "git::ssh://git@example.com:2222/team/modules.git?ref=9fceb02d0ae598e95dc970b74767f19372d61af8",
        );
        check_same("git::file:///srv/modules.git//web");
        check("git::https://example.com/modules.git/", "git::https://example.com/modules.git");
        check("git::https://h/m.git//./a/../b/?ref=HEAD", "git::https://h/m.git//b");
        check(
            "git::https://h/m?ref=9FCEB02D0AE598E95DC970B74767F19372D61AF8",
            "git::https://h/m?ref=9fceb02d0ae598e95dc970b74767f19372d61af8",
        );
    }

    #[test]
    fn what_names_no_place() {
        const LIKE: &str = "write it like git::https://example.com/modules.git//web/main.hcl?ref=v1.2";
        const REF: &str = "write ?ref= and a tag, a branch or a commit";
        const SECRET: &str = "there is a user name or a password in it; remove the user name and the password, as a source is shown in messages: git asks its credential helper";
        check(
            "git::git@example.com:m.git",
            "it has no `://`; write it like git::ssh://git@example.com/team/modules.git",
        );
        check(
            "git::git://example.com/m.git",
            "`git` is not how a repository is fetched; a repository is fetched with https, with ssh, or from a file",
        );
        check(
            "git::http://example.com/m.git",
            "`http` is not how a repository is fetched; a repository is fetched with https, with ssh, or from a file",
        );
        check(
            "git::ext://sh/-c",
            "`ext` is not how a repository is fetched; a repository is fetched with https, with ssh, or from a file",
        );
        check("git::https://example.com", &format!("it names no repository; {LIKE}"));
        check("git::https:///m.git", &format!("it names no repository; {LIKE}"));
        check("git::file:///", &format!("it names no repository; {LIKE}"));
        check("git::https://me:secret@h/m.git", SECRET);
        check("git::https://token@h/m.git", SECRET);
        check("git::ssh://me:secret@h/m.git", SECRET);
        check("git::ssh://-oProxyCommand=x/m.git", &format!("it names no repository; {LIKE}"));
        check(
            "git::file://srv/m.git",
            "`srv` is read as the name of a machine; write three slashes: git::file:///srv/modules.git",
        );
        check("git::https://h/m.git//../x", &format!("`../x` is not a path in a repository; {LIKE}"));
        check("git::https://h/m.git//a b", &format!("it contains ' '; {LIKE}"));
        check("git::https://h/m.git#v1", &format!("it contains '#'; {LIKE}"));
        check("git::https://h/m.git?tag=v1", &format!("`?tag=v1` is not known; {REF}"));
        for invalid in ["", "-v", "a..b", "a~1", "a^", "@{u}", "a//b", "/a", "a/", ".a", "a/.b", "a:b"] {
            let reference = format!("git::https://h/m.git?ref={invalid}");
            check(&reference, &format!("`{invalid}` is not a branch, a tag or a commit; {REF}"));
        }
    }
}
