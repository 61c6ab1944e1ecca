//! Tests that the server reports the same mistakes as `converge validate`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use converge_core::load::Source;
use serde_json::{Value, json};

use crate::client::{Client, range};

/// A mistake, with its positions counted from 1.
type Mistake = (String, String, String, Vec<(String, u64, u64)>);

/// Returns the mistakes that `converge validate` reports in a file.
fn validated(file: &Path) -> BTreeSet<Mistake> {
    let output = Command::new(env!("CARGO_BIN_EXE_converge"))
        .args(["validate", "--format", "json", "--offline"])
        .arg(file)
        .output()
        .unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let records = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records
        .filter(|record| record["event"] == "diagnostic")
        .map(|record| {
            let text = |name: &str| record[name].as_str().unwrap().to_owned();
            let labels = record["labels"].as_array().unwrap();
            let places = labels.iter().map(|label| {
                let file = Path::new(label["file"].as_str().unwrap());
                let file = file.canonicalize().unwrap().display().to_string();
                (file, label["line"].as_u64().unwrap(), label["column"].as_u64().unwrap())
            });
            let mut message = text("message");
            for (word, detail) in [
                ("", &labels.first().map_or(Value::Null, |label| label["text"].clone())),
                ("help: ", &record["help"]),
            ] {
                if let Some(more) = detail.as_str().filter(|detail| !detail.is_empty()) {
                    message.extend(["\n", word, more]);
                }
            }
            (text("code"), text("severity"), message, places.collect())
        })
        .collect()
}

/// Converts a position of the protocol to line and column from 1.
///
/// Columns are characters: in all of these files, a character is one UTF-16 unit.
fn place(uri: &Value, range: &Value) -> (String, u64, u64) {
    let path = uri.as_str().unwrap().strip_prefix("file://").unwrap().replace("%20", " ");
    let number = |name: &str| range["start"][name].as_u64().unwrap() + 1;
    (path, number("line"), number("character"))
}

/// Returns the mistakes that the server reports in a file and in the files it calls.
fn published(client: &mut Client, file: &Path) -> BTreeSet<Mistake> {
    let uri = format!("file://{}", file.display());
    let text = std::fs::read_to_string(file).unwrap();
    let document = json!({ "uri": uri, "languageId": "hcl", "version": 1, "text": text });
    client.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    let mut mistakes = BTreeSet::new();
    let mut collect = |message: &Value| {
        let uri = &message["params"]["uri"];
        for problem in message["params"]["diagnostics"].as_array().unwrap() {
            let mut places = vec![place(uri, &problem["range"])];
            for related in problem["relatedInformation"].as_array().into_iter().flatten() {
                places.push(place(&related["location"]["uri"], &related["location"]["range"]));
            }
            let severity =
                ["", "error", "warning"][usize::try_from(problem["severity"].as_u64().unwrap()).unwrap()];
            let text = |name: &str| problem[name].as_str().unwrap().to_owned();
            mistakes.insert((text("code"), severity.to_owned(), text("message"), places));
        }
    };
    let is_problems = |message: &Value| message["method"] == "textDocument/publishDiagnostics";
    collect(&client.wait(|message| {
        is_problems(message) && message["params"]["uri"] == uri && message["params"]["version"] == 1
    }));
    // The problems of all files are sent together, so they have arrived before the next answer.
    let id = client.ask("textDocument/documentSymbol", &json!({ "textDocument": { "uri": uri } }));
    client.answer(id);
    while let Some(message) = client.kept_problems() {
        collect(&message);
    }
    client.notify("textDocument/didClose", &json!({ "textDocument": { "uri": uri } }));
    mistakes
}

pub(crate) fn modules(folder: &str) -> Vec<PathBuf> {
    let mut open =
        vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests").join(folder).canonicalize().unwrap()];
    let mut files = Vec::new();
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "hcl") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Checks each file alone, without the other files of its folder and those checked before.
fn check(folder: &str, minimum: usize) {
    let files = modules(folder);
    assert!(files.len() >= minimum, "{} modules in {folder}", files.len());
    let mut client = Client::begin(&[]);
    for file in files {
        // A text that is not UTF-8 cannot be opened.
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        // The server starts no plugins that a module names, so it does not know their types.
        if file.components().any(|component| component.as_os_str() == "plugins") {
            continue;
        }
        // The command checks files of parameters only in folders, and columns are comparable only in ASCII.
        if converge_core::load::GivenParams::from_values("", &text).is_some() || !text.is_ascii() {
            continue;
        }
        // A file of a module folder is checked together with the other files.
        let module = Source::folder_of(&file).and_then(|_| file.parent()).unwrap_or(&file);
        let expect: BTreeSet<Mistake> = validated(module)
            .into_iter()
            .map(|(code, severity, said, mut places)| {
                if places.is_empty() {
                    places.push((file.display().to_string(), 1, 1));
                }
                (code, severity, said, places)
            })
            .collect();
        let actual = published(&mut client, &file);
        assert_eq!(actual, expect, "{}", file.display());
    }
}

