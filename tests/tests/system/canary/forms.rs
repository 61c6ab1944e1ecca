//! Leak tests of the command with a canary in every form of parameter.
//!
//! Output, logs, state and cache are searched.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use converge_tests::{converge, states};

use super::leak_search::{CANARY, Everything};

const MODULE: &str = r#"
param "secret" {
  sensitive = true
}
param "folder" {}
param "keys" {
  default = ["a", "b"]
}

module "inner.hcl" "inner" {
  params {
    password = "{{param `secret`}}"
    folder   = "{{param `folder`}}"
  }
}
file.content "plain" {
  destination = "{{param `folder`}}/plain"
  content     = "password: {{param `secret`}}\n"
}
file.content "made" {
  for_each    = param.keys
  destination = format("%s/made-%s", param.folder, each.key)
  content     = base64encode(format("%s:%s", each.key, upper(param.secret)))
}
file.directory "name" {
  destination = "{{param `folder`}}/none/{{param `secret`}}"
}
task "fails" {
  check = "false"
  apply = "echo \"$PASSWORD\"; printf %s \"$PASSWORD\" | base64 -w0 >&2; env | grep ^CONVERGE_; exit 3"
  env {
    PASSWORD = "{{param `secret`}}"
  }
}
task.query "exposes" {
  interpreter = "sh"
  exec_flags  = ["-s", "{{param `secret`}}"]
  query       = "echo asked"
}
task "listens" {
  check        = "echo {{lookup `task.query.exposes.status.stdout`}}"
  apply        = "true"
  on_change_of = ["file.content.plain"]
}
"#;

const INNER: &str = r#"
param "password" {
  sensitive = true
}
param "folder" {}
file.content "inner" {
  destination = "{{param `folder`}}/inner"
  content     = "{{param `password`}}"
}
"#;

/// Adds all files of a folder as text.
fn everything_in(folder: &Path, output: &mut Everything) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        output.add("the name of a file", path.display().to_string());
        if path.is_dir() {
            everything_in(&path, output);
        } else {
            output.add(&path.display().to_string(), String::from_utf8_lossy(&fs::read(&path).unwrap()));
        }
    }
}

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// The state folder must not be writable by others, which a folder of temporary files is.
    fn new() -> Self {
        Self::new_in(&states())
    }

    fn new_in(parent: &Path) -> Self {
        fs::create_dir_all(parent).unwrap();
        let folder = tempfile::tempdir_in(parent).unwrap();
        for (name, text) in [("main.hcl", MODULE), ("inner.hcl", INNER)] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        for name in ["work", "state", "home"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(0o700)).unwrap();
        }
        let json = serde_json::json!({ "secret": CANARY }).to_string();
        fs::write(folder.path().join("secret.json"), json).unwrap();
        fs::write(folder.path().join("secret.hcl"), format!("secret = {}\n", quoted(CANARY))).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Runs a command that receives the secret in this form.
    fn run(&self, form: Form, command: &[&str], everything: &mut Everything) {
        let (main, folder) = (self.path("main.hcl"), format!("folder={}", self.path("work")));
        let mut words = command.to_vec();
        words.extend([main.as_str(), "-p", &folder]);
        let arguments = match form {
            Form::CommandLine => vec!["-p".to_owned(), format!("secret={CANARY}")],
            Form::Json => {
                vec!["--params-json".to_owned(), serde_json::json!({ "secret": CANARY }).to_string()]
            }
            Form::JsonFile => vec!["--params-file".to_owned(), self.path("secret.json")],
            Form::HclFile => vec!["--params-file".to_owned(), self.path("secret.hcl")],
            Form::Environment => Vec::new(),
        };
        words.extend(arguments.iter().map(String::as_str));
        let mut process = converge(&words);
        process.current_dir(self.folder.path().join("work"));
        process.env("HOME", self.path("home")).env("CONVERGE_STATE_DIR", self.path("state"));
        process.env_remove("XDG_STATE_HOME").env_remove("XDG_CACHE_HOME");
        if form == Form::Environment {
            process.env("CONVERGE_PARAM_secret", CANARY);
        }
        let output = process.output().unwrap();
        let source = format!("{command:?} with the secret in {form:?}");
        everything.add(&source, String::from_utf8_lossy(&output.stdout));
        everything.add(&source, String::from_utf8_lossy(&output.stderr));
        everything_in(&self.folder.path().join("state"), everything);
        everything_in(&self.folder.path().join("home"), everything);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    CommandLine,
    Json,
    JsonFile,
    HclFile,
    Environment,
}

