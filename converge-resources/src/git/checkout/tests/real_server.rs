//! Tests with the real git in a temporary directory, which verify the behaviour of the model.

use std::path::Path;
use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, LocalSystem, System, WrapSystem};

use crate::git::checkout::GitCheckoutPreparer;
use crate::testing::{apply, plan};

/// The local system, for a user without any configuration.
#[derive(Debug)]
struct Fresh {
    system: LocalSystem,
    home: String,
}

impl WrapSystem for Fresh {
    fn wrapped_system(&self) -> &dyn System {
        &self.system
    }

    fn env(&self, name: &str) -> Option<String> {
        if name == "HOME" { Some(self.home.clone()) } else { self.system.env(name) }
    }
}

/// A directory with a server and a place for a checkout.
struct Place {
    folder: tempfile::TempDir,
    system: Arc<dyn System>,
}

/// A script that creates the server.
///
/// `main` has `a`, `sub/b` and the tag `v1`, and `.gitignore` lists ignored files.
const SERVER: &str = "\
git init -q -b main work && cd work && mkdir sub
echo 1 > a; echo 1 > sub/b; echo '*.log' > .gitignore
git add . && git commit -q -m one && git tag -a -m text v1
cd .. && git clone -q --bare work server.git && cd work && git remote add origin ../server.git
";

