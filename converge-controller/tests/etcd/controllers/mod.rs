//! Tests of controllers over etcd: the common bodies, failing members, and several servers.

mod faults;
mod server;
mod takeover;

mod one_member {
    use std::sync::Arc;

    use converge_controller::storage::Backend;

    use crate::shared_cases;
    use crate::support::Cluster;

    #[tokio::test(flavor = "multi_thread")]
    async fn what_was_done_is_there_after_a_restart_and_the_rest_is_done() {
        let Some(cluster) = Cluster::start(1) else { return };
        let opened = std::sync::atomic::AtomicBool::new(false);
        shared_cases::goes_on_after_a_restart(async || {
            // The content also survives a restart of the cluster.
            if opened.swap(true, std::sync::atomic::Ordering::Relaxed) {
                cluster.kill(0);
                cluster.restart(0);
            }
            Arc::new(cluster.connect(cluster.options()).await) as Arc<dyn Backend>
        })
        .await;
    }
}

mod three_members {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use converge_controller::storage::Backend;

    use crate::shared_cases;
    use crate::support::Cluster;

    /// Opens the store, each time through another member.
    async fn open(cluster: &Cluster, prefix: &str, times: &AtomicUsize) -> Arc<dyn Backend> {
        let member = times.fetch_add(1, Ordering::Relaxed) % 3;
        Arc::new(cluster.connect(cluster.options_of(&[member]).prefix(prefix)).await)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_was_done_is_there_after_a_restart_and_the_rest_is_done() {
        let Some(cluster) = Cluster::shared(3) else { return };
        let (prefix, times) = (cluster.new_prefix(), AtomicUsize::new(0));
        shared_cases::goes_on_after_a_restart(async || open(&cluster, &prefix, &times).await).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn any_order_leads_to_the_same() {
        let Some(cluster) = Cluster::shared(3) else { return };
        let (prefix, times) = (cluster.new_prefix(), AtomicUsize::new(0));
        shared_cases::any_order_leads_to_the_same(async || open(&cluster, &prefix, &times).await).await;
    }
}
