//! Tests of kept texts over whole runs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use converge_sdk::{Export, Preparer};

use super::KeptTexts;
use super::keeping;
use crate::plan::Report;
use crate::redact::Redactor;
use crate::sdk::keep::KeepTexts as _;
use crate::sdk::prelude::*;
use crate::sdk::registry::Registry;
use crate::state::State;
use crate::system::{Follow, LocalSystem, ModelSystem, System};
use crate::types::id::NodeId;
use crate::{Engine, Outcome};
use converge_load::Loader;
use converge_sdk::testing;
use converge_system::testing::private_folder;

/// A number that is generated once.
#[derive(Debug, Preparer)]
#[preparer(name = "a.token", task = Token, register = false)]
struct TokenPreparer {
    /// Whether the number is forgotten.
    forget: bool,
}

impl Resource for TokenPreparer {
    const KEEPS: bool = true;

    async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Token> {
        Ok(Token { value: None, forget: self.forget })
    }
}

/// A number.
#[derive(Debug, Export)]
struct Token {
    /// The number.
    #[export(computed)]
    value: Option<Secret<String>>,
    forget: bool,
}

impl Task for Token {
    async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.value = cx.keep().get().await?;
        if self.value.is_some() == self.forget {
            status.add_difference("value", DiffValue::Secret, DiffValue::Unknown);
            status.raise_level_for_diffs();
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        if self.forget {
            cx.keep().forget().await?;
            return Ok(Status::new());
        }
        let bytes = cx.system().random().bytes(8).await?;
        cx.keep().put(&Secret::new(format!("{bytes:?}"))).await?;
        Ok(Status::new())
    }
}

/// A token whose schema does not declare that it keeps something.
#[derive(Debug, Preparer)]
#[preparer(name = "a.silent", task = Token, register = false)]
struct SilentPreparer {}

impl Resource for SilentPreparer {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Token> {
        Ok(Token { value: None, forget: false })
    }
}

const JOURNAL: &str = "/srv/state/owed";

fn registry() -> Registry {
    Registry::new().with::<TokenPreparer>().unwrap().with::<SilentPreparer>().unwrap()
}

async fn apply(engine: &Engine, name: &str, text: &str) -> Report {
    let graph = Loader::new(&registry()).load_text(name, text).into_graph().unwrap();
    engine.apply_for_report(&graph).await.unwrap()
}

fn outcomes(report: &Report) -> Vec<Outcome> {
    report.resources.iter().map(|resource| resource.outcome).collect()
}

/// Returns the texts kept on a machine, by file.
fn kept(model: &ModelSystem) -> BTreeMap<PathBuf, String> {
    let machine = model.machine();
    let paths =
        model.snapshot().into_keys().filter(|path| path.extension().is_some_and(|name| name == "json"));
    let text = |path: &PathBuf| {
        let record: serde_json::Value = serde_json::from_slice(machine.file(path).unwrap()).unwrap();
        record["text"].as_str().unwrap().to_owned()
    };
    paths.map(|path| (path.clone(), text(&path))).collect()
}

const TWO: &str = "a.token \"one\" {}\na.token \"two\" {}\n";

#[tokio::test]
async fn each_resource_of_each_module_and_owner_has_its_own() {
    let model = Arc::new(ModelSystem::new());
    let engine = |owner: Option<&str>| {
        let engine = Engine::new(Arc::clone(&model) as _).with_journal(JOURNAL);
        owner.into_iter().fold(engine, |engine, owner| engine.with_owner(owner.parse().unwrap()))
    };
    for owner in [None, Some("blue"), Some("green")] {
        for module in ["a.hcl", "b.hcl"] {
            let report = apply(&engine(owner), module, TWO).await;
            assert_eq!(outcomes(&report), [Outcome::Changed; 2], "{owner:?} {module}");
            let report = apply(&engine(owner), module, TWO).await;
            assert_eq!(outcomes(&report), [Outcome::Unchanged; 2], "{owner:?} {module}");
        }
    }
    let entries = kept(&model);
    let texts: std::collections::BTreeSet<&String> = entries.values().collect();
    assert_eq!((entries.len(), texts.len()), (12, 12));
    let folders: std::collections::BTreeSet<String> =
        entries.keys().map(|path| path.parent().unwrap().display().to_string()).collect();
    let expect =
        ["/srv/state/owed.kept", "/srv/state/owed.owners/blue.kept", "/srv/state/owed.owners/green.kept"];
    assert_eq!(folders.into_iter().collect::<Vec<_>>(), expect);

    // The text stays when the resource is removed, and is used when the resource returns.
    apply(&engine(None), "a.hcl", "a.token \"one\" {}\n").await;
    assert_eq!(kept(&model), entries);
    assert_eq!(outcomes(&apply(&engine(None), "a.hcl", TWO).await), [Outcome::Unchanged; 2]);
    // Only the forgotten number is generated again.
    apply(&engine(None), "a.hcl", "a.token \"one\" { forget = true }\na.token \"two\" {}\n").await;
    assert_eq!(kept(&model).len(), 11);
    let report = apply(&engine(None), "a.hcl", TWO).await;
    assert_eq!(outcomes(&report), [Outcome::Changed, Outcome::Unchanged]);
    let entries_after = kept(&model);
    assert_eq!(entries_after.iter().filter(|(path, text)| entries[*path] != **text).count(), 1);
}

