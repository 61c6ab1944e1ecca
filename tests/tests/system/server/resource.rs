//! Tests of `converge resource` with a real server.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use converge_tests::{Said, converge, with_default_signals};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Server;

/// A server with its own types, and a folder for files.
struct Asking {
    server: Server,
    folder: TempDir,
}

impl Asking {
    fn new() -> Self {
        Self { server: Server::of_lesson(), folder: tempfile::tempdir().unwrap() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = with_default_signals(converge(&["resource"]).args(arguments));
        command.env("CONVERGE_SERVER", &self.server.url).env("TMPDIR", self.folder.path());
        command.current_dir(self.folder.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Said {
        Said::from(self.command(arguments).output().unwrap())
    }

    /// Runs a command with a text as standard input.
    fn given(&self, arguments: &[&str], text: &str) -> Said {
        let mut command = self.command(arguments);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        Said::from(child.wait_with_output().unwrap())
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn artist(&self, name: &str) -> Value {
        serde_json::from_str(&self.run(&["read", "artist", name, "-o", "json"]).success().stdout).unwrap()
    }

    /// Returns an editor program that runs a script.
    fn editor(&self, script: &str) -> String {
        self.file("editor", script);
        format!("/bin/sh {}", self.folder.path().join("editor").display())
    }
}

#[track_caller]
fn fails(output: &Said, expect: &[&str]) {
    assert_eq!(output.code, Some(1), "{}", output.everything());
    for expect in expect {
        assert!(output.stderr.contains(expect), "no {expect:?} in {}", output.everything());
    }
}

const HCL: &str = r#"
demo.v2.Artist "tool" {
  metadata = { team = "web" }
  data { genre = "metal" }
}

artist "kolsch" {
  namespace = "music"
  data { genre = "techno" }
}
"#;

#[test]
fn files_are_applied_and_what_is_stored_is_shown() {
    let asking = Asking::new();
    asking.file("b.hcl", HCL);
    asking.file("a.yaml", "type: namespace\nname: music\n");
    asking.file("notes.txt", "not a resource");
    // The files of a folder are in the order of their names: the namespace first.
    let result = asking.run(&["apply", "-f", "."]).success();
    let lines =
        "tenancy.v1.Namespace music created\ndemo.v2.Artist tool created\ndemo.v2.Artist kolsch created\n";
    assert_eq!(result.stdout, lines);
    let generation = asking.artist("tool")["generation"].clone();
    let result = asking.run(&["apply", "-f", "b.hcl", "--wait", "counted", "--timeout", "1m"]).success();
    assert_eq!(result.stdout, "demo.v2.Artist tool unchanged\ndemo.v2.Artist kolsch unchanged\n");
    // A write without a change keeps the generation.
    assert_eq!(asking.artist("tool")["generation"], generation);

    let result = asking.run(&["list", "artist", "--namespace", "*", "--selector", "team=web"]).success();
    assert_eq!(
        result.stdout,
        "NAME  PARTITION  NAMESPACE  CONDITIONS\ntool  default    default    counted=true\n"
    );
    let result = asking.run(&["status", "demo.v2.Artist", "tool"]).success();
    assert_eq!(result.stdout, "KEY      CONDITION  STATE  OF   REASON\nartists  counted    true   now  0\n");

    // Output can be applied again, in each language and as a list, as long as no controller writes in
    // between. The controller of artists has created `korn` itself.
    let counted = ["apply", "-f", "-", "--wait", "counted", "--timeout", "1m"];
    asking.given(&counted, "type: artist\nname: korn\n").success();
    for output in ["yaml", "json"] {
        let text = asking.run(&["list", "artist", "-o", output]).success().stdout;
        let genre = asking.artist("tool")["data"]["genre"].as_str().unwrap().to_owned();
        let result = asking.given(&counted, &text.replace(&genre, output)).success();
        assert!(result.stdout.contains("demo.v2.Artist tool changed\n"), "{}", result.everything());
        assert_eq!(asking.artist("tool")["data"]["genre"], output);
        // The text works only once, because it contains the version.
        fails(
            &asking.given(&["apply", "-f", "-"], &text),
            &["was changed by somebody else", "could not apply <stdin>"],
        );
    }

    assert_eq!(asking.run(&["delete", "artist", "tool", "--wait"]).success().stdout, "");
    fails(
        &asking.run(&["read", "artist", "tool"]),
        &["there is no resource demo.v2.Artist/default/default/tool"],
    );
    asking.run(&["delete", "artist", "tool"]).success();
}

#[test]
fn a_diff_says_what_an_apply_would_change() {
    let asking = Asking::new();
    let text = "type: artist\nname: tool\ndata: {genre: metal}\n";
    let output = asking.given(&["diff", "-f", "-"], text);
    let expect =
        "--- demo.v2.Artist tool\n+++ demo.v2.Artist tool\n@@ -0,0 +1,2 @@\n+data:\n+  genre: metal\n";
    assert_eq!((output.code, output.stdout.as_str()), (Some(2), expect), "{}", output.everything());
    asking.given(&["apply", "-f", "-", "--dry-run"], text).success();
    assert_eq!(asking.given(&["diff", "-f", "-"], text).code, Some(2));
    asking.given(&["apply", "-f", "-"], text).success();
    let output = asking.given(&["diff", "-f", "-"], text);
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), ""), "{}", output.everything());
    fails(
        &asking.given(&["diff", "-f", "-"], "type: artist\nname: Tool\n"),
        &["<stdin>:1:1", "is not a name"],
    );
}

#[test]
fn mistakes_are_shown_where_they_stand() {
    let asking = Asking::new();
    let hcl = "demo.v2.Artist \"tool\" {\n  owner = { type = \"artist\", name = \"nobody\" }\n}\n";
    fails(&asking.given(&["apply", "-f", "-"], hcl), &["<stdin>:2:3", "does not exist"]);
    let hcl = "artits \"tool\" {\n  data { gener = 7 }\n}\n";
    fails(&asking.given(&["apply", "-f", "-"], hcl), &["<stdin>:1:1", "did you mean `Artist`?"]);
    let yaml = "type: artist\nname: tool\ndata:\n  genre: [metal]\n  gener: metal\n";
    let expect = [
        "<stdin>:4:10",
        "`data.genre` must be a text, got a list",
        "<stdin>:5:3",
        "did you mean `genre`?",
        "2 errors",
    ];
    fails(&asking.given(&["apply", "-f", "-"], yaml), &expect);
    let json = "{\"type\": \"artist\", \"name\": \"tool\",\n \"data\": {\"genre\": metal}}";
    fails(&asking.given(&["apply", "-f", "-"], json), &["<stdin>:2:20", "\"metal\" is not a value"]);
    fails(
        &asking.given(&["apply", "-f", "-"], "name: tool\n"),
        &["<stdin>:1:1", "the resource has no `type`"],
    );

    // Nothing is written if any file is invalid. A resource that the server refuses does not affect the
    // others.
    asking.file("a.yaml", "type: artist\nname: first\n");
    asking.file("b.yaml", "type: artist\nname: second\nwhat: ever\n");
    fails(&asking.run(&["apply", "-f", "a.yaml", "-f", "b.yaml"]), &["b.yaml:3:1", "has no field `what`"]);
    fails(&asking.run(&["read", "artist", "first"]), &["there is no resource"]);
    asking.file("b.yaml", "type: artist\nname: Second\n---\ntype: artist\nname: third\n");
    let output = asking.run(&["apply", "-f", "a.yaml", "-f", "b.yaml"]);
    fails(&output, &["b.yaml:1:1", "is not a name"]);
    assert_eq!(output.stdout, "demo.v2.Artist first created\ndemo.v2.Artist third created\n");
    fails(&asking.run(&["apply", "-f", "absent.yaml"]), &["absent.yaml: cannot be read"]);
    fails(
        &asking.run(&["apply", "-f", "a.yaml", "--wait", "counted=maybe"]),
        &["is not a state of a condition"],
    );
    let arguments = ["apply", "-f", "a.yaml", "--wait", "famous", "--timeout", "100ms"];
    fails(&asking.run(&arguments), &["first did not get famous=true in 0.1 s"]);
}

#[test]
fn an_edit_is_refused_when_somebody_else_was_quicker_and_its_text_is_kept() {
    let asking = Asking::new();
    // A later write of the controller would count as a concurrent change.
    let counted = ["apply", "-f", "-", "--wait", "counted", "--timeout", "1m"];
    asking.given(&counted, "type: artist\nname: tool\ndata: {genre: metal}\n").success();
    let edit = |script: &str| {
        let editor = asking.editor(script);
        Said::from(asking.command(&["edit", "artist", "tool"]).env("VISUAL", editor).output().unwrap())
    };
    // The edited file is not readable by others.
    let output =
        edit("test $(stat -c %a \"$1\" \"${1%/*}\" | tr '\\n' +) = 600+700+ && sed -i s/metal/rock/ \"$1\"")
            .success();
    assert_eq!(output.stdout, "demo.v2.Artist tool changed\n");
    assert_eq!(asking.artist("tool")["data"]["genre"], "rock");
    assert_eq!(edit("true").success().stdout, "nothing was changed\n");
    assert_eq!(edit(": > \"$1\"").success().stdout, "nothing was changed\n");
    fails(&edit("sed -i s/rock/x/ \"$1\"; exit 7"), &["cannot edit: it ended with exit status: 7"]);
    let drafts = || {
        fs::read_dir(asking.folder.path())
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().path().is_dir())
            .count()
    };
    assert_eq!(drafts(), 0);

