//! Test bodies with their expected outcomes, the same for every store.

use converge_controller::testing::{
    ControllerTest, ControllerTestBuilder, ExpectedCondition, TestClient, condition, resource,
};
use converge_controller::{ConditionState, Id, StoredResource};

use sample_crate::{SampleKind, SampleKindPart, register_controllers, register_types};

/// Returns a builder of a service with the types and the controller.
pub(crate) fn builder() -> ControllerTestBuilder {
    // A real store on a busy machine is slow.
    ControllerTest::builder()
        .types(register_types)
        .controllers(register_controllers)
        .patience(std::time::Duration::from_mins(1))
}

fn ready() -> ExpectedCondition {
    condition("sample-crate", "ready", ConditionState::True)
}

fn id<T: StoredResource>(name: &str) -> Id {
    resource::<T>(name).build().id
}

/// Tests the lifecycle of one resource, step by step.
pub(crate) async fn lifecycle(client: &TestClient) {
    let parts = ["life-0", "life-1"].map(id::<SampleKindPart>);
    let wanted = resource("life")
        .with_data(SampleKind { parts: Some(2) })
        .write(client)
        .await;
    client
        .wait_for_status_condition(wanted.id(), &ready())
        .await;
    for part in &parts {
        client.require_exists(part).await;
    }

    // A part that somebody deletes is created again.
    let first = client.resolve_id(&parts[0]).await;
    client.must_delete(&first).await;
    client
        .wait_for_resource_state(&parts[0], |part| part.id.uid != first.uid)
        .await;

    // Parts that the resource no longer asks for are deleted.
    resource("life")
        .with_data(SampleKind { parts: Some(1) })
        .write(client)
        .await;
    client.wait_for_deletion(&parts[1]).await;
    client.require_exists(&parts[0]).await;

    client.must_delete(wanted.id()).await;
    client.wait_for_deletion(&parts[0]).await;
    client.require_not_found(wanted.id()).await;
}

/// The number of parts of each resource of [`publish`].
const PUBLISHED: [(&str, u32); 3] = [("none", 0), ("one", 1), ("few", 3)];

/// Writes all resources, in any order.
pub(crate) async fn publish(test: &mut ControllerTest) {
    let wanted = |(name, parts)| {
        resource(name)
            .with_data(SampleKind { parts: Some(parts) })
            .build()
    };
    test.publish(PUBLISHED.map(wanted).to_vec()).await;
}

/// Waits for the outcome of [`publish`], whatever the order of writes was.
///
/// It also works on a store to which an earlier version has published.
pub(crate) async fn verify(client: &TestClient) {
    for (name, parts) in PUBLISHED {
        client
            .wait_for_status_condition(&id::<SampleKind>(name), &ready())
            .await;
        for number in 0..parts {
            client
                .require_exists(&id::<SampleKindPart>(&format!("{name}-{number}")))
                .await;
        }
        client
            .require_not_found(&id::<SampleKindPart>(&format!("{name}-{parts}")))
            .await;
    }
}
