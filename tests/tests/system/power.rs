//! What a power cut leaves. The machine is a file system on an image of a disk: what was not flushed is in the memory of the
//! kernel, and not in the image. A copy of the image is the disk as it comes back.
//!
//! The mounts are in a namespace of their own, which ends with the script that makes them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use converge_tests::{Said, converge, is_root, programs, skip};

/// Makes a disk. Its kernel writes back when it is asked to, or half a minute later, and does not guess what belongs together.
const DISK: &str = r"
set -eu
truncate -s 64M disk
mkfs.ext4 -q -F disk
mkdir -p m n
mount -o loop,commit=600,noauto_da_alloc disk m
back() { umount n 2> umount || true; mount -o loop copy n; }
";

/// Runs a script of bash in the folder, with `CONVERGE` set. `None` where there can be no such disk, which is reported.
fn on_a_disk(test: &str, folder: &Path, script: &str) -> Option<Said> {
    if !is_root() {
        skip(test, "mounting a disk needs root");
        return None;
    }
    let run = |script: &str| -> Said {
        let program = converge(&[]).get_program().to_owned();
        let mut command = Command::new("unshare");
        command.args(["-m", "bash", "-c", script]).current_dir(folder).env("CONVERGE", program);
        command.env("CONVERGE_STATE_DIR", programs().join("test-state").join(test));
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

/// So many files, and a bit of everything else that is written.
fn module(folder: &Path, files: usize) -> String {
    let (m, copy) = (folder.join("m"), folder.join("copy"));
    let (m, copy) = (m.display(), copy.display());
    let mut module = String::new();
    let mut names = Vec::new();
    for file in 0..files {
        for kind in ["old", "new"] {
            write!(
                module,
                "file.content \"{kind}{file}\" {{\n  destination = \"{m}/{kind}{file}\"\n  content = \"after {file}\\n\"\n  \
                 mode = \"0640\"\n  backup = true\n}}\n"
            )
            .unwrap();
            names.push(format!("\"file.content.{kind}{file}\""));
        }
    }
    write!(
        module,
        r#"
file.directory "d" {{
  destination = "{m}/d/e"
  create_all  = true
}}

file.fetch "f" {{
  source      = "{folder}/source"
  destination = "{m}/fetched"
}}

unarchive "u" {{
  source      = "{folder}/archive.tar"
  destination = "{m}/u"
}}

file.mode "m" {{
  destination = "{m}/mode"
  mode        = "0600"
}}

file.owner "o" {{
  destination = "{m}/owner"
  uid         = 1
}}

task "power cut" {{
  check   = "test -e {copy}"
  apply   = "cp --sparse=always disk {copy}"
  dir     = "{folder}"
  depends = ["file.directory.d", "file.fetch.f", "unarchive.u", "file.mode.m", "file.owner.o", {}]
}}
"#,
        names.join(", "),
        folder = folder.display(),
    )
    .unwrap();
    module
}

/// The copy is made by what depends on the rest, and so when that was told to be done.
#[test]
fn what_was_said_to_be_written_survives() {
    // Few are flushed one by one, and many together.
    for files in [1, 30] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("source"), "fetched\n".repeat(10_000)).unwrap();
        fs::write(folder.path().join("module.hcl"), module(folder.path(), files)).unwrap();
        let script = format!(
            r#"
for file in $(seq 0 {}); do echo "before $file" > m/old$file; done
mkdir m/u tree tree/sub && echo packed > tree/a && echo deep > tree/sub/b && ln -s a tree/link
tar -C tree -cf archive.tar .
touch m/mode m/owner
sync -f m
"$CONVERGE" apply module.hcl
back
shown() {{ (cd $1 && find . -path ./lost+found -prune -o -printf '%p %y %m %U %G %s %l\n' | sort); }}
diff <(shown m) <(shown n)
diff -r --no-dereference m n
cat n/old0.bak n/new0 n/u/sub/b
"#,
            files - 1
        );
        let test = "what_was_said_to_be_written_survives";
        let Some(said) = on_a_disk(test, folder.path(), &script) else { return };
        let said = said.success();
        assert!(said.stdout.ends_with("before 0\nafter 0\ndeep\n"), "{}", said.everything());
    }
}

/// The program is stopped anywhere. Then another one makes the disk write its journal, so that all names are there that the
/// program has given, and of their content what was flushed.
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
    // Content of several pages, which is one line many times.
    let content = "content = join(\"\", [for line in range(2000) : format(\"%s\\n\", param.round)])";
    let module = module.replace("content     = \"{{param `round`}}\"", content);
    fs::write(folder.path().join("module.hcl"), module).unwrap();
    let script = r#"
mkdir m/d
"$CONVERGE" apply -p m=m -p round=0 module.hcl > /dev/null
sync -f m
running() { grep -qs '^State:.[^T]' /proc/$1/task/*/status; }
moments=0
for round in $(seq 25); do
  "$CONVERGE" apply -p m=m -p round=$round module.hcl > said 2>&1 &
  pid=$!
  sleep 0.$(printf %03d $((RANDOM % 200)))
  kill -STOP $pid || true
  # What has begun in the kernel comes to its end first.
  while running $pid && ! grep -qs '^State:.Z' /proc/$pid/status; do :; done
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
  if [ $new -gt 0 ] && [ $new -lt 41 ]; then moments=$((moments + 1)); fi
done
echo "$moments moments in the middle"
"#;
    let Some(said) = on_a_disk("at_no_moment_is_a_file_half_or_empty", folder.path(), script) else { return };
    said.success();
}
