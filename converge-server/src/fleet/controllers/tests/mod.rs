mod events;
mod rollouts;
mod secrets;

use std::time::Duration;

use converge_controller::testing::{
    ControllerTest, ExpectedCondition, TestClient, condition, resource, simulate,
};
use converge_controller::{Condition, ConditionState, Id, Resource, StoredResource, Typed};

use crate::fleet::types::{Assignment, Content, Mode, Module, Node, NodeReport, Revision};
use crate::fleet::{register_controllers, register_types};

const TRUE: ConditionState = ConditionState::True;
const FALSE: ConditionState = ConditionState::False;
const UNKNOWN: ConditionState = ConditionState::Unknown;

async fn start(seed: u64) -> ControllerTest {
    ControllerTest::builder().types(register_types).controllers(register_controllers).seed(seed).start().await
}

fn says(text: &str) -> Content {
    Content { text: text.to_owned(), ..Content::default() }
}

/// Creates a module for the nodes with a role.
fn module(role: &str) -> Module {
    let nodes = format!("role={role}");
    Module { content: says("first"), mode: Mode::Enforce, nodes, ..Module::default() }
}

async fn node(client: &TestClient, name: &str, role: &str) -> Typed<Node> {
    resource::<Node>(name).with_note("role", role).write(client).await
}

/// Returns a predicate for a condition of a module.
fn has_condition(
    condition_type: &str,
    state: ConditionState,
    message: &str,
) -> impl Fn(&Resource) -> bool + use<> {
    let (condition_type, message) = (condition_type.to_owned(), message.to_owned());
    move |module| {
        let mut conditions = module.status.values().flat_map(|status| &status.conditions);
        conditions.any(|condition| {
            condition.condition_type == condition_type
                && condition.state == state
                && condition.message == message
        })
    }
}

async fn owned<T: StoredResource>(client: &TestClient, owner: &Id) -> Vec<Typed<T>> {
    let resources = client.list_by_owner(owner).await.unwrap();
    let of_type = resources.into_iter().filter(|resource| resource.id.resource_type == *T::resource_type());
    of_type.map(|resource| Typed::try_from(resource).unwrap()).collect()
}

/// Returns the names of the nodes that are assigned to a module.
async fn assigned(client: &TestClient, module: &Id) -> Vec<String> {
    let assignments = owned::<Assignment>(client, module).await;
    let mut nodes: Vec<_> =
        assignments.iter().map(|assignment| assignment.node.as_ref().unwrap().name.to_string()).collect();
    nodes.sort();
    nodes
}

/// Reports the state of a node as its agent does.
async fn reported(client: &TestClient, module: &Id, node: &str, state: ConditionState) {
    let assignments = owned::<Assignment>(client, module).await;
    let of_node = |assignment: &&Typed<Assignment>| assignment.node.as_ref().unwrap().name.as_str() == node;
    let assignment = assignments.iter().find(of_node).unwrap();
    heard(client, &assignment.resource, [Condition::new(Assignment::APPLIED, state)]).await;
}

async fn heard(client: &TestClient, resource: &Resource, conditions: impl IntoIterator<Item = Condition>) {
    let status = converge_controller::Status::new(resource.generation.unwrap(), conditions);
    let (id, key) = (resource.id.clone(), "agent".parse().unwrap());
    let update = converge_controller::service::StatusUpdate { id, version: None, key, status };
    client.write_status(update).await.unwrap();
}

/// Tests the whole life of a module and its nodes.
async fn lifecycle(seed: u64) {
    let test = start(seed).await;
    let client = &test.client;
    let site = resource("site").with_data(module("web")).write(client).await;
    let site_is = |condition_type, state, message| {
        client.wait_for_resource_state(site.id(), has_condition(condition_type, state, message))
    };
    site_is("scheduled", FALSE, "no node has the labels role=web").await;

    for (name, role) in [("web-1", "web"), ("web-2", "web"), ("db-1", "db")] {
        node(client, name, role).await;
    }
    site_is("applied", UNKNOWN, "applied on 0 of 2, waiting for web-1, web-2").await;
    assert_eq!(assigned(client, site.id()).await, ["web-1", "web-2"]);
    reported(client, site.id(), "web-1", TRUE).await;
    reported(client, site.id(), "web-2", FALSE).await;
    site_is("applied", FALSE, "applied on 1 of 2, not on web-2").await;

    // A report on an earlier revision does not count.
    let mut newer: Typed<Module> = Typed::try_from(client.require_exists(site.id()).await).unwrap();
    newer.content = says("second");
    client.write_as(newer.clone()).await.unwrap();
    site_is("applied", UNKNOWN, "applied on 0 of 2, waiting for web-1, web-2").await;
    assert_eq!(owned::<Revision>(client, site.id()).await.len(), 2);
    reported(client, site.id(), "web-1", TRUE).await;
    reported(client, site.id(), "web-2", TRUE).await;
    site_is("applied", TRUE, "applied on 2 of 2").await;

    // One node gets another role, and another node is deleted.
    let web_2: Typed<Node> =
        Typed::try_from(client.require_exists(&resource::<Node>("web-2").build().id).await).unwrap();
    let mut db_2 = web_2.clone();
    db_2.metadata_mut().set("role", "db").unwrap();
    client.write_as(db_2).await.unwrap();
    site_is("scheduled", TRUE, "nodes: 1").await;
    assert_eq!(assigned(client, site.id()).await, ["web-1"]);
    client.must_delete(&resource::<Node>("web-1").build().id).await;
    site_is("scheduled", FALSE, "no node has the labels role=web").await;
    assert!(assigned(client, site.id()).await.is_empty());

    // Everything that the module owns is deleted with it.
    node(client, "web-3", "web").await;
    site_is("scheduled", TRUE, "nodes: 1").await;
    let owned = client.list_by_owner(site.id()).await.unwrap();
    client.must_delete(site.id()).await;
    for resource in owned {
        client.wait_for_deletion(&resource.id).await;
    }
    test.stop().await;
}

