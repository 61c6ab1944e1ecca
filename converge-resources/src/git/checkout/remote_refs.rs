//! References of a server, and their resolution.

use std::collections::BTreeMap;

use converge_sdk::prelude::*;

use super::program::Git;
use super::repository::Repository;
use super::revision::{Revision, is_object};

/// The resolution of a revision at a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// A commit that is written in full.
    Commit(String),
    /// A branch or a tag, with its present object.
    Named(Named),
    /// An abbreviated commit, which only a repository with all commits can complete.
    Short,
}

/// A branch or a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// The full name.
    pub(super) name: String,
    /// The object: a commit, or an annotated tag.
    pub(super) object: String,
    pub(super) commit: String,
}

impl Goal {
    pub(super) fn commit(&self) -> Option<&str> {
        match self {
            Self::Commit(commit) => Some(commit),
            Self::Named(named) => Some(&named.commit),
            Self::Short => None,
        }
    }
}

/// The objects of references, by full name.
///
/// The commit of an annotated tag is under its name with `^{}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names(pub(super) BTreeMap<String, String>);

impl Names {
    /// Parses lines of `OBJECT<tab>NAME`.
    fn parse(printed: &str) -> Self {
        let read = |line: &str| {
            let (object, name) = line.split_once('\t')?;
            is_object(object).then(|| (name.to_owned(), object.to_owned()))
        };
        Self(printed.lines().filter_map(read).collect())
    }

    fn named(&self, name: &str) -> Option<Named> {
        let object = self.0.get(name)?.clone();
        let commit = self.0.get(&format!("{name}^{{}}")).unwrap_or(&object).clone();
        Some(Named { name: name.to_owned(), object, commit })
    }

    /// Resolves a revision among these references.
    ///
    /// # Errors
    ///
    /// Returns an error if no reference matches, or if a branch and a tag with different commits do.
    pub(super) fn find(&self, revision: &Revision, repository: &Repository) -> Result<Goal> {
        let candidates: Vec<Named> = revision.names().iter().filter_map(|name| self.named(name)).collect();
        match &candidates[..] {
            [] if revision.may_be_short() => Ok(Goal::Short),
            [] => Err(Error::msg(format!("{repository} has no branch and no tag {:?}", revision.as_str()))),
            [named] => Ok(Goal::Named(named.clone())),
            [branch, tag, ..] if branch.commit != tag.commit => Err(Error::msg(format!(
                "{repository} has a branch and a tag {:?}: write {:?} or {:?}",
                revision.as_str(),
                branch.name,
                tag.name
            ))),
            [_, tag, ..] => Ok(Goal::Named(tag.clone())),
        }
    }
}

/// Resolves a revision at the server.
pub(super) async fn ask(
    cx: &Context,
    git: &Git,
    repository: &Repository,
    revision: &Revision,
) -> Result<Goal> {
    if let Some(commit) = revision.commit() {
        return Ok(Goal::Commit(commit));
    }
    let mut names = revision.names();
    names.extend(
        revision
            .names()
            .iter()
            .filter(|name| name.starts_with("refs/tags/"))
            .map(|name| format!("{name}^{{}}")),
    );
    list(cx, git, repository, &names).await?.find(revision, repository)
}

/// Lists these references of the server, or all if none are given.
pub(super) async fn list(
    cx: &Context,
    git: &Git,
    repository: &Repository,
    names: &[String],
) -> Result<Names> {
    let mut arguments = vec!["ls-remote", "--quiet", "--", repository.as_str()];
    arguments.extend(names.iter().map(String::as_str));
    Ok(Names::parse(&git.look_elsewhere(cx, &arguments).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_has() {
        let [a, b, c] = ["a", "b", "c"].map(|digit| digit.repeat(40));
        let printed = format!(
            "{a}\tHEAD\n{a}\trefs/heads/main\n{b}\trefs/tags/v1\n{c}\trefs/tags/v1^{{}}\n{a}\trefs/heads/both\n{b}\trefs/tags/both\n\
             {b}\trefs/remotes/o/refs/heads/other\nnoise\nx\ty\n{c}\trefs/heads/deadbee\n"
        );
        let names = Names::parse(&printed);
        let repository: Repository = "/srv/a.git".parse().unwrap();
        let check = |revision: &str, expect: Result<(&str, &str, &str), &str>| {
            let actual =
                names.find(&revision.parse().unwrap(), &repository).map_err(|error| error.to_string());
            let expect = expect.map_err(str::to_owned).map(|(name, object, commit)| {
                let [name, object, commit] = [name, object, commit].map(str::to_owned);
                Goal::Named(Named { name, object, commit })
            });
            assert_eq!(actual, expect, "{revision}");
        };
        check("main", Ok(("refs/heads/main", &a, &a)));
        check("refs/heads/main", Ok(("refs/heads/main", &a, &a)));
        check("HEAD", Ok(("HEAD", &a, &a)));
        check("v1", Ok(("refs/tags/v1", &b, &c)));
        check("deadbee", Ok(("refs/heads/deadbee", &c, &c)));
        check("other", Err("/srv/a.git has no branch and no tag \"other\""));
        let ambiguous =
            "/srv/a.git has a branch and a tag \"both\": write \"refs/heads/both\" or \"refs/tags/both\"";
        check("both", Err(ambiguous));
        let short = names.find(&"abcdef0".parse().unwrap(), &repository).unwrap();
        assert_eq!(short, Goal::Short);
    }
}
