//! Tests of the files that a killed apply leaves behind.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use converge_tests::{converge, run};

const FILES: usize = 1000;
/// A size larger than one write of the kernel, so that a partly written file would be seen.
const SIZE: usize = 10_000;

fn text(word: &str, file: usize) -> String {
    format!("{word} {file}\n").repeat(SIZE / 10)
}

fn module(folder: &Path) -> String {
    let mut module = String::new();
    for file in 0..FILES {
        let path = folder.join(format!("f{file}"));
        let content = text("new", file).replace('\n', "\\n");
        write!(
            module,
            "file.content \"f{file}\" {{\n  destination = \"{}\"\n  content = \"{content}\"\n}}\n",
            path.display()
        )
        .unwrap();
    }
    module
}

/// Returns the number of old and new files; any other content is a failure.
fn count(folder: &Path) -> (usize, usize) {
    let (mut old, mut new) = (0, 0);
    for file in 0..FILES {
        let content = fs::read_to_string(folder.join(format!("f{file}"))).unwrap();
        if content == text("old", file) {
            old += 1;
        } else {
            assert!(content == text("new", file), "f{file} is neither old nor new: {} bytes", content.len());
            new += 1;
        }
    }
    (old, new)
}

#[test]
fn a_killed_apply_leaves_every_file_old_or_new_and_the_next_one_finishes() {
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("files");
    fs::create_dir(&files).unwrap();
    for file in 0..FILES {
        fs::write(files.join(format!("f{file}")), text("old", file)).unwrap();
    }
    let path = folder.path().join("module.hcl");
    fs::write(&path, module(&files)).unwrap();
    let path = path.display().to_string();

    let mut child = converge(&["apply", &path]).stdout(std::process::Stdio::null()).spawn().unwrap();
    // The kill comes once the first files are new, which is in the middle of the run on any machine.
    while count(&files).1 == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (old, new) = count(&files);
    assert_eq!(old + new, FILES);
    assert!(new > 0);

    let output = run(&["apply", &path]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(count(&files), (0, FILES));
    // The temporary file of the killed run is removed as well.
    let left: BTreeSet<_> = fs::read_dir(&files).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(
        left.len(),
        FILES,
        "{:?}",
        left.iter().filter(|name| !name.to_string_lossy().starts_with('f'))
    );
}
