//! `git.checkout`: a repository of git at a branch, a tag or a commit.

mod bare_repository;
mod declaration;
mod destination;
mod git_error;
mod local_changes;
mod program;
mod remote_refs;
mod repository;
mod revision;
mod signature;
mod task;
#[cfg(test)]
mod tests;
mod tree;
mod untracked;

use converge_core::footprint::{Footprint, kind};
use converge_core::prelude::*;
use converge_core::value::FieldError;

pub use task::Checkout;

use crate::invalid::invalid;
use crate::run_user::RunAsFields;
use bare_repository::BarePlan;
use declaration::Wanted;
use program::Git;
use repository::Repository;
use revision::Revision;
use task::Plan;
use tree::TreePlan;

/// Checks out a branch, a tag or a commit of a repository of git, and follows the server when it moves; or keeps a bare repository with all
/// branches and tags of the server.
///
/// What is checked out is a commit, and `HEAD` is on no branch (`git checkout --detach`). A checkout that was interrupted is finished by the next
/// run. Files that git does not know of are never removed or overwritten, nor are those that it ignores: one that is in the way is an error. Files
/// that were changed, and commits that are not on the server, are an error without `force`.
///
/// No question is ever asked, no hook of the repository is run, and the key of a server must be known: a `user.known_host` writes it down. Who wants a
/// repository over `https://` that is not for everyone says who that is by a `credential.helper` in git's config of `user`; a URL with a password or a
/// token is refused. A server at `https://` that leads to `http://` is not followed there; a submodule may be at `http://`, as its commit is known.
///
/// # Caveats
///
/// git refuses to work in a repository of another user, so its owner must be named with `user`. The check asks the server (`git ls-remote`) but fetches nothing:
/// a commit that is on no server is found out by the apply.
/// A full commit that is checked out, and with `update = false` whatever is checked out already, needs no server. Who is
/// trusted with `verify` is set in git's config of `user` (`gpg.ssh.allowedSignersFile`, `gpg.minTrustLevel`).
///
/// Of the environment of converge git gets no more than what says how servers are reached and trusted: proxies, certificates, the agent of SSH, and where the user's
/// settings are. What the module says with `environment` is added.
#[derive(Debug, Preparer)]
#[preparer(name = "git.checkout", task = Checkout, validate, footprint, lock = "git", example = "example.hcl")]
pub struct GitCheckoutPreparer {
    /// The repository: `https://host/path`, `http://host/path`, `ssh://user@host/path`, `user@host:path`, `git://host/path`, `file:///path` or an
    /// absolute path.
    #[hcl(required, alias = "repo")]
    repository: Repository,
    /// The directory that becomes the repository. It is made when it is not there; one that has other things in it is refused.
    #[hcl(
        required,
        pattern = "^/[^:\\x00-\\x1f]+$",
        expects = "an absolute path without `:`, which git takes for the end of a path",
        ensures = "path:tree"
    )]
    destination: String,
    /// A branch, a tag, a commit in full or its first 7 digits or more, or `HEAD` for the branch that is the server's own. A name that both a branch and a
    /// tag have is written as `refs/heads/NAME` or `refs/tags/NAME`.
    #[hcl(required)]
    revision: Revision,
    /// Whether a branch or a tag that has moved on the server is followed. Otherwise what is checked out stays, until something else is declared.
    #[hcl(default = true)]
    update: bool,
    /// How many commits of the history are fetched; all when it is not given. What was fetched before stays.
    #[hcl(min = 1, conflicts_with = "bare")]
    depth: Option<u32>,
    /// Whether submodules are checked out, and theirs, at the commits that are recorded.
    #[hcl(conflicts_with = "bare")]
    submodules: Option<bool>,
    /// Whether changes of files that git knows, and commits that are not on the server, are thrown away. Otherwise they are an error.
    #[hcl(default)]
    force: bool,
    /// The private key for a server that is reached over SSH. Without it, it is one of the keys of the user who runs git. A key with a passphrase needs
    /// an agent.
    #[hcl(
        pattern = "^/[^\"%\\\\$\\x00-\\x1f]+$",
        expects = "an absolute path without quotes, `%`, `$` and backslashes",
        needs = "path"
    )]
    key: Option<String>,
    /// The file with the keys of servers that are reached over SSH. Without it, they are those that the user who runs git and the machine know.
    #[hcl(
        pattern = "^/[^\"%\\\\$\\x00-\\x1f]+$",
        expects = "an absolute path without quotes, `%`, `$` and backslashes",
        needs = "path"
    )]
    known_hosts: Option<String>,
    /// Whether the commit, or a tag that has a text of its own, must have a signature that git finds good. It is looked at before anything is
    /// checked out.
    #[hcl(conflicts_with = "bare")]
    verify: Option<bool>,
    /// Whether it is a bare repository, which has no files: its branches and tags become those of the server, and its `HEAD` leads to the branch
    /// `revision`.
    #[hcl(default)]
    bare: bool,
    #[hcl(embed)]
    run_as: RunAsFields,
}

impl Validate for GitCheckoutPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = Vec::new();
        for (name, given) in [("key", &self.key), ("known_hosts", &self.known_hosts)] {
            if given.is_some() && !self.repository.is_ssh() {
                errors.push(invalid(name, "it is for a repository that is reached over SSH, as ssh://user@host/path or user@host:path"));
            }
        }
        let inside = self.repository.path().is_some_and(|path| {
            let destination = std::path::Path::new(&self.destination);
            destination.starts_with(path) || std::path::Path::new(path).starts_with(destination)
        });
        if inside {
            errors.push(invalid("destination", "it and the repository are one inside the other"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl HasFootprint for GitCheckoutPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        if let Some(path) = self.repository.path() {
            footprint.needs(kind::PATH, path);
        }
    }
}

impl Resource for GitCheckoutPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Checkout> {
        let git = Git {
            ssh: program::ssh(self.key.as_deref(), self.known_hosts.as_deref()),
            remote: self.repository.clone(),
            destination: self.destination.clone(),
            run_as: self.run_as,
        };
        let plan = if self.bare { Plan::Bare(BarePlan::default()) } else { Plan::Tree(TreePlan::default()) };
        Ok(Checkout {
            repository: self.repository.clone(),
            destination: self.destination.clone(),
            revision: self.revision.clone(),
            commit: None,
            key: self.key,
            known_hosts: self.known_hosts,
            wanted: Wanted {
                repository: self.repository,
                destination: self.destination,
                revision: self.revision,
                update: self.update,
                depth: self.depth,
                submodules: self.submodules.unwrap_or_default(),
                force: self.force,
                verify: self.verify.unwrap_or_default(),
                git,
            },
            plan,
        })
    }
}
