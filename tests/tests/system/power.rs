//! Tests of power cuts.
//!
//! The machine is a file system on a disk image. Unflushed data are in the memory of the kernel and not in
//! the image, so a copy of the image is the disk after a power cut. The mounts are in a mount namespace that
//! ends with its script.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use converge_core::testing::server::{Server, answer};
use converge_tests::{Said, converge, is_root, skip, states};

use crate::run::private;

/// The script that creates a disk.
///
/// Its kernel writes back on request or after half a minute, and does not guess dependencies.
const DISK: &str = r#"
set -eu
truncate -s 64M disk
mkfs.ext4 -q -F disk
mkdir -p m n
mount -o loop,commit=600,noauto_da_alloc disk m
back() { mount -o loop copy n; }
running() { grep -qs '^State:.[^T]' /proc/$1/task/*/status; }
# Stops a process within so many microseconds. Any moment will do. What has begun in the kernel comes to its end first.
stop() {
  moment=$((RANDOM * $2 / 32768))
  sleep $((moment / 1000000)).$(printf %06d $((moment % 1000000)))
  kill -STOP $1 || true
  while running $1 && ! grep -qs '^State:.Z' /proc/$1/status; do :; done
}
# Ends all of a session: without power nothing goes on. What was stopped before it was one is still in another.
end() {
  kill -KILL $1 2> /dev/null || true
  for stat in /proc/[0-9]*/stat; do
    line=$(cat $stat 2> /dev/null) || continue
    read -r _ _ _ session _ <<< "${line##*) }"
    process=${stat#/proc/}
    if [ $session = $1 ]; then kill -KILL ${process%/stat} || true; fi
  done
}
"#;

/// Runs a bash script in the folder, with `CONVERGE` set.
///
/// If there can be no such disk, returns `None` and reports the test as skipped.
fn on_a_disk(test: &str, folder: &Path, script: &str) -> Option<Said> {
    if !is_root() {
        skip(test, "mounting a disk needs root");
        return None;
    }
    let run = |script: &str| -> Said {
        let program = converge(&[]).get_program().to_owned();
        let mut command = Command::new("unshare");
        command.args(["-m", "bash", "-c", script]).current_dir(folder).env("CONVERGE", program);
        command.env("CONVERGE_STATE_DIR", states().join(test));
        command.output().map_or_else(
            |error| Said { code: None, stdout: String::new(), stderr: error.to_string() },
            Said::from,
        )
    };
    let possible = run(DISK);
    if possible.code != Some(0) {
        skip(test, &format!("an image of a disk cannot be mounted here: {}", possible.everything()));
        return None;
    }
    Some(run(&format!("{DISK}{script}")))
}

/// Returns a module that writes in one way, with the names of its resources.
///
/// No other resource may flush its files.
fn written(method: &str, folder: &Path) -> (String, Vec<String>) {
    let (folder, m) = (folder.display(), folder.join("m"));
    let m = m.display();
    let files = |count: usize| {
        let (mut text, mut names) = (String::new(), Vec::new());
        for file in 0..count {
            for kind in ["old", "new"] {
                let _ = write!(
                    text,
                    "file.content \"{kind}{file}\" {{\n  destination = \"{m}/{kind}{file}\"\n  content = \"after {file}\\n\"\n  \
                     mode = \"0640\"\n  backup = true\n}}\n"
                );
                names.push(format!("file.content.{kind}{file}"));
            }
        }
        (text, names)
    };
    let single = |name: &str, text: String| (text, vec![name.to_owned()]);
    match method {
        // A few files are flushed one by one, and many files together.
        "a few files" => files(1),
        "many files" => files(30),
        "file.directory" => single(
            "file.directory.d",
            format!("file.directory \"d\" {{\n  destination = \"{m}/d/e\"\n  create_all = true\n}}\n"),
        ),
        "file.fetch" => single(
            "file.fetch.f",
            format!(
                "file.fetch \"f\" {{\n  source = \"{folder}/source\"\n  destination = \"{m}/fetched\"\n}}\n"
            ),
        ),
        "unarchive" => single(
            "unarchive.u",
            format!(
                "unarchive \"u\" {{\n  source = \"{folder}/archive.tar\"\n  destination = \"{m}/u\"\n}}\n"
            ),
        ),
        "file.mode" => single(
            "file.mode.m",
            format!("file.mode \"m\" {{\n  destination = \"{m}/mode\"\n  mode = \"0600\"\n}}\n"),
        ),
        _ => single(
            "file.owner.o",
            format!("file.owner \"o\" {{\n  destination = \"{m}/owner\"\n  uid = 1\n}}\n"),
        ),
    }
}

/// A resource that depends on the others makes the copy, right after they were reported as done.
#[test]
fn what_was_said_to_be_written_survives() {
    let ways =
        ["a few files", "many files", "file.directory", "file.fetch", "unarchive", "file.mode", "file.owner"];
    for method in ways {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("source"), "fetched\n".repeat(10_000)).unwrap();
        let (mut module, names) = written(method, folder.path());
        write!(
            module,
            "task \"power cut\" {{\n  check = \"test -e copy\"\n  apply = \"cp --sparse=always disk copy\"\n  \
             dir = \"{}\"\n  depends = {names:?}\n}}\n",
            folder.path().display()
        )
        .unwrap();
        fs::write(folder.path().join("module.hcl"), module).unwrap();
        let script = r#"
for file in $(seq 0 29); do echo "before $file" > m/old$file; done
mkdir m/u tree tree/sub && echo packed > tree/a && echo deep > tree/sub/b && ln -s a tree/link
tar -C tree -cf archive.tar .
touch m/mode m/owner
sync -f m
"$CONVERGE" apply module.hcl
back
shown() { (cd $1 && find . -path ./lost+found -prune -o -printf '%p %y %m %U %G %s %l\n' | sort); }
diff <(shown m) <(shown n)
diff -r --no-dereference m n
"#;
        let Some(output) = on_a_disk("what_was_said_to_be_written_survives", folder.path(), script) else {
            return;
        };
        assert!(output.code == Some(0), "{method}: {}", output.everything());
    }
}

