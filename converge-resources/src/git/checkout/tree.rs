//! A repository with its files checked out.

use converge_sdk::prelude::*;

use super::declaration::{Origin, Wanted};
use super::destination::{self, Destination};
use super::git_error;
use super::local_changes::{self, BEGUN, DONE, LocalChanges};
use super::remote_refs::{self, Goal, Named};
use super::signature;
use super::untracked;

#[derive(Debug, Default)]
pub(super) struct TreePlan {
    /// The commit that is checked out before the apply.
    pub(super) has: Option<String>,
    /// The commit to check out; `None` if nothing has to be done.
    goal: Option<Goal>,
    /// The change of the repository itself and of the URL of its server.
    origin: Origin,
    /// The earlier checkout that has to be finished first.
    begun: Begun,
    /// Whether changes of files are discarded.
    reset: bool,
    checkout: bool,
    submodules: bool,
}

/// The state of an interrupted checkout.
#[derive(Debug, Default, PartialEq, Eq)]
enum Begun {
    /// There is no interrupted checkout.
    #[default]
    Nothing,
    /// Some of the files of this commit are written.
    Half(String),
    /// All files are written: only the record of the end is missing.
    Whole,
}

/// The state of the local repository.
#[derive(Debug, Default)]
struct Found {
    /// The commit that is checked out.
    head: Option<String>,
    url: Option<String>,
    /// A commit whose checkout has begun and is not known to have ended.
    begun: Option<String>,
    own: LocalChanges,
}

impl Wanted {
    /// Compares the repository with its declaration, and plans the changes.
    pub(super) async fn inspect_tree(&self, cx: &Context, status: &mut Status) -> Result<TreePlan> {
        let mut plan = TreePlan::default();
        let state = match destination::look(cx, &self.destination, false).await? {
            Destination::Free => None,
            Destination::Repository => Some(self.found(cx).await?),
        };
        let exists = state.is_some();
        let state = state.unwrap_or_default();
        plan.origin = self.compare_origin(exists, state.url.as_deref(), status);
        plan.has.clone_from(&state.head);
        let goal = self.goal(cx, &state, plan.origin).await?;
        self.compare_own(&state.own, status)?;
        plan.reset = !state.own.files.is_empty();
        let target = goal.commit().unwrap_or(self.revision.as_str());
        if state.head.as_deref() != Some(target) {
            status.add_difference("commit", state.head.as_deref().unwrap_or("absent"), target);
        }
        // An interrupted checkout is finished first.
        plan.checkout = state.begun.as_deref().or(state.head.as_deref()) != Some(target);
        if state.begun.is_some() {
            // The end of the checkout still has to be recorded, even if all files are checked out.
            status.add_difference("checkout", "interrupted", "finished");
        }
        if self.submodules && state.head.is_some() && !plan.checkout {
            plan.submodules = self.compare_submodules(cx, status).await?;
        }
        plan.submodules |= self.submodules && (plan.checkout || state.begun.is_some() || plan.reset);
        plan.begun = match state.begun {
            None => Begun::Nothing,
            begun if begun == state.head => Begun::Whole,
            Some(commit) => Begun::Half(commit),
        };
        if self.verify && plan.origin != Origin::Made {
            signature::verify_known(cx, &self.git, &self.revision, &goal).await?;
        }
        status.raise_level_for_diffs();
        plan.goal = status.has_changes().then_some(goal);
        Ok(plan)
    }

    async fn found(&self, cx: &Context) -> Result<Found> {
        let git = &self.git;
        if git.look(cx, &["rev-parse", "--is-bare-repository"]).await?.trim_end() == "true" {
            return Err(Error::msg(format!(
                "{} is a bare repository: write `bare = true`, or name another directory",
                self.destination
            )));
        }
        destination::is_unlocked(cx, &self.destination).await?;
        let url = git.find(cx, &["config", "--local", "--get", "remote.origin.url"]).await?;
        let head = git.find(cx, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).await?;
        let start =
            git.find(cx, &["rev-parse", "--verify", "--quiet", &format!("{BEGUN}^{{commit}}")]).await?;
        let changes =
            local_changes::look(cx, git, head.as_deref(), start.as_deref(), self.submodules).await?;
        Ok(Found { head, url, begun: start, own: changes })
    }

