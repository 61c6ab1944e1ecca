//! Tests with real repositories.
#![expect(clippy::disallowed_methods, reason = "tests make the repositories that they read")]

mod hostile_input;

use std::path::PathBuf;
use std::process::Command;

use converge_core::Registry;
use converge_core::load::{Git, Loaded, Loader, ModuleLock, Sources};
use converge_system::testing::private_folder;

/// A repository, a cache for its commits, and a folder for the module that names it.
pub(super) struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let executable = std::env::current_exe().unwrap();
        let place =
            Self(tempfile::tempdir_in(private_folder(executable.parent().unwrap()).unwrap()).unwrap());
        std::fs::create_dir(place.repository()).unwrap();
        std::fs::create_dir(place.site()).unwrap();
        place.git(&["init", "--quiet", "--initial-branch=main", "--template="]);
        place
    }

    /// Creates a repository with a module of two files in `web`, tagged `v1`.
    fn with_web() -> Self {
        let place = Self::new();
        place.write("web/main.hcl", "param \"port\" { default = 80 }\nmodule \"../lib/tls.hcl\" \"tls\" {}");
        place.write("lib/tls.hcl", "param \"motd\" { default = file(\"motd.txt\") }");
        place.write("lib/motd.txt", "hello");
        place.write("both/module.hcl", "param \"sum\" { default = param.one + 1 }");
        place.write("both/params.hcl", "param \"one\" { default = 1 }");
        place.commit("one");
        place.git(&["tag", "-a", "-m", "v1", "v1"]);
        place
    }

    fn repository(&self) -> PathBuf {
        self.0.path().join("modules")
    }

    fn site(&self) -> PathBuf {
        self.0.path().join("site")
    }

    fn cache(&self) -> PathBuf {
        self.0.path().join("cache")
    }

    fn url(&self) -> String {
        format!("file://{}", self.repository().display())
    }

    /// Returns a source inside the repository.
    fn source(&self, path: &str, reference: &str) -> String {
        let reference = if reference.is_empty() { String::new() } else { format!("?ref={reference}") };
        format!("git::{}//{path}{reference}", self.url())
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(self.repository())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.repository().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn git_sources(&self) -> Git {
        Git::new(self.cache())
    }

    /// Loads a module that calls this source, with the lock file beside it.
    fn call(&self, source: &str) -> Loaded {
        self.call_with(self.git_sources(), source)
    }

    fn call_with(&self, git: Git, source: &str) -> Loaded {
        self.call_in(&Sources::new().with_git(git), source)
    }

    fn call_in(&self, sources: &Sources, source: &str) -> Loaded {
        let site = self.site().join("main.hcl");
        std::fs::write(&site, format!("module \"{source}\" \"web\" {{}}")).unwrap();
        Loader::new(&Registry::new()).with_sources(sources.clone()).load_file(&site)
    }

    fn lock(&self, source: &str) -> ModuleLock {
        let sources = Sources::new().with_git(self.git_sources().lock(ModuleLock::default()).resolving());
        let loaded = self.call_in(&sources, source);
        assert!(!loaded.diagnostics.has_errors(), "{:?}", messages(&loaded));
        let lock = sources.locked();
        std::fs::write(self.site().join(ModuleLock::FILE), lock.to_json()).unwrap();
        lock
    }

    /// Removes the path of the temporary folder from a text.
    fn short(&self, text: &str) -> String {
        text.replace(&self.0.path().display().to_string(), "")
    }

    /// Checks the diagnostics of a load that calls this source.
    #[track_caller]
    fn check(&self, loaded: &Loaded, expect: &[&str]) {
        let actual: Vec<String> = messages(loaded).iter().map(|line| self.short(line)).collect();
        assert_eq!(actual, expect);
    }
}

pub(super) fn messages(loaded: &Loaded) -> Vec<String> {
    let line = |diagnostic: &crate::diagnostic::Diagnostic| {
        let help = diagnostic.help.as_ref().map(|help| format!(" | {help}")).unwrap_or_default();
        format!("{}: {}{help}", diagnostic.code, diagnostic.message)
    };
    loaded.diagnostics.iter().map(line).collect()
}

fn has(loaded: Loaded, id: &str) -> bool {
    loaded.into_graph().unwrap().find(id).is_some()
}

