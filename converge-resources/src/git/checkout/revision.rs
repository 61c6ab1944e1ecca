//! The declared revision of a repository.

use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// The minimum length of an abbreviated commit.
const SHORTEST: usize = 7;

/// A branch, a tag or a commit, as it is declared.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct Revision(String);

impl Revision {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the commit, if it is written in full.
    pub(super) fn commit(&self) -> Option<String> {
        is_object(&self.0).then(|| self.0.to_ascii_lowercase())
    }

    /// Whether the text may be an abbreviated commit.
    pub(super) fn may_be_short(&self) -> bool {
        (SHORTEST..40).contains(&self.0.len()) && self.0.bytes().all(|byte| byte.is_ascii_hexdigit())
    }

    /// Returns the full names that the revision may have on a server.
    pub(super) fn names(&self) -> Vec<String> {
        match self.0.as_str() {
            "HEAD" => vec!["HEAD".to_owned()],
            full if full.starts_with("refs/") => vec![full.to_owned()],
            name => vec![format!("refs/heads/{name}"), format!("refs/tags/{name}")],
        }
    }
}

/// Whether the text is the full name of a SHA-1 or SHA-256 object.
pub(super) fn is_object(text: &str) -> bool {
    [40, 64].contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Revision {
    type Err = String;

    /// Applies the rules of `git check-ref-format`.
    fn from_str(text: &str) -> Result<Self, String> {
        let is_bad = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
        let is_part = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && std::path::Path::new(part).extension().is_none_or(|end| end != "lock")
        };
        let fits = text.len() < 256
            && !text.starts_with('-')
            && !text.ends_with('.')
            && text != "@"
            && !text.contains("..")
            && !text.contains("@{")
            && !text.contains(is_bad)
            && text.split('/').all(is_part);
        if !fits {
            return Err(format!(
                "{text:?} is not a branch, tag or commit: write the name of a branch or a tag, a whole commit or its first {SHORTEST} \
                 digits or more"
            ));
        }
        let is_foreign = text.starts_with("refs/")
            && !["refs/heads/", "refs/tags/"].iter().any(|folder| text.starts_with(folder));
        if is_foreign {
            return Err(format!("{text:?} is neither a branch (refs/heads/..) nor a tag (refs/tags/..)"));
        }
        Ok(Self(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions() {
        let commit = "0123456789abcdef0123456789ABCDEF01234567";
        for text in ["main", "v1.0", "feature/x", "HEAD", "refs/heads/main", "refs/tags/v1", "a@b", commit] {
            assert_eq!(text.parse::<Revision>().map(|revision| revision.to_string()), Ok(text.to_owned()));
        }
        for text in [
            "",
            "-f",
            "--upload-pack=x",
            "a..b",
            "a b",
            "a\n",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[",
            "a\\b",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.lock/b",
            "a.",
            "@",
            "a@{1}",
            "refs/remotes/origin/x",
            &"a".repeat(256),
        ] {
            assert!(text.parse::<Revision>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_a_revision_may_be() {
        let check = |text: &str, commit: Option<&str>, short: bool, names: &[&str]| {
            let revision: Revision = text.parse().unwrap();
            assert_eq!(
                (revision.commit().as_deref(), revision.may_be_short(), revision.names()),
                (commit, short, names.iter().map(ToString::to_string).collect())
            );
        };
        let full_hash = "0123456789abcdef0123456789abcdef01234567";
        check(
            full_hash,
            Some(full_hash),
            false,
            &[&format!("refs/heads/{full_hash}"), &format!("refs/tags/{full_hash}")],
        );
        check("deadbee", None, true, &["refs/heads/deadbee", "refs/tags/deadbee"]);
        check("deadbe", None, false, &["refs/heads/deadbe", "refs/tags/deadbe"]);
        check("HEAD", None, false, &["HEAD"]);
        check("refs/tags/v1", None, false, &["refs/tags/v1"]);
    }
}
