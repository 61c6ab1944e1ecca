//! Faulty resources and modules whose faults one run in one order does not show.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::sdk::prelude::*;
use crate::system::{Follow, WriteFile};

/// Defines a type whose check looks for a file and whose apply is faulty.
macro_rules! wrong {
    ($name:ident, $word:literal, |$task:ident, $cx:ident| $apply:block) => {
        /// A faulty resource.
        #[derive(Debug, converge_sdk::Preparer, converge_sdk::Export)]
        #[preparer(name = $word, task = Self, register = false)]
        struct $name {
            /// The file that must exist.
            path: String,
        }

        impl Task for $name {
            async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
                let mut status = Status::new();
                status.add_difference("file", exists(cx, &self.path).await?.to_string(), "true");
                status.raise_level_for_diffs();
                Ok(status)
            }

            async fn apply(&mut self, cx: &Context) -> Result<Status> {
                let ($task, $cx) = (self, cx);
                $apply
                Ok(Status::new())
            }
        }
    };
}

async fn exists(cx: &Context, path: &str) -> Result<bool> {
    Ok(cx.system().files().metadata(Path::new(path), Follow::Links).await?.is_some())
}

async fn read(cx: &Context, path: &str) -> Result<String> {
    let file = cx.system().files().read(path.as_ref()).await?;
    Ok(file.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default())
}

async fn write(cx: &Context, path: &str, text: &str) -> Result<()> {
    Ok(cx.system().files().write(path.as_ref(), WriteFile::new(text.as_bytes())).await?)
}

const LOG: &str = "/srv/log";

// Concurrent changes are lost, because the file is read and written without a lock.
wrong!(Appends, "appends", |task, cx| {
    let log = read(cx, LOG).await?;
    write(cx, LOG, &format!("{log}{}\n", task.path)).await?;
    write(cx, &task.path, "").await?;
});

// It needs the result of another resource without a declared dependency.
wrong!(Copies, "copies", |task, cx| {
    if task.path == "/srv/a" {
        write(cx, &task.path, "a").await?;
        return Ok(Status::new());
    }
    let from = cx.system().files().read("/srv/a".as_ref()).await?;
    let from = from.ok_or_else(|| Error::NotFound { kind: "file", name: "/srv/a".to_owned() })?;
    cx.system().files().write(task.path.as_ref(), WriteFile::new(&from.bytes)).await?;
});

// The check of the next run finds the mark and assumes that the rest is done.
wrong!(MarksFirst, "marks_first", |task, cx| {
    write(cx, &task.path, "").await?;
    write(cx, &format!("{}.content", task.path), "what matters").await?;
});

// A failure becomes a panic and not an error.
wrong!(Unwraps, "unwraps", |task, cx| {
    write(cx, &task.path, "").await.unwrap();
});

// The work that it spawns continues after the end of the run.
wrong!(GoesOn, "goes_on", |task, cx| {
    write(cx, &task.path, "").await?;
    let (system, path) = (std::sync::Arc::clone(cx.shared_system()), task.path.clone());
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(5)).await;
        let _ = system.files().metadata(path.as_ref(), Follow::Links).await;
    });
});

static MADE: AtomicUsize = AtomicUsize::new(0);

// Its result differs each time.
wrong!(Counts, "counts", |task, cx| {
    for _ in 0..=MADE.fetch_add(1, Ordering::Relaxed) % 7 {
        cx.progress().step("once more");
        exists(cx, &task.path).await?;
    }
    write(cx, &task.path, "").await?;
    cx.system().clock().sleep(Duration::from_millis(MADE.load(Ordering::Relaxed) as u64)).await;
});

// It waits for something that nothing creates after a failure.
wrong!(Waits, "waits", |task, cx| {
    while !exists(cx, "/srv/a").await? {
        cx.system().clock().sleep(Duration::from_secs(1)).await;
    }
    write(cx, &task.path, "").await?;
});

#[track_caller]
fn found(registry: &Registry, module: &str) -> Box<Found> {
    let simulation = Simulation::new(registry, module).seeds(100);
    let failure = simulation.check().expect_err("it is wrong");
    // The seed alone, and the printed line, must reproduce the failure.
    if let Some(seed) = failure.seed() {
        let replay = simulation.check_seeds(seed..seed + 1).expect_err("it is wrong");
        assert_eq!(replay.to_string(), failure.to_string());
    }
    let text = failure.smallest().to_string();
    let replayed = guarded(|| simulation.replay(&text)).expect_err("it is wrong");
    assert!(replayed.starts_with(failure.reason()), "{replayed}\n{failure}");
    failure
}

#[track_caller]
fn check<R: Resource>(name: &str, module: &str) {
    assert_message(name, &found(&Registry::new().with::<R>().unwrap(), module));
}

/// Compares the message that the author gets with a snapshot.
#[track_caller]
fn assert_message(name: &str, failure: &Found) {
    insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, failure);
    });
}

#[test]
fn the_order_decides() {
    check::<Appends>(
        "the_order_decides",
        r#"
            appends "a" { path = "/srv/a" }
            appends "b" { path = "/srv/b" }
        "#,
    );
}

#[test]
fn an_edge_is_missing() {
    check::<Copies>(
        "an_edge_is_missing",
        r#"
            copies "a" { path = "/srv/a" }
            copies "b" { path = "/srv/b" }
        "#,
    );
}

#[test]
fn the_next_run_does_not_finish_it() {
    check::<MarksFirst>("the_next_run_does_not_finish_it", r#"marks_first "a" { path = "/srv/a" }"#);
}

#[test]
fn a_failure_is_a_panic() {
    check::<Unwraps>("a_failure_is_a_panic", r#"unwraps "a" { path = "/srv/a" }"#);
}

#[test]
fn something_goes_on_after_the_end() {
    check::<GoesOn>("something_goes_on_after_the_end", r#"goes_on "a" { path = "/srv/a" }"#);
}

#[test]
fn a_run_never_ends() {
    check::<Waits>("a_run_never_ends", r#"waits "a" { path = "/srv/b" }"#);
}

#[test]
fn something_is_remembered_outside_of_the_machine() {
    let registry = Registry::new().with::<Counts>().unwrap();
    let simulation = Simulation::new(&registry, r#"counts "a" { path = "/srv/a" }"#);
    let failure = simulation.check().expect_err("it is wrong");
    assert!(failure.reason().starts_with("the same scenario makes another run the second time"), "{failure}");
}

#[test]
fn what_the_author_says_does_not_hold() {
    let module = r#"
        note "b" { path = "/srv/b" text = "b" }
        note "a" { path = "/srv/a" text = "a" }
    "#;
    let simulation = simulated(module).holds(|runs| {
        let order = runs.first().order();
        if order.first() == Some(&"note.b") { Err(format!("the order was {order:?}")) } else { Ok(()) }
    });
    let failure = simulation.check().expect_err("it is wrong");
    assert_message("what_the_author_says_does_not_hold", &failure);
    let panics = simulated(module).holds(|runs| {
        assert_eq!(runs.first().order()[0], "note.a");
        Ok(())
    });
    assert!(
        panics.check().expect_err("it is wrong").reason().starts_with("assertion `left == right` failed")
    );
    let verdict = simulated(module).holds(|runs| {
        assert_eq!(runs.machine().file("/srv/b"), Some(&b"b"[..]));
        Ok(())
    });
    verdict.check().unwrap();
}

#[test]
fn a_module_that_cannot_be_loaded() {
    let message = simulated(r#"note "a" { path = "/srv/a" txt = "" }"#).check().unwrap_err();
    assert_message("a_module_that_cannot_be_loaded", &message);
}
