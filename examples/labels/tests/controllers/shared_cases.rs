//! The test cases and their expected results, the same for every store.

use converge_controller::testing::{
    ControllerTest, ControllerTestBuilder, ExpectedCondition, TestClient, condition, resource,
};
use converge_controller::{ConditionState, Id, Ref, Resource, StoredResource};

use converge_demo::types::v2::{Album, Artist};
use converge_demo::types::{Executive, RecordLabel};
use converge_demo::{register_controllers, register_types};

/// Returns a builder for a service with the types and the controllers.
pub(crate) fn builder() -> ControllerTestBuilder {
    let test = ControllerTest::builder().types(register_types).controllers(register_controllers);
    // A real store on a busy machine is slow.
    test.patience(std::time::Duration::from_mins(1))
}

fn accepted(state: ConditionState) -> ExpectedCondition {
    condition("artists", "accepted", state)
}

fn released() -> ExpectedCondition {
    condition("artists", "released", ConditionState::True)
}

fn id<T: StoredResource>(name: &str) -> Id {
    resource::<T>(name).build().id
}

fn label(name: &str) -> RecordLabel {
    RecordLabel { name: name.to_owned(), ..RecordLabel::default() }
}

/// Returns an artist under contract with a label.
fn artist(name: &str, label: &str) -> Artist {
    let label = id::<RecordLabel>(label);
    Artist { name: name.to_owned(), label: Some(Ref::new(label.tenancy, label.name)), ..Artist::default() }
}

fn album(title: &str) -> Album {
    Album { title: title.to_owned(), year: 1999, tracks: Vec::new() }
}

/// Follows a label and an artist from creation to deletion.
pub(crate) async fn lifecycle(client: &TestClient) {
    // The label is created later.
    let korn = resource("korn").with_data(artist("KoЯn", "epic")).write(client).await;
    client
        .wait_for_status_condition(korn.id(), &accepted(ConditionState::False).because("UnknownLabel"))
        .await;
    let epic = resource("epic").with_data(label("Epic")).write(client).await;
    client.wait_for_status_condition(korn.id(), &accepted(ConditionState::True)).await;
    client.wait_for_resource_state(epic.id(), |label| label.metadata.has_finalizers()).await;

    let issues = resource("issues").with_data(album("Issues")).with_owner(korn.id()).write(client).await;
    client.wait_for_status_condition(korn.id(), &released()).await;

    // A label stays while somebody is under contract with it.
    client.must_delete(epic.id()).await;
    let held_condition = condition("labels", "deleted", ConditionState::False).because("UnderContract");
    client.wait_for_status_condition(epic.id(), &held_condition).await;
    client.must_delete(korn.id()).await;
    client.wait_for_deletion(korn.id()).await;
    client.wait_for_deletion(issues.id()).await;
    client.wait_for_deletion(epic.id()).await;
}

/// Writes all resources, in any order.
pub(crate) async fn publish(test: &mut ControllerTest) {
    let korn = resource("korn").with_data(artist("KoЯn", "epic")).build();
    let tool = resource("tool").with_data(artist("Tool", "nobody")).build();
    let epic = resource("epic").with_data(label("Epic")).build();
    let boss = Executive { position: "president".to_owned() };
    let boss = resource("boss").with_data(boss).with_owner(&epic.id).build();
    let album = |name: &str, by: &Resource| resource(name).with_data(album(name)).with_owner(&by.id).build();
    let albums = [album("issues", &korn), album("untouchables", &korn), album("lateralus", &tool)];
    test.publish([korn, tool, epic, boss].into_iter().chain(albums).collect()).await;
}

/// Waits for the results of [`publish`], which do not depend on the order.
///
/// The store may also have been filled by an earlier version.
pub(crate) async fn verify(client: &TestClient) {
    client.wait_for_status_condition(&id::<Artist>("korn"), &accepted(ConditionState::True)).await;
    let unknown = accepted(ConditionState::False).because("UnknownLabel");
    client.wait_for_status_condition(&id::<Artist>("tool"), &unknown).await;
    for (name, albums) in [("korn", 2), ("tool", 1)] {
        let message = format!("albums: {albums}");
        let released = |artist: &Resource| {
            let mut conditions = artist.status.values().flat_map(|status| &status.conditions);
            conditions.any(|condition| condition.condition_type == "released" && condition.message == message)
        };
        client.wait_for_resource_state(&id::<Artist>(name), released).await;
    }
    client.wait_for_resource_state(&id::<RecordLabel>("epic"), |label| label.metadata.has_finalizers()).await;
    client.require_exists(&id::<Executive>("boss")).await;
}
