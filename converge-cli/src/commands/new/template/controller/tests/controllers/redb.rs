//! Tests with a store in a file.

use std::path::Path;
use std::sync::Arc;

use converge_controller::storage::Redb;
use converge_controller::testing::ControllerTest;

use crate::shared_cases;

async fn start(folder: &Path) -> ControllerTest {
    let store = Redb::open(folder.join("store.redb")).await.unwrap();
    shared_cases::builder().store(Arc::new(store)).start().await
}

#[tokio::test]
async fn lifecycle() {
    let folder = tempfile::tempdir().unwrap();
    let test = start(folder.path()).await;
    shared_cases::lifecycle(&test.client).await;
    test.stop().await;
}

#[tokio::test]
async fn one_shot_with_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut test = start(folder.path()).await;
    shared_cases::publish(&mut test).await;
    test.stop().await;

    let test = start(folder.path()).await;
    shared_cases::verify(&test.client).await;
    test.stop().await;
}
