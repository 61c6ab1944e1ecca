//! A model of git on the model host, sufficient to test the decisions of the resource.
//!
//! The content of an object is in a file with its name. A commit has its parent and its files, each as
//! `NAME=TEXT`; a tag has its commit. A reference is a file with the name of an object.

use converge_sdk::system::{Command, Machine, ModelSystem, Output};

use super::program::{Git, done, failed, names, read};

pub(super) const SERVER: &str = "/srv/git/app.git";

/// Objects of the model.
///
/// They are: the first commit; the commit of `main` with the tag `v1`; a later commit on `next`; an unsigned
/// commit without a parent; and the object of the tag.
pub(super) const FIRST: &str = "1111111111111111111111111111111111111111";
pub(super) const MAIN: &str = "2222222222222222222222222222222222222222";
pub(super) const NEXT: &str = "3333333333333333333333333333333333333333";
pub(super) const LONE: &str = "4444444444444444444444444444444444444444";
pub(super) const TAG: &str = "5555555555555555555555555555555555555555";
pub(super) const SUB: &str = "6666666666666666666666666666666666666666";

/// Returns a host with a server in a directory, which can be reached by all protocols.
pub(super) fn machine() -> ModelSystem {
    let object = |name: &str| format!("{SERVER}/objects/{name}");
    let name = |name: &str| format!("{SERVER}/refs/{name}");
    ModelSystem::new()
        .with_user("keeper", 1000, 1000)
        .with_env("HOME", "/root")
        .with_env("GIT_DIR", "/elsewhere")
        .with_file(format!("{SERVER}/HEAD"), "ref: refs/heads/main")
        .with_file(object(FIRST), "commit - signed\na=1\n")
        .with_file(object(MAIN), format!("commit {FIRST} signed\na=2\nsub:{SUB}\n"))
        .with_file(object(NEXT), format!("commit {MAIN} signed\na=3\nb=3\nx.log=3\nsub:{SUB}\n"))
        .with_file(object(LONE), "commit - plain\nc=4\n")
        .with_file(object(TAG), format!("tag {MAIN} v1 signed\n"))
        .with_file(name("heads/main"), MAIN)
        .with_file(name("heads/next"), NEXT)
        .with_file(name("heads/lone"), LONE)
        .with_file(name("tags/v1"), TAG)
        .with_file("/etc/keys/deploy", "key")
        .with_file("/etc/keys/hosts", "keys of servers")
        .with_program(answer)
}

/// Like `machine`, with a commit of the server checked out at `/srv/app`.
pub(super) fn at(commit: &str) -> ModelSystem {
    let machine = machine();
    machine.alter(|machine| {
        let mut git = Git { machine, folder: "/srv/app".to_owned(), own: "/srv/app/.git".to_owned() };
        git.put("HEAD", "ref: refs/heads/main");
        git.put("objects/.keep", "");
        git.put("refs/.keep", "");
        git.put("config/remote.origin.url", SERVER);
        git.take_all();
        for name in ["main", "next", "lone"] {
            let commit = git.server_name(&format!("refs/heads/{name}"));
            git.put(&format!("refs/remotes/origin/{name}"), &commit);
        }
        git.checkout(commit);
    });
    machine
}

fn list(machine: &Machine, patterns: &[&str]) -> Output {
    let mut references = names(machine, SERVER, "refs");
    references.extend(references.get("refs/heads/main").cloned().map(|commit| ("HEAD".to_owned(), commit)));
    let mut lines = String::new();
    for (name, object) in references {
        let text = read(machine, &format!("{SERVER}/objects/{object}")).unwrap_or_default();
        let commit = text.strip_prefix("tag ").and_then(|rest| rest.split(' ').next());
        let pair = [(name.clone(), Some(&*object)), (format!("{name}^{{}}"), commit)];
        for (name, object) in pair {
            if let Some(object) = object.filter(|_| patterns.is_empty() || patterns.contains(&&*name)) {
                lines.extend([object, "\t", &name, "\n"]);
            }
        }
    }
    Output::success(lines)
}

/// Answers a command, after removing the options before the subcommand.
fn answer(command: &Command, machine: &mut Machine) -> Option<Output> {
    if command.program != "git" {
        return None;
    }
    let words: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let position = words.iter().position(|word| *word == "-C")?;
    let (folder, words) = (words[position + 1].to_owned(), &words[position + 2..]);
    let stdin = String::from_utf8_lossy(&command.stdin).into_owned();
    match words {
        ["ls-remote", "--quiet", "--", _, wanted @ ..] => {
            let is_there = machine.file(format!("{SERVER}/HEAD")).is_some();
            let message = "fatal: '/srv/git/app.git' does not appear to be a git repository\n";
            Some(if is_there { list(machine, wanted) } else { failed(128, message) })
        }
        ["init", options @ .., "--", folder] => {
            let git_folder =
                if options.contains(&"--bare") { (*folder).to_owned() } else { format!("{folder}/.git") };
            for (name, text) in [("HEAD", "ref: refs/heads/main"), ("objects/.keep", ""), ("refs/.keep", "")]
            {
                if machine.file(format!("{git_folder}/{name}")).is_none() {
                    machine.put_file(format!("{git_folder}/{name}"), text);
                }
            }
            Some(done())
        }
        words => {
            let owned_by = machine.entry(&folder).map(|entry| entry.uid);
            let uid = command.run_as.as_ref().map_or(0, |user| user.uid);
            let is_tree = machine.file(format!("{folder}/.git/HEAD")).is_some();
            if !is_tree && machine.file(format!("{folder}/HEAD")).is_none() {
                return Some(failed(128, "fatal: not a git repository: .git\n"));
            }
            let git_folder = if is_tree { format!("{folder}/.git") } else { folder.clone() };
            // Directories have an owner only if a test gave them one.
            if owned_by.is_some_and(|owner| owner != 0 && owner != uid) {
                return Some(failed(
                    128,
                    &format!("fatal: detected dubious ownership in repository at '{folder}'\n"),
                ));
            }
            Git { machine, folder, own: git_folder }.answer(words, &stdin)
        }
    }
}
