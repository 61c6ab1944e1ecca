//! Random modules of resources that concern the same things, on the model host.
//!
//! Such a module is refused at load, or its apply fails with both names, or it settles: the plan after the
//! apply is empty. Every order of its resources ends with the same machine.
//!
//! `PROPTEST_CASES=10000` tries more modules.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use converge_core::Registry;
use converge_core::diagnostic::{Diagnostic, Diagnostics};
use converge_core::engine::{Engine, EventKind, Outcome};
use converge_core::graph::Graph;
use converge_core::load::Loader;
use converge_core::system::{Machine, ModelSystem};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;

/// The end of a module.
#[derive(Debug)]
enum End {
    /// The load was refused with these messages.
    Refused(String),
    /// The apply failed. What fails first differs between orders.
    Failed,
    /// The apply succeeded, with this machine.
    Settled(Box<Machine>),
}

/// Returns a host with users, groups and some files.
fn machine() -> ModelSystem {
    crate::user::model::machine()
        .with_group("crew", 4100)
        .with_group("team", 4200)
        .with_user("ada", 4100, 4100)
        .with_user("grace", 4200, 4200)
        .with_dir("/home/ada")
        .with_owner("/home/ada", 4100, 4100)
        .with_dir("/home/grace")
        .with_owner("/home/grace", 4200, 4200)
        .with_file("/proc/self/mountinfo", "")
        .with_file("/etc/hosts", "127.0.0.1 localhost\n")
        .with_file("/w/d/old", "old\n")
        .with_file("/w/d/sub/old", "old\n")
        .with_file("/w/f", "[s]\nk = 0\n")
        .with_file("/w/s/x", "from s\n")
        .with_file("/w/s/sub/y", "from s\n")
        .with_file("/w/t/z", "from t\n")
}

/// The choices for one field, each as `name = value`; an empty one leaves the field out.
type Choices = &'static [&'static str];

