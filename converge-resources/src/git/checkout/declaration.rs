//! The declaration of a checkout, and the code that bare and other repositories share.

use converge_sdk::prelude::*;

use super::local_changes::LocalChanges;
use super::program::Git;
use super::repository::Repository;
use super::revision::Revision;

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are fields of the module")]
pub(super) struct Wanted {
    pub(super) repository: Repository,
    pub(super) destination: String,
    pub(super) revision: Revision,
    pub(super) update: bool,
    pub(super) depth: Option<u32>,
    pub(super) submodules: bool,
    pub(super) force: bool,
    pub(super) verify: bool,
    pub(super) git: Git,
}

/// The change of the repository itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// The repository stays as it is.
    #[default]
    Same,
    /// The repository is created, with the URL of its server.
    Made,
    /// The URL of its server is changed.
    Moved,
}

impl Wanted {
    /// Compares the URL of the server. `exists` says whether there is a repository.
    pub(super) fn compare_origin(&self, exists: bool, url: Option<&str>, status: &mut Status) -> Origin {
        if !exists {
            status.add_difference("repository", "absent", self.repository.as_str());
            return Origin::Made;
        }
        if url == Some(self.repository.as_str()) {
            return Origin::Same;
        }
        let before = url.map(without_password);
        status.add_difference("repository", before.as_deref().unwrap_or("none"), self.repository.as_str());
        Origin::Moved
    }

    /// Reports local work that would be lost, which is an error without `force`.
    pub(super) fn compare_own(&self, changes: &LocalChanges, status: &mut Status) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        if !self.force {
            return Err(Error::msg(format!(
                "{} has {}: `force = true` discards that",
                self.destination,
                changes.shown()
            )));
        }
        status.add_difference("own changes", changes.shown(), "thrown away");
        Ok(())
    }

    /// Creates the repository, and sets the URL of its server.
    ///
    /// The URL is set last, because a check takes it as the sign of a complete repository.
    pub(super) async fn set_origin(&self, cx: &Context, origin: Origin, is_bare: bool) -> Result<()> {
        let git = &self.git;
        if origin == Origin::Same {
            return Ok(());
        }
        if origin == Origin::Made {
            let mut init = vec!["init", "--quiet", "--template="];
            init.extend(is_bare.then_some("--bare"));
            git.change_elsewhere(cx, &[&init[..], &["--", &self.destination]].concat()).await?;
        }
        let config = ["config", "--local", "--replace-all"];
        let (name, value) = if is_bare {
            // Clones of this repository have no use for the references of its server.
            ("transfer.hideRefs", "refs/converge")
        } else {
            ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
        };
        git.change(cx, &[&config[..], &[name, value]].concat()).await?;
        git.change(cx, &[&config[..], &["remote.origin.url", self.repository.as_str()]].concat()).await
    }
}

/// Removes the password from a URL that somebody else wrote.
fn without_password(url: &str) -> String {
    match url.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?))) {
        Some((scheme, (user, rest))) if !user.contains('/') && scheme != "ssh" => {
            format!("{scheme}://..@{rest}")
        }
        Some((scheme, (user, rest))) if user.contains(':') && !user.contains('/') => {
            format!("{scheme}://..@{rest}")
        }
        _ => url.to_owned(),
    }
}
