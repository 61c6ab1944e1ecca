//! Verification of the signature of a commit or tag.

use converge_sdk::prelude::*;
use converge_sdk::system::Output;
use converge_sdk::system::git_error;

use super::program::Git;
use super::remote_refs::{Goal, Named};
use super::revision::Revision;

/// Verifies objects that are already here. Others can be verified only after the fetch.
///
/// # Errors
///
/// Returns an error if there is no good signature.
pub(super) async fn verify_known(cx: &Context, git: &Git, revision: &Revision, goal: &Goal) -> Result<()> {
    let Some(commit) = goal.commit() else { return Ok(()) };
    let object = if let Goal::Named(named) = goal { &named.object } else { commit };
    if git.has(cx, object).await? && git.has(cx, commit).await? {
        verify(cx, git, revision, goal, commit).await?;
    }
    Ok(())
}

/// Verifies an annotated tag, or otherwise the commit.
///
/// # Errors
///
/// Returns an error if there is no good signature.
pub(super) async fn verify(
    cx: &Context,
    git: &Git,
    revision: &Revision,
    goal: &Goal,
    commit: &str,
) -> Result<()> {
    let Goal::Named(Named { name, object, .. }) = goal else {
        return verify_commit(cx, git, revision, commit).await;
    };
    let Some(tag) = name.strip_prefix("refs/tags/").filter(|_| object != commit) else {
        return verify_commit(cx, git, revision, commit).await;
    };
    let output = git.judge(cx, &["verify-tag", "--format=%(tag)", object]).await?;
    if !output.exit.success() {
        return Err(unsigned(&format!("the tag {tag}"), &output));
    }
    // A server could give an older signed tag the name of a newer one.
    let signed = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if signed == tag {
        return Ok(());
    }
    Err(Error::msg(format!(
        "the server has another tag under the name {tag}: what is signed is called {signed:?}"
    )))
}

async fn verify_commit(cx: &Context, git: &Git, revision: &Revision, commit: &str) -> Result<()> {
    let output = git.judge(cx, &["verify-commit", commit]).await?;
    if output.exit.success() {
        Ok(())
    } else {
        Err(unsigned(&format!("{} ({commit})", revision.as_str()), &output))
    }
}

fn unsigned(subject: &str, output: &Output) -> Error {
    let text = String::from_utf8_lossy(&output.stderr);
    let reason = match git_error::reason(&text) {
        said if said.is_empty() => "it has none".to_owned(),
        said => said,
    };
    Error::msg(format!("{subject} has no good signature, so it is not checked out: {reason}"))
}