#[test]
fn modules_are_assigned_to_nodes() {
    simulate(5, lifecycle);
}

#[tokio::test(start_paused = true)]
async fn what_is_suspended_is_said_to_the_nodes() {
    let test = start(1).await;
    let client = &test.client;
    let site = resource("site").with_data(Module { suspended: true, ..module("web") }).write(client).await;
    let web = node(client, "web-1", "web").await;
    client.wait_for_resource_state(site.id(), has_condition("scheduled", TRUE, "nodes: 1")).await;
    let suspended = async || owned::<Assignment>(client, site.id()).await[0].suspended;
    assert!(suspended().await);
    let assignment = owned::<Assignment>(client, site.id()).await.remove(0);

    // First the node is suspended as well, then the node alone, then neither.
    let mut web: Typed<Node> = Typed::try_from(client.require_exists(web.id()).await).unwrap();
    web.suspended = true;
    client.write_as(web.clone()).await.unwrap();
    let mut site: Typed<Module> = Typed::try_from(client.require_exists(site.id()).await).unwrap();
    site.suspended = false;
    client.write_as(site).await.unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(suspended().await);
    let mut web: Typed<Node> = Typed::try_from(client.require_exists(web.id()).await).unwrap();
    web.suspended = false;
    client.write_as(web).await.unwrap();
    client.wait_for_new_version(assignment.id(), assignment.resource.version.as_ref().unwrap()).await;
    assert!(!suspended().await);
    test.stop().await;
}

#[tokio::test(start_paused = true)]
async fn some_revisions_are_kept() {
    let test = start(2).await;
    let client = &test.client;
    let mut site = resource("site").with_data(module("web")).write(client).await;
    for text in 0..15 {
        site.content = says(&text.to_string());
        client.write_as(site).await.unwrap();
        let id = resource::<Module>("site").build().id;
        client.wait_for_reconciliation(&id, "scheduler").await;
        site = Typed::try_from(client.require_exists(&id).await).unwrap();
    }
    let mut numbers: Vec<u32> = Vec::new();
    for revision in owned::<Revision>(client, site.id()).await {
        numbers.push(revision.content.text.parse().unwrap());
    }
    numbers.sort_unstable();
    // The current revision and the ten latest unused ones.
    assert_eq!(numbers, (4..15).collect::<Vec<_>>());
    test.stop().await;
}

fn ready(state: ConditionState) -> ExpectedCondition {
    condition("nodes", "ready", state)
}

#[tokio::test(start_paused = true)]
async fn a_node_is_ready_while_its_agent_is_heard() {
    let test = start(3).await;
    let client = &test.client;
    let web = node(client, "web-1", "web").await;
    client.wait_for_status_condition(web.id(), &ready(UNKNOWN).because("NeverHeard")).await;
    let report = resource::<NodeReport>("web-1").with_owner(web.id()).write(client).await;
    client.wait_for_status_condition(web.id(), &ready(UNKNOWN).because("NeverHeard")).await;
    for _ in 0..5 {
        heard(client, &report.resource, []).await;
        client.wait_for_status_condition(web.id(), &ready(TRUE)).await;
        tokio::time::sleep(Duration::from_secs(80)).await;
        client.require_status_condition(web.id(), &ready(TRUE)).await;
    }
    tokio::time::sleep(Duration::from_secs(10)).await;
    client.wait_for_status_condition(web.id(), &ready(UNKNOWN).because("Silent")).await;
    heard(client, &report.resource, []).await;
    client.wait_for_status_condition(web.id(), &ready(TRUE)).await;
    test.stop().await;
}