#[test]
fn of_modules_with_mistakes() {
    check("mistakes", 100);
}

#[test]
fn of_modules() {
    check("modules", 40);
}

#[test]
fn mistakes_in_modules_that_are_called_are_where_they_are() {
    let web = "param \"port\" {}\nfile.content \"a\" {\n  destnation = \"/x\"\n}\n";
    let mut client = Client::begin(&[("web.hcl", web)]);
    client.open("main.hcl", "module \"web.hcl\" \"web\" {\n  params { prt = 1 }\n}\n");
    assert_eq!(client.problems("main.hcl", 1)[0]["code"], "unexpected-param");
    let uri = client.uri("web.hcl");
    let notification = client.wait(|message| message["params"]["uri"] == uri);
    assert_eq!(notification["params"]["diagnostics"][0]["range"], range((2, 2), (2, 12)));
    // No module calls the other one any more.
    client.change("main.hcl", 2, &range((0, 0), (3, 0)), "");
    let notification = client.wait(|message| message["params"]["uri"] == uri);
    assert_eq!(notification["params"]["diagnostics"], json!([]));
}

#[test]
fn a_file_that_another_reads_is_looked_at_with_it() {
    let mut client = Client::begin(&[("web.hcl", "param \"port\" {}\n")]);
    client.open("main.hcl", "module \"web.hcl\" \"web\" {\n  params { port = 1 }\n}\n");
    assert!(client.problems("main.hcl", 1).is_empty());
    client.open("web.hcl", "param \"port\" {}\n");
    assert!(client.problems("main.hcl", 1).is_empty());
    client.change("web.hcl", 2, &range((0, 7), (0, 11)), "number");
    assert_eq!(client.problems("main.hcl", 1)[0]["code"], "missing-param");
}

#[test]
fn a_module_that_calls_itself_and_very_many_mistakes() {
    let mut client = Client::begin(&[]);
    client.open("main.hcl", "module \"main.hcl\" \"again\" {}\n");
    assert_eq!(client.problems("main.hcl", 1)[0]["code"], "include-cycle");
    client.open("wrong.hcl", &"x = =\n".repeat(5000));
    let problems = client.problems("wrong.hcl", 1);
    assert_eq!(problems.len(), 1001);
    assert_eq!(problems[1000]["code"], "too-many-errors");
    client.open("unknown.hcl", &"nothing.like.it \"a\" {}\n".repeat(5000));
    assert_eq!(client.problems("unknown.hcl", 1).len(), 5000);
}

#[test]
fn files_of_parameters_are_no_modules() {
    let mut client = Client::begin(&[]);
    client.open("blue.hcl", "port = 80\n");
    assert!(client.problems("blue.hcl", 1).is_empty());
    client.change("blue.hcl", 2, &range((0, 7), (0, 9)), "param.x");
    assert_eq!(client.problems("blue.hcl", 2).len(), 1);
}

#[test]
fn a_plugin_that_a_module_names_is_not_run() {
    let mut client = Client::begin(&[("converge-plugin-x", "#!/bin/sh\ntouch ran\n")]);
    let hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    client.open(
        "main.hcl",
        &format!("plugin \"x\" {{\n  source = \"./converge-plugin-x\"\n  sha256 = \"{hash}\"\n}}\nx.thing \"a\" {{}}\n"),
    );
    let problems = client.problems("main.hcl", 1);
    let codes: Vec<_> = problems.iter().map(|problem| (&problem["code"], &problem["severity"])).collect();
    assert_eq!(codes, [(&json!("plugin"), &json!(3)), (&json!("unknown-type"), &json!(3))]);
    assert!(!client.path().join("ran").exists());
}
