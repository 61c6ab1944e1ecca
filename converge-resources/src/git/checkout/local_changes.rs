//! Changes and commits in a repository that no server has.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use converge_sdk::prelude::*;

use super::program::Git;

/// The reference to the commit that was checked out last.
pub(super) const DONE: &str = "refs/converge/checkout";

/// The reference to the commit whose checkout has begun, and may have been interrupted.
pub(super) const BEGUN: &str = "refs/converge/begun";

/// The maximum number of files that a message names.
const NAMED: usize = 5;

/// Local work that a checkout would lose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LocalChanges {
    /// Tracked files that differ from the checkout.
    pub(super) files: Vec<String>,
    /// The checked out commit, if it was created here.
    pub(super) commit: Option<String>,
}

impl LocalChanges {
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.commit.is_none()
    }

    /// Formats the changes for a message, such as `changes of a.txt, and the commit 0123..`.
    pub(super) fn shown(&self) -> String {
        let mut parts = Vec::new();
        if !self.files.is_empty() {
            let mut names = self
                .files
                .iter()
                .take(NAMED)
                .map(|file| file.escape_default().to_string())
                .collect::<Vec<_>>()
                .join(", ");
            if self.files.len() > NAMED {
                let _ = write!(names, " and {} more", self.files.len() - NAMED);
            }
            parts.push(format!("changes of {names}"));
        }
        if let Some(commit) = &self.commit {
            parts.push(format!("the commit {commit}, which is not on the server"));
        }
        parts.join(", and ")
    }
}

/// Finds local work that would be lost if another commit than `head` is checked out.
///
/// Differences from the interrupted checkout of `begun` do not count.
pub(super) async fn look(
    cx: &Context,
    git: &Git,
    head: Option<&str>,
    begun: Option<&str>,
    submodules: bool,
) -> Result<LocalChanges> {
    // Before the first checkout there are no tracked files.
    let Some(head) = head else { return Ok(LocalChanges::default()) };
    let ignored = if submodules { "--ignore-submodules=untracked" } else { "--ignore-submodules=all" };
    let printed = git
        .look(cx, &["status", "--porcelain=v2", "-z", "--untracked-files=no", "--no-renames", ignored])
        .await?;
    let mut files = changed(&printed);
    if let Some(start) = begun.filter(|_| !files.is_empty()) {
        let printed =
            git.look(cx, &["diff-tree", "-r", "-z", "--name-only", "--no-renames", head, start]).await?;
        let touched: BTreeSet<&str> = printed.split('\0').collect();
        files.retain(|file| !touched.contains(&**file));
    }
    let arguments =
        ["rev-list", "--max-count=1", head, "--not", "--remotes=origin", "--tags", "--glob=refs/converge/*"];
    let commit = git.look(cx, &arguments).await?;
    let commit = Some(commit.trim_end()).filter(|commit| !commit.is_empty()).map(|_| head.to_owned());
    Ok(LocalChanges { files, commit })
}

/// Parses the changed files in the output of `status --porcelain=v2 -z`.
///
/// A submodule that is only at another commit does not count.
fn changed(printed: &str) -> Vec<String> {
    let path = |entry: &str| {
        // The formats are `1 XY SUB mH mI mW hH hI PATH`, and for an unfinished merge `u XY SUB m1 m2 m3 mW
        // h1 h2 h3 PATH`.
        let (before, sub) = match entry.split(' ').next()? {
            "1" => (8, entry.split(' ').nth(2)?),
            "u" => (10, entry.split(' ').nth(2)?),
            _ => return None,
        };
        let is_moved = sub.starts_with("SC.") || sub == "S...";
        let path = entry.splitn(before + 1, ' ').nth(before)?;
        (!is_moved).then(|| path.to_owned())
    };
    printed.split('\0').filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_files() {
        let check = |printed: &str, expect: &[&str]| assert_eq!(changed(printed), expect, "{printed:?}");
        let id = "0".repeat(40);
        let entry = |what: &str, path: &str| format!("1 {what} 100644 100644 100644 {id} {id} {path}\0");
        check("", &[]);
        check(&entry(".M N...", "a b"), &["a b"]);
        check(&(entry("A. N...", "x\ny") + &entry(".D N...", "z")), &["x\ny", "z"]);
        check(&entry(".M SC..", "sub"), &[]);
        check(&entry(".M SCM.", "sub"), &["sub"]);
        check(&entry(".M S.M.", "sub"), &["sub"]);
        check(&format!("u UU N... 1 2 3 4 {id} {id} {id} both\0? new\0"), &["both"]);
    }

    #[test]
    fn what_is_shown() {
        let check = |files: &[&str], commit: Option<&str>, expect: &str| {
            let files = files.iter().map(ToString::to_string).collect();
            assert_eq!(LocalChanges { files, commit: commit.map(str::to_owned) }.shown(), expect);
        };
        check(&["a"], None, "changes of a");
        check(&["a\n\u{1b}"], None, "changes of a\\n\\u{1b}");
        check(&["1", "2", "3", "4", "5", "6", "7"], None, "changes of 1, 2, 3, 4, 5 and 2 more");
        check(&["a"], Some("ff"), "changes of a, and the commit ff, which is not on the server");
    }
}
