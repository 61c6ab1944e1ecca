//! Lesson 21: ownership.
//!
//! A label owns its artists, and they own their albums. When the label is deleted, its artists and albums are
//! deleted too. Each deletion leaves a tombstone in the same step, and the reaper deletes what the deleted
//! resource owned. A label that is created again under the same name owns nothing of the earlier one.
//!
//! Run it with `cargo run --example ownership`.

use std::error::Error;

use converge_controller::StoredResource;
use converge_controller::testing::{ControllerTest, resource};

/// A label, which pays for music.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Label {}

/// An artist, owned by a label.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Artist {}

/// An album, owned by an artist.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Album {}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // The built-in controllers of every service run too; the reaper is one of them.
    let test = ControllerTest::builder()
        .types(|types| {
            types.register::<Label>()?;
            types.register::<Artist>()?;
            types.register::<Album>()
        })
        .start()
        .await;

    let label = resource::<Label>("epic").write(&test.client).await;
    let korn = resource::<Artist>("korn").with_owner(label.id()).write(&test.client).await;
    let issues = resource::<Album>("issues").with_owner(korn.id()).write(&test.client).await;
    let free = resource::<Artist>("free").write(&test.client).await;
    assert_eq!(test.client.list_by_owner(label.id()).await?.len(), 1);

    // The owner of a stored resource cannot be changed.
    let mut bought = free.clone();
    bought.resource.owner = Some(label.id().clone());
    let refused = test.client.write_as(bought).await.expect_err("an owner cannot be changed");
    println!("{refused}");

    test.client.must_delete(label.id()).await;
    let again = resource::<Label>("epic").write(&test.client).await;
    for gone in [korn.id(), issues.id()] {
        test.client.wait_for_deletion(gone).await;
        println!("{gone} is gone");
    }
    test.client.require_exists(free.id()).await;
    test.client.require_exists(again.id()).await;
    test.stop().await;
    Ok(())
}
