//! Tests that resources that change the same thing do so in the order of the module text.
#![cfg(feature = "testing")]
#![expect(clippy::expect_used, reason = "a test")]

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use converge_core::Registry;
use converge_core::engine::Engine;
use converge_core::graph::Graph;
use converge_core::load::{Loader, Memory, Sources};
use converge_core::prelude::*;
use converge_core::system::{ModelSystem, System as _, WriteFile};

/// A line at the end of a file to which other resources append too.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "test.append", task = Self, lock = "test.append", register = false)]
struct Append {
    /// The file.
    #[hcl(default = "/list", ensures = "path:content")]
    #[export]
    path: String,
    /// The line.
    #[hcl(required)]
    #[export]
    line: String,
    /// The duration of a check in seconds.
    #[hcl(default)]
    slow: u64,
    /// Whether the apply fails instead of appending.
    #[hcl(default)]
    fails: bool,
    /// The lines of the file after an apply, in reverse order.
    #[hcl(skip)]
    #[export(computed)]
    found: Vec<String>,
}

async fn lines(cx: &Context, path: &str) -> Result<Vec<String>> {
    let file = cx.system().files().read(path.as_ref()).await?;
    let text = file.map(|file| String::from_utf8(file.bytes)).transpose().map_err(Error::other)?;
    Ok(text.unwrap_or_default().lines().map(str::to_owned).collect())
}

impl Task for Append {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        tokio::time::sleep(Duration::from_secs(self.slow)).await;
        let lines = lines(cx, &self.path).await?;
        let mut status = Status::new();
        let is_there = lines.contains(&self.line);
        status.add_difference("line", if is_there { &self.line } else { "" }, &self.line);
        self.found = lines.into_iter().rev().collect();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        if self.fails {
            return Err(Error::msg("it was told to fail"));
        }
        let mut lines = lines(cx, &self.path).await?;
        if !lines.contains(&self.line) {
            lines.push(self.line.clone());
        }
        // Other resources could interfere during this time.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let text = lines.join("\n");
        cx.system().files().write(self.path.as_ref(), WriteFile::new(text.as_bytes())).await?;
        self.found = lines.into_iter().rev().collect();
        Ok(Status::new())
    }
}

/// A unit that is started once, by one of the resources that agree on its state. The type has no lock.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "test.start", task = Self, register = false)]
struct Start {
    /// The unit.
    #[hcl(required)]
    unit: String,
    /// The state of the unit.
    #[hcl(default = "running", manages = "unit:state of unit")]
    state: String,
    /// The name of the resource in the list.
    #[hcl(required)]
    by: String,
    /// The duration of a check in seconds.
    #[hcl(default)]
    slow: u64,
}

impl Task for Start {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        tokio::time::sleep(Duration::from_secs(self.slow)).await;
        let starts = lines(cx, "/list").await?;
        let is_running = starts.iter().any(|line| line.starts_with(&self.unit));
        let mut status = Status::new();
        status.add_difference("state", if is_running { &self.state } else { "" }, &self.state);
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let mut starts = lines(cx, "/list").await?;
        starts.push(format!("{}-{}", self.unit, self.by));
        tokio::time::sleep(Duration::from_secs(1)).await;
        cx.system().files().write("/list".as_ref(), WriteFile::new(starts.join("\n").as_bytes())).await?;
        Ok(Status::new())
    }
}

fn load(files: &[(&str, &str)]) -> Arc<Graph> {
    let registry = Registry::new().with::<Append>().expect("a new type");
    let registry = registry.with::<Start>().expect("a new type");
    let memory = files.iter().fold(Memory::new(), |memory, (name, text)| memory.with(*name, *text));
    let loaded = Loader::new(&registry).with_sources(Sources::only(memory)).load("main.hcl");
    assert!(loaded.diagnostics.is_empty(), "{files:#?}\n{:#?}", loaded.diagnostics);
    loaded.into_graph().expect("a graph")
}

