mod bare_repository;
mod fields;
mod model;
mod program;
mod real_server;
mod tree;

use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::GitCheckoutPreparer;
use crate::testing::{Written, apply, plan};
use model::{FIRST, MAIN, SERVER, at, machine};

/// Returns these fields, with the server and `/srv/app` as defaults.
fn with_defaults(fields: Written<'_>) -> Vec<(&'static str, Value)> {
    let base = [
        ("repository", Value::from(SERVER)),
        ("destination", "/srv/app".into()),
        ("revision", "main".into()),
    ];
    let is_given = |name: &str| fields.iter().any(|(given, _)| *given == name);
    base.into_iter().filter(|(name, _)| !is_given(name)).chain(fields.iter().cloned()).collect()
}

/// Checks that plan and apply give the result `expect`, and that the next plan has no changes.
async fn check(model: ModelSystem, fields: Written<'_>, expect: &str) -> Arc<ModelSystem> {
    let model = Arc::new(model);
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    assert_eq!(plan::<GitCheckoutPreparer>(&system, &with_defaults(fields)).await, expect, "{fields:?}");
    assert_eq!(apply::<GitCheckoutPreparer>(&system, &with_defaults(fields)).await, expect, "{fields:?}");
    if !expect.starts_with("error") {
        assert_eq!(
            plan::<GitCheckoutPreparer>(&system, &with_defaults(fields)).await,
            "no change",
            "{fields:?}"
        );
    }
    model
}

/// Returns the text of a file of the model host.
fn text(model: &ModelSystem, path: &str) -> Option<String> {
    model.machine().file(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

laws!(
    GitCheckoutPreparer,
    start = machine,
    start = || at(MAIN),
    start = || at(FIRST),
    values = ("repository", [SERVER, "https://example.com/app.git", "ssh://git@example.com/app.git"]),
    values = ("destination", ["/srv/app"]),
    values = ("revision", ["main", "next", "v1", "2222222", MAIN]),
    values = ("user", ["keeper"]),
    values = ("run_group", ["keeper"]),
    values = ("key", ["/etc/keys/deploy"]),
    values = ("known_hosts", ["/etc/keys/hosts"]),
    values = ("depth", [1, 3]),
    beside = ("/srv/app", "git says which files it writes only when it does")
);
