//! Tests with another user who changes their home directory while `converge` works there as root.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use converge_core::testing::other_user::{JO, Place, Stranger};
use converge_tests::{Said, is_root, run, skip};

/// The minimum number of rounds of the other user.
///
/// Each round swaps sixteen files and directories, three thousand in all.
const ROUNDS: usize = 200;

/// The time after which no further run is started.
const LONG: Duration = Duration::from_secs(12);

/// The content of root's private files.
const CANARY: &str = "canary of root";

/// The new owner of a file, an unused user id.
const MO: u32 = 53_212;

/// The files that belong to the other user again at the end of each round.
const THEIRS: [&str; 9] = [
    "home/app/conf",
    "home/app/conf.bak",
    "home/app/fetched",
    "home/app/mode",
    "home/app/owned",
    "home/app/sub/file",
    "home/app/sub/.converge-validate.file",
    "home/app/tree/file",
    "home/app/unpacked/file",
];

/// A module with each file resource, in directories that are swapped for links.
///
/// One of them is below a directory that another resource creates.
const MODULE: &str = r#"
param "place" {}

file.directory "made" {
  destination = "{{param `place`}}/home/app/made/deep"
  create_all  = true
  mode        = "0755"
}

file.content "conf" {
  destination = "{{param `place`}}/home/app/conf"
  content     = "of root"
  mode        = "0640"
  owner       = "0"
  backup      = true
}

file.content "sub" {
  destination = "{{param `place`}}/home/app/sub/file"
  content     = "of root"
  validate    = "grep -q root {}"
}

file.content "made" {
  destination = "{{lookup `file.directory.made.destination`}}/file"
  content     = "of root"
}

file.fetch "fetched" {
  source      = "{{param `place`}}/archive.tar"
  destination = "{{param `place`}}/home/app/fetched"
  force       = true
}

file.mode "mode" {
  destination = "{{param `place`}}/home/app/mode"
  mode        = "0666"
}

file.owner "tree" {
  destination = "{{param `place`}}/home/app/tree"
  gid         = 53212
  recursive   = true
}

file.owner "owned" {
  destination = "{{param `place`}}/home/app/owned"
  uid         = 53212
}

unarchive "archive" {
  source      = "{{param `place`}}/archive.tar"
  destination = "{{param `place`}}/home/app/unpacked"
  force       = true
}
"#;

/// Creates root's private files, with all names that the module writes, and a home directory.
fn layout() -> (tempfile::TempDir, Place) {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::new(dir.path());
    place.dir("root", 0, 0o755);
    for name in ["sub", "deep", "inner", "made", "unpacked", "tree"] {
        place.dir(&format!("root/{name}"), 0, 0o755);
        place.file(&format!("root/{name}/file"), 0, 0o600);
    }
    for name in ["secret", "file", "conf", "conf.bak", "fetched", "mode", "owned"] {
        place.file(&format!("root/{name}"), 0, 0o600);
    }
    place.dir("home", JO, 0o755);
    place.dir("home/app", JO, 0o755);
    for name in ["sub", "unpacked", "tree"] {
        place.dir(&format!("home/app/{name}"), JO, 0o755);
    }
    place.dir("packed", 0, 0o755);
    place.dir("packed/inner", 0, 0o755);
    place.file("packed/file", 0, 0o666);
    place.file("packed/inner/file", 0, 0o644);
    place.link("packed/link", "inner/file", 0);
    let mut tar = Command::new("tar");
    tar.arg("-C").arg(place.at("packed")).arg("-cf").arg(place.at("archive.tar")).arg(".");
    assert!(tar.status().unwrap().success());
    for name in THEIRS {
        place.file(name, JO, 0o644);
    }
    for entry in place.state("root") {
        if entry.0.is_file() {
            fs::write(entry.0, CANARY).unwrap();
        }
    }
    (dir, place)
}

/// Replaces a directory by a symbolic link for a moment.
fn swap_directory(path: &Path, target: &Path, counter: &mut usize) {
    let aside = path.with_extension(counter.to_string());
    // Each operation may fail, because `converge` works there at the same time.
    if fs::rename(path, &aside).is_ok() {
        let _ = symlink(target, path);
        let _ = fs::remove_file(path);
        // A new directory may exist at the path.
        *counter += usize::from(fs::rename(&aside, path).is_err());
    }
}

/// Replaces a file by a symbolic link and by a hard link for a moment.
fn swap_file(path: &Path, target: &Path) {
    let _ = fs::remove_file(path);
    let _ = symlink(target, path);
    let _ = fs::remove_file(path);
    let _ = fs::hard_link(target, path);
    let _ = fs::remove_file(path);
    let _ = fs::write(path, "of Jo");
}

/// Not a test, but the program of the other user: see [`nothing_outside_is_changed`].
#[test]
fn swap() {
    let Some(place) = Place::of_stranger() else { return };
    let root = place.at("root");
    let mut counter = 0;
    place.work(|| {
        swap_directory(&place.at("home/app"), &root, &mut counter);
        for name in ["sub", "tree", "unpacked", "unpacked/inner", "made", "made/deep"] {
            let target = root.join(name.rsplit('/').next().unwrap_or(name));
            swap_directory(&place.at("home/app").join(name), &target, &mut counter);
        }
        for name in THEIRS {
            let name = name.strip_prefix("home/app/").unwrap();
            let target = root.join(name);
            swap_file(&place.at("home/app").join(name), if target.exists() { &target } else { &root });
        }
    });
}

#[test]
fn nothing_outside_is_changed() {
    if !is_root() {
        return skip("converge under a stranger's hands", "not root");
    }
    let (_dir, place) = layout();
    let module = place.at("module.hcl");
    fs::write(&module, MODULE).unwrap();
    let (module, param) = (module.display().to_string(), format!("place={}", place.at("").display()));
    let converge = |command: &str| -> Said { run(&[command, "-p", &param, "--format", "json", &module]) };
    let before = place.state("root");
    let jo = Stranger::start(&place, "other_users::swap");
    let began = Instant::now();
    let (mut runs, mut refused) = (0, 0);
    // On a busy machine it may take longer until both programs collide.
    while began.elapsed() < LONG || refused == 0 && began.elapsed() < 10 * LONG {
        for command in ["plan", "apply"] {
            let output = converge(command).everything();
            assert!(!output.contains(CANARY), "what a link leads to was shown: {output}");
            refused += usize::from(output.contains("is a symbolic link of"));
            runs += 1;
        }
    }
    let rounds = jo.end();
    let story = format!("{runs} runs, {refused} with something refused, {rounds} rounds");
    assert_eq!(place.state("root"), before, "{story}");
    assert!(rounds > ROUNDS && refused > 0, "{story}");
    // The other user may have been stopped while a directory was moved aside.
    for name in ["home/app", "home/app/sub", "home/app/unpacked", "home/app/tree"] {
        if !place.at(name).is_dir() {
            let _ = fs::remove_file(place.at(name));
            place.dir(name, JO, 0o755);
        }
    }
    for name in THEIRS.iter().filter(|name| fs::symlink_metadata(place.at(name)).is_err()) {
        place.file(name, JO, 0o644);
    }
    // Without interference, one apply is enough.
    let applied = converge("apply");
    assert_eq!(applied.code, Some(0), "{story}: {}", applied.everything());
    converge("plan").has_nothing_to_do();
    assert_eq!(fs::metadata(place.at("home/app/owned")).unwrap().uid(), MO);
    assert_eq!(fs::read(place.at("home/app/conf")).unwrap(), b"of root");
    assert_eq!(place.state("root"), before, "{story}");
}
