//! Tests of `on_change_of` and of pending refreshes across runs.

use std::path::{Path, PathBuf};

use super::manual_graphs::{ManualGraph, value};
use super::test_resources::Fails;
use super::*;
use crate::Stage;
use crate::system::{Follow, System as _, WriteFile};

/// Returns a graph in which `reload` is as declared, and is refreshed when `conf` was changed.
fn pair() -> Arc<Graph> {
    toys(|toys| toys.fresh("conf", &[]).toy("reload", &[], |toy| toy.on_change_of("toy.conf")))
}

#[tokio::test]
async fn what_names_a_changed_resource_is_refreshed() {
    let (world, graph) = (World::new(), pair());
    let run = plan(&world, &graph, 1).await;
    assert_eq!(run.report("reload").outcome, Outcome::WillChange);
    assert_eq!(run.report("reload").level, converge_sdk::StatusLevel::WillChange);
    assert_eq!(run.refresh("reload"), Some("because toy.conf will change"));
    assert_eq!(world.log(), ["check conf", "check reload"]);

    let world = World::new();
    let run = apply(&world, &graph, 1).await;
    assert_eq!(run.report("reload").outcome, Outcome::Changed);
    assert_eq!(run.refresh("reload"), Some("because toy.conf changed"));
    let log = ["check conf", "apply conf", "check conf", "check reload", "refresh reload", "check reload"];
    assert_eq!(world.log(), log);

    // Nothing is left to do.
    for run in [plan(&world, &graph, 1).await, apply(&world, &graph, 1).await] {
        assert_eq!(run.summary.unchanged, 2);
        assert_eq!(run.refresh("reload"), None);
    }
}

#[tokio::test]
async fn its_own_apply_is_the_refresh() {
    let world = World::new();
    let graph = toys(|toys| {
        toys.fresh("conf", &[]).toy("reload", &[], |toy| toy.set("state", "up").on_change_of("toy.conf"))
    });
    let run = apply(&world, &graph, 1).await;
    assert_eq!(run.report("reload").outcome, Outcome::Changed);
    assert_eq!(world.log()[3..], ["check reload", "apply reload", "check reload"]);
}

#[tokio::test]
async fn an_apply_is_told_whether_it_has_to_refresh() {
    let check = |conf: &str, expect: &str| {
        let (world, expect) = (World::new(), expect.to_owned());
        world.set("conf", conf);
        let graph = toys(|toys| {
            toys.fresh("conf", &[]).toy("reload", &[], |toy| toy.set("state", "up").on_change_of("toy.conf"))
        });
        async move {
            let run = apply(&world, &graph, 1).await;
            assert_eq!(run.report("reload").messages[1..], [expect]);
            assert_eq!(run.report("conf").messages.iter().filter(|text| text.contains("refresh")).count(), 0);
        }
    };
    check("", "refreshing Now").await;
    check("new", "refreshing NotNow").await;
}

#[tokio::test]
async fn a_refresh_is_a_change_that_others_may_name() {
    let world = World::new();
    let graph = toys(|toys| {
        toys.fresh("conf", &[])
            .toy("reload", &[], |toy| toy.on_change_of("toy.conf"))
            .toy("warm", &[], |toy| toy.on_change_of("toy.reload").on_change_of("toy.still"))
            .toy("still", &[], |toy| toy)
    });
    assert_eq!(plan(&world, &graph, 2).await.refresh("warm"), Some("because toy.reload will change"));
    assert_eq!(apply(&world, &graph, 2).await.refresh("warm"), Some("because toy.reload changed"));
    assert_eq!(apply(&world, &graph, 2).await.summary.unchanged, 4);
}

#[tokio::test]
async fn a_change_that_is_not_certain_makes_no_refresh_certain() {
    let graph = toys(|toys| {
        toys.fresh("first", &[]).toy("conf", &[], |toy| toy.lookup("state", "toy.first.out")).toy(
            "reload",
            &[],
            |toy| toy.on_change_of("toy.conf"),
        )
    });
    let run = plan(&World::new(), &graph, 1).await;
    assert_eq!(run.report("reload").outcome, Outcome::MayChange);
    assert_eq!(run.refresh("reload"), Some("because toy.conf may change"));
}

#[tokio::test]
async fn a_whole_module_can_be_named() {
    let graph = ManualGraph::new()
        .end("module.web", Role::Module)
        .toy("module.web/toy.same", vec![])
        .end("module.web/switch.s", Role::Switch)
        .gate("module.web/switch.s/case.a", Some(value(true)))
        .toy("module.web/switch.s/case.a/toy.conf", vec![("state", value("new"))])
        .toy("toy.reload", vec![])
        .toy("toy.other", vec![])
        .waits("toy.reload", EdgeReason::OnChange, &["module.web"])
        .waits("toy.other", EdgeReason::OnChange, &["module.web/toy.same"])
        .build();
    let world = World::new();
    assert_eq!(plan(&world, &graph, 2).await.refresh("reload"), Some("because module.web will change"));
    let run = apply(&world, &graph, 2).await;
    assert_eq!(run.refresh("reload"), Some("because module.web changed"));
    assert_eq!(run.report("other").outcome, Outcome::Unchanged);
    assert_eq!(apply(&world, &graph, 2).await.summary.unchanged, 4);
}

