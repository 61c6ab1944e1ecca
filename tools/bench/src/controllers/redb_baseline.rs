//! Baseline for a redb store: compare and put in batches, count the writes, and wait for the disk.

use std::path::Path;
use std::time::{Duration, Instant};

use redb::{Database, ReadableTable as _, TableDefinition};

use super::report::Rounds;
use super::stores::{BESIDE_DATA, SIZE};
use crate::error::{BenchError, at};

const TABLE: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("entries");
/// The number of writes so far, so that no version is used twice.
const COUNT: TableDefinition<'_, &str, u64> = TableDefinition::new("count");

/// Writes for the given time with a fixed number of writes in each commit.
pub(super) fn writes(
    together: usize,
    quick_repair: bool,
    time: Duration,
    rounds: &mut Rounds,
) -> Result<(), BenchError> {
    let folder = tempfile::tempdir().map_err(at(&std::env::temp_dir()))?;
    let file = Database::create(folder.path().join("bare.redb")).map_err(BenchError::store)?;
    let keys: Vec<_> =
        (0..together).map(|number| format!("bench/Entry/default/default/{number:07}")).collect();
    let mut value = vec![7; SIZE + BESIDE_DATA];
    let mut latencies = Vec::new();
    let start = Instant::now();
    let mut version = 0_u64;
    while start.elapsed() < time {
        let write_start = Instant::now();
        let before = version.to_be_bytes();
        version += 1;
        value[..8].copy_from_slice(&version.to_be_bytes());
        commit(&file, quick_repair, |table| {
            for key in &keys {
                let stored = table.get(key.as_str())?.map(|stored| stored.value()[..8] == before);
                if stored.unwrap_or(true) {
                    table.insert(key.as_str(), &value[..])?;
                }
            }
            Ok(())
        })
        .map_err(BenchError::store)?;
        latencies.extend(std::iter::repeat_n(write_start.elapsed(), together));
    }
    rounds.add(latencies, start.elapsed());
    Ok(())
}

/// Puts values into a new file and leaves the file as a killed process would.
pub(super) fn fill_quickly(path: &Path, values: usize) -> Result<(), BenchError> {
    let file = Database::create(path).map_err(BenchError::store)?;
    let value = vec![7; SIZE + BESIDE_DATA];
    for from in (0..values).step_by(500) {
        commit(&file, true, |table| {
            for number in from..values.min(from + 500) {
                table.insert(format!("bench/Entry/default/default/{number:07}").as_str(), &value[..])?;
            }
            Ok(())
        })
        .map_err(BenchError::store)?;
    }
    // The file is not closed, because the process is about to be killed.
    std::mem::forget(file);
    Ok(())
}

fn commit(
    file: &Database,
    quick_repair: bool,
    write: impl FnOnce(&mut redb::Table<'_, &'static str, &'static [u8]>) -> Result<(), redb::StorageError>,
) -> Result<(), redb::Error> {
    let mut transaction = file.begin_write()?;
    transaction.set_quick_repair(quick_repair);
    write(&mut transaction.open_table(TABLE)?)?;
    {
        let mut count = transaction.open_table(COUNT)?;
        let before = count.get("writes")?.map_or(0, |count| count.value());
        count.insert("writes", before + 1)?;
    }
    Ok(transaction.commit()?)
}
