//! Tests of `converge fmt`.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::env::Env;

const ODD: &str = "task \"a\" {check=\"true\"\napply =\"false\"}\n";
const EVEN: &str = "task \"a\" {\n  check = \"true\"\n  apply = \"false\"\n}\n";
const WRONG: &str = "task \"a\" {\n  check = \n}\n";

#[test]
fn files_are_written_and_named() {
    let env = Env::with("odd.hcl", ODD);
    env.write("even.hcl", EVEN);
    env.run(&["fmt", "odd.hcl", "even.hcl"]).out("odd.hcl\n").err("").code(0);
    assert_eq!(env.read("odd.hcl").as_deref(), Some(EVEN));
    env.run(&["fmt", "odd.hcl", "even.hcl"]).out("").err("").code(0);
}

#[test]
fn a_file_keeps_its_mode_and_one_that_is_formatted_is_not_touched() {
    let env = Env::with("odd.hcl", ODD);
    env.write("even.hcl", EVEN);
    let mode = |name: &str| std::fs::metadata(env.path().join(name)).unwrap().permissions().mode() & 0o7777;
    let inode =
        |name: &str| std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(env.path().join(name)).unwrap());
    for name in ["odd.hcl", "even.hcl"] {
        std::fs::set_permissions(env.path().join(name), std::fs::Permissions::from_mode(0o640)).unwrap();
    }
    let before = inode("even.hcl");
    env.run(&["fmt"]).out("odd.hcl\n").code(0);
    assert_eq!((mode("odd.hcl"), mode("even.hcl"), inode("even.hcl")), (0o640, 0o640, before));
}

#[test]
fn folders_are_looked_through_in_order() {
    let env = Env::with("b.hcl", ODD);
    for folder in ["c/d", ".hidden", "a"] {
        std::fs::create_dir_all(env.path().join(folder)).unwrap();
    }
    for name in ["a/z.hcl", "c/d/x.hcl", "c/a.hcl", "c/other.tf", ".hidden/x.hcl", "c/.y.hcl"] {
        env.write(name, ODD);
    }
    symlink(env.path().join(".hidden"), env.path().join("link")).unwrap();
    symlink(env.path().join("c/other.tf"), env.path().join("link.hcl")).unwrap();
    env.run(&["fmt", "--check"]).out("a/z.hcl\nb.hcl\nc/a.hcl\nc/d/x.hcl\n").err("").code(1);
    env.run(&["fmt", "--check", "c", "b.hcl"]).out("c/a.hcl\nc/d/x.hcl\nb.hcl\n").code(1);
    // A named file is formatted whatever its extension is.
    env.run(&["fmt", "c/other.tf"]).out("c/other.tf\n").code(0);
    env.run(&["fmt"]).out("a/z.hcl\nb.hcl\nc/a.hcl\nc/d/x.hcl\n").code(0);
    env.run(&["fmt", "--check"]).out("").code(0);
    assert_eq!(env.read(".hidden/x.hcl").as_deref(), Some(ODD));
}

#[test]
fn a_link_that_is_named_stays_a_link() {
    let env = Env::with("odd.hcl", ODD);
    symlink("odd.hcl", env.path().join("link.hcl")).unwrap();
    env.run(&["fmt", "link.hcl"]).out("link.hcl\n").code(0);
    assert_eq!(env.read("odd.hcl").as_deref(), Some(EVEN));
    assert!(std::fs::symlink_metadata(env.path().join("link.hcl")).unwrap().is_symlink());
}

#[test]
fn check_and_diff_write_nothing() {
    let env = Env::with("odd.hcl", ODD);
    env.run(&["fmt", "--check", "odd.hcl"]).out("odd.hcl\n").err("").code(1);
    let diff = "--- odd.hcl\n+++ odd.hcl\n@@ -1,2 +1,4 @@\n-task \"a\" {check=\"true\"\n-apply =\"false\"}\n\
                +task \"a\" {\n+  check = \"true\"\n+  apply = \"false\"\n+}\n";
    env.run(&["fmt", "--diff", "odd.hcl"]).out(diff).err("").code(0);
    env.run(&["fmt", "--diff", "--check", "odd.hcl"]).out(diff).err("").code(1);
    assert_eq!(env.read("odd.hcl").as_deref(), Some(ODD));
}

#[test]
fn a_diff_shows_line_ends_that_change() {
    let env = Env::with("a.hcl", "a = 1\r\nb = 2");
    env.run(&["fmt", "--diff"])
        .out(
            "--- a.hcl\n+++ a.hcl\n@@ -1,2 +1,2 @@\n-a = 1\\r\n-b = 2\n\\ No newline at end of file\n\
             +a = 1\n+b = 2\n",
        )
        .code(0);
}

#[test]
fn mistakes_are_told_and_the_other_files_are_formatted() {
    let env = Env::with("odd.hcl", ODD);
    env.write("wrong.hcl", WRONG);
    std::fs::write(env.path().join("latin1.hcl"), b"# caf\xe9\n").unwrap();
    env.run(&["fmt", ".", "none.hcl"])
        .out("odd.hcl\n")
        .err(
            "error[not-utf8]: latin1.hcl is not UTF-8: byte 5 begins no character\n |\n = help: save the file as UTF-8\n\n\
             error: could not format latin1.hcl: 1 error\n\
             error[missing-value]: no value after `=`\n --> wrong.hcl:2:9\n  |\n2 |   check = \n  |         ^ expected a value\n\n\
             error: could not format wrong.hcl: 1 error\n\
             error[unreadable-file]: cannot read none.hcl: there is no such file\n\n\
             error: could not format none.hcl: 1 error\n",
        )
        .code(1);
    assert_eq!(env.read("odd.hcl").as_deref(), Some(EVEN));
    assert_eq!(env.read("wrong.hcl").as_deref(), Some(WRONG));
}

#[test]
fn standard_input_goes_to_standard_output() {
    let env = Env::with("a.hcl", ODD);
    env.run_with_input(&["fmt", "-"], ODD).out(EVEN).err("").code(0);
    env.run_with_input(&["fmt", "-"], EVEN).out(EVEN).err("").code(0);
    env.run_with_input(&["fmt", "--check", "-"], ODD).out("standard input\n").err("").code(1);
    env.run_with_input(&["fmt", "--check", "-"], EVEN).out("").err("").code(0);
    env.run_with_input(&["fmt", "--diff", "-"], "a=1\n")
        .out("--- standard input\n+++ standard input\n@@ -1 +1 @@\n-a=1\n+a = 1\n")
        .code(0);
    env.run_with_input(&["fmt", "-"], WRONG)
        .out("")
        .err_has("error[missing-value]: no value after `=`\n --> standard input:2:9\n")
        .err_has("error: could not format standard input: 1 error\n")
        .code(1);
    env.run(&["fmt", "-", "a.hcl"]).out("").err_has("`-` stands for standard input").code(1);
}