/// A world with a journal, both kept from run to run.
struct Kept {
    world: Arc<World>,
}

const JOURNAL: &str = "/srv/state/converge";

const SALT: &str = "/srv/state/converge.salt";

impl Kept {
    fn new() -> Self {
        Self { world: World::new() }
    }

    async fn run(&self, mode: RunMode, graph: &Arc<Graph>) -> Ended {
        let engine = engine(&self.world, 2).with_journal(JOURNAL);
        run_with(engine, mode, graph, &Stop::new()).await
    }

    /// Returns the paths of all records.
    fn records(&self) -> Vec<PathBuf> {
        let paths = self.world.model.snapshot().into_keys();
        paths.filter(|path| path.starts_with(JOURNAL) && path.extension().is_some()).collect()
    }

    fn has_journal(&self) -> bool {
        self.world.model.machine().entry(JOURNAL).is_some()
    }

    fn read(&self, path: &Path) -> String {
        String::from_utf8(self.world.model.machine().file(path).unwrap().to_vec()).unwrap()
    }

    async fn write(&self, path: &Path, text: &str) {
        self.world.files().write(path, WriteFile::new(text.as_bytes())).await.unwrap();
    }
}

/// Returns the value of a text field in a record.
fn field(record: &str, name: &str) -> String {
    let record: serde_json::Value = serde_json::from_str(record).unwrap();
    record[name].as_str().unwrap().to_owned()
}

/// Unsalted hashes of the declaration and values of `reload` in [`pair`], from older releases.
const PLAIN: [&str; 2] = ["0f53133ce57ca8e8937bb4b1c15a33ef", "01d448afd928065458cf670b60f5a594"];

/// The hashes of a record are salted, so that their texts cannot be guessed.
#[tokio::test]
async fn the_hashes_of_a_record_are_salted() {
    let mut hashes = Vec::from(PLAIN.map(str::to_owned));
    for _ in 0..2 {
        let journal = Kept::new();
        journal.world.fail("refresh reload", Fails::Early, 1);
        journal.run(RunMode::Apply, &pair()).await;
        let record = journal.read(&journal.records()[0]);
        for name in ["declared", "values"] {
            let hash = field(&record, name);
            assert!(!hashes.contains(&hash), "{record}");
            hashes.push(hash);
        }
        let salt = journal.world.files().metadata(SALT.as_ref(), Follow::Never).await.unwrap().unwrap();
        assert_eq!(salt.mode & 0o7777, 0o600);
        // The salt stays, so that later runs recognize the records.
        let text = journal.read(SALT.as_ref());
        journal.run(RunMode::Apply, &pair()).await;
        assert_eq!((journal.read(SALT.as_ref()), journal.records().len()), (text, 0));
    }
}

/// A record of a module that has moved is found by its hashes.
///
/// They are salted, or in the older format without salt.
#[tokio::test]
async fn records_of_other_places_are_found_with_salt_and_without() {
    for is_old in [false, true] {
        let journal = Kept::new();
        journal.world.fail("refresh reload", Fails::Early, 1);
        journal.run(RunMode::Apply, &pair()).await;
        let path = journal.records().remove(0);
        let mut record = journal.read(&path).replace("\"the graph\"", "\"/elsewhere/site.hcl\"");
        if is_old {
            let hashes = ["declared", "values"].map(|name| field(&record, name));
            for (hash, plain_text) in hashes.iter().zip(PLAIN) {
                record = record.replace(hash, plain_text);
            }
            record = record.replace("\"format\": 3", "\"format\": 2");
            journal.world.files().remove_file(SALT.as_ref()).await.unwrap();
        }
        journal.write(&path.with_file_name("other.json"), &record).await;
        journal.world.files().remove_file(&path).await.unwrap();
        let run = journal.run(RunMode::Apply, &pair()).await;
        assert_eq!(run.refresh("reload"), Some("pending since run test: toy.conf changed"), "{record}");
        assert_eq!(journal.records().len(), 0);
    }
}

