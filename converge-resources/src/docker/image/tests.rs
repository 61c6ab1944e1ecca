use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::System;
use converge_sdk::system::{Address, ModelSystem};

use super::ImagePreparer;
use crate::docker::model;
use crate::testing::{Written, apply, context, plan, plan_pending, prepare};

#[tokio::test]
async fn mistakes_in_fields() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let check = async |written: Written<'_>, expect: &str| {
        let output = plan::<ImagePreparer>(&system, written).await;
        assert!(output.starts_with(expect), "{written:?}: {output}");
    };
    check(&[], "error: name: `name` is required").await;
    check(&[("name", "".into())], "error: name: `name` must not be empty").await;
    check(&[("name", "A B".into())], "error: name: \"A B\" is not the name of an image").await;
    check(&[("name", "a".into()), ("tag", "b c".into())], "error: tag: \"b c\" is not a tag").await;
    check(&[("name", "a:1".into()), ("tag", "2".into())], "error: name: \"a:1\" already selects an image")
        .await;
    check(
        &[("name", "a".into()), ("inactivity_timeout", "0s".into())],
        "error: inactivity_timeout: `inactivity_timeout` must not be empty",
    )
    .await;
}

#[tokio::test]
async fn exports() {
    let cx = context(Arc::new(ModelSystem::new()), RunMode::Plan);
    let check = async |written: Written<'_>, name: &str, tag: &str| {
        let exports = prepare::<ImagePreparer>(&cx, written).await.unwrap().exports();
        assert_eq!(exports.get(&["name"]), Some(&name.into()));
        assert_eq!(exports.get(&["tag"]), Some(&tag.into()));
    };
    check(&[("name", "nginx".into())], "nginx", "latest").await;
    check(&[("name", "nginx".into()), ("tag", "".into())], "nginx", "latest").await;
    check(&[("name", "r:5000/app:2".into())], "r:5000/app", "2").await;
}

#[tokio::test]
async fn without_an_engine() {
    let fields: Written<'_> = &[("name", "nginx".into())];
    let check = async |model: ModelSystem, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        assert_eq!(plan::<ImagePreparer>(&system, fields).await, format!("error: {expect}"));
        assert_eq!(apply::<ImagePreparer>(&system, fields).await, format!("error: {expect}"));
        assert_eq!(plan_pending::<ImagePreparer>(&system, fields).await, format!("may change\n# {expect}"));
    };
    check(
        ModelSystem::new(),
        "no Docker engine can be reached at /var/run/docker.sock: it does not exist; install one and start it, or \
         say where it is with DOCKER_HOST",
    )
    .await;
    check(
        ModelSystem::new().with_env("DOCKER_HOST", "tcp://engine"),
        "no Docker engine can be reached at engine:2375: connection refused; start it, or say where it is with \
         DOCKER_HOST",
    )
    .await;
}

#[tokio::test]
async fn what_is_no_engine_is_an_error() {
    let system: Arc<dyn System> =
        Arc::new(ModelSystem::new().with_listener(Address::Unix("/var/run/docker.sock".into())));
    let output = plan_pending::<ImagePreparer>(&system, &[("name", "nginx".into())]).await;
    assert_eq!(
        output,
        "error: cannot ask the Docker engine for its version: the connection was closed before there was an answer"
    );
    let system: Arc<dyn System> = Arc::new(ModelSystem::new().with_env("DOCKER_HOST", "ssh://engine"));
    let output = plan_pending::<ImagePreparer>(&system, &[("name", "nginx".into())]).await;
    assert!(output.starts_with("error: DOCKER_HOST is \"ssh://engine\": SSH is not supported"), "{output}");
}

#[tokio::test]
async fn a_cancelled_run_asks_nothing() {
    let model = ModelSystem::new().with_listener(Address::Unix("/var/run/docker.sock".into()));
    let cx = context(Arc::new(model), RunMode::Plan);
    cx.cancellation().cancel();
    let mut task = prepare::<ImagePreparer>(&cx, &[("name", "nginx".into())]).await.unwrap();
    let result = task.check(&cx, &converge_core::testing::FakeRenderer::new()).await;
    assert!(matches!(result, Err(Error::Cancelled)), "{result:?}");
}

#[tokio::test]
async fn a_name_that_no_registry_has() {
    let system: Arc<dyn System> = Arc::new(model::engine());
    assert_eq!(
        apply::<ImagePreparer>(&system, &[("name", "nowhere".into())]).await,
        "will change\nimage: \"absent\" => \"present\"\nerror: cannot pull the image \"nowhere:latest\": the Docker engine says: pull access denied for nowhere, \
         repository does not exist; docker.io was asked without credentials: neither DOCKER_CONFIG nor HOME says where \
         they are"
    );
}

laws!(
    ImagePreparer,
    start = model::engine,
    values = ("name", ["app", "registry.example.com:5000/team/app"]),
    values = ("tag", ["1", "2"]),
);
