//! Tests of controllers over a store in a file.

#[cfg(test)]
mod shared_cases;

use std::sync::Arc;

use converge_controller::storage::{Backend, Redb};

#[tokio::test]
async fn what_was_done_is_there_after_a_restart_and_the_rest_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.redb");
    let open = async || Arc::new(Redb::open(&file).await.unwrap()) as Arc<dyn Backend>;
    shared_cases::goes_on_after_a_restart(open).await;
}

#[tokio::test]
async fn any_order_leads_to_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.redb");
    let open = async || Arc::new(Redb::open(&file).await.unwrap()) as Arc<dyn Backend>;
    shared_cases::any_order_leads_to_the_same(open).await;
}