async fn list(model: &ModelSystem) -> String {
    let file = model.files().read(Path::new("/list")).await.expect("it can be read");
    file.map_or(String::new(), |file| String::from_utf8(file.bytes).expect("text").replace('\n', " "))
}

/// Checks the list that an apply creates and the number of failures, with various numbers of workers.
async fn check_files(files: &[(&str, &str)], expect: &str, failed: usize) {
    let graph = load(files);
    for workers in [1, 2, 8] {
        let model = Arc::new(ModelSystem::new());
        let workers = NonZeroUsize::new(workers).expect("some");
        let engine = Engine::new(model.clone()).with_parallelism(workers);
        // A plan involves no waiting, and pending changes of others do not make a result uncertain.
        let plan = engine.plan(&graph).await.expect("a plan");
        assert_eq!((plan.may_change, list(&model).await), (0, String::new()), "{files:#?}");
        let summary = engine.apply(&graph).await.expect("a run");
        assert_eq!((list(&model).await.as_str(), summary.failed), (expect, failed), "{workers} {files:#?}");
        if failed == 0 {
            assert_eq!(engine.apply(&graph).await.expect("a run").changed, 0);
        }
    }
}

async fn check(text: &str, expect: &str) {
    check_files(&[("main.hcl", text)], expect, 0).await;
}

