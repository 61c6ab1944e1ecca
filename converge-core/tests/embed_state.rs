//! Tests that application state reaches every stage, and that missing state is reported first.
#![cfg(feature = "testing")]
#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::sync::{Arc, Mutex};

use converge_core::engine::EngineError;
use converge_core::load::ResourceBuilder;
use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::ModelSystem;
use converge_core::testing::{self, FakeRenderer, laws};

type TestResult = std::result::Result<(), Box<dyn StdError + Send + Sync>>;

/// The application's record of its hosts.
#[derive(Debug, Default)]
struct Store {
    roles: Mutex<BTreeMap<String, String>>,
    refreshed: Mutex<Vec<String>>,
    batches: Mutex<Vec<usize>>,
}

impl Store {
    fn role(&self, host: &str) -> String {
        self.roles.lock().unwrap().get(host).cloned().unwrap_or_default()
    }

    fn put(&self, host: &Host) {
        self.roles.lock().unwrap().insert(host.name.clone(), format!("{}-{}", host.tenant, host.role));
    }
}

/// The owner of the hosts.
struct Tenant(&'static str);

/// A host of the fleet.
#[derive(Debug, Preparer)]
#[preparer(name = "fleet.host", task = Host, needs = (Store, Tenant), refresh, batch, register = false)]
struct HostPreparer {
    /// The name of the host.
    #[hcl(required)]
    name: String,
    /// The role of the host.
    #[hcl(required)]
    role: String,
}

#[derive(Debug, Export)]
struct Host {
    /// The name of the host.
    #[export]
    name: String,
    role: String,
    tenant: &'static str,
    store: Arc<Store>,
}

impl Resource for HostPreparer {
    async fn prepare(self, cx: &Context, _: &dyn Renderer) -> Result<Host> {
        let (tenant, store) = (cx.state::<Tenant>()?.0, cx.shared_state::<Store>()?);
        Ok(Host { name: self.name, role: self.role, tenant, store })
    }
}

impl Task for Host {
    async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        let expect_role = format!("{}-{}", cx.state::<Tenant>()?.0, self.role);
        status.add_difference("role", self.store.role(&self.name), expect_role);
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        cx.state::<Store>()?.put(self);
        Ok(Status::new())
    }
}

impl Batch for Host {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        let Ok(store) = cx.state::<Store>() else { return Vec::new() };
        store.batches.lock().unwrap().push(batch.len());
        let apply = |host: &&mut Self| {
            store.put(host);
            Ok(Status::new())
        };
        batch.iter().map(apply).collect()
    }
}

impl Refresh for Host {
    async fn refresh(&mut self, cx: &Context) -> Result<Status> {
        cx.state::<Store>()?.refreshed.lock().unwrap().push(self.name.clone());
        Ok(Status::new())
    }
}

/// A resource that asks for state that it has not declared.
#[derive(Debug, Preparer)]
#[preparer(name = "fleet.careless", task = Careless, register = false)]
struct CarelessPreparer {}

#[derive(Debug, Export)]
struct Careless;

impl Resource for CarelessPreparer {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Careless> {
        Ok(Careless)
    }
}

