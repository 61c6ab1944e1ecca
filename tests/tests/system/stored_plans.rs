//! Tests of plans that are stored in a file, shown, and applied by other processes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use converge_core::plan::VERSION;
use converge_tests::{Said, converge, json_schema, root, with_default_signals};
use serde_json::Value;
use tempfile::TempDir;

use crate::run::private;

/// A file, a second file that depends on it, and a task after both.
///
/// The task kills its `converge` unless the file `go` exists.
const MODULE: &str = r#"
param "greeting" { default = "Hello" }
file.content "a" {
  destination = "DIR/a"
  content     = "{{param `greeting`}}\n"
}
file.content "b" {
  destination = "DIR/b"
  content     = "two\n"
  depends     = ["file.content.a"]
}
task "last" {
  check   = "test -e DIR/done"
  apply   = "test -e DIR/go || { kill -9 $PPID; exit 1; }; touch DIR/done"
  depends = ["file.content.b"]
}
"#;

struct Site {
    folder: TempDir,
}

impl Site {
    fn new() -> Self {
        let site = Self { folder: private() };
        site.write("main.hcl", MODULE);
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text.replace("DIR", &self.folder.path().display().to_string())).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Said {
        let mut command = converge(arguments);
        with_default_signals(
            command.current_dir(self.folder.path()).env("CONVERGE_STATE_DIR", self.path("state")),
        )
        .output()
        .unwrap()
        .into()
    }

    #[track_caller]
    fn good(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.code, Some(0), "{output:?}");
        output.stdout
    }

    /// Returns the error output of a failed command.
    #[track_caller]
    fn wrong(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.code, Some(1), "{output:?}");
        output.stderr
    }
}

#[test]
fn a_plan_is_kept_shown_applied_and_then_done() {
    let site = Site::new();
    site.write("go", "");
    let planned = site.good(&["plan", "--out", "site.plan", "-p", "greeting=Bonjour", "main.hcl"]);
    assert!(planned.contains("file.content.a"), "{planned}");
    assert_eq!(fs::metadata(site.path("site.plan")).unwrap().permissions().mode() & 0o7777, 0o600);
    let schema = fs::read_to_string(root().join("docs/schema/plan.json")).unwrap();
    let document: Value = serde_json::from_str(&site.read("site.plan")).unwrap();
    assert_eq!(json_schema::problems(&serde_json::from_str(&schema).unwrap(), &document), [""; 0]);

    let plan_text = site.good(&["show", "site.plan"]);
    assert!(
        plan_text.starts_with("plan of main.hcl, made in ") && plan_text.contains("Bonjour"),
        "{plan_text}"
    );
    let json: Value = serde_json::from_str(&site.good(&["show", "--format", "json", "site.plan"])).unwrap();
    assert_eq!((&json["document"], &json["basis"]), (&"converge-report".into(), &Value::Null));
    assert!(!site.path("a").exists());

    site.good(&["apply", "site.plan"]);
    assert_eq!((site.read("a"), site.read("b")), ("Bonjour\n".into(), "two\n".into()));
    assert!(site.path("done").exists());
    let second_output = site.good(&["apply", "site.plan"]);
    assert!(second_output.contains("0 changed"), "{second_output}");
}

#[test]
fn a_plan_of_a_part_is_of_that_part() {
    let site = Site::new();
    let selection = ["--target", "file.content.b", "main.hcl"];
    let planned = site.good(&[&["plan", "--out", "site.plan"][..], &selection].concat());
    assert!(planned.contains("file.content.a") && !planned.contains("task.last"), "{planned}");
    let refused = site.wrong(&["apply", "--target", "file.content.a", "site.plan"]);
    assert!(refused.contains("its resources were chosen when it was made"), "{refused}");
    let applied = site.good(&["apply", "site.plan"]);
    assert!(applied.contains("2 changed") && !applied.contains("task.last"), "{applied}");
    assert!(site.good(&[&["apply"][..], &selection].concat()).contains("2 unchanged"));
    let unknown = site.wrong(&["apply", "--target", "file.content.bb", "main.hcl"]);
    assert!(unknown.contains("file.content.bb") && unknown.contains("file.content.b`"), "{unknown}");
    // A deadline ends a hanging apply with an error.
    site.write("slow.hcl", "task \"slow\" {\n  check = \"exit 1\"\n  apply = \"exec sleep 1000000\"\n}\n");
    let output = site.run(&["apply", "--deadline", "300ms", "--grace", "10ms", "slow.hcl"]);
    assert!(output.code == Some(1) && output.everything().contains("task.slow"), "{output:?}");
}