#[tokio::test]
async fn a_refresh_that_failed_is_owed() {
    let (journal, graph) = (Kept::new(), pair());
    journal.run(RunMode::Plan, &graph).await;
    assert!(!journal.has_journal(), "a plan writes nothing");
    journal.world.fail("refresh reload", Fails::Early, 1);
    let run = journal.run(RunMode::Apply, &graph).await;
    let failure = run.report("reload").failure.as_ref().unwrap();
    assert_eq!((failure.stage, failure.message.as_str()), (Stage::Refresh, "cannot be refreshed"));
    let records = journal.records();
    assert_eq!(records.len(), 1);
    let record = journal.read(&records[0]);
    let [declared, values] = ["declared", "values"].map(|name| field(&record, name));
    insta::assert_snapshot!(record.replace(&declared, "SALTED").replace(&values, "SALTED TOO"), @r#"
    {
      "format": 3,
      "module": "the graph",
      "node": "root/toy.reload",
      "declared": "SALTED",
      "values": "SALTED TOO",
      "run": "test",
      "since": "2020-01-01T00:00:00Z",
      "causes": [
        "toy.conf"
      ]
    }
    "#);

    let owed = Some("pending since run test: toy.conf changed");
    for _ in 0..2 {
        let run = journal.run(RunMode::Plan, &graph).await;
        assert_eq!(run.report("conf").outcome, Outcome::Unchanged);
        assert_eq!(run.report("reload").outcome, Outcome::WillChange);
        assert_eq!(run.refresh("reload"), owed);
    }
    let run = journal.run(RunMode::Apply, &graph).await;
    assert_eq!((run.report("reload").outcome, run.refresh("reload")), (Outcome::Changed, owed));
    assert_eq!(journal.records(), Vec::<PathBuf>::new());
    assert_eq!(journal.run(RunMode::Plan, &graph).await.summary.unchanged, 2);
}

/// A failed change may have been made in part, so its refresh stays pending.
#[tokio::test]
async fn what_failed_to_change_leaves_its_refresh_owed() {
    for fails in [Fails::Early, Fails::Late] {
        let (journal, graph) = (Kept::new(), pair());
        journal.world.fail("apply conf", fails, 1);
        let run = journal.run(RunMode::Apply, &graph).await;
        assert_eq!(run.report("reload").outcome, Outcome::Skipped);
        assert_eq!(journal.records().len(), 1);
        let run = journal.run(RunMode::Apply, &graph).await;
        assert_eq!(run.report("reload").outcome, Outcome::Changed);
        assert_eq!(journal.records().len(), 0);
    }
}

/// The run is dropped, as when the process is killed.
#[tokio::test]
async fn a_run_that_stops_in_the_middle_leaves_the_refresh_owed() {
    for operation in ["apply conf", "check reload", "refresh reload"] {
        let (journal, graph) = (Kept::new(), pair());
        let gate = journal.world.gate(operation);
        tokio::select! {
            _ = journal.run(RunMode::Apply, &graph) => panic!("it waits"),
            () = gate.reached() => {}
        }
        assert_eq!(journal.records().len(), 1, "{operation}");
        gate.open();
        let run = journal.run(RunMode::Apply, &graph);
        let (run, ()) = tokio::join!(run, async { (0..4).for_each(|_| gate.open()) });
        assert!(run.summary.is_success(), "{operation}");
        assert_eq!(run.report("reload").outcome, Outcome::Changed, "{operation}");
        assert_eq!(journal.records().len(), 0, "{operation}");
    }
}

#[tokio::test]
async fn what_is_not_handled_stays_owed() {
    let journal = Kept::new();
    let graph_when = |when: bool| {
        toys(|toys| toys.fresh("conf", &[]).toy("reload", &[], |toy| toy.on_change_of("toy.conf").when(when)))
    };
    let run = journal.run(RunMode::Apply, &graph_when(false)).await;
    assert_eq!(run.report("reload").outcome, Outcome::NotTaken);
    assert_eq!(journal.records().len(), 1);
    let run = journal.run(RunMode::Apply, &graph_when(true)).await;
    assert_eq!(run.refresh("reload"), Some("pending since run test: toy.conf changed"));
    assert_eq!(journal.records().len(), 0);
}

#[tokio::test]
async fn nothing_is_changed_that_cannot_be_written_down() {
    let (journal, graph) = (Kept::new(), pair());
    // A file is in the place of the directory.
    journal.write("/srv/state".as_ref(), "").await;
    let run = journal.run(RunMode::Apply, &graph).await;
    let failure = run.report("conf").failure.as_ref().unwrap();
    assert_eq!(failure.stage, Stage::Apply);
    insta::assert_snapshot!(
        failure.message.split("/converge").next().unwrap(),
        @"nothing was changed, because the pending refresh of `toy.reload` could not be recorded: cannot create the directory /srv/state"
    );
    assert_eq!(journal.world.log(), ["check conf"]);
    assert_eq!(journal.world.state("conf"), "");
}

#[tokio::test]
async fn each_member_of_a_batch_is_written_down_before_it() {
    let journal = Kept::new();
    // The refresh of `y` cannot be recorded, and only `b` causes it.
    let graph = toys(|toys| {
        toys.specials(&["card.a", "card.b", "card.c"])
            .special("pack.x", &[], |toy| toy.on_change_of("card.a").on_change_of("card.c"))
            .special("toy.y", &[], |toy| toy.on_change_of("card.b"))
    });
    journal.world.fail("refresh y", Fails::Early, 1);
    for name in ["x", "y"] {
        journal.world.set(name, "new");
    }
    journal.run(RunMode::Apply, &graph).await;
    let records = journal.records();
    assert_eq!(records.len(), 1, "the one of y, which failed");
    journal.write(&records[0], "{}").await;
    for name in ["a", "b", "c"] {
        journal.world.set(name, "old");
    }

    let gate = journal.world.gate("batch a,c");
    let run = async {
        gate.reached().await;
        let owes = |text: &str| ["card.a", "card.c"].iter().all(|name| text.contains(name));
        assert_eq!(journal.records().iter().filter(|path| owes(&journal.read(path))).count(), 1);
        gate.open();
    };
    let (run, ()) = tokio::join!(journal.run(RunMode::Apply, &graph), run);
    let failure = run.report("b").failure.as_ref().unwrap();
    assert!(failure.message.starts_with("nothing was changed"), "{}", failure.message);
    assert_eq!(["a", "b", "c"].map(|name| journal.world.state(name)), ["new", "old", "new"]);
    // A refresh needs no batch, but takes the lock.
    assert_eq!(run.refresh("x"), Some("because card.a, card.c changed"));
    assert_eq!(run.report("x").outcome, Outcome::Changed);
    assert_eq!(journal.records().len(), 1);
}

#[tokio::test]
async fn a_record_that_is_none_is_an_error_that_says_what_to_do() {
    let journal = Kept::new();
    let graph = pair();
    journal.world.fail("refresh reload", Fails::Early, 1);
    journal.run(RunMode::Apply, &graph).await;
    let path = journal.records().remove(0);
    let valid = journal.read(&path);
    let check = async |text: &str, expect: &str| {
        journal.write(&path, text).await;
        // No change begins if its refresh cannot be recorded.
        journal.world.set("conf", "old");
        let run = journal.run(RunMode::Apply, &graph).await;
        let failure = run.report("conf").failure.as_ref().unwrap().message.clone();
        assert!(failure.starts_with("nothing was changed"), "{failure}");
        assert_eq!(journal.world.state("conf"), "old");
        journal.world.set("conf", "new");
        for mode in [RunMode::Plan, RunMode::Apply] {
            let run = journal.run(mode, &graph).await;
            let failure = run.report("reload").failure.as_ref().unwrap();
            let message = failure.message.replace(&path.display().to_string(), "FILE");
            let help = "; remove the file, and run toy.reload by hand if it must react to an earlier change";
            assert_eq!(
                message,
                format!("FILE should hold the pending refresh of `toy.reload`, but {expect}{help}")
            );
        }
        assert_eq!(journal.read(&path), text);
    };
    check("", "it is not a record of a pending refresh: EOF while parsing a value at line 1 column 0").await;
    check("{\"format\": 4}", "it has the format 4, which this version does not know").await;
    check(&valid.replace("toy.reload", "toy.other"), "it is about `root/toy.other` of the graph").await;
    journal.write(&path, &valid).await;
    assert_eq!(journal.run(RunMode::Apply, &graph).await.report("reload").outcome, Outcome::Changed);
}

/// One record per node keeps only the first causes, so that its size does not grow with the changes.
#[tokio::test]
async fn a_record_stays_small() {
    let journal = Kept::new();
    let names: Vec<String> = (0..40).map(|index| format!("c{index:02}")).collect();
    let graph = toys(|toys| {
        let toys = names.iter().fold(toys, |toys, name| toys.fresh(name, &[]));
        toys.toy("reload", &[], |toy| {
            names.iter().fold(toy, |toy, name| toy.on_change_of(&format!("toy.{name}")))
        })
    });
    journal.world.fail("refresh reload", Fails::Early, 1);
    journal.run(RunMode::Apply, &graph).await;
    let records = journal.records();
    assert_eq!(records.len(), 1);
    assert_eq!(journal.read(&records[0]).matches("toy.c").count(), 8);
    let run = journal.run(RunMode::Apply, &graph).await;
    assert_eq!((run.summary.changed, run.summary.unchanged), (1, 40));
}

#[tokio::test]
async fn what_owes_nothing_touches_no_file() {
    let journal = Kept::new();
    let run = journal.run(RunMode::Apply, &toys(|toys| toys.fresh("a", &[]).fresh("b", &["a"]))).await;
    assert_eq!(run.summary.changed, 2);
    assert!(!journal.has_journal());
}
