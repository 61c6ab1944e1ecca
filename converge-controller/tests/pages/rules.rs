//! Tests that the tests named in `docs/rules.md` exist.
//!
//! The document must cover every row of the specification.

use std::collections::BTreeSet;
use std::fs;
use std::io;

use super::{functions, manifest, quoted};

/// Returns the table rows, each with its cells.
fn rows() -> io::Result<Vec<Vec<String>>> {
    let text = fs::read_to_string(manifest().join("docs/rules.md"))?;
    let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix('|'));
    let cells = rows.map(|row| row.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>());
    Ok(cells.filter(|cells| cells[0] != "Row" && cells[0] != "---").collect())
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
    let known_functions = functions().unwrap();
    for cells in rows().unwrap() {
        let [row, _, places, tests] = &cells[..] else { panic!("{cells:?} are not four cells") };
        for place in quoted(places) {
            let existence = ["src", ".", ".."].map(|folder| manifest().join(folder).join(place).exists());
            assert!(existence.contains(&true), "{row}: there is no {place}");
        }
        for test in quoted(tests) {
            assert!(known_functions.contains(test), "{row}: there is no test {test}");
        }
        // Two rows are advice to authors.
        let is_advice = ["K26", "11.8"].contains(&row.as_str());
        assert!(quoted(tests).next().is_some() || is_advice, "{row} has no test");
    }
}
