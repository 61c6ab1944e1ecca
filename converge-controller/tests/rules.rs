//! Whether what `docs/rules.md` names is there, and whether it names every row of the specification.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn manifest() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The rows of the tables, each with its cells.
fn rows() -> io::Result<Vec<Vec<String>>> {
    let text = fs::read_to_string(manifest().join("docs/rules.md"))?;
    let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix('|'));
    let cells = rows.map(|row| row.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>());
    Ok(cells.filter(|cells| cells[0] != "Row" && cells[0] != "---").collect())
}

/// What stands between backquotes.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The names of all functions below a folder.
fn functions(folder: &Path, found: &mut BTreeSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path: PathBuf = entry?.path();
        if path.is_dir() {
            functions(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            let names = text.split("fn ").skip(1).filter_map(|rest| rest.split(['(', '<']).next());
            found.extend(names.map(str::to_owned));
        }
    }
    Ok(())
}

#[test]
fn every_row_is_there_once() {
    let rows: Vec<String> = rows().unwrap().into_iter().map(|cells| cells[0].clone()).collect();
    let mut expect = Vec::new();
    for (section, last) in
        [("M", 20), ("R", 8), ("W", 12), ("F", 8), ("S", 7), ("Q", 7), ("D", 6), ("K", 26), ("7.", 15)]
    {
        expect.extend((1..=last).map(|number| format!("{section}{number}")));
    }
    assert_eq!(rows[..expect.len()], expect);
    assert_eq!(rows.iter().collect::<BTreeSet<_>>().len(), rows.len(), "a row is there twice");
}

#[test]
fn what_the_rows_name_is_there() {
    let mut all = BTreeSet::new();
    let others = ["../converge-derive/src/stored", "../converge-server/src", "../tests/tests/policy"];
    for folder in ["src", "tests"].into_iter().chain(others) {
        functions(&manifest().join(folder), &mut all).unwrap();
    }
    for cells in rows().unwrap() {
        let [row, _, places, tests] = &cells[..] else { panic!("{cells:?} are not four cells") };
        for place in quoted(places) {
            let there = ["src", ".", ".."].map(|folder| manifest().join(folder).join(place).exists());
            assert!(there.contains(&true), "{row}: there is no {place}");
        }
        for test in quoted(tests) {
            assert!(all.contains(test), "{row}: there is no test {test}");
        }
        // Two are advice to authors.
        let is_advice = ["K26", "11.8"].contains(&row.as_str());
        assert!(quoted(tests).next().is_some() || is_advice, "{row} has no test");
    }
}