#[tokio::test]
async fn a_state_keeps_it_where_nobody_else_reads() {
    let executable = std::env::current_exe().unwrap();
    let folder = tempfile::tempdir_in(private_folder(executable.parent().unwrap()).unwrap()).unwrap();
    let state = State::create(folder.path().join("state")).unwrap();
    let model = Arc::new(ModelSystem::new());
    let engine = Engine::new(Arc::clone(&model) as _).with_state_folder(state.clone());
    let engine = engine.with_owner("blue".parse().unwrap());
    assert_eq!(outcomes(&apply(&engine, "a.hcl", TWO).await), [Outcome::Changed; 2]);
    assert_eq!(outcomes(&apply(&engine, "a.hcl", TWO).await), [Outcome::Unchanged; 2]);
    assert!(kept(&model).is_empty(), "it is not on the machine that the run is about");
    let files = state.of_owner(&"blue".parse().unwrap()).kept();
    assert!(files.starts_with(folder.path()));
    let local = LocalSystem::new();
    let mode = async |path: &std::path::Path| {
        local.files().metadata(path, Follow::Never).await.unwrap().unwrap().mode & 0o7777
    };
    assert_eq!(mode(&files).await, 0o700);
    let entries = local.files().read_dir(&files).await.unwrap();
    assert_eq!(entries.len(), 2);
    for entry in entries {
        assert_eq!(mode(&entry.path).await, 0o600);
    }
}

#[tokio::test]
async fn a_plan_keeps_nothing() {
    let model = Arc::new(ModelSystem::new());
    let engine = Engine::new(Arc::clone(&model) as _).with_journal(JOURNAL);
    let graph = Loader::new(&registry()).load_text("a.hcl", TWO).into_graph().unwrap();
    let plan = engine.make_plan(&graph).await.unwrap();
    assert_eq!(plan.report.resources[0].outcome, Outcome::WillChange);
    assert!(model.effects().is_empty(), "{:?}", model.effects());
    let cx = keeping(testing::plan_context(&model), "/kept");
    for refused in [cx.keep().put(&Secret::new("x".to_owned())).await, cx.keep().forget().await] {
        assert_eq!(refused.unwrap_err().to_string(), "a plan cannot change stored values");
    }
    // The apply uses the values of the plan.
    let report = engine.apply_plan(&graph, &plan).await.unwrap();
    assert_eq!(outcomes(&report), [Outcome::Changed; 2]);
    let output = serde_json::to_string(&plan).unwrap() + &serde_json::to_string(&report).unwrap();
    for text in kept(&model).values() {
        assert!(!output.contains(text), "{output}");
    }
}

#[tokio::test]
async fn who_keeps_nothing_is_told_why() {
    let model = Arc::new(ModelSystem::new());
    let engine = Engine::new(Arc::clone(&model) as _);
    let check = async |engine: &Engine, text: &str, expect: &str| {
        let report = apply(engine, "a.hcl", text).await;
        let message = format!("{:?}", report.resources[0].failure);
        assert!(message.contains(expect), "{message}");
    };
    check(&engine, "a.token \"one\" {}", "this run has no state; name a folder with `--state-dir`").await;
    let silent = "write `const KEEPS: bool = true;` in its `impl Resource`";
    check(&engine.with_journal(JOURNAL), "a.silent \"one\" {}", silent).await;
    assert!(kept(&model).is_empty());
    let cx = keeping(testing::context(&model), "/kept");
    let long = cx.keep().put(&Secret::new("x".repeat((64 << 10) + 1))).await.unwrap_err();
    assert_eq!(long.to_string(), "no more than 65536 bytes are kept for a resource");
    let longest = Secret::new("\u{1}".repeat(64 << 10));
    cx.keep().put(&longest).await.unwrap();
    assert_eq!(cx.keep().get().await.unwrap(), Some(longest));
}

/// The name of an instance may be a secret from a `for_each`; its file is found by hash.
#[tokio::test]
async fn names_are_hidden() {
    let model = Arc::new(ModelSystem::new());
    let redactor = Redactor::new();
    assert!(redactor.hide("hunter2-hunter2"));
    let texts =
        KeptTexts::new(Arc::clone(&model) as Arc<dyn System>, "/kept".into(), "m".to_owned(), redactor);
    let id = NodeId::root().child("a.token.x[\"hunter2-hunter2\"]");
    texts.put(&id, "text").await.unwrap();
    let path = kept(&model).into_keys().next().unwrap();
    let file = String::from_utf8(model.machine().file(&path).unwrap().to_vec()).unwrap();
    assert!(!format!("{}{file}", path.display()).contains("hunter2"), "{file}");
    let later = KeptTexts::new(
        Arc::clone(&model) as Arc<dyn System>,
        "/kept".into(),
        "m".to_owned(),
        Redactor::new(),
    );
    assert_eq!(later.get(&id).await.unwrap().as_deref(), Some("text"));
}
