//! Over etcd: `ETCD_ENDPOINTS=http://127.0.0.1:2379 cargo test --features etcd`. The cluster is one for tests: what they
//! write stays there, below a prefix of each run.

use std::sync::Arc;

use converge_controller::storage::{Etcd, EtcdOptions};
use converge_controller::testing::ControllerTest;

use crate::bodies;

async fn start(test: &str) -> ControllerTest {
    let endpoints = std::env::var("ETCD_ENDPOINTS");
    let endpoints = endpoints.expect("ETCD_ENDPOINTS names the members, with commas between them");
    let prefix = format!("/sample-crate/{test}-{}", std::process::id());
    let options = EtcdOptions::new(endpoints.split(',')).prefix(prefix);
    let store = Etcd::connect(options).await.unwrap();
    bodies::builder().store(Arc::new(store)).start().await
}

#[tokio::test]
async fn lifecycle() {
    let test = start("lifecycle").await;
    bodies::lifecycle(&test.client).await;
    test.stop().await;
}

#[tokio::test]
async fn one_shot_with_another_server() {
    let mut test = start("one-shot").await;
    bodies::publish(&mut test).await;
    test.stop().await;

    let test = start("one-shot").await;
    bodies::verify(&test.client).await;
    test.stop().await;
}
