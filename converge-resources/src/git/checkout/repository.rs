//! Addresses of repositories.

use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// A repository as it is declared: a URL, `user@host:path`, or a local path.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct Repository {
    text: String,
    way: Transport,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    Http,
    Ssh,
    Git,
    /// A local path, which starts at this byte offset of the text.
    File(usize),
}

impl Repository {
    /// Returns the address in the form that git takes.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    pub(super) fn is_ssh(&self) -> bool {
        self.way == Transport::Ssh
    }

    /// Whether the repository is reached by HTTP without encryption.
    pub(super) fn is_plain_http(&self) -> bool {
        self.way == Transport::Http && self.text.starts_with("http://")
    }

    pub(super) fn path(&self) -> Option<&str> {
        match self.way {
            Transport::File(from) => self.text.get(from..),
            Transport::Http | Transport::Ssh | Transport::Git => None,
        }
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Repository {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let transport = way(text)?;
        Ok(Self { text: text.to_owned(), way: transport })
    }
}

fn way(text: &str) -> Result<Transport, String> {
    const FORMS: &str = "write https://host/path, ssh://user@host/path, user@host:path, git://host/path, http://host/path, \
                         file:///path or an absolute path";
    if text.starts_with('-') {
        return Err(format!("it begins with `-`, which git takes for an option: {FORMS}"));
    }
    if text.chars().any(char::is_control) {
        return Err(format!("it has control characters: {FORMS}"));
    }
    if text.starts_with('/') {
        return if text.len() > 1 {
            Ok(Transport::File(0))
        } else {
            Err(format!("it names no repository: {FORMS}"))
        };
    }
    // `ext::` runs a program, and other prefixes lead to helpers; none of them is an address.
    if let Some((helper, _)) = text.split_once("::")
        && !helper.contains(['/', '@', '[', ':'])
    {
        return Err(format!("git would start the helper {helper:?} for it, which is not allowed: {FORMS}"));
    }
    match text.split_once("://") {
        Some((scheme, rest)) => parse_url(scheme, rest).map_err(|reason| format!("{reason}: {FORMS}")),
        None => parse_scp_form(text).map_err(|reason| format!("{reason}: {FORMS}")),
    }
}

/// Parses a URL. Its errors do not repeat parts that may be a password.
fn parse_url(scheme: &str, rest: &str) -> Result<Transport, String> {
    if scheme == "file" {
        let is_path = rest.starts_with('/') && rest.len() > 1;
        return if is_path {
            Ok(Transport::File("file://".len()))
        } else {
            Err("it has no absolute path".to_owned())
        };
    }
    if !["http", "https", "ssh", "git"].contains(&scheme) {
        return Err(format!("{scheme}:// is not a supported way to reach a repository"));
    }
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    if user.is_some_and(|user| user.contains(':')) {
        return Err(format!(
            "it has a password, which would stand in the file `config` of the repository; {}",
            instead(scheme)
        ));
    }
    if user.is_some() && scheme != "ssh" {
        return Err(format!(
            "it has the name of a user or a token before the host, which would stand in the file `config` of the repository; {}",
            instead(scheme)
        ));
    }
    if rest.contains(['?', '#']) {
        return Err("it has a `?` or a `#`, behind which there may be a token".to_owned());
    }
    if user.is_some_and(|user| !is_name(user)) || !is_host(host) || path.is_empty() || rest.contains(' ') {
        return Err("it is not a URL of a repository".to_owned());
    }
    Ok(match scheme {
        "ssh" => Transport::Ssh,
        "git" => Transport::Git,
        _ => Transport::Http,
    })
}

/// Returns advice on what to use instead of a part that a URL may not have.
fn instead(scheme: &str) -> &'static str {
    if scheme == "ssh" {
        "remove it and use a key (`key`)"
    } else {
        "remove it and set a `credential.helper` in git's config of the user, or use ssh with a `key`"
    }
}

/// Parses `user@host:path`.
fn parse_scp_form(text: &str) -> Result<Transport, String> {
    let refuse = || Err("it is not the address of a repository".to_owned());
    // An IPv6 address has colons of its own.
    let end = text.find(']').unwrap_or(0);
    let Some((server, path)) = text.get(end..).and_then(|rest| rest.split_once(':')) else { return refuse() };
    let server = format!("{}{server}", text.get(..end).unwrap_or_default());
    let (user, host) = match server.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, &*server),
    };
    let fits = user.is_none_or(is_name) && is_host(host) && !host.ends_with(':');
    if !fits || path.is_empty() || path.starts_with('-') || path.contains(' ') {
        refuse()
    } else {
        Ok(Transport::Ssh)
    }
}

fn is_name(text: &str) -> bool {
    !text.starts_with('-')
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+~".contains(&byte))
}

fn is_host(text: &str) -> bool {
    !text.starts_with(['-', ':'])
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:[]%".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_repositories() {
        let check = |text: &str, ssh: bool, path: Option<&str>| {
            let repository: Repository = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((repository.as_str(), repository.is_ssh(), repository.path()), (text, ssh, path));
        };
        check("https://example.com/a/b.git", false, None);
        check("http://example.com:8080/a", false, None);
        check("git://example.com/a", false, None);
        check("ssh://git@example.com:2222/~me/a.git", true, None);
        check("ssh://[::1]/a", true, None);
        check("git@example.com:a/b.git", true, None);
        check("git@[::1]:a.git", true, None);
        check("example.com:a.git", true, None);
        check("/srv/with space.git", false, Some("/srv/with space.git"));
        check("file:///srv/a.git", false, Some("/srv/a.git"));
    }

    #[test]
    fn what_is_no_place() {
        let check = |text: &str, expect: &str| {
            let error = text.parse::<Repository>().expect_err(text);
            assert!(error.contains(expect) && error.contains("write https://"), "{text:?}: {error}");
            assert!(!error.contains("s3cret"), "{text:?}: {error}");
        };
        check("", "not the address of a repository");
        check("/", "names no repository");
        check("-uroot", "takes for an option");
        check("--upload-pack=x", "takes for an option");
        check("ext::sh -c x", "helper \"ext\"");
        check("fd::17", "helper \"fd\"");
        check("https://me:s3cret@example.com/a", "it has a password");
        check("https://s3cret@example.com/a", "a token before the host");
        check("ssh://me:s3cret@example.com/a", "use a key (`key`)");
        check("https://example.com/a?token=s3cret", "there may be a token");
        check("https://example.com", "not a URL");
        check("ftp://example.com/a", "ftp:// is not a supported way");
        check("git+ssh://example.com/a", "not a supported way");
        check("ssh://-oProxyCommand=x/a", "not a URL");
        check("ssh://-oProxyCommand=x@host/a", "not a URL");
        check("git@-oProxyCommand:a", "not the address of a repository");
        check("-x@host:a", "takes for an option");
        check("host:-a", "not the address of a repository");
        check("file://srv/a", "no absolute path");
        check("a/b.git", "not the address of a repository");
        check("./a:b", "not the address of a repository");
        check("https://example.com/a\n", "control");
    }
}
