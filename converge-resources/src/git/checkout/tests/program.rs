//! The subcommands of the git model inside a repository.

use std::collections::BTreeMap;
use std::path::Path;

use converge_sdk::system::{Machine, Output};

use super::model::SERVER;

/// A repository, and the host that it is on.
pub(super) struct Git<'m> {
    pub(super) machine: &'m mut Machine,
    pub(super) folder: String,
    /// The directory of git's own data.
    pub(super) own: String,
}

/// The treatment of ignored files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ignored {
    Kept,
    Lost,
}

pub(super) fn read(machine: &Machine, path: &str) -> Option<String> {
    Some(String::from_utf8_lossy(machine.file(path)?).into_owned())
}

pub(super) fn failed(code: i32, message: &str) -> Output {
    Output::failure(code, message)
}

pub(super) fn done() -> Output {
    Output::success("")
}

impl Git<'_> {
    fn get(&self, name: &str) -> Option<String> {
        read(self.machine, &format!("{}/{name}", self.own))
    }

    pub(super) fn put(&mut self, name: &str, text: &str) {
        self.machine.put_file(format!("{}/{name}", self.own), text);
    }

    pub(super) fn server_name(&self, name: &str) -> String {
        read(self.machine, &format!("{SERVER}/{name}")).unwrap_or_default()
    }

    /// Returns the references below a prefix, with their objects.
    fn names(&self, prefix: &str) -> BTreeMap<String, String> {
        names(self.machine, &self.own, prefix)
    }

    pub(super) fn take_all(&mut self) {
        for (name, object) in files(self.machine, &format!("{SERVER}/objects/")) {
            self.put(&format!("objects/{name}"), &object);
        }
    }

    fn object(&self, name: &str) -> Option<String> {
        self.get(&format!("objects/{name}"))
    }

    fn commit(&self, word: &str) -> Option<String> {
        let word = word.trim_end_matches("^{commit}");
        let name_or_commit = match self.get(word) {
            Some(text) => text.strip_prefix("ref: ").map_or(Some(text.clone()), |name| self.get(name))?,
            None if word.len() == 40 => word.to_owned(),
            None => {
                let objects = files(self.machine, &format!("{}/objects/", self.own));
                objects.into_keys().find(|name| word.len() > 6 && name.starts_with(word))?
            }
        };
        let object = self.object(&name_or_commit)?;
        match object.strip_prefix("tag ") {
            Some(rest) => rest.split(' ').next().map(str::to_owned),
            None => Some(name_or_commit),
        }
    }

    fn tree(&self, commit: &str) -> BTreeMap<String, String> {
        let object = self.object(commit).unwrap_or_default();
        let split = |line: &str| line.split_once('=').map(|(name, text)| (name.to_owned(), text.to_owned()));
        object.lines().filter_map(split).collect()
    }

    fn submodules(&self) -> BTreeMap<String, String> {
        let object = self.commit("HEAD").and_then(|commit| self.object(&commit)).unwrap_or_default();
        let split = |line: &str| line.split_once(':').map(|(name, text)| (name.to_owned(), text.to_owned()));
        object.lines().filter_map(split).collect()
    }

    fn is_reached(&self, commit: &str, from: &[String]) -> bool {
        let mut open = from.to_vec();
        while let Some(next) = open.pop() {
            let next = self.commit(&next).unwrap_or(next);
            if next == commit {
                return true;
            }
            let object = self.object(&next).unwrap_or_default();
            let parent = object.split([' ', '\n']).nth(1).filter(|parent| *parent != "-");
            open.extend(parent.map(str::to_owned));
        }
        false
    }

    fn changed(&self) -> Vec<String> {
        let tree = self.commit("HEAD").map(|commit| self.tree(&commit)).unwrap_or_default();
        let is_other = |(name, text): &(&String, &String)| {
            read(self.machine, &format!("{}/{name}", self.folder)).as_ref() != Some(*text)
        };
        tree.iter().filter(is_other).map(|(name, _)| name.clone()).collect()
    }

    /// Returns an error if a checkout would lose files.
    ///
    /// Log files are ignored, and only some git commands look for ignored files.
    fn in_the_way(&self, commit: &str, ignored: Ignored) -> Option<Output> {
        let head = self.commit("HEAD").map(|commit| self.tree(&commit)).unwrap_or_default();
        let tree = self.tree(commit);
        let changed = self.changed();
        let entry = |name: &&String| changed.contains(name) && tree.get(*name) != head.get(*name);
        if let Some(name) = head.keys().find(entry) {
            return Some(failed(128, &format!("error: Entry '{name}' not uptodate. Cannot merge.\n")));
        }
        let unknown = |name: &&String| {
            !head.contains_key(*name)
                && self.machine.entry(format!("{}/{name}", self.folder)).is_some()
                && (ignored == Ignored::Kept || Path::new(name).extension() != Some("log".as_ref()))
        };
        let name = tree.keys().find(unknown)?;
        Some(failed(
            128,
            &format!("error: Untracked working tree file '{name}' would be overwritten by merge.\n"),
        ))
    }

    pub(super) fn checkout(&mut self, commit: &str) {
        let head = self.commit("HEAD").map(|commit| self.tree(&commit)).unwrap_or_default();
        for name in head.keys() {
            self.machine.remove(format!("{}/{name}", self.folder));
        }
        for (name, text) in self.tree(commit) {
            self.machine.put_file(format!("{}/{name}", self.folder), text);
        }
        self.put("HEAD", commit);
    }

    fn fetch(&mut self, arguments: &[&str]) -> Output {
        let prune = arguments.contains(&"--prune");
        let Some(position) = arguments.iter().position(|word| *word == "--") else {
            return failed(129, "usage\n");
        };
        let mut fetched_names = BTreeMap::new();
        for spec in &arguments[position + 2..] {
            let (from, to) = spec.trim_start_matches('+').split_once(':').unwrap_or_default();
            match (from.strip_suffix('*'), to.strip_suffix('*')) {
                (Some(from), Some(to)) => {
                    if prune {
                        for name in self.names(to.trim_end_matches('/')).into_keys() {
                            self.machine.remove(format!("{}/{name}", self.own));
                        }
                    }
                    let references = names(self.machine, SERVER, from.trim_end_matches('/'));
                    fetched_names.extend(
                        references.into_iter().map(|(name, object)| (name.replacen(from, to, 1), object)),
                    );
                }
                _ if from.len() == 40 => {
                    if read(self.machine, &format!("{SERVER}/objects/{from}")).is_none() {
                        return failed(
                            128,
                            &format!("fatal: remote error: upload-pack: not our ref {from}\n"),
                        );
                    }
                    fetched_names.insert(to.to_owned(), from.to_owned());
                }
                _ => {
                    let target = match self.server_name(from) {
                        found if found.starts_with("ref: ") => self.server_name(&found[5..]),
                        found => found,
                    };
                    if target.is_empty() {
                        return failed(128, &format!("fatal: couldn't find remote ref {from}\n"));
                    }
                    fetched_names.insert(to.to_owned(), target);
                }
            }
        }
        self.take_all();
        for (name, object) in fetched_names {
            self.put(&name, &object);
        }
        done()
    }

    #[expect(clippy::too_many_lines, reason = "a table of what git is asked to do")]
    pub(super) fn answer(&mut self, words: &[&str], stdin: &str) -> Option<Output> {
        let answer_text =
            |text: Option<String>| text.map_or(failed(1, ""), |text| Output::success(text + "\n"));
        Some(match words {
            ["rev-parse", "--is-bare-repository"] => {
                Output::success(if self.own == self.folder { "true\n" } else { "false\n" })
            }
            ["config", "--local", "--get", name] => answer_text(self.get(&format!("config/{name}"))),
            ["config", "--local", "--replace-all", name, value] => {
                self.put(&format!("config/{name}"), value);
                done()
            }
            ["rev-parse", "--verify", "--quiet", word] if word.ends_with("^{commit}") => {
                answer_text(self.commit(word))
            }
            ["rev-parse", "--verify", "--quiet", word] => answer_text(self.get(word)),
            ["status", ..] => {
                let line = |name: &String| format!("1 .M N... 100644 100644 100644 0 0 {name}\0");
                Output::success(self.changed().iter().map(line).collect::<String>())
            }
            ["hash-object", "-t", "tree", "--stdin"] if stdin.is_empty() => Output::success("empty\n"),
            [
                "diff-tree",
                "-r",
                "-z",
                "--raw",
                "--abbrev=4",
                "--no-renames",
                "--diff-filter=AD",
                before,
                after,
            ] => {
                let commit = |word: &str| self.commit(word).map(|commit| self.tree(&commit));
                let (before, after) = (commit(before).unwrap_or_default(), commit(after).unwrap_or_default());
                let difference_lines =
                    |these: &BTreeMap<String, String>, those: &BTreeMap<String, String>, what: &str| {
                        let names = these.keys().filter(|name| !those.contains_key(*name));
                        names.flat_map(|name| [":0 100644 0 0 ", what, "\0", name, "\0"]).collect::<String>()
                    };
                Output::success(
                    difference_lines(&after, &before, "A") + &difference_lines(&before, &after, "D"),
                )
            }
            ["diff-tree", _, _, _, _, before, after] => {
                let (before, after) = (self.tree(before), self.tree(after));
                let names = before.keys().chain(after.keys());
                let differ = names.filter(|name| before.get(*name) != after.get(*name));
                Output::success(differ.flat_map(|name| [name, "\0"]).collect::<String>())
            }
            ["rev-list", _, "--stdin", "--branches", "--tags", "--not", _] => {
                let mut commits: Vec<String> =
                    stdin.lines().map(|line| line.trim_start_matches('^').to_owned()).collect();
                commits.extend(self.names("refs/converge").into_values());
                let mut own_references = self.names("refs/heads");
                own_references.extend(self.names("refs/tags"));
                let mut own_commits = own_references.into_values().filter_map(|object| self.commit(&object));
                let own_commit = own_commits.find(|commit| !self.is_reached(commit, &commits));
                Output::success(own_commit.map(|commit| commit + "\n").unwrap_or_default())
            }
            ["rev-list", _, head, "--not", ..] => {
                let commits: Vec<String> = ["refs/remotes/origin", "refs/tags", "refs/converge"]
                    .iter()
                    .flat_map(|prefix| self.names(prefix).into_values())
                    .collect();
                Output::success(if self.is_reached(head, &commits) {
                    String::new()
                } else {
                    format!("{head}\n")
                })
            }
            ["cat-file", _] => {
                let object = self.object(stdin.trim()).unwrap_or_else(|| format!("{} missing", stdin.trim()));
                let kind = object.split(' ').next().unwrap_or_default();
                Output::success(if object.ends_with(" missing") {
                    format!("{object}\n")
                } else {
                    format!("{kind}\n")
                })
            }
            ["verify-commit", commit] => {
                let object = self.object(commit).unwrap_or_default();
                if object.lines().next()?.ends_with(" signed") { done() } else { failed(1, "") }
            }
            ["verify-tag", _, tag] => {
                let object = self.object(tag).unwrap_or_default();
                match object.split_whitespace().collect::<Vec<_>>()[..] {
                    ["tag", _, name, "signed"] => Output::success(format!("{name}\n")),
                    _ => failed(1, "error: no signature found\n"),
                }
            }
            ["fetch", ..] => self.fetch(words),
            ["reset", "--quiet", "--hard"] => {
                let head = self.commit("HEAD")?;
                self.checkout(&head);
                done()
            }
            ["read-tree", "-n", "-m", "-u", .., commit] => {
                self.in_the_way(commit, Ignored::Lost).unwrap_or_else(done)
            }
            ["checkout", "--quiet", "--force", "--detach", commit] => {
                self.checkout(commit);
                done()
            }
            ["checkout", "--quiet", "--no-overwrite-ignore", "--detach", commit] => {
                let refused = self.in_the_way(commit, Ignored::Kept);
                refused.unwrap_or_else(|| {
                    self.checkout(commit);
                    done()
                })
            }
            ["update-ref", "--stdin"] => {
                for line in stdin.lines() {
                    match line.split(' ').collect::<Vec<_>>()[..] {
                        ["update", name, commit] => self.put(name, commit),
                        ["delete", name] => self.machine.remove(format!("{}/{name}", self.own)),
                        _ => return Some(failed(128, "fatal: unknown command\n")),
                    }
                }
                done()
            }
            ["update-ref", "-d", name] => {
                self.machine.remove(format!("{}/{name}", self.own));
                done()
            }
            ["update-ref", name, commit] => {
                self.put(name, commit);
                done()
            }
            ["submodule", "status", "--recursive"] => {
                let line = |(name, commit): (String, String)| {
                    let commit_here = read(self.machine, &format!("{}/{name}/at", self.folder));
                    let sign = commit_here.map_or('-', |checkout| if checkout == commit { ' ' } else { '+' });
                    format!("{sign}{commit} {name}\n")
                };
                Output::success(self.submodules().into_iter().map(line).collect::<String>())
            }
            ["submodule", "--quiet", "sync", "--recursive"]
            | ["update-index", "-q", "--ignore-submodules", "--refresh"] => done(),
            ["submodule", "--quiet", "update", ..] => {
                for (name, commit) in self.submodules() {
                    self.machine.put_file(format!("{}/{name}/at", self.folder), commit);
                }
                done()
            }
            ["for-each-ref", ..] => {
                let mut references = self.names("refs/heads");
                references.extend(self.names("refs/tags"));
                let line = |(name, object): (String, String)| {
                    let commit = self.commit(&object).filter(|commit| *commit != object).unwrap_or_default();
                    format!("{object} {commit} {name}\n")
                };
                Output::success(references.into_iter().map(line).collect::<String>())
            }
            ["symbolic-ref", "--quiet", "HEAD"] => {
                answer_text(self.get("HEAD").and_then(|head| head.strip_prefix("ref: ").map(str::to_owned)))
            }
            ["symbolic-ref", "HEAD", name] => {
                self.put("HEAD", &format!("ref: {name}"));
                done()
            }
            _ => return None,
        })
    }
}

/// Returns the files in a directory and their text, by path relative to the directory.
fn files(machine: &Machine, folder: &str) -> BTreeMap<String, String> {
    let entries = machine.entries().into_keys();
    let names_in_folder = entries.filter_map(|path| Some(path.to_str()?.strip_prefix(folder)?.to_owned()));
    names_in_folder
        .filter_map(|name| Some((name.clone(), read(machine, &format!("{folder}{name}"))?)))
        .collect()
}

/// Returns the references below a prefix, in a repository.
pub(super) fn names(machine: &Machine, git_folder: &str, prefix: &str) -> BTreeMap<String, String> {
    let entries = files(machine, &format!("{git_folder}/{prefix}/")).into_iter();
    entries
        .filter(|(name, _)| name != ".keep")
        .map(|(name, object)| (format!("{prefix}/{name}"), object))
        .collect()
}