/// A module reads files of its own commit, and no files of this machine.
#[test]
fn a_commit_gives_modules_and_their_files() {
    let place = Place::with_web();
    let commit = place.git(&["rev-parse", "v1^{commit}"]);
    assert!(has(place.call(&place.source("web/main.hcl", &commit)), "root/module.web/module.tls/param.motd"));
    assert!(has(place.call(&place.source("both", &commit)), "root/module.web/param.one"));
    // The commit stays in the cache, and the repository is not contacted again.
    std::fs::rename(place.repository(), place.0.path().join("gone")).unwrap();
    assert!(has(place.call(&place.source("web/main.hcl", &commit)), "root/module.web/param.port"));
    // There is no checkout.
    assert!(!place.cache().join("web").exists());
}

#[test]
fn a_tag_means_the_commit_that_it_is_locked_to() {
    let place = Place::with_web();
    let source = place.source("web/main.hcl", "v1");
    place.check(&place.call(&source), &[
        "not-locked: cannot load modules from the repository file:///modules: `v1` is not locked to a commit; it is called in /site/main.hcl | lock it: `converge modules lock MODULE` writes its commit to `converge.lock` beside the module; or write the commit: `?ref=` and its 40 digits",
    ]);
    let lock = place.lock(&source);
    let locked: Vec<String> = lock.entries().map(|entry| entry.commit.to_string()).collect();
    assert_eq!(locked, [place.git(&["rev-parse", "v1^{commit}"])]);
    assert!(has(place.call(&source), "root/module.web/param.port"));

    // Moving the tag has no effect until the lock is updated.
    place.write("web/main.hcl", "param \"moved\" { default = 1 }");
    place.commit("two");
    place.git(&["tag", "--force", "v1"]);
    assert!(has(place.call(&source), "root/module.web/param.port"));
    place.lock(&source);
    assert!(has(place.call(&source), "root/module.web/param.moved"));
}

/// Tests a lightweight tag, a branch with a slash, a detached `HEAD`, and a tag named like a branch.
#[test]
fn names_of_commits() {
    let place = Place::with_web();
    place.git(&["branch", "feature/x"]);
    place.write("web/main.hcl", "param \"later\" { default = 1 }");
    place.commit("two");
    place.git(&["tag", "light"]);
    place.git(&["branch", "v1"]);
    for (reference, param) in [
        ("feature/x", "port"),
        ("light", "later"),
        ("main", "later"),
        ("", "later"),
        ("HEAD", "later"),
        ("v1", "port"),
    ] {
        let source = place.source("web/main.hcl", reference);
        place.lock(&source);
        assert!(has(place.call(&source), &format!("root/module.web/param.{param}")), "{reference}");
    }
    let sources = Sources::new().with_git(place.git_sources().resolving());
    place.check(&place.call_in(&sources, &place.source("web/main.hcl", "v9")), &[
        "no-such-commit: cannot load modules from the repository file:///modules: the repository has no branch or tag `v9`; it is called in /site/main.hcl | list the branches and tags with `git ls-remote`",
    ]);
}

#[test]
fn without_the_network_there_is_what_was_fetched() {
    let place = Place::with_web();
    let source = place.source("web/main.hcl", "v1");
    let lock = place.lock(&source);
    let commit = lock.entries().next().unwrap().commit;
    assert!(has(place.call_with(place.git_sources().offline(), &source), "root/module.web/param.port"));
    std::fs::remove_dir_all(place.cache()).unwrap();
    place.check(&place.call_with(place.git_sources().offline(), &source), &[&format!(
        "not-cached: cannot load modules from the repository file:///modules: commit {commit} is not in the cache, and the network is not used; it is called in /site/main.hcl | load it once without `--offline`"
    )]);
}

#[test]
fn what_is_not_there() {
    let place = Place::with_web();
    let commit = place.git(&["rev-parse", "HEAD"]);
    let missing_commit = "0".repeat(40);
    place.check(&place.call(&place.source("web/none.hcl", &commit)), &[&format!(
        "unreadable-file: cannot read git::file:///modules//web/none.hcl?ref={commit}: there is no such file in this commit; it is called in /site/main.hcl"
    )]);
    place.check(&place.call(&place.source("lib", &commit)), &[&format!(
        "no-module-file: git::file:///modules//lib?ref={commit} is a folder, and there is no `module.hcl` in it, which would make it a module; it is called in /site/main.hcl | name a file of it; or, when its files are one module, name one of them `module.hcl`"
    )]);
    let lines = messages(&place.call(&place.source("web/main.hcl", &missing_commit)));
    assert!(lines[0].starts_with("git-failed: ") || lines[0].starts_with("no-such-commit: "), "{lines:?}");
    let missing_source = "git::file:///nowhere/modules.git//a.hcl?ref=".to_owned() + &missing_commit;
    let lines = messages(&place.call(&missing_source));
    assert!(lines[0].contains("git says: ") && lines[0].contains("/nowhere/modules.git"), "{lines:?}");
}

