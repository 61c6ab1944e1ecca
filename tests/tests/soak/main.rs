//! A soak test: one process that loads, plans and cancels applies repeatedly.
//!
//! It is a separate program, because it counts the resources of its process. There are 10,000 loads and 1,000
//! plans and applies, which take 40 seconds of processor time in a debug build. `CONVERGE_SOAK_ROUNDS=10000
//! cargo test -p converge-tests --test soak` makes 10,000 of all three in 160 seconds.

#![cfg(test)]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use converge_core::prelude::embed::*;
use converge_core::testing::private_folder;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::unix::pipe;
use tokio::runtime::Builder;

/// The number of plans and of cancelled applies.
const ROUNDS: usize = 1_000;

/// The minimum number of loads, spread over the rounds.
const LOADS: usize = 10_000;

/// One of this many rounds has many resources and a large file; the others are small.
const LARGE: usize = 9;

/// The number of rounds until memory, threads and tables have reached their final size.
const WARM_UP: usize = 100;

/// The allowed growth in KiB.
///
/// A leaked graph per round would need many times as much.
const GROWTH: u64 = 12 * 1024;

/// The module, whose task writes its process id to a pipe and then runs forever.
///
/// The task has a child that is identified by its sleep time.
const MODULE: &str = r#"
param "place" {}
param "files" { type = "number" }
param "sleep" {}

file.directory "files" { destination = "{{param `place`}}/files" }

file.content "file" {
  for_each    = toset([for index in range(param.files) : tostring(index)])
  destination = "{{param `place`}}/files/{{each.key}}"
  content     = "round {{each.value}}\n"
}

file.content "large" {
  destination = "{{param `place`}}/large"
  content     = join("", [for index in range(15 * param.files) : format("%1000d", index)])
}

task "endless" {
  group = "deploy"
  check = "false"
  apply = "sleep {{param `sleep`}} & echo $$ > {{param `place`}}/pipe; wait"
}
"#;

/// The resources of the process.
#[derive(Debug, PartialEq, Eq)]
struct Has {
    descriptors: usize,
    threads: usize,
    children: usize,
    /// The programs of the task.
    ///
    /// After a kill they are no longer children of this process.
    programs: usize,
}

impl Has {
    fn now() -> Self {
        let count = |folder: &str| fs::read_dir(folder).unwrap().count();
        Self {
            descriptors: count("/proc/self/fd"),
            threads: count("/proc/self/task"),
            children: children().len(),
            programs: programs(),
        }
    }
}

/// Returns the child processes, including zombies.
fn children() -> Vec<u32> {
    let process_id = std::process::id().to_string();
    let is_child = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after = stat.rsplit(')').next().unwrap_or_default();
        after.split_ascii_whitespace().nth(1) == Some(&process_id)
    };
    processes().filter(is_child).collect()
}

/// Returns a sleep time of months in seconds.
///
/// It differs between processes, because tests may run in parallel.
fn sleep() -> String {
    (10_000_000 + u64::from(std::process::id())).to_string()
}

fn programs() -> usize {
    let expect = format!("sleep\0{}\0", sleep());
    let command = |pid: u32| fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    processes().filter(|pid| command(*pid) == expect.as_bytes()).count()
}

fn processes() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok())
}

/// Returns the resident memory in KiB without file pages.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// The way in which an apply is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Dropped,
    Cancelled,
}

async fn round(registry: &Registry, place: &Path, round_number: usize, loads: usize) {
    let stop = if round_number.is_multiple_of(2) { Stop::Dropped } else { Stop::Cancelled };
    let files = if round_number.is_multiple_of(LARGE) { 20 } else { 1 };
    let place_text = place.display().to_string();
    let loader = Loader::new(registry)
        .with_param("place", place_text.as_str())
        .with_param("files", files)
        .with_param("sleep", sleep());
    let load = || loader.load_text("main.hcl", MODULE).into_graph().unwrap();
    (1..loads).for_each(|_| drop(load()));
    let graph = load();
    let state = State::create(place.join("state")).unwrap();
    let engine = Engine::new(Arc::new(LocalSystem::new()))
        .with_state_folder(state)
        .with_owner("soak".parse().unwrap())
        .with_locks(Locks::new());
    let plan = engine.make_plan(&graph).await.unwrap();
    assert_eq!(plan.report.summary.failed, 0);

    let began = pipe::OpenOptions::new().open_receiver(place.join("pipe")).unwrap();
    let apply = engine.apply(&graph).spawn();
    let mut script = String::new();
    BufReader::new(began).read_line(&mut script).await.unwrap();
    assert!(Path::new("/proc").join(script.trim()).exists(), "the script {script} runs");
    match stop {
        Stop::Dropped => drop(apply),
        Stop::Cancelled => {
            apply.cancel();
            // Unfinished file writes are cancelled as well.
            assert_ne!(apply.await.unwrap().failed, 0);
        }
    }
}

/// Waits until killed processes and the threads of dropped systems are gone.
async fn settled(expect: &Has) -> Has {
    let mut current = Has::now();
    for _ in 0..300 {
        if current == *expect {
            break;
        }
        // A look at all processes of the machine is expensive.
        tokio::time::sleep(Duration::from_millis(50)).await;
        current = Has::now();
    }
    current
}

#[test]
fn a_process_that_does_it_again_and_again_stays_as_it_is() {
    let rounds = std::env::var("CONVERGE_SOAK_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let loads = LOADS.div_ceil(rounds);
    let executable = std::env::current_exe().unwrap();
    let place = tempfile::tempdir_in(private_folder(executable.parent().unwrap()).unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(place.path().join("pipe")).status().unwrap().success());
    let registry = converge_resources::registry().unwrap();
    // Idle threads end soon, so that the test need not wait for them.
    let idle = Duration::from_millis(100);
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).thread_keep_alive(idle).enable_all().build().unwrap();
    runtime.block_on(async {
        let at_first = Has::now();
        round(&registry, place.path(), 1, 1).await;
        // The runtime opens descriptors for child processes once.
        let nothing_more = Has { descriptors: Has::now().descriptors, ..at_first };
        for round_number in 0..WARM_UP {
            round(&registry, place.path(), round_number, loads).await;
        }
        let first = settled(&nothing_more).await;
        let before = memory();
        for round_number in 0..rounds {
            round(&registry, place.path(), round_number, loads).await;
        }
        let last = settled(&first).await;
        let grown = memory().saturating_sub(before);
        assert_eq!(last, first, "after {rounds} rounds of {loads} loads");
        assert_eq!(last.children, 0, "{:?}", children());
        assert!(
            grown < GROWTH,
            "{grown} KiB more after {rounds} rounds of {loads} loads than the {before} KiB before"
        );
    });
}