/// The program is stopped at any point.
///
/// Then another program forces the disk to write its journal. The image has all names that the program
/// created, and only the content that was flushed.
#[test]
fn at_no_moment_is_a_file_half_or_empty() {
    let folder = tempfile::tempdir().unwrap();
    let module = r#"
param "round" {}

param "m" {}

file.content "old" {
  for_each    = toset([for number in range(30) : tostring(number)])
  destination = "{{param `m`}}/old{{each.key}}"
  content     = "{{param `round`}}"
}

file.content "new" {
  for_each    = toset([for number in range(10) : tostring(number)])
  destination = "{{param `m`}}/new-{{param `round`}}-{{each.key}}"
  content     = "{{param `round`}}"
}

file.content "other" {
  destination = "{{param `m`}}/d/only"
  content     = "{{param `round`}}"
}
"#;
    // Content of several pages, with one repeated line.
    let content = "content = join(\"\", [for line in range(2000) : format(\"%s\\n\", param.round)])";
    let module = module.replace("content     = \"{{param `round`}}\"", content);
    fs::write(folder.path().join("module.hcl"), module).unwrap();
    let script = r#"
mkdir m/d
began=$(date +%s%N)
"$CONVERGE" apply -p m=m -p round=0 module.hcl > /dev/null
took=$((($(date +%s%N) - began) / 1000))
sync -f m
moments=0
for round in $(seq 25); do
  "$CONVERGE" apply -p m=m -p round=$round module.hcl > said 2>&1 &
  pid=$!
  # The last round comes to its end: there all names are given.
  if [ $round = 25 ]; then wait $pid || true; else stop $pid $took; fi
  echo x > m/of-another && sync m/of-another
  cp --sparse=always disk copy
  kill -KILL $pid || true
  wait $pid || true
  back
  new=0
  for file in n/old* n/new-* n/d/*; do
    if [ "$(sort -u $file | wc -l)" != 1 ] || [ "$(wc -l < $file)" != 2000 ]; then
      echo "in round $round $file is neither old nor new: $(wc -l $file)"
      exit 1
    fi
    if [ "$(head -n 1 $file)" = $round ]; then new=$((new + 1)); fi
  done
  # Before the next copy takes its place: what is unmounted is written to.
  umount n
  if [ $new -gt 0 ] && [ $new -lt 41 ]; then moments=$((moments + 1)); fi
done
echo "$moments moments in the middle"
"#;
    let Some(output) = on_a_disk("at_no_moment_is_a_file_half_or_empty", folder.path(), script) else {
        return;
    };
    output.success();
}

/// A file, and a pending refresh after its change: a line with its content.
const OWED: &str = r#"
param "round" {}

file.content "conf" {
  destination = "m/conf"
  content     = "{{param `round`}}\n"
}

task "reload" {
  check        = "true"
  apply        = "if [ -e die ]; then kill -KILL $PPID; exit 1; fi; echo {{param `round`}} >> m/count && sync m/count"
  on_change_of = ["file.content.conf"]
}
"#;

/// The program is stopped at any point, and in each fourth round when the refresh starts.
///
/// Then the power is cut, and the machine restarts from its disk. Whether or not the file had changed, one
/// apply leaves no refresh pending.
#[test]
fn a_refresh_that_is_owed_survives() {
    let folder = private();
    fs::write(folder.path().join("module.hcl"), OWED).unwrap();
    let script = r#"
apply() { "$CONVERGE" apply --state-dir m/state -p round=$1 module.hcl; }
began=$(date +%s%N)
apply 0 > /dev/null
took=$((($(date +%s%N) - began) / 1000))
sync -f m
owed=0
for round in $(seq 40); do
  if [ $((round % 4)) = 0 ]; then touch die; fi
  setsid "$CONVERGE" apply --state-dir m/state -p round=$round module.hcl > said 2>&1 &
  pid=$!
  if [ -e die ]; then wait $pid || true; rm die; else stop $pid $took; fi
  echo x > m/of-another && sync m/of-another
  cp --sparse=always disk copy
  end $pid
  wait $pid || true
  until umount m 2> busy; do end $pid; done
  mv copy disk
  mount -o loop,commit=600,noauto_da_alloc disk m
  if [ "$(cat m/conf)" = $round ] && [ "$(tail -n 1 m/count)" != $round ]; then owed=$((owed + 1)); fi
  apply $round > said 2>&1 || { cat said; exit 1; }
  if [ "$(cat m/conf)" != $round ] || [ "$(tail -n 1 m/count)" != $round ]; then
    echo "in round $round the refresh is lost: $(cat m/conf m/count said)"
    exit 1
  fi
  if grep -i warning said; then exit 1; fi
done
echo "$owed times it was owed"
test $owed -ge 10
"#;
    let Some(output) = on_a_disk("a_refresh_that_is_owed_survives", folder.path(), script) else { return };
    output.success();
}

/// A download is on the disk when the command ends; before that, either all or nothing of it is.
#[test]
fn what_was_fetched_survives() {
    let folder = private();
    let server = Server::new(|path, _| {
        let text = format!("# {path}\n{}", "# a line of a module\n".repeat(20_000));
        answer("200 OK", &["ETag: \"one\""], text.as_bytes())
    });
    let script = r#"
get() { "$CONVERGE" validate --cache-dir $1/cache "${@:2}"; }
began=$(date +%s%N)
get m URL/0 > /dev/null
took=$((($(date +%s%N) - began) / 1000))
for round in $(seq 20); do
  get m URL/$round > said 2>&1 &
  pid=$!
  stop $pid $took
  cp --sparse=always disk before
  kill -CONT $pid || true
  wait $pid
  cp --sparse=always disk copy
  back
  get n --offline URL/$round > said 2>&1 || { echo "in round $round it is lost:"; cat said; exit 1; }
  umount n
  mv before copy
  back
  if ! get n --offline URL/$round > said 2>&1; then
    grep -q not-cached said || { echo "in round $round it is neither there nor not:"; cat said; exit 1; }
  fi
  get n --offline URL/$((round - 1)) > said 2>&1 || { echo "after round $round the one before is lost"; cat said; exit 1; }
  umount n
done
"#;
    let script = script.replace("URL", &server.url(""));
    let Some(output) = on_a_disk("what_was_fetched_survives", folder.path(), &script) else { return };
    output.success();
}
