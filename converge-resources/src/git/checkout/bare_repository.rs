//! A bare repository, whose branches and tags are those of the server.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use converge_sdk::prelude::*;

use super::declaration::{Origin, Wanted};
use super::destination::{self, Destination};
use super::local_changes::LocalChanges;
use super::remote_refs::{self, Goal, Names};

/// The maximum number of branches and tags that a plan names.
const NAMED: usize = 20;

#[derive(Debug, Default)]
pub(super) struct BarePlan {
    /// The commit of the revision, if it is known.
    pub(super) commit: Option<String>,
    origin: Origin,
    fetch: bool,
    /// The target branch of `HEAD`.
    head: Option<String>,
}

impl Wanted {
    /// Compares the repository with its declaration, and plans the changes.
    pub(super) async fn inspect_bare(&self, cx: &Context, status: &mut Status) -> Result<BarePlan> {
        let git = &self.git;
        let mut plan = BarePlan::default();
        let exists = destination::look(cx, &self.destination, true).await? == Destination::Repository;
        let mut url = None;
        if exists {
            if git.look(cx, &["rev-parse", "--is-bare-repository"]).await?.trim_end() != "true" {
                return Err(Error::msg(format!(
                    "{} is not a bare repository: name another directory",
                    self.destination
                )));
            }
            url = git.find(cx, &["config", "--local", "--get", "remote.origin.url"]).await?;
        }
        plan.origin = self.compare_origin(exists, url.as_deref(), status);
        let current = if exists { self.names(cx).await? } else { Names::default() };
        let settled = !self.update && plan.origin == Origin::Same;
        let old_goal = if settled { self.local_goal(cx, &current).await? } else { None };
        let (target, goal) = if let Some(goal) = old_goal {
            (None, goal)
        } else {
            let target = remote_refs::list(cx, git, &self.repository, &[]).await?;
            let goal = match self.revision.commit() {
                Some(commit) => Goal::Commit(commit),
                None => target.find(&self.revision, &self.repository)?,
            };
            (Some(target), goal)
        };
        if let Some(target) = target {
            plan.fetch = compare_names(&current, &target, status);
            if plan.fetch && exists {
                self.compare_own(&self.local_commits(cx, &target).await?, status)?;
            }
        }
        plan.commit = match goal.commit() {
            None if exists => self.complete_commit(cx).await?,
            commit => commit.map(str::to_owned),
        };
        if let Goal::Named(named) = &goal
            && named.name.starts_with("refs/heads/")
        {
            let head = if exists { git.find(cx, &["symbolic-ref", "--quiet", "HEAD"]).await? } else { None };
            if head.as_deref() != Some(&*named.name) {
                status.add_difference("HEAD", head.as_deref().unwrap_or("absent"), named.name.as_str());
                plan.head = Some(named.name.clone());
            }
        }
        status.raise_level_for_diffs();
        Ok(plan)
    }

    /// Resolves the revision among the objects of the local repository.
    async fn local_goal(&self, cx: &Context, current: &Names) -> Result<Option<Goal>> {
        let commit = match self.revision.commit() {
            Some(commit) => self.git.has(cx, &commit).await?.then_some(commit),
            None => match current.find(&self.revision, &self.repository) {
                Ok(goal @ Goal::Named(_)) => return Ok(Some(goal)),
                _ => self.complete_commit(cx).await?,
            },
        };
        Ok(commit.map(Goal::Commit))
    }

    /// Returns the local branches and tags.
    async fn names(&self, cx: &Context) -> Result<Names> {
        let format = "--format=%(objectname) %(*objectname) %(refname)";
        let printed = self.git.look(cx, &["for-each-ref", format, "refs/heads", "refs/tags"]).await?;
        let mut names = Names::default();
        for line in printed.lines() {
            if let [object, commit, name] = line.splitn(3, ' ').collect::<Vec<_>>()[..] {
                names.0.insert(name.to_owned(), object.to_owned());
                if !commit.is_empty() {
                    names.0.insert(format!("{name}^{{}}"), commit.to_owned());
                }
            }
        }
        Ok(names)
    }

    /// Finds a local commit that the server does not have, neither now nor at the last fetch.
    async fn local_commits(&self, cx: &Context, target: &Names) -> Result<LocalChanges> {
        let mut lines = String::new();
        for object in target.0.values().collect::<BTreeSet<_>>() {
            // Objects that are not here need no exclusion, and git would fail on their names.
            if self.git.has(cx, object).await? {
                let _ = writeln!(lines, "^{object}");
            }
        }
        let arguments = [
            "rev-list",
            "--max-count=1",
            "--stdin",
            "--branches",
            "--tags",
            "--not",
            "--glob=refs/converge/*",
        ];
        let commit = self.git.look_with(cx, &arguments, lines).await?;
        let commit = Some(commit.trim_end().to_owned()).filter(|commit| !commit.is_empty());
        Ok(LocalChanges { files: Vec::new(), commit })
    }

    pub(super) async fn apply_bare(&self, cx: &Context, plan: &BarePlan) -> Result<Option<String>> {
        self.set_origin(cx, plan.origin, true).await?;
        if plan.fetch {
            // The names of the server are also kept under `refs/converge`, to recognise commits that were
            // added here. The public names are fetched first: an interrupted fetch must not make them look
            // like local commits.
            let names = [
                "+refs/heads/*:refs/heads/*",
                "+refs/tags/*:refs/tags/*",
                "+refs/heads/*:refs/converge/heads/*",
                "+refs/tags/*:refs/converge/tags/*",
            ];
            let fetch = [
                "fetch",
                "--quiet",
                "--prune",
                "--no-tags",
                "--upload-pack=git-upload-pack",
                "--",
                self.repository.as_str(),
            ];
            self.git.change(cx, &[&fetch[..], &names].concat()).await?;
        }
        if let Some(head) = &plan.head {
            self.git.change(cx, &["symbolic-ref", "HEAD", head]).await?;
        }
        if let Some(commit) = &plan.commit
            && !self.git.has(cx, commit).await?
        {
            return Err(Error::msg(format!("{} has no commit {commit}", self.repository)));
        }
        if plan.commit.is_some() {
            return Ok(plan.commit.clone());
        }
        self.complete_commit(cx).await?.map(Some).ok_or_else(|| {
            Error::msg(format!(
                "{} has no branch, no tag and no commit {:?}",
                self.repository,
                self.revision.as_str()
            ))
        })
    }
}

/// Reports the branches and tags that differ, and returns whether there are any.
fn compare_names(current: &Names, target: &Names, status: &mut Status) -> bool {
    fn mirrored(names: &Names) -> BTreeMap<&str, &str> {
        let of_both = |name: &str| {
            (name.starts_with("refs/heads/") || name.starts_with("refs/tags/")) && !name.ends_with("^{}")
        };
        names.0.iter().filter(|(name, _)| of_both(name)).map(|(name, object)| (&**name, &**object)).collect()
    }
    let (current, target) = (mirrored(current), mirrored(target));
    let keys: BTreeSet<&str> = current.keys().chain(target.keys()).copied().collect();
    let differ: Vec<&str> = keys.into_iter().filter(|name| current.get(name) != target.get(name)).collect();
    for name in differ.iter().take(NAMED) {
        let object_of =
            |names: &BTreeMap<&str, &str>| names.get(name).copied().unwrap_or("absent").to_owned();
        status.add_difference(*name, object_of(&current), object_of(&target));
    }
    if differ.len() > NAMED {
        status.add_message(format!("and {} more branches and tags", differ.len() - NAMED));
    }
    !differ.is_empty()
}
