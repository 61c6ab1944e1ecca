//! The active swap areas of the kernel.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;

use crate::{mount_table, text_file};

const TABLE: &str = "/proc/swaps";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Active {
    path: PathBuf,
    pub(super) priority: i64,
}

/// Returns the active swap area at a path, which must have no links.
pub(super) async fn at(cx: &Context, path: &Path) -> Result<Option<Active>> {
    // A kernel without swap support has no list.
    let table = text_file::read(cx, Path::new(TABLE)).await?.unwrap_or_default();
    Ok(parse(&table).into_iter().find(|active| active.path == path))
}

/// Parses lines `PATH TYPE SIZE USED PRIORITY`, below a line of headings.
pub(super) fn parse(table: &str) -> Vec<Active> {
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let path = mount_table::unescaped(words.next()?.as_bytes());
        Some(Active { path, priority: words.nth(3)?.parse().ok()? })
    };
    table.lines().skip(1).filter_map(line).collect()
}

/// Uses a table recorded from Linux 6.1.
#[cfg(test)]
#[test]
fn recorded() {
    let table = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n\
                 /dev/dm-0                               partition\t1048572\t\t0\t\t-2\n\
                 /swap\\040file                           file\t\t65532\t\t0\t\t5\n";
    let active = |path: &str, priority| Active { path: path.into(), priority };
    assert_eq!(parse(table), [active("/dev/dm-0", -2), active("/swap file", 5)]);
    assert_eq!(parse(""), []);
}
