//! The generated page of common mistakes: each with the tool that finds it and its message.
//!
//! Every mistake is a file that a test checks, and its message is the output that the test expects.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The path of the page, relative to the root of the workspace.
pub const PAGE: &str = "docs/mistakes.md";

/// The folders with mistakes, relative to the root of the workspace.
const FOLDERS: [(&str, &str, Finder); 14] = [
    ("Resources", "tests/derives/tests/ui/preparer", Finder::Compiler),
    ("Tasks and exports", "tests/derives/tests/ui/export", Finder::Compiler),
    ("Blocks", "tests/derives/tests/ui/block", Finder::Compiler),
    ("Enums of words", "tests/derives/tests/ui/enum", Finder::Compiler),
    ("Types made of text", "tests/derives/tests/ui/text", Finder::Compiler),
    ("Registration and programs", "tests/derives/tests/ui/program", Finder::Compiler),
    ("Disabled features", "tests/derives/tests/ui/features", Finder::Compiler),
    ("Stored types", "tests/derives/tests/ui/stored_resource", Finder::Compiler),
    ("Messages of stored types", "tests/derives/tests/ui/stored_message", Finder::Compiler),
    ("Enums of stored types", "tests/derives/tests/ui/stored_enum", Finder::Compiler),
    ("`oneof`s of stored types", "tests/derives/tests/ui/stored_oneof", Finder::Compiler),
    ("Behaviour of resources", "crates/testing/src/laws/faulty_resources/snapshots", Finder::Law),
    ("Resources in a simulation", "crates/testing/src/simulation/tests/snapshots", Finder::Simulation),
    ("Registering and loading", "converge-core/tests/authors/snapshots", Finder::Diagnostic),
];

/// The tool that finds a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finder {
    Compiler,
    Law,
    Simulation,
    Diagnostic,
}

impl Finder {
    fn extension(self) -> &'static str {
        match self {
            Self::Compiler => "stderr",
            Self::Law | Self::Simulation | Self::Diagnostic => "snap",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Compiler => "the compiler",
            Self::Law => "`laws!`",
            Self::Simulation => "a simulation",
            Self::Diagnostic => "the registry, or the load of a module",
        }
    }

    /// Returns the messages of the tool about a file, one line each.
    fn messages(self, text: &str) -> Vec<String> {
        match self {
            Self::Compiler => compiler(text),
            // The text after the name of the law is the place of the violation.
            Self::Law => snapshot(text).filter(|line| !line.starts_with('`')).take(1).collect(),
            Self::Simulation => snapshot(text).take(1).collect(),
            // The help text is included; it is on lines of its own.
            Self::Diagnostic => {
                let joined = snapshot(text).collect::<Vec<_>>().join("; ");
                (!joined.is_empty()).then_some(joined).into_iter().collect()
            }
        }
    }
}

/// Returns compiler errors without their codes, together with notes from Converge.
fn compiler(text: &str) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(error) = line.strip_prefix("error") {
            let message = error.split_once(": ").map_or(error, |(_, message)| message);
            let message = message.strip_prefix("evaluation panicked: ").unwrap_or(message);
            messages.push(message.to_owned());
        }
    }
    messages
}

/// Returns the meaningful lines of a snapshot.
fn snapshot(text: &str) -> impl Iterator<Item = String> {
    let body = text.splitn(3, "---\n").nth(2).unwrap_or_default();
    body.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// Returns the page for the files below `root`.
///
/// # Errors
///
/// A file or folder cannot be read, or a file contains no message.
pub fn page(root: &Path) -> io::Result<String> {
    let (mut tables, mut total, mut count) = (String::new(), 0, BTreeMap::<&str, usize>::new());
    for (title, folder, finder) in FOLDERS {
        let _ = write!(
            tables,
            "\n## {title}\n\nFound by {}; `{folder}`.\n\n| mistake | message |\n| --- | --- |\n",
            finder.name()
        );
        for path in files(&root.join(folder), finder.extension())? {
            let text = fs::read_to_string(&path)?;
            let messages = finder.messages(&text);
            if messages.is_empty() {
                return Err(io::Error::other(format!("{} says nothing of a mistake", path.display())));
            }
            *count.entry(finder.name()).or_default() += 1;
            total += messages.len();
            let cells: Vec<String> = messages.iter().map(|message| cell(message)).collect();
            let _ = writeln!(tables, "| {} | {} |", words(&path), cells.join("<br>"));
        }
    }
    let sum: usize = count.values().sum();
    let shares: Vec<String> = count.iter().map(|(name, count)| format!("{count} by {name}")).collect();
    Ok(format!(
        "# Mistakes of authors\n\nMistakes in resources, stored types and programs, with the tool that finds each and its message: \
         {sum} kinds of mistakes, {}, with {total} messages.\nA file in the named folder has the mistake, and a test compares \
         the message.\n`tests/mistakes` has the mistakes in modules.\n\n`cargo xtask docs` writes this page from the expected \
         messages.\n{tables}",
        shares.join(", ")
    ))
}

/// Returns the files with an extension in order of their names.
fn files(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|have| have == extension) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Converts a file name to words.
fn words(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = name.rsplit("__").next().unwrap_or_default();
    name.replace('_', " ")
}

/// Formats a message as a table cell.
fn cell(message: &str) -> String {
    message.replace('|', "\\|").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_taken_out_of_what_tests_compare() {
        let stderr = "error[E0080]: evaluation panicked: `A` implements `B`\n --> tests/a.rs:1:1\n\nerror: the name: of it\n  |\n";
        assert_eq!(compiler(stderr), ["`A` implements `B`", "the name: of it"]);
        let snap =
            "---\nsource: a.rs\nexpression: broken\n---\n`a` breaks a law: b\n\n  because --- c\n\nA test:\n";
        assert_eq!(Finder::Law.messages(snap), ["because --- c"]);
        assert_eq!(Finder::Simulation.messages(snap), ["`a` breaks a law: b"]);
        assert_eq!(words(Path::new("x/crate__tests__min_above_max.snap")), "min above max");
        assert_eq!(cell("a | <b>"), "a \\| &lt;b&gt;");
    }

    #[test]
    fn a_file_that_says_nothing_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        for (_, folder_name, _) in FOLDERS {
            fs::create_dir_all(folder.path().join(folder_name)).unwrap();
        }
        page(folder.path()).unwrap();
        fs::write(folder.path().join(FOLDERS[0].1).join("a.stderr"), "warning: nothing\n").unwrap();
        let error = page(folder.path()).unwrap_err();
        assert!(error.to_string().ends_with("a.stderr says nothing of a mistake"), "{error}");
    }
}
