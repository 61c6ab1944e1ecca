//! The `git.checkout` resource: a Git repository at a branch, a tag or a commit.

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

use converge_sdk::footprint::{Footprint, kind};
use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

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

/// Checks out a branch, a tag or a commit of a Git repository, and follows the server when it moves.
///
/// It can also keep a bare repository with all branches and tags of the server.
///
/// A commit is checked out, and `HEAD` is on no branch (`git checkout --detach`). The next run finishes an
/// interrupted checkout. Untracked files, including ignored ones, are never removed or overwritten: one that
/// is in the way is an error. Changed files, and commits that are not on the server, are an error without
/// `force`.
///
/// git never asks a question, and no hook of the repository runs. The key of an SSH server must be known: a
/// `user.known_host` records it. For a private repository over `https://`, set a `credential.helper` in the
/// git config of `user`; a URL with a password or a token is refused. A redirect from `https://` to `http://`
/// is not followed; a submodule may be at `http://`, because its commit is known.
///
/// # Caveats
///
/// git refuses to work in a repository of another user, so name the owner with `user`. The check asks the
/// server (`git ls-remote`) but fetches nothing: only the apply finds out that a commit is on no server. No
/// server is needed for a full commit that is checked out, and with `update = false` for whatever is checked
/// out already. The signers that `verify` trusts are set in the git config of `user`
/// (`gpg.ssh.allowedSignersFile`, `gpg.minTrustLevel`).
///
/// git gets only those variables of converge's environment that say how servers are reached and trusted:
/// proxies, certificates, the SSH agent, and the location of the user's settings. The variables in
/// `environment` are added.
#[derive(Debug, Preparer)]
#[preparer(name = "git.checkout", task = Checkout, validate, footprint, lock = "git", example = "example.hcl")]
pub struct GitCheckoutPreparer {
    /// The repository: `https://host/path`, `http://host/path`, `ssh://user@host/path`, `user@host:path`,
    /// `git://host/path`, `file:///path` or an absolute path.
    #[hcl(required, alias = "repo")]
    repository: Repository,
    /// The directory of the repository.
    ///
    /// It is created if it does not exist; a directory with other contents is refused.
    #[hcl(
        required,
        pattern = "^/[^:\\x00-\\x1f]+$",
        expects = "an absolute path without `:`, which git takes for the end of a path",
        ensures = "path:tree"
    )]
    destination: String,
    /// The branch, tag or commit to check out.
    ///
    /// A commit is written in full or by its first 7 or more digits. `HEAD` is the default branch of the
    /// server. A name that is both a branch and a tag is written as `refs/heads/NAME` or `refs/tags/NAME`.
    #[hcl(required)]
    revision: Revision,
    /// Whether a branch or a tag that has moved on the server is followed.
    ///
    /// Otherwise the checkout stays until another revision is declared.
    #[hcl(default = true)]
    update: bool,
    /// The number of commits of the history to fetch; the default is all.
    ///
    /// Commits that were fetched before stay.
    #[hcl(min = 1, conflicts_with = "bare")]
    depth: Option<u32>,
    /// Whether submodules are checked out recursively, at the recorded commits.
    #[hcl(conflicts_with = "bare")]
    submodules: Option<bool>,
    /// Whether changes of tracked files, and commits that are not on the server, are discarded.
    ///
    /// Otherwise they are an error.
    #[hcl(default)]
    force: bool,
    /// The private key for a server that is reached over SSH.
    ///
    /// Without it, the keys of the user who runs git are used. A key with a passphrase needs an agent.
    #[hcl(
        pattern = "^/[^\"%\\\\$\\x00-\\x1f]+$",
        expects = "an absolute path without quotes, `%`, `$` and backslashes",
        needs = "path"
    )]
    key: Option<String>,
    /// The file with the known keys of SSH servers.
    ///
    /// Without it, the known keys of the user who runs git and of the machine are used.
    #[hcl(
        pattern = "^/[^\"%\\\\$\\x00-\\x1f]+$",
        expects = "an absolute path without quotes, `%`, `$` and backslashes",
        needs = "path"
    )]
    known_hosts: Option<String>,
    /// Whether the commit, or an annotated tag, must have a signature that git finds good.
    ///
    /// It is verified before anything is checked out.
    #[hcl(conflicts_with = "bare")]
    verify: Option<bool>,
    /// Whether the repository is bare, without files.
    ///
    /// Its branches and tags become those of the server, and its `HEAD` points to the branch `revision`.
    #[hcl(default)]
    bare: bool,
    #[hcl(embed)]
    run_as: RunAsFields,
}

impl Validate for GitCheckoutPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = Vec::new();
        for (name, value) in [("key", &self.key), ("known_hosts", &self.known_hosts)] {
            if value.is_some() && !self.repository.is_ssh() {
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