impl Place {
    /// Creates the directory, or reports a skipped test and returns `None` if there is no git.
    async fn new(test: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let place = Self {
            system: Arc::new(Fresh { system: LocalSystem::new(), home: home.to_str().unwrap().to_owned() }),
            folder,
        };
        if place.run("git --version").await.is_none() {
            skip(&format!("{test}: there is no git"));
            return None;
        }
        place.ok("mkdir home && git config --global user.name t && git config --global user.email t@example.com").await;
        place.ok(SERVER).await;
        Some(place)
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    async fn run(&self, script: &str) -> Option<String> {
        let mut command = Command::new("sh").args(["-euc", script]);
        command.dir = Some(self.folder.path().to_owned());
        command.env.insert("HOME".to_owned(), self.path("home"));
        command.env.insert("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned());
        let output = self.system.processes().run(command).await.unwrap();
        output.exit.success().then(|| String::from_utf8(output.stdout).unwrap().trim_end().to_owned())
    }

    async fn ok(&self, script: &str) -> String {
        self.run(script).await.unwrap_or_else(|| panic!("{script}"))
    }

    /// Pushes another commit, and returns its name.
    async fn push(&self, script: &str) -> String {
        self.ok(&format!(
            "cd work && {script} && git add -A -f . && git commit -q -m more && git push -q --force --tags origin main && \
             git rev-parse HEAD"
        ))
        .await
    }

    fn fields(&self, extra: &[(&'static str, Value)]) -> Vec<(&'static str, Value)> {
        let base = [
            ("repository", Value::from(self.path("server.git"))),
            ("destination", self.path("app").into()),
            ("revision", "main".into()),
        ];
        let is_given = |name: &str| extra.iter().any(|(given, _)| *given == name);
        base.into_iter().filter(|(name, _)| !is_given(name)).chain(extra.iter().cloned()).collect()
    }

    async fn apply(&self, extra: &[(&'static str, Value)]) -> String {
        apply::<GitCheckoutPreparer>(&self.system, &self.fields(extra)).await
    }

    /// Checks that an apply changes something, and that the next plan has no changes.
    async fn changes(&self, extra: &[(&'static str, Value)]) {
        let output = self.apply(extra).await;
        assert!(output.starts_with("will change") && !output.contains("error"), "{extra:?}: {output}");
        self.nothing(extra).await;
    }

    async fn nothing(&self, extra: &[(&'static str, Value)]) {
        let output = plan::<GitCheckoutPreparer>(&self.system, &self.fields(extra)).await;
        assert_eq!(output, "no change", "{extra:?}");
    }

    async fn refuses(&self, extra: &[(&'static str, Value)], expect: &str) {
        let output = self.apply(extra).await;
        assert!(output.contains("error: ") && output.contains(expect), "{extra:?}: {output}");
    }
}

/// Reports a skipped test, also in the file that `CONVERGE_TEST_SKIP_REPORT` names.
fn skip(line: &str) {
    use std::io::Write as _;
    println!("skipped {line}");
    #[expect(clippy::disallowed_methods, reason = "the report is a file of the test run, not of a resource")]
    if let Some(report) = std::env::var_os("CONVERGE_TEST_SKIP_REPORT") {
        let mut report = std::fs::File::options().create(true).append(true).open(Path::new(&report)).unwrap();
        writeln!(report, "{line}").unwrap();
    }
}

fn revision(revision: &str) -> (&'static str, Value) {
    ("revision", revision.into())
}

/// A file with another time and the same content is no change, and does not stop the next checkout.
#[tokio::test]
async fn what_was_only_touched() {
    let Some(place) = Place::new("git.checkout after touch").await else { return };
    place.changes(&[]).await;
    place.ok("touch -d '2001-01-01' app/a app/sub/b").await;
    place.nothing(&[]).await;
    place.push("echo 2 > a").await;
    place.changes(&[]).await;
    assert_eq!(place.ok("cat app/a app/sub/b").await, "2\n1");
}

#[tokio::test]
async fn what_is_checked_out() {
    let Some(place) = Place::new("git.checkout checks out").await else { return };
    place.changes(&[]).await;
    assert_eq!(
        place.ok("cat app/a app/sub/b; git -C app symbolic-ref -q HEAD || echo detached").await,
        "1\n1\ndetached"
    );
    let first = place.ok("git -C work rev-parse HEAD").await;
    let second = place.push("echo 2 > a && git rm -q sub/b").await;
    place.nothing(&[("update", false.into())]).await;
    place.nothing(&[revision(&first)]).await;
    place.changes(&[]).await;
    assert_eq!(place.ok("cat app/a; ls app; git -C app rev-parse HEAD").await, format!("2\na\n{second}"));
    place.changes(&[revision("v1")]).await;
    place.changes(&[revision(&second)]).await;
    place.changes(&[revision(&first[..8])]).await;
    place.changes(&[revision("HEAD")]).await;
    place.changes(&[revision("refs/tags/v1")]).await;
    // The history of the server is now rewritten.
    place.ok("cd work && git reset -q --hard v1").await;
    place.changes(&[]).await;
    place.push("echo 3 > a").await;
    place.changes(&[]).await;
    // The same with a new checkout that fetches only the last commit.
    let server = ("repository", Value::from(format!("file://{}", place.path("server.git"))));
    let destination = ("destination", Value::from(place.path("other")));
    for (index, revision) in ["main", "v1", &first, &first[..7]].into_iter().enumerate() {
        let destination = ("destination", Value::from(place.path(&format!("other{index}"))));
        place.changes(&[destination, ("revision", revision.into())]).await;
    }
    place.changes(&[server, destination, ("depth", 1.into())]).await;
    assert_eq!(place.ok("git -C other rev-list --count HEAD").await, "1");
    place.refuses(&[revision("none")], "has no branch and no tag \"none\"").await;
    let nowhere = "9".repeat(40);
    place.refuses(&[revision(&nowhere)], "git fetch failed: ").await;
    place.refuses(&[revision("abcdef0")], "has no branch, no tag and no commit \"abcdef0\"").await;
}

#[tokio::test]
async fn what_would_be_lost() {
    let Some(place) = Place::new("git.checkout loses nothing").await else { return };
    let force = ("force", Value::from(true));
    place.changes(&[]).await;
    place.ok("echo mine > app/a; echo mine > app/own; echo mine > app/x.log").await;
    place.refuses(&[], "has changes of a: `force = true` discards that").await;
    place.changes(std::slice::from_ref(&force)).await;
    place.ok("cd app && git rm -q sub/b && echo new > new && git add new").await;
    place.refuses(&[], "has changes of new, sub/b: `force").await;
    place.changes(std::slice::from_ref(&force)).await;
    place.ok("cd app && git commit -q --allow-empty -m mine").await;
    place.refuses(&[], ", which is not on the server: `force").await;
    place.changes(std::slice::from_ref(&force)).await;
    assert_eq!(
        place.ok("cat app/a app/sub/b app/own app/x.log; git -C app rev-parse HEAD").await,
        place.ok("printf '1\n1\nmine\nmine\n'; git -C work rev-parse HEAD").await
    );
    // A file with only a new time is unchanged.
    place.ok("touch -d '2001-01-01' app/a").await;
    place.nothing(&[]).await;
    // The server now has files that exist here already; git ignores one of them.
    for file in ["own", "x.log"] {
        place.push(&format!("echo theirs > {file} && git add -f {file}")).await;
        for force in [true, false] {
            let refused = ["would be overwritten by", file, "untracked files are never removed"];
            for message in refused {
                place.refuses(&[("force", force.into())], message).await;
            }
            assert_eq!(place.run("git -C app rev-parse --verify -q refs/converge/begun").await, None);
            assert_eq!(place.ok(&format!("cat app/{file}")).await, "mine");
        }
        place.ok(&format!("rm app/{file}")).await;
        place.changes(&[]).await;
    }
    place.ok("touch app/.git/index.lock").await;
    place.refuses(&[], "/app/.git/index.lock exists").await;
}

/// Git overwrites ignored files during a checkout, so the checkout must not begin.
#[tokio::test]
async fn what_git_ignores_is_not_lost() {
    let Some(place) = Place::new("git.checkout keeps what git ignores").await else { return };
    place.ok("cd work && echo 1 > gone.log && git add -f gone.log").await;
    place.push("true").await;
    place.changes(&[]).await;
    // Each obstacle is of another kind: a file, a directory with files, a link above a file, a file above a
    // file, and files where the repository had a directory.
    let before = place.ok("git -C work rev-parse HEAD").await;
    for (mine, theirs, message) in [
        ("echo mine > new.log", "echo 2 > new.log", "new.log would be"),
        ("mkdir -p d.log/e && echo mine > d.log/e/f", "echo 2 > d.log", "d.log/e/f would be"),
        ("mkdir ../out; ln -s ../out l.log", "mkdir l.log && echo 2 > l.log/x", "l.log would be"),
        ("echo mine > f.log", "mkdir f.log && echo 2 > f.log/x", "f.log would be"),
        ("echo mine > sub/z.log", "git rm -q -r sub && echo 2 > sub", "sub/z.log would be"),
    ] {
        place.ok(&format!("cd work && git reset -q --hard {before}")).await;
        place.push(theirs).await;
        place.ok(&format!("cd app && {mine}")).await;
        let tree = place.ok("cd app && find . -name .git -prune -o -print | sort").await;
        for force in [false, true] {
            place.refuses(&[("force", force.into())], message).await;
        }
        assert_eq!(place.ok("cd app && find . -name .git -prune -o -print | sort").await, tree, "{mine}");
        // Without the obstacle, the checkout succeeds.
        place.ok("cd app && rm -rf new.log d.log l.log f.log sub/z.log").await;
        place.changes(&[]).await;
        place.ok(&format!("cd work && git reset -q --hard {before}")).await;
        place.push("git commit -q --allow-empty -m again && echo 3 > again").await;
        place.changes(&[]).await;
    }
    // Directories without files, and former files of the repository, are no obstacles.
    place.ok("mkdir -p app/e.log/deep").await;
    place.push("echo 2 > e.log && git rm -q gone.log && mkdir gone.log && echo 2 > gone.log/x").await;
    place.changes(&[]).await;
    assert_eq!(place.ok("cat app/e.log app/gone.log/x").await, "2\n2");
    // This is the first checkout, into a directory that is a repository already.
    place
        .ok("rm -rf app && git init -q app && echo '*.log' > app/.git/info/exclude && echo mine > app/e.log")
        .await;
    place.refuses(&[], "e.log would be").await;
    assert_eq!(place.ok("cat app/e.log; ls app").await, "mine\ne.log");
}

/// A killed checkout leaves half written files, and no index of them.
#[tokio::test]
async fn what_was_interrupted() {
    let Some(place) = Place::new("git.checkout finishes").await else { return };
    place.changes(&[]).await;
    let next = place.push("echo 2 > a && echo 2 > c && git rm -q sub/b").await;
    let interruption =
        format!("git -C app fetch -q origin main && git -C app update-ref refs/converge/begun {next}");
    place.ok(&interruption).await;
    place.ok("printf x > app/a; printf y > app/c; rm app/sub/b").await;
    place.changes(&[]).await;
    assert_eq!(
        place.ok("cat app/a app/c; git -C app for-each-ref --format='%(refname)' refs/converge").await,
        "2\n2\nrefs/converge/checkout"
    );
    // The first checkout, interrupted at each of its steps.
    for (index, script) in [
        "git init -q app; rm app/.git/config",
        "mkdir -p app/.git/refs",
        "git init -q app && git -C app config remote.origin.url x",
        "git init -q app && git -C app fetch -q ../server.git main && git -C app update-ref refs/converge/begun FETCH_HEAD && printf x > app/a",
    ]
    .into_iter()
    .enumerate()
    {
        place.ok(&format!("rm -rf app; {script}")).await;
        place.changes(&[]).await;
        assert_eq!(place.ok("cat app/a").await, "2", "{index}");
    }
}

#[tokio::test]
async fn nothing_of_the_repository_is_run() {
    let Some(place) = Place::new("git.checkout runs no hook").await else { return };
    place.changes(&[]).await;
    place
        .ok("printf '#!/bin/sh\ntouch ../ran-$(basename $0)\n' > hook; chmod +x hook
             mkdir -p app/.git/hooks
             for name in post-checkout post-merge reference-transaction pre-auto-gc fsmonitor-watchman post-index-change; do cp hook app/.git/hooks/$name; done
             git -C app config core.fsmonitor \"$PWD/hook\"; git -C app config core.sshCommand \"$PWD/hook\"
             git -C app config core.alternateRefsCommand \"$PWD/hook\"; rm -f ran-*")
        .await;
    place.push("echo 2 > a").await;
    place.changes(&[]).await;
    assert_eq!(place.ok("cat app/a; ls | grep ran- || true").await, "2");
}

#[tokio::test]
async fn submodules() {
    let Some(place) = Place::new("git.checkout has submodules").await else { return };
    place
        .ok("git init -q -b main lib && cd lib && echo 1 > l && git add . && git commit -q -m l && cd .. && git clone -q --bare lib lib.git
             cd work && git -c protocol.file.allow=always submodule --quiet add ../lib.git lib")
        .await;
    place.push("true").await;
    let fields = [("submodules", Value::from(true))];
    place.changes(&fields).await;
    assert_eq!(place.ok("cat app/lib/l").await, "1");
    place
        .ok("cd lib && echo 2 > l && git commit -q -a -m l2 && git push -q ../lib.git main && cd ../work/lib && git pull -q origin main").await;
    place.push("true").await;
    place.changes(&fields).await;
    assert_eq!(place.ok("cat app/lib/l").await, "2");
    place.ok("git -C app/lib checkout -q HEAD~1").await;
    place.changes(&fields).await;
    place.ok("echo mine > app/lib/l").await;
    place.refuses(&fields, "has changes of lib: `force = true`").await;
    place.nothing(&[]).await;
    place.changes(&[fields[0].clone(), ("force", true.into())]).await;
    assert_eq!(place.ok("cat app/lib/l").await, "2");
}

#[tokio::test]
async fn a_bare_repository() {
    let Some(place) = Place::new("git.checkout mirrors").await else { return };
    let bare_field = ("bare", Value::from(true));
    place.changes(std::slice::from_ref(&bare_field)).await;
    place.ok("git -C work push -q origin HEAD:gone").await;
    place.push("echo 2 > a && git tag light").await;
    place.changes(std::slice::from_ref(&bare_field)).await;
    place.ok("git -C work push -q origin :gone :v1").await;
    place.ok("cd work && git reset -q --hard HEAD~1").await;
    place.push("echo 3 > a").await;
    place.changes(std::slice::from_ref(&bare_field)).await;
    let names = "for-each-ref --format='%(refname) %(objectname)' refs/heads refs/tags";
    assert_eq!(
        place.ok(&format!("git -C app {names}")).await,
        place.ok(&format!("git -C server.git {names}")).await
    );
    assert_eq!(
        place.ok("git clone -q app copy && cat copy/a; git ls-remote app | grep -c converge || true").await,
        "3\n0"
    );
    place.ok("cd copy && git commit -q --allow-empty -m mine && git push -q origin HEAD").await;
    place.refuses(std::slice::from_ref(&bare_field), "which is not on the server: `force = true`").await;
    place.changes(&[bare_field.clone(), ("force", true.into())]).await;
    place.refuses(&[], "is a bare repository: write `bare = true`").await;
}

#[tokio::test]
async fn signatures() {
    let Some(place) = Place::new("git.checkout verifies").await else { return };
    if place.run("command -v ssh-keygen").await.is_none() {
        skip("git.checkout verifies: there is no ssh-keygen");
        return;
    }
    let verify = ("verify", Value::from(true));
    place.refuses(std::slice::from_ref(&verify), "has no good signature, so it is not checked out").await;
    assert_eq!(place.ok("ls app").await, "");
    place
        .ok("ssh-keygen -q -t ed25519 -N '' -f good; ssh-keygen -q -t ed25519 -N '' -f bad
             echo \"t@example.com $(cat good.pub)\" > home/signers
             git config --global gpg.format ssh; git config --global gpg.ssh.allowedSignersFile \"$PWD/home/signers\"
             git config --global user.signingKey \"$PWD/good\"; git config --global commit.gpgSign true")
        .await;
    place.push("echo 2 > a && git tag -s -m text v2").await;
    place.changes(std::slice::from_ref(&verify)).await;
    place.ok("git -C work tag -s -m text v3 && git -C work push -q --tags origin").await;
    place.nothing(&[verify.clone(), revision("v3")]).await;
    place.push("git config --local user.signingKey ../bad && echo 3 > a").await;
    place.refuses(std::slice::from_ref(&verify), "has no good signature").await;
    assert_eq!(place.ok("cat app/a").await, "2");
    // A tag signed under another name is refused.
    place.ok("git -C server.git update-ref refs/tags/v4 refs/tags/v3").await;
    place.ok("git -C work push -q --force origin HEAD~1:main").await;
    place.changes(&[revision("v1")]).await;
    place
        .refuses(&[verify, revision("v4")], "another tag under the name v4: what is signed is called \"v3\"")
        .await;
}