    let program = converge(&[]).get_program().to_str().unwrap().to_owned();
    asking.file("other.yaml", "type: artist\nname: tool\ndata: {genre: pop}\n");
    let output = edit(&format!("{program} resource apply -f other.yaml && sed -i s/rock/jazz/ \"$1\""));
    fails(&output, &["was changed by somebody else", "the text is saved"]);
    assert_eq!(asking.artist("tool")["data"]["genre"], "pop");
    let file = output.stderr.split("apply -f ").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    assert!(fs::read_to_string(file).unwrap().contains("genre: jazz"));
    // Without its version, the text overwrites the other change.
    let text = fs::read_to_string(file).unwrap();
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with("version:")).collect();
    let text = lines.join("\n") + "\n";
    asking.given(&["apply", "-f", "-", "--language", "yaml"], &text).success();
    assert_eq!(asking.artist("tool")["data"]["genre"], "jazz");

    fails(&edit("sed -i s/genre:/gender:/ \"$1\""), &["has no field `gender`", "the text is saved"]);
    fails(&edit("sed -i 's/name: tool/name: other/' \"$1\""), &["now names another resource"]);
    assert!(Path::new(file).exists());
}

#[test]
fn a_watch_tells_each_change_until_a_signal_ends_it() {
    use std::io::{BufRead as _, BufReader};
    let asking = Asking::new();
    let mut watch = asking.command(&["watch", "artist", "--name-prefix", "to", "-o", "json"]);
    let mut watch = watch.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut next = || {
        let event: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
        (event["event"].as_str().unwrap().to_owned(), event["resource"]["data"]["genre"].clone())
    };
    assert_eq!(next().0, "synced");
    for (genre, event) in [("metal", "added"), ("rock", "changed")] {
        asking
            .given(&["apply", "-f", "-"], &format!("type: artist\nname: tool\ndata: {{genre: {genre}}}\n"))
            .success();
        // The controller writes as well.
        let resource = loop {
            let (resource, actual_genre) = next();
            if actual_genre == json!(genre) {
                break resource;
            }
        };
        assert_eq!(resource, event);
    }
    asking.run(&["delete", "artist", "tool"]).success();
    assert!(std::iter::repeat_with(&mut next).take(8).any(|(event, _)| event == "deleted"));
    let kill = Command::new("kill").args(["-INT", &watch.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(watch.wait().unwrap().code(), Some(130));
    assert_eq!(lines.next(), None);
}
