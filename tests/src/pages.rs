//! The generated pages of `docs`.
//!
//! They are made by `converge docs`, from the mistakes that tests check, and from the list of pages.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::mistakes;

/// The folder of the pages, relative to the root of the workspace.
pub const FOLDER: &str = "docs";

/// The expected texts of the pages by path, relative to the root of the workspace.
#[derive(Debug)]
pub struct Pages(BTreeMap<PathBuf, String>);

/// A page that is not current.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stale {
    /// The page is missing.
    Missing(PathBuf),
    /// The page has another text.
    Differs(PathBuf),
    /// The page exists, but is not generated any more.
    Extra(PathBuf),
}

impl Pages {
    /// Generates the pages with the programs `converge` and `converge-dump` in this folder.
    ///
    /// # Errors
    ///
    /// A program cannot be run or fails.
    pub fn generate(programs: &Path) -> io::Result<Self> {
        let said_by = |program: &str, arguments: &[&str]| {
            let output = Command::new(programs.join(program)).args(arguments).output()?;
            let decode = |bytes| String::from_utf8(bytes).map_err(io::Error::other);
            if output.status.success() {
                decode(output.stdout)
            } else {
                Err(io::Error::other(decode(output.stderr)?))
            }
        };
        let docs = |arguments: &[&str]| said_by("converge", &[&["docs"], arguments].concat());
        let resources = Path::new(FOLDER).join("resources");
        let mut pages = BTreeMap::from([
            (resources.join("README.md"), docs(&["--format", "markdown"])?),
            (Path::new(FOLDER).join("schema/module.json"), docs(&["--format", "json-schema"])?),
        ]);
        for document in ["plan", "event"] {
            let path = Path::new(FOLDER).join(format!("schema/{document}.json"));
            pages.insert(path, said_by("converge-dump", &["schema", document])?);
        }
        pages.insert(PathBuf::from(mistakes::PAGE), mistakes::page(crate::root())?);
        for line in docs(&["--format", "json"])?.lines() {
            let description: Value = serde_json::from_str(line)?;
            let name = description["name"].as_str().ok_or_else(|| io::Error::other("a type has no name"))?;
            pages.insert(resources.join(format!("{name}.md")), docs(&[name, "--format", "markdown"])?);
        }
        let contents = Path::new(FOLDER).join("SUMMARY.md");
        let mut text = fs::read_to_string(crate::root().join(&contents))?;
        for folder in ["resources", "decisions"] {
            text = with_chapters(&text, folder, &chapters(&pages, folder)?);
        }
        pages.insert(contents, text);
        Ok(Self(pages))
    }

    /// Returns the text of a page; empty for an unknown path.
    pub fn text(&self, path: &Path) -> &str {
        self.0.get(path).map_or("", String::as_str)
    }

    /// Returns the pages below `root` that are not current, ordered by path.
    ///
    /// # Errors
    ///
    /// A file or folder cannot be read.
    pub fn stale(&self, root: &Path) -> io::Result<Vec<Stale>> {
        let mut stale = Vec::new();
        for (path, text) in &self.0 {
            match fs::read_to_string(root.join(path)) {
                Ok(have) if have == *text => {}
                Ok(_) => stale.push(Stale::Differs(path.clone())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    stale.push(Stale::Missing(path.clone()));
                }
                Err(error) => return Err(error),
            }
        }
        for folder in ["resources", "schema"] {
            let folder = Path::new(FOLDER).join(folder);
            let entries = match fs::read_dir(root.join(&folder)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let path = folder.join(entry?.file_name());
                if !self.0.contains_key(&path) {
                    stale.push(Stale::Extra(path));
                }
            }
        }
        stale.sort_by(|a, b| a.path().cmp(b.path()));
        Ok(stale)
    }
}

/// Returns the titles of the pages in a folder of `docs` by file name.
///
/// The `README.md` of the folder is left out. Pages that are not generated are read from the folder.
fn chapters(pages: &BTreeMap<PathBuf, String>, folder: &str) -> io::Result<BTreeMap<String, String>> {
    let path = Path::new(FOLDER).join(folder);
    let mut texts: Vec<(PathBuf, String)> =
        pages.iter().map(|(page, text)| (page.clone(), text.clone())).collect();
    texts.retain(|(page, _)| page.parent() == Some(&path));
    if texts.is_empty() {
        for entry in fs::read_dir(crate::root().join(&path))? {
            let page = entry?.path();
            texts.push((page.clone(), fs::read_to_string(page)?));
        }
    }
    let chapters = texts.into_iter().filter_map(|(page, text)| {
        let name = page.file_name()?.to_str().filter(|name| *name != "README.md")?.to_owned();
        let title = text.lines().find_map(|line| line.strip_prefix("# "))?.to_owned();
        Some((name, title))
    });
    Ok(chapters.collect())
}

/// Returns a table of contents with these chapters below the line of the folder's `README.md`.
fn with_chapters(contents: &str, folder: &str, chapters: &BTreeMap<String, String>) -> String {
    let (first, link) = (format!("({folder}/README.md)"), format!("]({folder}/"));
    let mut text = String::new();
    for line in contents.lines() {
        if line.contains(&first) {
            let indent = line.len() - line.trim_start().len() + 2;
            text.extend([line, "\n"]);
            for (name, title) in chapters {
                let _ = writeln!(text, "{:indent$}- [{title}]({folder}/{name})", "");
            }
        } else if !line.contains(&link) {
            text.extend([line, "\n"]);
        }
    }
    text
}

impl Stale {
    /// Returns the path relative to the root of the workspace.
    pub fn path(&self) -> &Path {
        match self {
            Self::Missing(path) | Self::Differs(path) | Self::Extra(path) => path,
        }
    }
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path().display();
        match self {
            Self::Missing(_) => write!(f, "{path} (missing)"),
            Self::Differs(_) => write!(f, "{path} (says something else than the type)"),
            Self::Extra(_) => write!(f, "{path} (of no type)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_stand_below_their_folder() {
        let contents = "# Summary\n\n- [Types](a/README.md)\n  - [gone](a/gone.md)\n- [Other](b/x.md)\n";
        let chapters = BTreeMap::from([("new.md".to_owned(), "`new`".to_owned())]);
        let expect = "# Summary\n\n- [Types](a/README.md)\n  - [`new`](a/new.md)\n- [Other](b/x.md)\n";
        assert_eq!(with_chapters(contents, "a", &chapters), expect);
        assert_eq!(with_chapters(expect, "a", &chapters), expect);
    }

    #[test]
    fn what_is_not_current_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let resources = folder.path().join("docs/resources");
        fs::create_dir_all(&resources).unwrap();
        for (name, text) in [("same.md", "same"), ("other.md", "old"), ("gone.md", "")] {
            fs::write(resources.join(name), text).unwrap();
        }
        let page = |name: &str, text: &str| (Path::new("docs/resources").join(name), text.to_owned());
        let pages = [page("same.md", "same"), page("other.md", "new"), page("new.md", "new")];
        let stale = Pages(BTreeMap::from(pages)).stale(folder.path()).unwrap();
        let stale: Vec<_> = stale.iter().map(ToString::to_string).collect();
        let expect = [
            "docs/resources/gone.md (of no type)",
            "docs/resources/new.md (missing)",
            "docs/resources/other.md (says something else than the type)",
        ];
        assert_eq!(stale, expect);
    }
}