#[tokio::test(start_paused = true)]
async fn it_is_the_order_of_the_text() {
    check(
        r#"
test.append "z" { line = "1" }
test.append "m" { line = "2" }
test.append "a" { line = "3" }
"#,
        "1 2 3",
    )
    .await;
    // The order does not depend on the durations.
    check(
        r#"
test.append "z" { line = "1" slow = 9 }
test.append "m" { line = "2" slow = 3 }
test.append "a" { line = "3" }
"#,
        "1 2 3",
    )
    .await;
    check(r#"test.append "all" { for_each = ["c", "a", "b"] line = each.key }"#, "c a b").await;
    check(r#"test.append "all" { for_each = { c = 1, a = 2, b = 3 } line = each.key }"#, "c a b").await;
}

#[tokio::test(start_paused = true)]
async fn what_is_waited_for_comes_first() {
    check(
        r#"
test.append "z" { line = "1" depends = ["test.append.a"] }
test.append "m" { line = "2" }
test.append "a" { line = "3" }
"#,
        "3 1 2",
    )
    .await;
    // A resource that waits for a dependency keeps its turn.
    check(
        r#"
test.append "z" { line = "1" depends = ["test.append.other"] }
test.append "m" { line = "2" }
test.append "other" { path = "/other" line = "x" slow = 9 }
"#,
        "1 2",
    )
    .await;
    check(
        r#"
test.append "z" { line = format("%s-1", test.append.a.line) }
test.append "m" { line = format("%s-2", test.append.z.line) }
test.append "a" { line = "3" }
"#,
        "3 3-1 3-1-2",
    )
    .await;
}

/// The name of the file comes from another resource.
#[tokio::test(start_paused = true)]
async fn the_name_of_the_file_may_be_looked_up() {
    let files = r#"
test.append "first" { line = "0" }
test.append "z" { path = test.append.first.path line = "1" }
test.append "m" { path = "{{lookup `test.append.first.path`}}" line = "2" }
test.append "k" { path = format("%s", test.append.z.path) line = "3" depends = ["test.append.slow"] }
test.append "slow" { path = "/other" line = "x" slow = 5 }
test.append "all" {
  for_each = ["c", "a", "b"]
  path     = test.append.first.path
  line     = each.key
}
test.append "a" { line = "4" }
"#;
    check(files, "0 1 2 3 c a b 4").await;
}

#[tokio::test(start_paused = true)]
async fn it_is_the_order_of_calls() {
    let module = "param \"n\" {}\ntest.append \"y\" { line = format(\"%s-1\", param.n) }\n\
                  test.append \"b\" { line = format(\"%s-2\", param.n) }\n";
    let main = r#"
test.append "z" { line = "1" }
module "part.hcl" "m" { params { n = "m" } }
module "part.hcl" "each" {
  for_each = ["q", "p"]
  params { n = each.key }
}
test.append "a" { line = "2" }
"#;
    check_files(&[("main.hcl", main), ("part.hcl", module)], "1 m-1 m-2 q-1 q-2 p-1 p-2 2", 0).await;
}

/// Resources without a lock that agree on a state take turns, and find what the first of them did.
#[tokio::test(start_paused = true)]
async fn who_agrees_takes_turns() {
    let two = "test.start \"z\" { unit = \"u\" by = \"z\" slow = 3 }\ntest.start \"a\" { unit = \"u\" by = \"a\" }\n";
    check(two, "u-z").await;
    check(&format!("{two}test.start \"b\" {{ unit = \"u\" by = \"b\" }}\n"), "u-z").await;
    let each = "test.start \"s\" { for_each = [\"c\", \"a\"] unit = \"u\" by = each.key }\n";
    check(each, "u-c").await;
    // Only a run knows these instances.
    let found = "test.append \"f\" { path = \"/other\" line = \"x\" }\n\
                 test.start \"s\" { for_each = concat(test.append.f.found, [\"a\"]) unit = \"u\" by = each.key }\n";
    let graph = load(&[("main.hcl", found)]);
    let model = Arc::new(ModelSystem::new());
    let summary = Engine::new(model.clone()).apply(&graph).await.expect("a run");
    assert_eq!((list(&model).await.as_str(), summary.failed), ("u-x", 0));
}

/// A failed resource does not cause later ones in the order to be skipped.
#[tokio::test(start_paused = true)]
async fn one_that_fails_halts_nobody() {
    let text = r#"
test.append "z" { line = "1" fails = true slow = 5 }
test.append "m" { line = "2" }
test.append "skipped" { line = "3" depends = ["test.append.z"] }
test.append "n" {
  line = "4"
  when = false
}
test.append "a" { line = "5" }
"#;
    check_files(&[("main.hcl", text)], "2 5", 1).await;
}

/// Groups, and module copies that only the run recognizes, are locks that are held longer.
#[tokio::test(start_paused = true)]
async fn who_waits_for_a_turn_and_a_lock_is_not_stuck() {
    let grouped = r#"
test.append "z" { line = "1" slow = 1 }
test.append "m" { line = "22" group = "g" }
test.append "b" { path = "/other" line = "3" group = "g" slow = 2 }
test.append "a" { path = "/other" line = "4" }
"#;
    all_of_them(&[("main.hcl", grouped)]).await;
    let module = "param \"n\" {}\ntest.append \"x\" { line = param.n }\n";
    let main = r#"
test.append "first" { path = "/other" line = "x" }
module "part.hcl" "z" { params { n = join("", test.append.first.found) } }
test.append "a" { line = "2" depends = ["test.append.first"] }
module "part.hcl" "b" { params { n = join("", test.append.first.found) } }
"#;
    all_of_them(&[("main.hcl", main), ("part.hcl", module)]).await;
}

/// Checks that both lines are written, in any order.
async fn all_of_them(files: &[(&str, &str)]) {
    let graph = load(files);
    for workers in [1, 2, 8] {
        let model = Arc::new(ModelSystem::new());
        let engine = Engine::new(model.clone()).with_parallelism(NonZeroUsize::new(workers).expect("some"));
        assert_eq!(engine.apply(&graph).await.expect("a run").failed, 0);
        assert_eq!(list(&model).await.split(' ').count(), 2, "{}", list(&model).await);
    }
}

/// If resources wait for each other's locks, the order of the other resources is kept.
#[tokio::test(start_paused = true)]
async fn copies_that_hold_each_other_up_go_first() {
    let module = "param \"n\" {}\ntest.append \"x\" { line = param.n }\n";
    let two = "test.append \"m\" { line = \"2\" }\ntest.append \"c\" { line = \"3\" }\n";
    let main = r#"
test.append "first" { path = "/other" line = "x" }
module "part.hcl" "z" { params { n = join("", test.append.first.found) } }
module "two.hcl" "a" { depends = ["test.append.first"] }
module "part.hcl" "b" { params { n = join("", test.append.first.found) } }
"#;
    check_found(&[("main.hcl", main), ("part.hcl", module), ("two.hcl", two)], "x 2 3").await;
}

/// The name of a file is usually passed to a module.
#[tokio::test(start_paused = true)]
async fn a_name_may_come_through_parameters_and_locals() {
    let module = "param \"file\" {}\nlocals { it = param.file }\n\
                test.append \"y\" {\n  path = param.file\n  line = \"1\"\n  slow = 5\n}\n\
                test.append \"b\" {\n  path = local.it\n  line = \"2\"\n}\n";
    let main = r#"
test.append "first" { line = "0" }
module "part.hcl" "m" { params { file = test.append.first.path } }
test.append "a" { line = "3" }
"#;
    check_files(&[("main.hcl", main), ("part.hcl", module)], "0 1 2 3", 0).await;
}

/// Instances that only the run determines are placed at their `for_each`, in the order of its entries.
#[tokio::test(start_paused = true)]
async fn instances_that_a_run_finds() {
    let text = r#"
test.append "source" {
  for_each = ["a", "c", "b"]
  path     = "/other"
  line     = each.key
}
test.append "last" {
  path    = "/other"
  line    = "x"
  depends = ["test.append.source"]
}
test.append "z" { line = "1" }
test.append "found" {
  for_each = test.append.last.found
  line     = each.key
}
test.append "e" { line = "2" }
"#;
    check_found(&[("main.hcl", text)], "1 x b c a 2").await;
    let module = "param \"n\" {}\ntest.append \"y\" { line = format(\"%s1\", param.n) }\n\
                test.append \"b\" {\n  path = test.append.y.path\n  line = format(\"%s2\", param.n)\n}\n\
                test.append \"a\" {\n  line    = format(\"%s3\", param.n)\n  depends = [\"test.append.late\"]\n}\n\
                test.append \"late\" { line = format(\"%s4\", param.n) }\n";
    let calls = text.replace(
        "test.append \"found\" {\n  for_each = test.append.last.found\n  line     = each.key\n}",
        "module \"part.hcl\" \"found\" {\n  for_each = slice(test.append.last.found, 0, 2)\n  params { n = each.key }\n}",
    );
    check_found(&[("main.hcl", &calls), ("part.hcl", module)], "1 x1 x2 x4 x3 b1 b2 b4 b3 2").await;
}

async fn check_found(files: &[(&str, &str)], expect: &str) {
    let graph = load(files);
    for workers in [1, 2, 8] {
        let model = Arc::new(ModelSystem::new());
        let engine = Engine::new(model.clone()).with_parallelism(NonZeroUsize::new(workers).expect("some"));
        assert_eq!(engine.apply(&graph).await.expect("a run").failed, 0);
        assert_eq!(list(&model).await, expect, "{workers} {files:#?}");
    }
}

/// A resource that waits for its turn has not started.
#[tokio::test(start_paused = true)]
async fn an_interrupt_takes_back_who_waits() {
    let graph = load(&[(
        "main.hcl",
        "test.append \"z\" {\n  line = \"1\"\n  slow = 5\n}\ntest.append \"a\" { line = \"2\" }\n",
    )]);
    let model = Arc::new(ModelSystem::new());
    let engine = Engine::new(model.clone()).with_parallelism(NonZeroUsize::new(4).expect("some"));
    let run = engine.apply(&graph);
    let interrupt = run.interrupt().clone();
    let (result, ()) = tokio::join!(run, async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        interrupt.cancel();
    });
    let summary = result.expect("a run");
    assert_eq!(summary.changed, 0);
    assert_eq!(list(&model).await, "");
}
