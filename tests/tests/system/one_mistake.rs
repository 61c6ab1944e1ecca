//! Tests of modules with one mistake each, in `tests/mistakes/KIND`.
//!
//! The error names the mistake, and the caret points to it. The first line of a module has the expectation:
//! `# expect: CODE at LINE:COLUMN |UNDERLINED| PART OF THE MESSAGE`. The place may be in another file
//! (`lib/page.hcl:1:1`), and is omitted for errors without a file. A line `# run: ARGUMENTS` names the
//! command that finds the mistake, if it is not `validate`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use converge_tests::{Said, converge, root};
use serde_json::Value;

/// The expectation in the first line of a module.
#[derive(Debug, PartialEq, Eq)]
struct Expect {
    code: String,
    /// The file, line and column, and the underlined text.
    at: Option<(String, u64, u64, String)>,
    message: String,
}

impl Expect {
    fn parse(line: &str, file: &str) -> Option<Self> {
        let rest = line.strip_prefix("# expect: ")?;
        let (code, rest) = rest.split_once(' ')?;
        let (location, message) = match rest.strip_prefix("at ") {
            None => (None, rest),
            Some(rest) => {
                let (place, rest) = rest.split_once(" |")?;
                let (underlined, message) = rest.split_once("| ")?;
                let (place, column) = place.rsplit_once(':')?;
                let (file, line) = place.rsplit_once(':').unwrap_or((file, place));
                let location =
                    (file.to_owned(), line.parse().ok()?, column.parse().ok()?, underlined.to_owned());
                (Some(location), message)
            }
        };
        Some(Self { code: code.to_owned(), at: location, message: message.to_owned() })
    }
}

/// Runs the command that finds the mistake, in the folder of the module.
fn run(path: &Path, text: &str, format: &str) -> Said {
    let line = text.lines().find_map(|line| line.strip_prefix("# run: ")).unwrap_or("validate");
    let mut words: Vec<&str> = line.split(' ').collect();
    let name = path.file_name().unwrap().to_str().unwrap();
    words.extend(["--color", "never", "--format", format, name]);
    converge(&words).current_dir(path.parent().unwrap()).output().unwrap().into()
}

/// Returns the underlined text of a label in its first line.
fn underlined(folder: &Path, label: &Value) -> String {
    let text = fs::read_to_string(folder.join(label["file"].as_str().unwrap())).unwrap();
    let number = |key: &str| usize::try_from(label[key].as_u64().unwrap()).unwrap();
    let line: Vec<char> = text.lines().nth(number("line") - 1).unwrap_or_default().chars().collect();
    let end = if number("end_line") == number("line") { number("end_column") - 1 } else { line.len() };
    line[number("column") - 1..end].iter().collect()
}

fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let expect = Expect::parse(text.lines().next().unwrap_or_default(), name).ok_or("no `# expect:` line")?;
    let output = run(path, &text, "json");
    if output.code != Some(1) {
        return Err(format!("ended with {:?}\n{}{}", output.code, output.stdout, output.stderr));
    }
    let events = output.events();
    // An error that only a run finds is part of the failed resource.
    let failed = events.iter().filter_map(|event| event["failure"]["diagnostics"].as_array()).flatten();
    let diagnostics = events.iter().filter(|event| event["event"] == "diagnostic").chain(failed);
    let errors: Vec<&Value> = diagnostics.filter(|diagnostic| diagnostic["severity"] == "error").collect();
    let [error] = errors[..] else { return Err(format!("{} errors\n{}", errors.len(), output.stdout)) };
    let label = &error["labels"][0];
    let location = label["line"].as_u64().map(|line| {
        let file = label["file"].as_str().unwrap_or_default().to_owned();
        (file, line, label["column"].as_u64().unwrap_or(0), underlined(path.parent().unwrap(), label))
    });
    let code = error["code"].as_str().unwrap_or_default();
    let message = error["message"].as_str().unwrap_or_default();
    if code == expect.code && location == expect.at && message.contains(&expect.message) {
        return Ok(());
    }
    Err(format!("\n  is       {code} at {location:?} {message}\n  expected {expect:?}"))
}

/// Returns the modules by kind of mistake.
fn mistakes() -> BTreeMap<String, Vec<PathBuf>> {
    let mut kinds = BTreeMap::new();
    for kind in fs::read_dir(root().join("tests/mistakes")).unwrap() {
        let kind = kind.unwrap();
        let entries = fs::read_dir(kind.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
        files.sort();
        kinds.insert(kind.file_name().to_string_lossy().into_owned(), files);
    }
    kinds
}

#[test]
fn the_error_names_the_mistake_and_the_caret_is_under_it() {
    let mut failures = String::new();
    for (kind, files) in mistakes() {
        assert!(files.len() >= 10, "{kind} has {} mistakes", files.len());
        for path in files {
            if let Err(error) = check(&path) {
                let _ = writeln!(failures, "{kind}/{}: {error}", path.file_name().unwrap().display());
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// One or two mistakes of each kind in the form for people.
const TYPICAL: &[&str] = &[
    "syntax/colon-for-equals",
    "syntax/unclosed-heredoc",
    "unknown-names/resource-in-a-lookup",
    "unknown-names/function",
    "types-and-values/text-for-a-bool",
    "types-and-values/from-a-parameter",
    "templates/behind-escapes",
    "templates/in-a-heredoc",
    "native-expressions/text-plus-number",
    "native-expressions/no-such-key",
    "switch/predicate-that-is-neither",
    "modules/includes-its-caller",
    "modules/missing-param",
    "modules/wrong-type-of-a-param",
    "meta-arguments/cycle",
    "meta-arguments/for-each-of-a-list-of-records",
    "params/validation-of-what-comes-from-outside",
    "params/missing",
    "unknown-names/a-service",
    "unknown-names/path-for-destination",
    "unknown-names/export-as-field",
    "syntax/curly-quotes",
    "meta-arguments/when-yes",
];

#[test]
fn typical_mistakes_as_people_see_them() {
    let mut report = String::new();
    for name in TYPICAL {
        let path = root().join("tests/mistakes").join(name).with_extension("hcl");
        let text = fs::read_to_string(&path).unwrap();
        let output = run(&path, &text, "human");
        let _ = writeln!(report, "==== {name}\n{}{}", output.stdout, output.stderr);
    }
    insta::assert_snapshot!(report);
}
