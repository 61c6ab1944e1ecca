//! Lesson 21: ownership.
//!
//! A label owns its artists, and they own their albums. When the label goes, all of it goes: each deletion leaves a tombstone
//! in the same step, and the reaper deletes what the dead resource owned. A label that is made again under the same name owns
//! nothing of the one before.
//!
//! Run it with `cargo run --example ownership`.

use std::error::Error;

use converge_controller::StoredResource;
use converge_controller::testing::{ControllerTest, resource};

/// Who pays for music.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Label {}

/// Who makes it.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Artist {}

/// What they make.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Album {}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // The controllers of the types that every service has run with any others: the reaper is one of them.
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

    // The owner of a stored resource stays.
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
