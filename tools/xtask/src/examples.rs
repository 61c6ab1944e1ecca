//! The extraction of documentation examples as programs.

use std::fs;
use std::path::Path;

use crate::error::Error;

/// Returns the examples in all sources of a folder, in order of file names.
pub(crate) fn read_folder(folder: &Path) -> Result<Vec<String>, Error> {
    let mut programs = Vec::new();
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut paths: Vec<_> =
        entries.map_err(Error::at(folder))?.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            programs.append(&mut read_folder(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            programs.append(&mut parse_source(&fs::read_to_string(&path).map_err(Error::at(&path))?));
        }
    }
    Ok(programs)
}

/// Returns the examples of one source by the rules of rustdoc.
///
/// See [the book of rustdoc](https://doc.rust-lang.org/rustdoc/write-documentation/documentation-tests.html).
fn parse_source(source: &str) -> Vec<String> {
    let mut programs = Vec::new();
    // The lines of the current block; the inner `None` stands for a block that is no program.
    let mut block: Option<Option<Vec<&str>>> = None;
    for line in source.lines().map(str::trim_start) {
        let Some(line) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else { continue };
        let line = line.strip_prefix(' ').unwrap_or(line);
        match (&mut block, line.trim_start().strip_prefix("```")) {
            (None, Some(tag)) => block = Some(is_program(tag).then(Vec::new)),
            (Some(lines), Some(_)) => {
                programs.extend(lines.take().map(|lines| program(&lines)));
                block = None;
            }
            (Some(Some(lines)), None) => lines.push(unhidden(line)),
            (Some(None) | None, None) => {}
        }
    }
    programs
}

/// Whether a block with this tag compiles.
fn is_program(tag: &str) -> bool {
    let is_known = |word: &str| ["", "rust", "no_run", "should_panic"].contains(&word.trim());
    tag.split(',').all(is_known)
}

/// Returns a line of the program, including lines that the documentation hides.
fn unhidden(line: &str) -> &str {
    match line.trim_start() {
        "#" => "",
        hidden => hidden.strip_prefix("# ").unwrap_or(line),
    }
}

/// An example is not part of the crate, so these lints do not apply.
const LINTS: &str = concat!("#!", "[allow(missing_docs, unreachable_pub, unused)]\n");

/// Returns the complete program.
///
/// Code without `main` is wrapped in one, which may fail if the example ends in an `Ok(())`.
fn program(lines: &[&str]) -> String {
    let body = lines.join("\n");
    let body = if body.contains("fn main(") {
        body
    } else if body.trim_end().ends_with("(())") {
        format!(
            "fn main() {{\nfn example() -> Result<(), impl std::fmt::Debug> {{\n{body}\n}}\nexample().unwrap();\n}}"
        )
    } else {
        format!("fn main() {{\n{body}\n}}")
    };
    format!("{LINTS}{body}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expect: &[&str]) {
        let expect: Vec<String> = expect.iter().map(|program| format!("{LINTS}{program}")).collect();
        assert_eq!(parse_source(source), expect, "{source}");
    }

    #[test]
    fn examples_are_programs() {
        check("/// None.\nfn f() {}\n// ```\n// no documentation\n// ```\n", &[]);
        check(
            "/// ```\n/// f();\n/// ```\n    /// ```no_run\n    ///   g();\n    /// ```",
            &["fn main() {\nf();\n}\n", "fn main() {\n  g();\n}\n"],
        );
        check("//! ```\n//! fn main() {}\n//! ```", &["fn main() {}\n"]);
    }

    #[test]
    fn hidden_lines_are_in_them() {
        check(
            "/// ```\n/// # use a::B;\n/// #\n/// #[derive(C)]\n/// struct D;\n/// ```",
            &["fn main() {\nuse a::B;\n\n#[derive(C)]\nstruct D;\n}\n"],
        );
    }

    #[test]
    fn some_may_fail() {
        check(
            "/// ```\n/// f()?;\n/// # Ok::<(), E>(())\n/// ```",
            &[
                "fn main() {\nfn example() -> Result<(), impl std::fmt::Debug> {\nf()?;\nOk::<(), E>(())\n}\nexample().unwrap();\n}\n",
            ],
        );
    }

    #[test]
    fn what_does_not_compile_is_none() {
        check(
            "/// ```text\n/// a\n/// ```\n/// ```compile_fail,E0277\n/// b\n/// ```\n/// ```ignore\n/// ```",
            &[],
        );
        check(
            "/// ```hcl\n/// a\n/// ```\n/// ```rust,no_run\n/// b();\n/// ```",
            &["fn main() {\nb();\n}\n"],
        );
    }
}
