use converge_controller::testing::{TestClient, TestController, condition, resource};

use super::*;
use crate::register_types;

#[tokio::test(start_paused = true)]
async fn parts_are_made_once() {
    let client = TestClient::in_memory(register_types).await;
    let mut controller = TestController::new(definition(), &client).await;
    let ready = condition(NAME, "ready", ConditionState::True);
    for tenancy in client.tenancies::<SampleKind>().await {
        let wanted = resource("some").with_data(SampleKind { parts: Some(2) });
        let wanted = wanted.in_tenancy(tenancy).write(&client).await;
        assert_eq!(
            controller.reconcile(wanted.id()).await.unwrap(),
            Action::await_change()
        );
        let done = client
            .require_status_condition_for_current_gen(wanted.id(), &ready)
            .await;
        let parts = client.list_by_owner(wanted.id()).await.unwrap();
        assert_eq!(parts.len(), 2);

        // A second reconcile has nothing left to do.
        assert_eq!(
            controller.reconcile(wanted.id()).await.unwrap(),
            Action::await_change()
        );
        client
            .require_version_unchanged(wanted.id(), done.version.as_ref().unwrap())
            .await;
        assert_eq!(client.list_by_owner(wanted.id()).await.unwrap(), parts);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_gone_is_no_mistake() {
    let client = TestClient::in_memory(register_types).await;
    let mut controller = TestController::new(definition(), &client).await;
    let nobody = resource::<SampleKind>("nobody").build();
    assert_eq!(
        controller.reconcile(&nobody.id).await.unwrap(),
        Action::await_change()
    );
}

#[tokio::test(start_paused = true)]
async fn a_part_of_somebody_else_is_reported() {
    let client = TestClient::in_memory(register_types).await;
    let mut controller = TestController::new(definition(), &client).await;
    let other = resource::<SampleKind>("other").write(&client).await;
    let taken = resource::<SampleKindPart>("some-0")
        .with_owner(other.id())
        .write(&client)
        .await;
    let wanted = resource::<SampleKind>("some").write(&client).await;

    let said = controller
        .reconcile(wanted.id())
        .await
        .unwrap_err()
        .to_string();
    assert!(said.contains("the owner cannot be changed"), "{said}");
    let missing = condition(NAME, "ready", ConditionState::False).because("PartsMissing");
    client.require_status_condition(wanted.id(), &missing).await;

    client.must_delete(taken.id()).await;
    assert_eq!(
        controller.reconcile(wanted.id()).await.unwrap(),
        Action::await_change()
    );
    let ready = condition(NAME, "ready", ConditionState::True);
    client.require_status_condition(wanted.id(), &ready).await;
}

#[tokio::test(start_paused = true)]
async fn a_change_of_a_part_asks_for_its_owner() {
    let client = TestClient::in_memory(register_types).await;
    let mut controller = TestController::new(definition(), &client).await;
    let owner = resource::<SampleKind>("some").build().id;
    let part = resource::<SampleKindPart>("some-0")
        .with_owner(&owner)
        .build();
    assert_eq!(controller.map(&part).await.unwrap(), [owner]);
}