    async fn goal(&self, cx: &Context, state: &Found, origin: Origin) -> Result<Goal> {
        if !self.update
            && state.head.is_some()
            && origin == Origin::Same
            && let Some(goal) = self.known_goal(cx).await?
        {
            return Ok(goal);
        }
        let goal = remote_refs::ask(cx, &self.git, &self.repository, &self.revision).await?;
        if goal != Goal::Short {
            return Ok(goal);
        }
        if self.depth.is_some() {
            return Err(Error::msg(format!(
                "{} has no branch and no tag {:?}, and with `depth` a commit must be written in full",
                self.repository,
                self.revision.as_str()
            )));
        }
        // Most servers do not list commits without a reference, but the commit may have been fetched before.
        Ok(if state.head.is_some() {
            self.complete_commit(cx).await?.map_or(goal, Goal::Commit)
        } else {
            goal
        })
    }

    /// Resolves the revision among the objects that were fetched before.
    async fn known_goal(&self, cx: &Context) -> Result<Option<Goal>> {
        if let Some(commit) = self.revision.commit() {
            return Ok(Some(Goal::Commit(commit)));
        }
        for name in self.revision.names() {
            let tracked = tracked(&name);
            let find = async |what: &str| {
                self.git.find(cx, &["rev-parse", "--verify", "--quiet", &format!("{tracked}{what}")]).await
            };
            if let (Some(object), Some(commit)) = (find("").await?, find("^{commit}").await?) {
                return Ok(Some(Goal::Named(Named { name, object, commit })));
            }
        }
        Ok(self.complete_commit(cx).await?.map(Goal::Commit))
    }

    /// Completes an abbreviated commit.
    pub(super) async fn complete_commit(&self, cx: &Context) -> Result<Option<String>> {
        if !self.revision.may_be_short() {
            return Ok(None);
        }
        let commit = self
            .git
            .find(
                cx,
                &["rev-parse", "--verify", "--quiet", &format!("{}^{{commit}}", self.revision.as_str())],
            )
            .await?;
        // A branch of the repository may have this name, too.
        Ok(commit.filter(|commit| commit.starts_with(&self.revision.as_str().to_ascii_lowercase())))
    }

    /// Reports submodules that are not at their recorded commits, and returns whether there are any.
    async fn compare_submodules(&self, cx: &Context, status: &mut Status) -> Result<bool> {
        let printed = self.git.look(cx, &["submodule", "status", "--recursive"]).await?;
        let differ: Vec<&str> = printed.lines().filter(|line| !line.starts_with(' ')).collect();
        for line in &differ {
            // The format is `+COMMIT PATH (DESCRIPTION)`, with `-` for a missing submodule.
            let path = line.split(' ').nth(1).unwrap_or_default();
            let before = if line.starts_with('-') { "absent" } else { "another commit" };
            status.add_difference(format!("submodule {path}"), before, "the commit that is recorded");
        }
        Ok(!differ.is_empty())
    }

