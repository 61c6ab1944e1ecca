use converge_controller::runtime::Action;
use converge_controller::storage::Consistency;
use converge_controller::testing::{TestClient, TestController, condition, resource};
use converge_controller::{ConditionState, Ref, Tenancy};

use super::{artists, labels};
use crate::register_types;
use crate::types::RecordLabel;
use crate::types::v2::{Album, Artist};

fn label() -> RecordLabel {
    RecordLabel { name: "Epic".into(), ..RecordLabel::default() }
}

/// Returns an artist under contract with the label `epic` of its partition.
fn artist(tenancy: &Tenancy) -> Artist {
    let Tenancy::Namespace(partition, _) = tenancy else { panic!("artists are in namespaces") };
    let epic = Ref::new(Tenancy::Partition(partition.clone()), "epic".parse().unwrap());
    Artist { name: "KoЯn".into(), label: Some(epic), ..Artist::default() }
}

fn album() -> Album {
    Album { title: "Issues".into(), year: 1999, tracks: vec!["Dead".into()] }
}

#[tokio::test(start_paused = true)]
async fn an_artist_is_accepted_when_its_label_is_there() {
    let client = TestClient::in_memory(register_types).await;
    let mut artists = TestController::new(artists(), &client).await;
    let unknown = condition("artists", "accepted", ConditionState::False).because("UnknownLabel");
    let accepted = condition("artists", "accepted", ConditionState::True);
    for tenancy in client.tenancies::<Artist>().await {
        let korn =
            resource("korn").in_tenancy(tenancy.clone()).with_data(artist(&tenancy)).write(&client).await;
        let epic = korn.label.as_ref().unwrap().id();
        let epic = resource("epic").in_tenancy(epic.tenancy).with_data(label());
        if client.find(&epic.clone().build().id, Consistency::Strong).await.unwrap().is_none() {
            assert_eq!(artists.reconcile(korn.id()).await.unwrap(), Action::await_change());
            client.require_status_condition(korn.id(), &unknown).await;
        }
        let epic = epic.write(&client).await;
        assert!(artists.map(&epic.resource).await.unwrap().contains(&korn.id().clone().without_uid()));
        assert_eq!(artists.reconcile(korn.id()).await.unwrap(), Action::await_change());
        client.require_status_condition_for_current_gen(korn.id(), &accepted).await;
    }
}

#[tokio::test(start_paused = true)]
async fn albums_are_counted() {
    let client = TestClient::in_memory(register_types).await;
    let mut artists = TestController::new(artists(), &client).await;
    for tenancy in client.tenancies::<Artist>().await {
        let unsigned_artist = Artist { label: None, ..artist(&tenancy) };
        let korn =
            resource("korn").in_tenancy(tenancy.clone()).with_data(unsigned_artist).write(&client).await;
        for (albums, released) in [(0, ConditionState::False), (1, ConditionState::True)] {
            if albums > 0 {
                let album = resource("issues").in_tenancy(tenancy.clone()).with_data(album());
                let album = album.with_owner(korn.id()).write(&client).await;
                assert_eq!(artists.map(&album.resource).await.unwrap(), [korn.id().clone().without_uid()]);
            }
            assert_eq!(artists.reconcile(korn.id()).await.unwrap(), Action::await_change());
            client.require_status_condition(korn.id(), &condition("artists", "released", released)).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_label_is_held_by_its_contracts() {
    let client = TestClient::in_memory(register_types).await;
    let mut labels = TestController::new(labels(), &client).await;
    let epic = resource("epic").with_data(label()).write(&client).await;
    let tenancy = resource::<Artist>("korn").build().id.tenancy;
    let korn = resource("korn").with_data(artist(&tenancy)).write(&client).await;
    assert_eq!(labels.map(&korn.resource).await.unwrap(), [epic.id().clone().without_uid()]);

    assert_eq!(labels.reconcile(epic.id()).await.unwrap(), Action::await_change());
    client.must_delete(epic.id()).await;
    assert!(labels.reconcile(epic.id()).await.unwrap().requeue_after().is_some());
    let held_condition = condition("labels", "deleted", ConditionState::False).because("UnderContract");
    client.require_status_condition(epic.id(), &held_condition).await;

    // The artist moves to another label, which triggers no reconcile of this one.
    let mut released_artist = korn.clone();
    released_artist.label = None;
    client.write_as(released_artist).await.unwrap();
    assert_eq!(labels.reconcile(epic.id()).await.unwrap(), Action::await_change());
    client.require_not_found(epic.id()).await;
}
