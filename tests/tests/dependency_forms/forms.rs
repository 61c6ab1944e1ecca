use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use converge_tests::published_crates::CRATES;
use converge_tests::{Said, root};

use crate::registry::{INDEX, Registry};

/// A crate outside of the workspace with a resource type.
///
/// No network is used; a proxy address without a listener prevents it.
struct Outside {
    folder: tempfile::TempDir,
}

impl Outside {
    fn new(dependencies: &str) -> Self {
        let outside = Self { folder: tempfile::tempdir().unwrap() };
        let source = outside.at("src");
        fs::create_dir(&source).unwrap();
        fs::copy(root().join("tests/external_crates/marker.rs"), source.join("marker.rs")).unwrap();
        fs::write(source.join("lib.rs"), "pub mod marker;\n").unwrap();
        // The locked versions of the workspace are already on this machine.
        fs::copy(root().join("Cargo.lock"), outside.at("Cargo.lock")).unwrap();
        let manifest =
            "[package]\nname = \"outside\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n";
        fs::write(outside.at("Cargo.toml"), format!("{manifest}[dependencies]\n{dependencies}")).unwrap();
        outside
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn config(self, text: &str) -> Self {
        fs::create_dir(self.at(".cargo")).unwrap();
        fs::write(self.at(".cargo/config.toml"), text).unwrap();
        self
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = converge_tests::cargo();
        cargo.args(arguments).current_dir(self.folder.path()).env("CARGO_PROFILE_DEV_DEBUG", "0");
        cargo.env("CARGO_HTTP_PROXY", "http://127.0.0.1:9").env("CARGO_NET_RETRY", "0");
        cargo
    }

    /// Compiles the crate.
    ///
    /// Dependencies that all these crates share are compiled once.
    fn check(&self, home: Option<&Path>) {
        let mut check = self.cargo(&["check", "--target-dir"]);
        check.arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("dependency-forms"));
        match home {
            Some(home) => check.env("CARGO_HOME", home),
            None => check.arg("--offline"),
        };
        Said::from(check.output().unwrap()).success();
    }

    /// Checks the source of one of the crates.
    #[track_caller]
    fn has(&self, name: &str, from: &str) {
        let lock = fs::read_to_string(self.at("Cargo.lock")).unwrap();
        let entry =
            lock.split("[[package]]\n").find(|package| package.starts_with(&format!("name = \"{name}\"\n")));
        let entry = entry.unwrap_or_else(|| panic!("no {name} in {lock}"));
        assert!(entry.contains(from), "{name} is not from {from:?}: {entry}");
    }
}

/// The dependency on `converge-core` of a crate with a resource type.
const LIGHT: &str = "default-features = false, features = [\"derive\"] }\n";

#[test]
fn by_path() {
    let outside =
        Outside::new(&format!("converge-core = {{ path = \"{}/converge-core\", {LIGHT}", root().display()));
    outside.check(None);
    assert!(fs::read_to_string(outside.at("Cargo.lock")).unwrap().contains("name = \"converge-core\""));
}

#[test]
fn by_git() {
    let place = tempfile::tempdir().unwrap();
    let repository = place.path().join("converge");
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]);
        git.arg("--git-dir")
            .arg(&repository)
            .arg("--work-tree")
            .arg(root())
            .args(arguments)
            .current_dir(root());
        // The settings of the user, or of a git hook that runs the tests, must not apply.
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env_remove("GIT_INDEX_FILE");
        Said::from(git.output().expect("git starts")).success().stdout
    };
    // The current files, including uncommitted changes.
    git(&["init", "--quiet"]);
    git(&["add", "--all", "."]);
    git(&["commit", "--quiet", "--no-verify", "--message", "Everything"]);
    git(&["tag", "v0.1.0"]);

    let url = format!("file://{}", repository.display());
    let outside = Outside::new(&format!("converge-core = {{ git = \"{url}\", tag = \"v0.1.0\", {LIGHT}"));
    // Cargo stores downloads in its home, which is temporary here. Downloaded crates of others are linked
    // from the real one.
    let home = place.path().join("home");
    fs::create_dir(&home).unwrap();
    let registry = home_of_cargo().join("registry");
    std::os::unix::fs::symlink(registry, home.join("registry")).unwrap();
    outside.check(Some(&home));
    for name in ["converge-core", "converge-derive"] {
        outside.has(name, &format!("source = \"git+{url}?tag=v0.1.0#"));
    }
}

/// Returns the folder in which cargo stores downloads.
fn home_of_cargo() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    home.unwrap_or_else(|| {
        PathBuf::from(std::env::var_os("HOME").expect("somebody runs this")).join(".cargo")
    })
}

#[test]
fn by_a_registry_of_ones_own() {
    let place = tempfile::tempdir().unwrap();
    let registry = Registry::with_crates(place.path(), "");
    let outside =
        Outside::new(&format!("converge-core = {{ version = \"0.1\", registry = \"example\", {LIGHT}"))
            .config(&registry.config());
    outside.check(None);
    for name in ["converge-core", "converge-derive"] {
        outside.has(name, &format!("source = \"{INDEX}\""));
    }
}

#[test]
fn each_crate_of_a_registry_of_ones_own_has_the_others_from_there() {
    let place = tempfile::tempdir().unwrap();
    let registry = Registry::with_crates(place.path(), "");
    let line = |name| format!("{name} = {{ version = \"0.1\", registry = \"example\" }}\n");
    let outside = Outside::new(&CRATES.map(line).concat()).config(&registry.config());
    Said::from(outside.cargo(&["generate-lockfile", "--offline"]).output().unwrap()).success();
    for name in CRATES {
        outside.has(name, &format!("source = \"{INDEX}\""));
    }
}

#[test]
fn by_a_registry_of_ones_own_where_it_is_called_otherwise() {
    let place = tempfile::tempdir().unwrap();
    let registry = Registry::with_crates(place.path(), "example-");
    let from = "version = \"0.1\", registry = \"example\", package = \"example-converge-core\"";
    let outside = Outside::new(&format!("converge-core = {{ {from}, {LIGHT}")).config(&registry.config());
    outside.check(None);
    for name in ["example-converge-core", "example-converge-derive"] {
        outside.has(name, &format!("source = \"{INDEX}\""));
    }
}