#[test]
fn a_lock_file_that_is_none() {
    let place = Place::with_web();
    std::fs::write(place.site().join(ModuleLock::FILE), "{").unwrap();
    place.check(&place.call(&place.source("web/main.hcl", "v1")), &[
        "bad-lock: cannot load modules from the repository file:///modules: /site/converge.lock is not a lock file: EOF while parsing an object at line 1 column 1; it is called in /site/main.hcl | take the file from version control again, or remove it and write it with `converge modules lock MODULE`",
    ]);
    // A commit hash needs no lock.
    let commit = place.git(&["rev-parse", "HEAD"]);
    assert!(has(place.call(&place.source("web/main.hcl", &commit)), "root/module.web/param.port"));
}

/// A commit is found through the branches if the server does not serve it by hash.
#[test]
fn a_server_that_gives_branches_only() {
    let place = Place::with_web();
    let old = place.git(&["rev-parse", "HEAD"]);
    place.write("web/main.hcl", "");
    place.commit("two");
    place.git(&["config", "uploadpack.allowTipSHA1InWant", "false"]);
    place.git(&["config", "protocol.version", "0"]);
    assert!(has(place.call(&place.source("web/main.hcl", &old)), "root/module.web/param.port"));
}

/// Several processes fetch at once, and a killed one has left an incomplete repository.
#[test]
fn fetches_at_the_same_moment() {
    let place = Place::with_web();
    let commit = place.git(&["rev-parse", "HEAD"]);
    let source = place.source("web/main.hcl", &commit);
    assert!(has(place.call(&source), "root/module.web/param.port"));
    let repositories =
        std::fs::read_dir(place.cache().join("git")).unwrap().map(|entry| entry.unwrap().path());
    let repository = repositories.into_iter().find(|path| path.is_dir()).unwrap();
    std::fs::remove_dir_all(repository.join("objects")).unwrap();
    std::fs::remove_dir_all(repository.join("refs")).unwrap();
    std::fs::write(repository.join("shallow"), "").unwrap();
    let _ = std::fs::remove_file(repository.join("packed-refs"));
    std::thread::scope(|scope| {
        for number in 0..4 {
            let (place, source) = (&place, &source);
            scope.spawn(move || {
                let site = place.site().join(format!("{number}.hcl"));
                std::fs::write(&site, format!("module \"{source}\" \"web\" {{}}")).unwrap();
                let sources = Sources::new().with_git(place.git_sources());
                let loaded = Loader::new(&Registry::new()).with_sources(sources).load_file(&site);
                assert!(has(loaded, "root/module.web/param.port"));
            });
        }
    });
}

/// The same module at another commit is a different module.
#[test]
fn two_commits_at_once() {
    let place = Place::with_web();
    let first_commit = place.git(&["rev-parse", "HEAD"]);
    place.write("web/main.hcl", "param \"later\" { default = 1 }");
    let two = place.commit("two");
    let text = format!(
        "module \"{}\" \"one\" {{}}\nmodule \"{}\" \"two\" {{}}",
        place.source("web/main.hcl", &first_commit),
        place.source("web/main.hcl", &two)
    );
    let sources = Sources::new().with_git(place.git_sources());
    let graph =
        Loader::new(&Registry::new()).with_sources(sources).load_text("m.hcl", text).into_graph().unwrap();
    assert!(graph.find("root/module.one/param.port").is_some());
    assert!(graph.find("root/module.two/param.later").is_some());
}

/// A load may begin in a repository: `converge plan git::..`.
#[test]
fn a_load_begins_in_a_repository() {
    let place = Place::with_web();
    let commit = place.git(&["rev-parse", "HEAD"]);
    let sources = Sources::new().with_git(place.git_sources());
    let load = |path: &str| {
        Loader::new(&Registry::new()).with_sources(sources.clone()).load(&place.source(path, &commit))
    };
    assert!(has(load("web/main.hcl"), "root/module.tls/param.motd"));
    assert!(has(load("both"), "root/param.one"));
}