#[test]
fn what_was_changed_by_hand_is_refused_by_name() {
    let site = Site::new();
    site.write("go", "");
    site.good(&["plan", "--out", "site.plan", "main.hcl"]);
    site.write("a", "by hand\n");
    let output = site.run(&["apply", "site.plan"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(
        output.stdout.contains("file.content.a") && output.stdout.contains("it has drifted"),
        "{output:?}"
    );
    assert_eq!(site.read("a"), "by hand\n");
    assert!(!site.path("b").exists() && !site.path("done").exists());

    site.good(&["apply", "--on-drift", "skip", "site.plan"]);
    assert_eq!((site.read("a"), site.read("b")), ("by hand\n".into(), "two\n".into()));
    site.good(&["apply", "--on-drift", "replan", "site.plan"]);
    assert_eq!(site.read("a"), "Hello\n");
}

#[test]
fn a_killed_apply_goes_on_with_the_same_plan() {
    let site = Site::new();
    site.good(&["plan", "--out", "site.plan", "main.hcl"]);
    let output = site.run(&["apply", "site.plan"]);
    assert_eq!(output.code, None, "its task killed it: {output:?}");
    assert_eq!((site.read("a"), site.read("b")), ("Hello\n".into(), "two\n".into()));
    assert!(!site.path("done").exists());
    site.write("go", "");
    let second = site.good(&["apply", "site.plan"]);
    assert!(second.contains("1 changed"), "{second}");
    assert!(site.path("done").exists());
}

#[test]
fn what_the_plan_is_of_must_be_the_same() {
    let site = Site::new();
    site.good(&["plan", "--out", "site.plan", "main.hcl"]);
    let output = site.wrong(&["apply", "-p", "greeting=Ola", "site.plan"]);
    assert!(output.contains("the parameter `greeting` has another value"), "{output}");
    site.write("main.hcl", &format!("{MODULE}\n# later\n"));
    let output = site.wrong(&["apply", "site.plan"]);
    assert!(output.contains("the module main.hcl has changed"), "{output}");
    assert!(!site.path("a").exists());
}

/// Equal texts in another folder match the plan, but their relative paths would be other files.
#[test]
fn a_plan_is_applied_where_it_was_made() {
    let (site, other_folder) = (Site::new(), private());
    site.write("main.hcl", "file.content \"a\" {\n  destination = \"a\"\n  content = \"x\"\n}\n");
    site.good(&["plan", "--out", "site.plan", "main.hcl"]);
    fs::copy(site.path("main.hcl"), other_folder.path().join("main.hcl")).unwrap();
    let plan = site.path("site.plan").display().to_string();
    let output: Said = converge(&["apply", &plan]).current_dir(other_folder.path()).output().unwrap().into();
    let expect = format!(
        "{plan}: it was made in {}, and its relative paths start there: apply it in that folder, or make a new plan here",
        site.folder.path().display()
    );
    assert!(output.code == Some(1) && output.stderr.contains(&expect), "{output:?}");
    assert!(!other_folder.path().join("a").exists());
    // The plan file may be anywhere.
    let elsewhere = other_folder.path().join("kept.plan").display().to_string();
    fs::rename(plan, &elsewhere).unwrap();
    site.good(&["apply", &elsewhere]);
    assert_eq!(site.read("a"), "x");
    fs::remove_file(site.path("main.hcl")).unwrap();
    let output = site.wrong(&["apply", &elsewhere]);
    assert!(output.contains("cannot read main.hcl"), "{output}");
}

#[test]
fn sensitive_values_are_given_again() {
    let site = Site::new();
    site.write(
        "main.hcl",
        "param \"password\" {\n  sensitive = true\n}\nfile.content \"a\" {\n  destination = \"DIR/a\"\n  \
         content = \"{{param `password`}}\"\n}\n",
    );
    site.write("params.json", r#"{ "password": "correct-horse-battery" }"#);
    site.good(&["plan", "--out", "site.plan", "--params-file", "params.json", "main.hcl"]);
    assert!(!site.read("site.plan").contains("correct-horse"));
    let output = site.wrong(&["apply", "site.plan"]);
    assert!(output.contains("no value for `password`"), "{output}");
    let output = site.wrong(&["apply", "-p", "password=something-else-here", "site.plan"]);
    assert!(output.contains("the parameter `password` has another value"), "{output}");
    site.good(&["apply", "--params-file", "params.json", "site.plan"]);
    assert_eq!(site.read("a"), "correct-horse-battery");
}

#[test]
fn files_that_are_no_plan_are_told_apart() {
    let site = Site::new();
    site.write("go", "");
    site.good(&["plan", "--out", "site.plan", "main.hcl"]);
    let text = site.read("site.plan");
    site.write("cut.plan", &text[..text.len() / 2]);
    site.write("foreign.plan", "{ \"plans\": [] }");
    let version = |version: &str| format!("\"version\": \"{version}\"");
    site.write("newer.plan", &text.replacen(&version(VERSION), &version("2.0"), 1));
    site.write("damaged.plan", &text.replacen("\"resources\": [", "\"resources\": [ 7,", 1));
    for (file, expect) in [
        ("cut.plan", "not a whole JSON document"),
        ("foreign.plan", "not a document of the kind `converge-plan`"),
        ("newer.plan", "the document has version 2.0"),
        ("damaged.plan", "the document is damaged"),
    ] {
        for command in ["show", "apply"] {
            let output = site.wrong(&[command, file]);
            assert!(output.contains(file) && output.contains(expect), "{output}");
        }
    }
    let output = site.wrong(&["show", "missing.plan"]);
    assert!(output.contains("there is no such file"), "{output}");
    let output = site.wrong(&["apply", "site.plan", "main.hcl"]);
    assert!(output.contains("a plan must be applied alone"), "{output}");
    let output = site.wrong(&["plan", "--out", "two.plan", "main.hcl", "main.hcl"]);
    assert!(output.contains("one module"), "{output}");
    assert!(!site.path("a").exists());
}

#[test]
fn no_plan_is_written_of_what_cannot_be_checked() {
    let site = Site::new();
    fs::create_dir(site.path("a")).unwrap();
    let output = site.wrong(&["plan", "--out", "site.plan", "main.hcl"]);
    assert!(output.contains("site.plan was not written"), "{output}");
    assert!(!site.path("site.plan").exists());
}

#[test]
fn a_plan_is_applied_for_whom_it_was_made() {
    let site = Site::new();
    site.write("go", "");
    site.good(&["plan", "--owner", "blue", "--out", "blue.plan", "main.hcl"]);
    site.good(&["plan", "--out", "nobody.plan", "main.hcl"]);
    assert!(site.good(&["show", "blue.plan"]).contains("for the owner blue"));
    let owner =
        |file| serde_json::from_str::<Value>(&site.read(file)).unwrap()["basis"].get("owner").cloned();
    assert_eq!((owner("blue.plan"), owner("nobody.plan")), (Some("blue".into()), None));

    let of_blue = "it was made for the owner `blue`, and this is a run for the owner `green`";
    assert!(site.wrong(&["apply", "--owner", "green", "blue.plan"]).contains(of_blue));
    let of_nobody = "it was made without an owner, and this is a run for the owner `green`";
    assert!(site.wrong(&["apply", "--owner", "green", "nobody.plan"]).contains(of_nobody));
    let mut command = converge(&["apply", "blue.plan"]);
    command.current_dir(site.folder.path()).env("CONVERGE_STATE_DIR", site.path("state"));
    let output = Said::from(command.env("CONVERGE_OWNER", "green").output().unwrap());
    assert!(output.code == Some(1) && output.stderr.contains(of_blue), "{output:?}");
    assert!(!site.path("a").exists());

    // The plan contains its owner, to whom the state of the run belongs.
    site.good(&["apply", "blue.plan"]);
    let owners: Vec<_> =
        fs::read_dir(site.path("state/owners")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(site.path("a").exists() && owners.contains(&"blue".into()), "{owners:?}");
}
