use std::sync::Arc;

use bollard::models::Volume as Found;
use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::Volume;
use crate::docker::model::engine;
use crate::testing::{Written, context, plan, plan_pending, prepare};

fn map(items: &[(&str, Value)]) -> Value {
    Value::Map(items.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

#[tokio::test]
async fn differences() {
    let cx = context(Arc::new(ModelSystem::new()), RunMode::Plan);
    let check = async |written: Written<'_>, expect: &[(&str, &str, &str)]| {
        let existing_volume = Found {
            name: "data".to_owned(),
            driver: "local".to_owned(),
            labels: [("team".to_owned(), "web".to_owned())].into(),
            options: [("o".to_owned(), "size=1m".to_owned())].into(),
            ..Found::default()
        };
        let fields: Vec<_> = [("name", "data".into())].into_iter().chain(written.iter().cloned()).collect();
        let volume = prepare::<Volume>(&cx, &fields).await.unwrap();
        let mut status = Status::new();
        volume.differences(&existing_volume).report(&mut status);
        let diffs = status.diffs();
        let actual: Vec<_> = diffs
            .iter()
            .map(|(name, diff)| (*name, diff.before().to_string(), diff.after().to_string()))
            .collect();
        let actual: Vec<_> = actual.iter().map(|(name, has, wants)| (*name, &**has, &**wants)).collect();
        assert_eq!(actual, expect, "{fields:?}");
    };
    let as_it_is =
        || [("labels", map(&[("team", "web".into())])), ("options", map(&[("o", "size=1m".into())]))];
    check(&as_it_is(), &[]).await;
    // An option may be a password.
    check(&[], &[("labels.team", "web", "(none)"), ("options.o", "(set)", "(none)")]).await;
    check(
        &[
            ("labels", map(&[("team", "db".into())])),
            ("options", map(&[("o", Value::from("size=2m").into_secret())])),
        ],
        &[("labels.team", "web", "db"), ("options.o", "(sensitive)", "(sensitive)")],
    )
    .await;
    let [labels, options] = as_it_is();
    check(&[("driver", "nfs".into()), labels, options], &[("driver", "local", "nfs")]).await;
}

#[tokio::test]
async fn without_an_engine() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let fields = [("name", Value::from("data"))];
    let alone = plan::<Volume>(&system, &fields).await;
    assert!(alone.starts_with("error: no Docker engine can be reached at /var/run/docker.sock"), "{alone}");
    let pending = plan_pending::<Volume>(&system, &fields).await;
    assert!(pending.starts_with("may change\n# no Docker engine can be reached"), "{pending}");
}

laws!(
    Volume,
    start = engine,
    values = ("name", ["data", "media"]),
    values = ("labels", [map(&[]), map(&[("of", "web".into())])]),
    values = ("options", [map(&[]), map(&[("type", "tmpfs".into())])]),
);
