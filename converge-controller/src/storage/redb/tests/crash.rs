//! Tests with processes that are killed while they write.

use std::collections::{BTreeMap, HashSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::{CHILD, block_on, child, everything, id, resource};
use crate::clock::Random;
use crate::storage::{Backend as _, Change, Consistency, Redb, Transaction};
use crate::{Resource, Uid};

const WRITERS: u64 = 8;
const OWNER: Uid = Uid::from_bits(u128::MAX - 1);

fn number(resource: &Resource) -> u64 {
    u64::from_be_bytes(resource.data.as_ref().unwrap().value[..8].try_into().unwrap())
}

fn puts(first: &Resource, second: &Resource, number: u64) -> Transaction {
    let put_change = |resource: &Resource| {
        let mut data = resource.data.clone().unwrap();
        // Some resources fit on one page, and others need several.
        let size = 8 + usize::try_from(number % 7).unwrap() * 1_500;
        data.value = number.to_be_bytes().into_iter().cycle().take(size).collect();
        Change::Put(Box::new(Resource { data: Some(data), ..resource.clone() }))
    };
    Transaction::from_change(put_change(first)).and(put_change(second))
}

/// Writes forever: each writer writes two resources together, and prints the last acknowledged number.
async fn write_for_ever(path: &Path) {
    let store = Arc::new(Redb::open(path).await.unwrap());
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let store = Arc::clone(&store);
        writers.spawn(async move {
            let new = |side: &str, bit| {
                let owner = Some(id("owner").with_uid(OWNER));
                let uid = u128::from(writer) << 1 | bit;
                Resource { owner, ..resource(&format!("{side}-{writer}"), uid, 0_u64.to_be_bytes().to_vec()) }
            };
            let mut pair = Vec::new();
            for (side, bit) in [("left", 0), ("right", 1)] {
                let stored = store.find(&id(&format!("{side}-{writer}")), Consistency::Strong).await.unwrap();
                pair.push(stored.map_or_else(|| new(side, bit), |stored| (*stored).clone()));
            }
            for next in number(&pair[0]) + 1.. {
                let stored = store.commit(puts(&pair[0], &pair[1], next)).await.unwrap();
                writeln!(
                    std::io::stdout(),
                    "acknowledged {writer} {next} {}",
                    stored[0].version.as_ref().unwrap()
                )
                .unwrap();
                pair = stored.iter().map(|stored| (**stored).clone()).collect();
            }
        });
    }
    writers.join_all().await;
}

#[test]
fn what_was_acknowledged_outlives_a_killed_process() {
    if let Some(path) = std::env::var_os(CHILD) {
        block_on(write_for_ever(path.as_ref()));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("resources.redb");
    let mut random = Random::from_machine();
    let mut acknowledged: BTreeMap<u64, u64> = BTreeMap::new();
    let mut versions = HashSet::new();
    for round in 0..6 {
        let mut process = child("crash::what_was_acknowledged_outlives_a_killed_process", &path);
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut left = 20 + random.below(300);
        for line in lines {
            let line = line.unwrap();
            let Some((_, line)) = line.split_once("acknowledged ") else { continue };
            let mut words = line.split(' ').map(|word| word.parse::<u64>().unwrap());
            let [writer, number, version] = [(); 3].map(|()| words.next().unwrap());
            acknowledged.insert(writer, number);
            assert!(versions.insert(version), "round {round}: version {version} came again");
            left = left.saturating_sub(1);
            if left == 0 {
                // Output until the end of the process counts as well.
                process.kill().unwrap();
            }
        }
        assert!(!process.wait().unwrap().success(), "it was killed");
        block_on(check(&path, &acknowledged, &versions));
    }
    assert_eq!(acknowledged.len() as u64, WRITERS);
}

/// Opens and checks the store that a killed process left.
async fn check(path: &Path, acknowledged: &BTreeMap<u64, u64>, versions: &HashSet<u64>) {
    let store = Redb::open(path).await.unwrap();
    let listed = store.list(&everything(), Consistency::Strong).await.unwrap();
    let numbers_in_store: BTreeMap<_, _> =
        listed.iter().map(|resource| (resource.id.name.to_string(), number(resource))).collect();
    for (writer, acknowledged) in acknowledged {
        let [left, right] = ["left", "right"].map(|side| numbers_in_store[&format!("{side}-{writer}")]);
        assert_eq!(left, right, "both are written or neither is");
        // One more write may have been made without its acknowledgement being read.
        assert!([*acknowledged, acknowledged + 1].contains(&left), "{left} is there of {acknowledged}");
    }
    assert_eq!(store.list_by_owner(OWNER).await.unwrap(), listed);
    // A version that was reported to anybody is not reused.
    let fresh = store.write(resource("fresh", 1_000, vec![])).await.unwrap();
    let version = fresh.version.clone().unwrap();
    assert!(!versions.contains(&version.as_str().parse().unwrap()));
    store.delete(fresh.id.clone(), version).await.unwrap();
}
