//! Tests of the HCL in the documents.
//!
//! Each block is valid and formatted as by `converge fmt`, or has the error that is named after the fence
//! (```` ```hcl unknown-field ````).

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use converge_tests::{converge, root};

/// A block of HCL in a document.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    /// The line of the fence, from 1.
    line: usize,
    /// The code of the expected error.
    mistake: Option<String>,
    text: String,
}

impl Block {
    /// Returns the file name in a first line such as `# page.hcl`, under which other blocks can use it.
    fn file(&self) -> String {
        let first = self.text.lines().next().and_then(|line| line.strip_prefix("# "));
        let file_name =
            first.filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "hcl"));
        file_name.map_or_else(|| format!("line-{}.hcl", self.line), ToOwned::to_owned)
    }
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in markdown.lines().enumerate() {
        match &mut open {
            Some(_) if line == "```" => blocks.extend(open.take()),
            Some(block) => block.text.extend([line, "\n"]),
            None => {
                if let Some(info) = line.strip_prefix("```hcl") {
                    let mistake = info.strip_prefix(' ').map(ToOwned::to_owned);
                    open = Some(Block { line: index + 1, mistake, text: String::new() });
                }
            }
        }
    }
    blocks
}

/// Returns the problem of a block, other than its expected error.
fn check(folder: &Path, block: &Block) -> Option<String> {
    let run = |words: &[&str]| {
        let output = converge(words).arg(block.file()).current_dir(folder).output().unwrap();
        converge_tests::Said::from(output)
    };
    let report = run(&["validate", "--format", "json"]);
    let codes: BTreeSet<String> = report
        .events()
        .iter()
        .filter(|event| event["event"] == "diagnostic")
        .map(|event| event["code"].as_str().unwrap_or_default().to_owned())
        .collect();
    if codes != block.mistake.iter().cloned().collect() {
        return Some(report.stdout);
    }
    let formatted = run(&["fmt", "--check"]);
    (formatted.code != Some(0)).then(|| format!("{}{}", formatted.stdout, formatted.stderr))
}

#[test]
fn hcl_in_the_documents_is_what_they_say_it_is() {
    let documents = [
        ("README.md", 1),
        ("docs/how-to/from-ansible.md", 9),
        ("docs/how-to/from-the-original.md", 7),
        ("docs/tutorial/first-module.md", 1),
        ("converge-core/docs/language.md", 12),
        ("converge-core/docs/guide/exports.md", 1),
        ("converge-core/docs/guide/refresh.md", 1),
        ("converge-core/docs/guide/tasks.md", 1),
    ];
    for (document, minimum) in documents {
        let folder = tempfile::tempdir().unwrap();
        let blocks = blocks(&fs::read_to_string(root().join(document)).unwrap());
        assert!(blocks.len() >= minimum, "{document}: {} blocks of HCL", blocks.len());
        for block in &blocks {
            fs::write(folder.path().join(block.file()), &block.text).unwrap();
        }
        let mut failures = String::new();
        for block in &blocks {
            if let Some(failure) = check(folder.path(), block) {
                let _ =
                    writeln!(failures, "{document}:{} expected {:?}:\n{failure}", block.line, block.mistake);
            }
        }
        assert!(failures.is_empty(), "{failures}");
    }
}

#[test]
fn blocks_of_a_document() {
    let markdown = "text\n```hcl\na\n```\n```rust\nb\n```\n```hcl unknown-field\n# x.hcl\n```\n";
    let block = |line, mistake: Option<&str>, text: &str| Block {
        line,
        mistake: mistake.map(ToOwned::to_owned),
        text: text.to_owned(),
    };
    let actual = blocks(markdown);
    assert_eq!(actual, [block(2, None, "a\n"), block(8, Some("unknown-field"), "# x.hcl\n")]);
    assert_eq!(actual.iter().map(Block::file).collect::<Vec<_>>(), ["line-2.hcl", "x.hcl"]);
}
