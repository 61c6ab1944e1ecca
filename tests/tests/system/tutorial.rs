//! Tests of the tutorial `ten_minutes.md` for authors.
//!
//! Its commands are run, its changes are made, and its outputs are compared.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use converge_tests::documents::{Block, all_blocks, commands};
use converge_tests::{Said, forget_package, programs, root, skip, states};

use super::new_controller::{Folder, PROGRAMS};

/// The path of the new crate in the tutorial, relative to the sources of Converge.
const NEW: &str = "../web-banner";

/// The sources, the new crate, and cargo's target folder.
struct Walk {
    place: PathBuf,
    banner: PathBuf,
    target: PathBuf,
    /// The home directory, which must not be writable by others because it contains plugins.
    home: PathBuf,
}

/// Returns cargo's home folder, whatever the home directory of the caller.
fn cargo_home() -> PathBuf {
    let home_variable = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    home_variable
        .unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").expect("there is a home")).join(".cargo"))
}

impl Walk {
    /// Runs a line of the tutorial in the current folder.
    fn run(&mut self, line: &str) -> Said {
        let line = line.replace(NEW, &self.banner.display().to_string());
        if let Some(folder) = line.strip_prefix("cd ") {
            self.place = PathBuf::from(folder);
            // The locked versions of the workspace are already on this machine.
            fs::copy(root().join("Cargo.lock"), self.place.join("Cargo.lock")).expect("it is copied");
            return Said { code: Some(0), stdout: String::new(), stderr: String::new() };
        }
        // The command is already built and is found there. The page does not depend on release builds.
        let built = self.target.join("debug");
        let line = line.replace("cargo run -p converge-cli --", "converge").replace(" --release", "");
        let line = line.replace("target/release", &built.display().to_string());
        let cargo = Path::new(env!("CARGO")).parent().expect("it is in a folder");
        let path = std::env::var("PATH").expect("there are programs");
        let mut shell = Command::new("/bin/sh");
        forget_package(&mut shell);
        shell
            .args(["-c", &line])
            .current_dir(&self.place)
            .stdin(Stdio::null())
            .env("PATH", format!("{}:{}:{path}", programs().display(), cargo.display()))
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_HOME", cargo_home())
            .env("HOME", &self.home)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CONVERGE_STATE_DIR", states().join("ten-minutes"))
            .env("TMPDIR", self.banner.parent().expect("it is in a folder"))
            .env_remove("NO_COLOR");
        Said::from(shell.output().expect("there is a shell"))
    }

    /// Applies a change from the tutorial.
    fn patch(&self, change: &str) {
        let mut patch = Command::new("git");
        patch.args(["apply", "-"]).current_dir(&self.banner).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut patch = patch.spawn().expect("there is git");
        patch.stdin.take().expect("it is piped").write_all(change.as_bytes()).expect("it reads");
        let output = Said::from(patch.wait_with_output().expect("it ends"));
        assert_eq!(output.code, Some(0), "{}{change}", output.everything());
    }
}

#[test]
fn ten_minutes_go_as_they_are_written() {
    let test = "ten_minutes::ten_minutes_go_as_they_are_written";
    let Some(built) = std::env::var_os(PROGRAMS).map(PathBuf::from) else {
        return skip(test, "what crates outside of the workspace need is built by `cargo xtask test`");
    };
    let page =
        fs::read_to_string(root().join("converge-core/docs/guide/ten_minutes.md")).expect("it is there");
    let folder = Folder::new("ten-minutes");
    fs::create_dir_all(states()).expect("it is made");
    let home = tempfile::tempdir_in(states()).expect("it is made");
    let mut walk = Walk {
        place: root().to_owned(),
        banner: folder.path().join("web-banner"),
        target: built.parent().expect("the folder of all programs").to_owned(),
        home: home.path().to_owned(),
    };
    let mut last_output = None;
    for Block { language, text } in all_blocks(&page) {
        match language.as_str() {
            "sh" => {
                for line in commands(&format!("```sh\n{text}```\n")) {
                    let fails = line.ends_with("# fails");
                    let output = walk.run(&line);
                    assert_eq!(output.code != Some(0), fails, "{line}: {}", output.everything());
                    last_output = Some(output.everything());
                }
            }
            "text" => {
                let last_text = last_output.as_deref().expect("a command comes first");
                for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "...") {
                    assert!(last_text.contains(line), "no {line:?} in {last_text}");
                }
            }
            "diff" => walk.patch(&text),
            "hcl" => fs::write(walk.place.join("site.hcl"), text).expect("it is written"),
            other => panic!("the page has a block of {other:?}, of which this test knows nothing"),
        }
    }
    assert_eq!(fs::read_to_string(folder.path().join("web-banner.txt")).unwrap(), "Hello, Grace!\n");
}