/// Quotes a string for HCL 1.
fn quoted(text: &str) -> String {
    text.chars().fold(String::from("\""), |mut quoted, character| {
        write!(quoted, "\\U{:08x}", u32::from(character)).unwrap();
        quoted
    }) + "\""
}

#[test]
fn no_command_tells_a_secret() {
    let place = Place::new();
    let mut output = Everything::default();
    for form in [Form::CommandLine, Form::Json, Form::JsonFile, Form::HclFile, Form::Environment] {
        place.run(form, &["plan", "--log", "trace"], &mut output);
    }
    for command in [
        &["validate"][..],
        &["graph"],
        &["graph", "--format", "mermaid"],
        &["graph", "--format", "json"],
        &["healthcheck", "-v"],
        &["healthcheck", "--format", "json"],
        &["explain", "task.fails"],
        &["explain", "file.directory.name", "--format", "json"],
        &["apply", "-vvv"],
        &["apply", "--format", "json", "-vv"],
        &["plan", "--color", "always"],
        &["plan", "--format", "json"],
    ] {
        place.run(Form::Environment, command, &mut output);
    }
    assert_eq!(output.leaks(), "");
    // Only the files that the module writes contain the secret.
    let file = fs::read_to_string(place.folder.path().join("work/plain")).unwrap();
    assert_eq!(file, format!("password: {CANARY}\n"));
    assert_eq!(fs::read_to_string(place.folder.path().join("work/inner")).unwrap(), CANARY);
    assert!(output.contains("(sensitive)"));
    assert!(
        output.contains("a secret is among the arguments of `sh`"),
        "what is on a command line is warned of"
    );
    assert!(output.contains("/main.hcl:"), "with its place");
    // Child processes do not inherit the parameters.
    assert!(!output.contains("CONVERGE_PARAM_secret="));
}

#[test]
fn no_broken_value_is_told() {
    let place = Place::new();
    let mut messages = Everything::default();
    for (name, text) in [
        ("broken.json", "{\n  \"secret\": \"canary7f3a\" oops\n}"),
        ("unclosed.json", "{ \"secret\": \"canary7f3a"),
        ("broken.hcl", "secret = \"canary7f3a\" canary7f3a\n"),
        ("unclosed.hcl", "secret = \"canary7f3a\n"),
        ("number.hcl", "secret = 0canary7f3a\n"),
    ] {
        fs::write(place.folder.path().join(name), text).unwrap();
        let output = converge(&["plan", &place.path("main.hcl"), "--params-file", &place.path(name)])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}");
        messages.add(name, String::from_utf8_lossy(&output.stderr));
    }
    let json = "{\"secret\": \"canary7f3a\" oops}";
    let output = converge(&["plan", &place.path("main.hcl"), "--params-json", json]).output().unwrap();
    messages.add("--params-json", String::from_utf8_lossy(&output.stderr));
    assert_eq!(messages.leaks(), "");
}

/// The memory of a process with a secret is excluded from core dumps; that of its children is not.
#[test]
fn memory_with_secrets_stays_in_memory() {
    let place = Place::new_in(&std::env::temp_dir());
    // The `/proc` files of a process that cannot be dumped belong to root.
    let module = "param \"secret\" {\n  sensitive = true\n  default = \"\"\n}\n\
        param \"parent\" {\n  default = \"{{param `secret`}}\"\n}\n\
        task.query \"q\" {\n  query = <<EOF\ngrep -s VmFlags /proc/$PPID/smaps | head -1 > parent\n\
        cat /proc/$PPID/coredump_filter > filter\nulimit -c > limit\nstat -c %U /proc/$PPID/fd /proc/$$/fd > owners\nEOF\n}\n";
    fs::write(place.folder.path().join("core.hcl"), module).unwrap();
    let owners = |secret: &str| {
        let secret = format!("secret={secret}");
        let mut process = converge(&["plan", &place.path("core.hcl"), "-p", &secret]);
        let user = if converge_tests::is_root() { Some(65_534) } else { None };
        let work = place.folder.path().join("work");
        if let Some(user) = user {
            use std::os::unix::process::CommandExt as _;
            std::os::unix::fs::chown(&work, Some(user), Some(user)).unwrap();
            fs::set_permissions(place.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
            process.uid(user).gid(user);
        }
        let output = process.current_dir(&work).env("HOME", &work).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let owners = fs::read_to_string(work.join("owners")).unwrap();
        owners.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let open = owners("");
    assert_eq!(open[0], open[1], "without a secret nothing changes");
    let process_owners = owners("hunter2-is-known");
    assert_eq!(process_owners[0], "root", "the kernel takes what is not dumped out of the hands of its user");
    assert_eq!(process_owners[1], open[1], "what it starts is dumped as before");
}
