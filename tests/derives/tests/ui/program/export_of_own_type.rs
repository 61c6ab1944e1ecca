//! An export read as a type that is not a value of the language.

use converge_core::prelude::embed::*;

#[derive(Debug)]
struct Revision(u64);

fn revision(report: &Report, id: &NodeId) {
    let _ = report.export::<Revision>(id, "revision");
}

fn main() {}