impl Task for Careless {
    async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
        cx.state::<Tenant>()?;
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

const HOSTS: &str = r#"
fleet.host "a" {
  name = "a"
  role = "web"
}

fleet.host "b" {
  name = "b"
  role = "db"
}

fleet.host "c" {
  name         = "c"
  role         = "proxy"
  on_change_of = ["fleet.host.a"]
}
"#;

fn registry() -> Registry {
    let registry = Registry::new().with::<HostPreparer>().unwrap();
    registry.with::<CarelessPreparer>().unwrap()
}

fn graph(module: &str) -> Arc<Graph> {
    let registry = registry();
    Loader::new(&registry).load_text("fleet.hcl", module).into_graph().unwrap()
}

fn engine(state: AppState) -> Engine {
    Engine::new(Arc::new(ModelSystem::new())).with_app_state(state)
}

async fn apply(engine: &Engine, graph: &Arc<Graph>) -> (Summary, Vec<ResourceReport>) {
    let mut reports = Vec::new();
    let mut sink = |event: Event| {
        if let EventKind::ResourceFinished(report) = event.kind {
            reports.push(*report);
        }
    };
    let summary = engine.apply(graph).sink(&mut sink).await.unwrap();
    (summary, reports)
}

#[tokio::test]
async fn state_reaches_every_step() {
    let store = Arc::new(Store::default());
    store.roles.lock().unwrap().insert("c".to_owned(), "blue-proxy".to_owned());
    let state = AppState::new().with(Tenant("blue")).with_shared(Arc::clone(&store));
    let (summary, _) = apply(&engine(state), &graph(HOSTS)).await;
    assert!(summary.is_success(), "{summary:?}");
    let roles: Vec<_> = store.roles.lock().unwrap().values().cloned().collect();
    assert_eq!(roles, ["blue-web", "blue-db", "blue-proxy"]);
    assert_eq!(*store.refreshed.lock().unwrap(), ["c"]);
    assert_eq!(*store.batches.lock().unwrap(), [2]);
}

#[tokio::test]
async fn engines_have_each_their_own_state() {
    let graph = graph(HOSTS);
    let tenants = ["blue", "green"].map(|name| (name, Arc::new(Store::default())));
    let engines = tenants
        .each_ref()
        .map(|(name, store)| engine(AppState::new().with(Tenant(name)).with_shared(Arc::clone(store))));
    let (blue, green) = tokio::join!(apply(&engines[0], &graph), apply(&engines[1], &graph));
    assert!(blue.0.is_success() && green.0.is_success());
    for (name, store) in &tenants {
        assert_eq!(store.role("b"), format!("{name}-db"));
    }
}

#[test]
fn a_later_value_of_a_type_takes_the_place() {
    let state = AppState::new().with(Tenant("blue")).with(7_u8);
    let changed = state.clone().with(Tenant("green"));
    let tenant = |state: &AppState| state.get::<Tenant>().map(|tenant| tenant.0).ok();
    assert_eq!((tenant(&state), tenant(&changed)), (Some("blue"), Some("green")));
    assert_eq!(changed.get_shared::<u8>().ok().as_deref(), Some(&7));
    assert_eq!(format!("{state:?}"), r#"AppState(["embed_state::Tenant", "u8"])"#);
}

#[test]
fn a_loader_that_knows_the_state_tells_what_is_missing() {
    let registry = registry();
    let check = |state: AppState, expect: &[&str]| {
        let loaded = Loader::new(&registry).with_app_state(state).load_text("fleet.hcl", HOSTS);
        let messages: Vec<_> =
            loaded.diagnostics.iter().map(|mistake| mistake.one_line(&loaded.sources)).collect();
        assert_eq!(messages, expect);
        assert!(loaded.diagnostics.iter().all(|mistake| mistake.code == "missing-state"));
    };
    check(AppState::new().with(Tenant("blue")).with(Store::default()), &[]);
    let store = "fleet.hcl:2:1: error[missing-state]: fleet.host.a: `fleet.host` needs state of type \
                 `embed_state::Store`, which the program does not give";
    check(AppState::new().with(Tenant("blue")), &[store]);
    let tenant = store.replace("Store", "Tenant");
    check(AppState::new(), &[store, &tenant]);
}

#[test]
fn so_does_a_builder() {
    let registry = registry();
    let build = |state: AppState| {
        let host = |host: ResourceBuilder| host.set("name", "a").set("role", "web");
        GraphBuilder::new(&registry).with_app_state(state).resource("fleet.host", "a", host).build()
    };
    assert!(build(AppState::new().with(Tenant("blue")).with(Store::default())).is_ok());
    let error = build(AppState::new().with(Tenant("blue"))).unwrap_err().to_string();
    assert!(
        error.starts_with("error[missing-state]: fleet.host.a: `fleet.host` needs state of type"),
        "{error}"
    );
}

#[tokio::test]
async fn a_run_without_needed_state_does_not_begin() {
    let mut events = 0;
    let store = Arc::new(Store::default());
    // A state value that was added as an `Arc` has another type.
    let state = AppState::new().with(Tenant("blue")).with(Arc::clone(&store));
    let engine = engine(state);
    let mut sink = |_: Event| events += 1;
    let error = engine.apply(&graph(HOSTS)).sink(&mut sink).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "fleet.host.a: `fleet.host` needs state of type `embed_state::Store`, which the program does not give; it \
         gives an `Arc` of one: add that with `AppState::with_shared`"
    );
    let EngineError::MissingState { diagnostics } = error else { panic!("{error}") };
    assert!(diagnostics[0].span().is_some());
    assert_eq!((events, store.roles.lock().unwrap().len()), (0, 0));
}

#[tokio::test]
async fn what_was_not_declared_and_is_absent_is_an_error() {
    let (summary, reports) = apply(&engine(AppState::new()), &graph("fleet.careless \"it\" {}")).await;
    assert!(!summary.is_success());
    let failure = reports[0].failure.as_ref().map(|failure| failure.message.as_str());
    let expect = "the program gives no state of type `embed_state::Tenant`: add it with `AppState::with`, and give \
                  that to `Engine::with_app_state` and `Loader::with_app_state`";
    assert_eq!(failure, Some(expect));
}

#[tokio::test]
async fn tests_on_the_model_host_have_state_too() -> TestResult {
    let start = || (ModelSystem::new(), AppState::new().with(Tenant("blue")).with(Store::default()));
    let values = [("name", Value::from("a")), ("role", Value::from("web"))];
    laws::check::<HostPreparer>(start, &values).await?;

    let (model, state) = start();
    let cx = testing::context(&Arc::new(model)).with_app_state(state);
    let renderer = FakeRenderer::new();
    let mut host = testing::prepare::<HostPreparer>(values.clone(), &cx, &renderer).await?;
    assert!(host.check(&cx, &renderer).await?.has_changes());
    host.apply(&cx).await?;
    assert!(!host.check(&cx, &renderer).await?.has_changes());

    let other_context = cx.with_app_state(AppState::new().with(Tenant("blue")));
    let error = testing::prepare::<HostPreparer>(values, &other_context, &renderer).await.err();
    assert!(matches!(error, Some(Error::MissingState(missing)) if missing.type_name.ends_with("::Store")));
    Ok(())
}