    pub(super) async fn apply_tree(&self, cx: &Context, plan: &TreePlan) -> Result<Option<String>> {
        let Some(goal) = &plan.goal else { return Ok(plan.has.clone()) };
        let git = &self.git;
        self.set_origin(cx, plan.origin, false).await?;
        let commit = self.fetch(cx, goal).await?;
        if self.verify {
            signature::verify(cx, git, &self.revision, goal, &commit).await?;
        }
        if let Begun::Half(begun) = &plan.begun {
            // The files may be half written. They hold no local changes, because the run looked for these
            // before the checkout began.
            git.change(cx, &["checkout", "--quiet", "--force", "--detach", begun]).await?;
        }
        if plan.reset {
            git.change(cx, &["reset", "--quiet", "--hard"]).await?;
        }
        if plan.checkout {
            let head = git.find(cx, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).await?;
            let trees: Vec<&str> = head.as_deref().map(|_| "HEAD").into_iter().chain([&*commit]).collect();
            // Files with another time and the same content are no changes, but `read-tree` believes the index.
            git.change(cx, &["update-index", "-q", "--ignore-submodules", "--refresh"]).await?;
            // These two checks report files that would be lost, and untracked files in the way, before
            // anything is written.
            git.change(cx, &[&["read-tree", "-n", "-m", "-u"][..], &trees].concat()).await?;
            untracked::none_in_the_way(cx, git, head.as_deref(), &commit).await?;
            git.change(cx, &["update-ref", BEGUN, &commit]).await?;
            let out =
                git.change(cx, &["checkout", "--quiet", "--no-overwrite-ignore", "--detach", &commit]).await;
            if let Err(error) = out {
                if git_error::is_in_the_way(&error) {
                    // The checkout has not begun: an untracked file appeared after the checks.
                    git.change(cx, &["update-ref", "-d", BEGUN]).await?;
                }
                return Err(error);
            }
        }
        if plan.submodules {
            self.update_submodules(cx, plan.reset).await?;
        }
        if plan.checkout || plan.begun != Begun::Nothing {
            git.change_with(
                cx,
                &["update-ref", "--stdin"],
                format!("update {DONE} {commit}\ndelete {BEGUN}\n"),
            )
            .await?;
        }
        Ok(Some(commit))
    }

    async fn update_submodules(&self, cx: &Context, force: bool) -> Result<()> {
        self.git.change(cx, &["submodule", "--quiet", "sync", "--recursive"]).await?;
        let mut update = vec!["submodule", "--quiet", "update", "--init", "--recursive", "--checkout"];
        let depth = self.depth.map(|depth| depth.to_string());
        if let Some(depth) = &depth {
            update.extend(["--depth", depth]);
        }
        if force {
            update.push("--force");
        }
        self.git.change(cx, &update).await
    }

    /// Fetches the commit to check out, unless it is present, and returns it.
    async fn fetch(&self, cx: &Context, goal: &Goal) -> Result<String> {
        let git = &self.git;
        let moved = || {
            Error::msg(format!(
                "{} has moved {:?} while it was fetched: run it again",
                self.repository,
                self.revision.as_str()
            ))
        };
        match goal {
            Goal::Commit(commit) if git.has(cx, commit).await? => {}
            Goal::Commit(commit) => {
                if self.depth.is_none() {
                    self.fetch_all(cx).await?;
                }
                if !git.has(cx, commit).await? {
                    self.fetch_names(cx, &[&format!("+{commit}:refs/converge/fetched")]).await?;
                }
            }
            Goal::Named(Named { name, object, commit }) => {
                let tracked = tracked(name);
                let current = git.find(cx, &["rev-parse", "--verify", "--quiet", &tracked]).await?;
                if current.as_ref() != Some(object) {
                    self.fetch_names(cx, &[&format!("+{name}:{tracked}")]).await?;
                }
                if !(git.has(cx, commit).await? && git.has(cx, object).await?) {
                    return Err(moved());
                }
            }
            Goal::Short => {
                self.fetch_all(cx).await?;
                return self.complete_commit(cx).await?.ok_or_else(|| {
                    Error::msg(format!(
                        "{} has no branch, no tag and no commit {:?}",
                        self.repository,
                        self.revision.as_str()
                    ))
                });
            }
        }
        goal.commit().map(str::to_owned).ok_or_else(moved)
    }

    async fn fetch_all(&self, cx: &Context) -> Result<()> {
        self.fetch_names(cx, &["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"]).await
    }

    async fn fetch_names(&self, cx: &Context, names: &[&str]) -> Result<()> {
        let depth = self.depth.map(|depth| format!("--depth={depth}"));
        let mut fetch = vec!["fetch", "--quiet", "--upload-pack=git-upload-pack"];
        fetch.extend(depth.as_deref());
        fetch.extend(["--", self.repository.as_str()]);
        fetch.extend(names);
        self.git.change(cx, &fetch).await
    }
}

/// Returns the local name under which a reference of the server is tracked.
fn tracked(name: &str) -> String {
    match name.strip_prefix("refs/heads/") {
        Some(branch) => format!("refs/remotes/origin/{branch}"),
        None if name == "HEAD" => "refs/converge/head".to_owned(),
        None => name.to_owned(),
    }
}
