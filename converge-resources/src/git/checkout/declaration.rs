//! What a module declares, and what a repository with files and one without have in common.

use converge_core::prelude::*;

use super::local_changes::Own;
use super::program::Git;
use super::repository::Repository;
use super::revision::Revision;

/// What a module declares.
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

/// What is done about the repository itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// Nothing.
    #[default]
    Same,
    /// It is made, and told where its server is.
    Made,
    /// It is told where its server is.
    Moved,
}

impl Wanted {
    /// Compares the URL of the server, of a repository that `exists` or not.
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

    /// Says what would be lost, which it is only with `force`.
    pub(super) fn compare_own(&self, own: &Own, status: &mut Status) -> Result<()> {
        if own.is_empty() {
            return Ok(());
        }
        if !self.force {
            return Err(Error::msg(format!(
                "{} has {}: with `force = true` that is thrown away",
                self.destination,
                own.shown()
            )));
        }
        status.add_difference("own changes", own.shown(), "thrown away");
        Ok(())
    }

    /// Makes the repository, and says where its server is. That comes last: it is what a check looks for.
    pub(super) async fn set_origin(&self, cx: &Context, origin: Origin, bare: bool) -> Result<()> {
        let git = &self.git;
        if origin == Origin::Same {
            return Ok(());
        }
        if origin == Origin::Made {
            let mut init = vec!["init", "--quiet", "--template="];
            init.extend(bare.then_some("--bare"));
            git.change_elsewhere(cx, &[&init[..], &["--", &self.destination]].concat()).await?;
        }
        let config = ["config", "--local", "--replace-all"];
        let (name, value) = if bare {
            // Who clones from it has no use for what is remembered of the server.
            ("transfer.hideRefs", "refs/converge")
        } else {
            ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
        };
        git.change(cx, &[&config[..], &[name, value]].concat()).await?;
        git.change(cx, &[&config[..], &["remote.origin.url", self.repository.as_str()]].concat()).await
    }
}

/// A URL that somebody else wrote, without a password.
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
