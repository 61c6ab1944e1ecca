//! Tests that the tests named in `docs/consul-tests.md` exist.
//!
//! The counts of its tables must be right as well.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use super::{functions, manifest, quoted};

fn page() -> io::Result<String> {
    fs::read_to_string(manifest().join("docs/consul-tests.md"))
}

/// Returns the cells of a table row, unless it is a heading.
fn cells(line: &str) -> Option<Vec<&str>> {
    let row = line.strip_prefix("| ")?.strip_suffix(" |")?;
    let cells: Vec<&str> = row.split(" | ").map(str::trim).collect();
    (cells[0] != "Cases" && cells[0] != "---").then_some(cells)
}

/// Returns the number of Consul's cases in a row: the number at its end, or that of the listed ones.
fn cases(cell: &str) -> usize {
    let count = cell.strip_suffix(')').and_then(|cell| cell.rsplit_once('(')?.1.parse().ok());
    count.unwrap_or_else(|| cell.split(';').count())
}

#[test]
fn the_tests_that_are_named_are_there() {
    let functions_in_tests = functions().unwrap();
    let page = page().unwrap();
    for row in page.lines().filter_map(cells) {
        let [cases, asserted, here, tests] = row[..] else { panic!("{row:?} are not four cells") };
        assert!(!cases.is_empty() && !asserted.is_empty(), "{row:?}");
        let names: Vec<&str> = quoted(tests).collect();
        assert!(here.starts_with("not: ") || !names.is_empty(), "{cases}: no test is named");
        for test in names {
            assert!(functions_in_tests.contains(test), "{cases}: there is no test {test}");
        }
    }
}

#[test]
fn the_rows_that_are_meant_are_there() {
    let rules = fs::read_to_string(manifest().join("docs/rules.md")).unwrap();
    let page = page().unwrap();
    for row in page.lines().filter_map(cells) {
        let numbers = row[2].split(|other: char| !other.is_ascii_digit() && other != '.');
        for number in numbers.map(|number| number.trim_matches('.')).filter(|number| number.contains('.')) {
            assert!(rules.contains(&format!("\n| {number} | ")), "{}: there is no row {number}", row[0]);
        }
    }
}

#[test]
fn each_table_counts_what_it_has() {
    let page = page().unwrap();
    for section in page.split("\n## ").skip(1) {
        let mut count = BTreeMap::from([("kept", 0), ("otherwise", 0), ("not", 0)]);
        for row in section.lines().filter_map(cells) {
            let verdict = row[2].split([' ', ',', ':', ';']).next().unwrap_or_default();
            *count.get_mut(verdict).unwrap_or_else(|| panic!("{row:?}: {verdict:?}")) += cases(row[0]);
        }
        let [kept, not, otherwise] = [count["kept"], count["not"], count["otherwise"]];
        let total = kept + not + otherwise;
        let expect = format!(": {total} cases, {kept} kept, {otherwise} otherwise, {not} not.");
        let name = section.lines().next().unwrap_or_default();
        assert!(section.contains(&expect), "{name}: it has to say {expect:?}");
    }
}
