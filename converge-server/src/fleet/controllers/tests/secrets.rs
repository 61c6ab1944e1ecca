//! Tests of the secrets and generations that assignments list.

use std::collections::BTreeMap;
use std::time::Duration;

use converge_controller::testing::{TestClient, resource, simulate};
use converge_controller::{Id, Typed};

use super::{module, node, owned, start};
use crate::fleet::types::{Assignment, Content, Module, Secret};

/// Stores a secret, or a new value for it, as a listener does.
async fn set(client: &TestClient, name: &str, sealed: u8) -> String {
    let id = resource::<Secret>(name).build().id;
    let data = Secret { sealed: vec![sealed], key: "one".to_owned(), ..Secret::default() };
    let secret_found = client.find(&id, converge_controller::storage::Consistency::Strong).await.unwrap();
    let stored_secret = match secret_found {
        Some(old_secret) => {
            let old_secret: Typed<Secret> = Typed::try_from(old_secret).unwrap();
            client.write_as(Typed { data, ..old_secret }).await.unwrap()
        }
        None => resource(name).with_data(data).write(client).await,
    };
    stored_secret.resource.generation.unwrap().to_string()
}

async fn noted(client: &TestClient, module: &Id) -> BTreeMap<String, String> {
    let assignments = owned::<Assignment>(client, module).await;
    let [assignment] = &*assignments else { panic!("{assignments:?}") };
    assignment.secrets.clone()
}

/// Waits until the only assignment of a module lists exactly these secrets.
async fn until(client: &TestClient, module: &Id, expect: &[(&str, &str)]) {
    let expect: BTreeMap<String, String> =
        expect.iter().map(|(name, generation)| ((*name).to_owned(), (*generation).to_owned())).collect();
    let settled = async {
        while owned::<Assignment>(client, module).await.len() != 1 || noted(client, module).await != expect {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let settled = tokio::time::timeout(Duration::from_mins(10), settled).await;
    assert!(settled.is_ok(), "{:?} in place of {expect:?}", noted(client, module).await);
}

/// Assignments list the secrets that their module names as they are created, changed and deleted.
async fn generations(seed: u64) {
    let test = start(seed).await;
    let client = &test.client;
    node(client, "web-1", "web").await;
    let names = |secrets: &[(&str, &str)]| {
        let secrets =
            secrets.iter().map(|(name, secret)| ((*name).to_owned(), (*secret).to_owned())).collect();
        Content { secrets, ..module("web").content }
    };
    let content = names(&[("password", "db"), ("again", "db"), ("key", "tls")]);
    let site = resource("site").with_data(Module { content, ..module("web") }).write(client).await;
    let plain_module = resource("plain").with_data(module("web")).write(client).await;
    let second_secret = set(client, "other", 9).await;
    // The module exists before its secrets.
    until(client, site.id(), &[]).await;

    let first = set(client, "db", 1).await;
    until(client, site.id(), &[("db", &first)]).await;
    let key = set(client, "tls", 2).await;
    until(client, site.id(), &[("db", &first), ("tls", &key)]).await;
    let second = set(client, "db", 3).await;
    assert_ne!(first, second);
    until(client, site.id(), &[("db", &second), ("tls", &key)]).await;
    client.must_delete(&resource::<Secret>("tls").build().id).await;
    until(client, site.id(), &[("db", &second)]).await;

    // The module names another secret instead.
    let mut newer: Typed<Module> = Typed::try_from(client.require_exists(site.id()).await).unwrap();
    newer.content = names(&[("password", "other")]);
    client.write_as(newer).await.unwrap();
    until(client, site.id(), &[("other", &second_secret)]).await;
    until(client, plain_module.id(), &[]).await;
    test.stop().await;
}

#[test]
fn assignments_note_the_generations_of_the_secrets_that_are_named() {
    simulate(5, generations);
}
