//! What the README promises about the first command.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use converge_tests::{converge, root, run};

#[test]
fn the_first_command_makes_its_files_and_has_nothing_to_do_the_second_time() {
    let folder = tempfile::tempdir().unwrap();
    let module = root().join("examples/hello.hcl");
    let apply = || {
        let output = converge(&["apply", "--color", "never"])
            .arg(&module)
            .env("TMPDIR", folder.path())
            .current_dir(root())
            .output()
            .unwrap();
        let said = converge_tests::Said::from(output);
        assert_eq!(said.code, Some(0), "{said:?}");
        said.stdout
    };

    let first = apply();
    let greeting = folder.path().join("converge-hello/hello.txt");
    assert_eq!(fs::read_to_string(&greeting).unwrap(), "Hello, World!\n");
    assert_eq!(fs::metadata(&greeting).unwrap().permissions().mode() & 0o7777, 0o644);
    for changed in ["file.directory.greetings", "file.content.greeting", "file.mode.greeting", "task.stamp"] {
        assert!(first.contains(changed), "{changed} in {first}");
    }

    let second = apply();
    assert!(!second.contains("file.content.greeting"), "{second}");
    assert!(second.contains("0 changed"), "{second}");
}

#[test]
fn exit_codes_are_as_documented() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    let path = folder.path().join("module.hcl");
    let text =
        format!("file.content \"f\" {{\n  destination = \"{}\"\n  content = \"x\"\n}}\n", file.display());
    fs::write(&path, text).unwrap();
    let path = path.display().to_string();
    let check = |arguments: &[&str], code| {
        let said = run(&[arguments, &[&path]].concat());
        assert_eq!(said.code, Some(code), "{arguments:?}: {said:?}");
    };
    check(&["plan"], 0);
    check(&["plan", "--detailed-exitcode"], 2);
    check(&["apply"], 0);
    check(&["plan", "--detailed-exitcode"], 0);
    check(&["validate"], 0);
    check(&["plan", "-p", "nope=1"], 1);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    check(&["apply"], 1);
}
