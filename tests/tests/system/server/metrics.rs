//! What can be measured of a server.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use converge_tests::openmetrics::{Family, parse};
use converge_tests::{root, states};

use super::Server;

/// The metrics of a server, by name.
#[track_caller]
fn metrics(server: &Server) -> BTreeMap<String, Family> {
    let (status, text) = server.get("/metrics");
    assert_eq!(status, 200, "{text}");
    let families = parse(&text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    families.into_iter().map(|family| (family.name.clone(), family)).collect()
}

/// Names, kinds and labels.
type Described = BTreeSet<(String, String, Vec<String>)>;

fn printed(families: &BTreeMap<String, Family>) -> Described {
    let labels = |family: &Family| {
        let labels: BTreeSet<_> = family.samples.iter().flat_map(|sample| sample.labels.keys()).collect();
        labels.into_iter().filter(|label| *label != "le").cloned().collect()
    };
    families.values().map(|family| (family.name.clone(), family.kind.clone(), labels(family))).collect()
}

fn documented() -> Described {
    let text = fs::read_to_string(root().join("docs/operate.md")).unwrap();
    let (_, section) = text.split_once("\n## Metrics\n").unwrap();
    let rows = section.lines().skip_while(|line| !line.starts_with("| metric |")).skip(2);
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let mut labels: Vec<String> =
            cells[3].split(", ").map(|label| label.trim_matches('`').to_owned()).collect();
        labels.retain(|label| !label.is_empty());
        labels.sort();
        (cells[1].trim_matches('`').to_owned(), cells[2].to_owned(), labels)
    };
    rows.take_while(|line| line.starts_with('|')).map(row).collect()
}

#[test]
fn what_is_told_is_what_is_documented() {
    fs::create_dir_all(states()).unwrap();
    let folder = tempfile::tempdir_in(states()).unwrap();
    let server = Server::start(&["--data", folder.path().to_str().unwrap()]);
    assert_eq!(printed(&metrics(&server)), documented());
}

#[test]
fn what_the_store_does_is_counted() {
    let server = Server::start(&["--dev"]);
    let of = |outcome: &str| {
        let operations = &metrics(&server)["converge_store_operations"];
        operations.value(&[("operation", "write"), ("outcome", outcome)]).unwrap()
    };
    let before = of("ok");
    assert_eq!(server.put("/v1/resources/tenancy/v1/partition/eu", "{}").0, 200);
    assert!(of("ok") > before);
    // Of the server itself, at least.
    assert!(metrics(&server)["converge_store_leases_held"].value(&[]).unwrap() >= 1.0);
    assert!(metrics(&server)["converge_store_watches"].value(&[]).unwrap() >= 1.0);
}