const FILE: Choices = &[
    r#"destination = "/w/d/x""#,
    r#"destination = "/w/d/sub/y""#,
    r#"destination = "/w/d/old""#,
    r#"destination = "/w/f""#,
];
const DIRECTORY: Choices = &[
    r#"destination = "/w/d""#,
    r#"destination = "/w/d/sub""#,
    r#"destination = "/w/new""#,
    r#"destination = "/w/new/sub""#,
];
const PATH: Choices = &[
    r#"destination = "/w/d""#,
    r#"destination = "/w/d/sub""#,
    r#"destination = "/w/d/sub/old""#,
    r#"destination = "/w/d/x""#,
    r#"destination = "/w/f""#,
];
const CONTENT: Choices = &[r#"content = "a\n""#, r#"content = "b\n""#];
const MODE: Choices = &["mode = 0700", "mode = 0750", r#"mode = "u=rwX,go=""#];
const NO_MODE: Choices = &["", "mode = 0700", "mode = 0750", r#"mode = "u=rwX,go=""#];
const RECURSIVE: Choices = &["", "recursive = true"];
const STATE: Choices = &["", r#"state = "absent""#];
const CREATE: Choices = &["create = true"];
const EXACT: Choices = &["", "exact = true"];

/// Types of resources, with the choices for their fields.
const TYPES: &[(&str, &[Choices])] = &[
    ("file.content", &[FILE, CONTENT, NO_MODE, &["", "only_if_missing = true"]]),
    ("file.directory", &[DIRECTORY, NO_MODE, &["create_all = true"]]),
    ("file.absent", &[PATH, &["recursive = true"]]),
    ("file.mode", &[PATH, MODE]),
    ("file.mode", &[PATH, &[r#"mode = "u=rwX,go=""#, r#"mode = "go+rX""#], &["recursive = true"]]),
    (
        "file.directory",
        &[DIRECTORY, &[r#"mode = "u=rwX,go=""#], &["create_all = true"], &["recursive = true"]],
    ),
    ("file.directory", &[DIRECTORY, &[r#"state = "absent""#]]),
    ("file.owner", &[PATH, &[r#"user = "ada""#, r#"user = "grace""#, r#"group = "team""#], RECURSIVE]),
    (
        "file.line",
        &[
            FILE,
            CREATE,
            &[r#"line = "k = a""#, r#"line = "k = b""#, r#"line = "other""#],
            &["", "", r#"match = "^k""#, r#"match = "o""#, r#"state = "absent""#],
        ],
    ),
    (
        "file.ini",
        &[
            FILE,
            CREATE,
            &[r#"section = "s""#, ""],
            &[r#"key = "k""#],
            &[r#"value = "a""#, r#"value = "b""#, r#"state = "absent""#],
        ],
    ),
    ("file.block", &[FILE, CREATE, CONTENT, &["", r#"marker = "; {mark}""#], STATE]),
    ("file.replace", &[FILE, &[r#"pattern = "a""#, r#"pattern = "o""#], &[r#"replacement = "b""#]]),
    ("file.link", &[FILE, &[r#"target = "/w/f""#, r#"target = "/w/d""#], &["", "force = true"]]),
    (
        "file.copy",
        &[
            PATH,
            &[r#"source = "/w/s""#, r#"source = "/w/t""#, r#"source = "/w/s/x""#],
            NO_MODE,
            &["", "purge = true"],
        ],
    ),
    (
        "user.group",
        &[
            &[r#"name = "crew""#, r#"name = "team""#],
            &[r#"members = ["ada"]"#, r#"members = ["grace"]"#, r#"members = ["ada", "grace"]"#],
            EXACT,
        ],
    ),
    (
        "user.user",
        &[
            &[r#"username = "ada""#, r#"username = "grace""#],
            &[r#"groups = ["crew"]"#, r#"groups = ["team"]"#],
            &["", "exact_groups = true"],
        ],
    ),
    (
        "user.authorized_key",
        &[
            &[r#"user = "ada""#],
            &[
                r#"key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f""#,
                r#"key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB8eHRwbGhkYFxYVFBMSERAPDg0MCwoJCAcGBQQDAgEA""#,
            ],
            &["", "exact = true", r#"state = "absent""#],
        ],
    ),
    (
        "system.hosts",
        &[
            &[r#"name = "one""#, r#"name = "two""#],
            &[r#"ip = "10.0.0.1""#, r#"ip = "10.0.0.2""#],
            &["", r#"aliases = ["two"]"#],
            &["", r#"file = "/w/f""#],
        ],
    ),
];

/// Returns the text of one resource without its name: the type, and the fields.
fn resource() -> impl Strategy<Value = (&'static str, String)> {
    (0..TYPES.len()).prop_flat_map(|index| {
        let (kind, fields) = TYPES[index];
        let choices: Vec<_> = fields.iter().map(|choices| select(*choices)).collect();
        choices.prop_map(move |fields| (kind, fields.join("\n  ")))
    })
}

/// Returns the text of a module.
fn module() -> impl Strategy<Value = String> {
    prop::collection::vec(resource(), 2..6).prop_map(|resources| {
        let block = |(index, (kind, fields))| format!("{kind} \"r{index}\" {{\n  {fields}\n}}\n");
        resources.into_iter().enumerate().map(block).collect()
    })
}

fn end(registry: &Registry, module: &str, order: u64) -> End {
    let loaded = Loader::new(registry).load_text("main.hcl", module);
    if loaded.diagnostics.has_errors() {
        return End::Refused(messages(&loaded.diagnostics));
    }
    let graph = loaded.into_graph().unwrap();
    let model = Arc::new(machine());
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let engine = Engine::new(Arc::clone(&model) as _).with_order(order);
        if !engine.apply(&graph).await.unwrap().is_success() {
            return End::Failed;
        }
        let changes = pending(&engine, &graph).await;
        assert!(changes.is_empty(), "a plan after the apply has changes: {changes:#?}\n{module}");
        End::Settled(Box::new(model.machine().without_times()))
    })
}

fn messages(diagnostics: &Diagnostics) -> String {
    let message = |diagnostic: &Diagnostic| format!("{}: {}", diagnostic.code, diagnostic.message);
    let messages: Vec<String> = diagnostics.iter().map(message).collect();
    messages.join("\n")
}

/// Returns the pending changes.
async fn pending(engine: &Engine, graph: &Arc<Graph>) -> BTreeSet<String> {
    let mut run = engine.plan(graph).spawn();
    let mut changes = BTreeSet::new();
    while let Some(event) = run.next().await {
        if let EventKind::ResourceFinished(report) = event.kind
            && report.outcome != Outcome::Unchanged
        {
            changes.insert(format!("{report:?}"));
        }
    }
    changes
}

#[test]
fn overlapping_resources_settle() {
    let registry = crate::registry().unwrap();
    let (modules, settled) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(ProptestConfig::default());
    let ran = runner.run(&(module(), any::<[u64; 2]>()), |(text, orders)| {
        modules.set(modules.get() + 1);
        match orders.map(|order| end(&registry, &text, order)) {
            [End::Refused(one), End::Refused(other)] => prop_assert_eq!(one, other),
            [End::Failed, End::Failed] => {}
            [End::Settled(one), End::Settled(other)] => {
                settled.set(settled.get() + 1);
                prop_assert_eq!(one, other, "{}", text);
            }
            [one, other] => {
                prop_assert!(false, "one order ends with {one:?}, and another with {other:?}\n{text}");
            }
        }
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
    // About half of the modules settle. A change that fails most of them would test nothing.
    assert!(settled.get() * 4 > modules.get(), "{} of {} modules settled", settled.get(), modules.get());
}
