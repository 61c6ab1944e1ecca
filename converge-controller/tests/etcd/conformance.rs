//! The conformance tests of stores, over etcd.

mod one_member {
    use converge_controller::testing::StoreUnderTest;

    use crate::support::Cluster;

    async fn new_store() -> Option<StoreUnderTest> {
        let cluster = Cluster::shared(1)?;
        let prefix = cluster.new_prefix();
        let store = cluster.connect(cluster.options().prefix(prefix)).await;
        Some(StoreUnderTest::new(store).keeping(cluster))
    }

    converge_controller::storage_conformance!(new_store);
}

mod three_members {
    use converge_controller::testing::StoreUnderTest;

    use crate::support::Cluster;

    /// Returns a store with one connection to each member.
    async fn new_store() -> Option<StoreUnderTest> {
        let cluster = Cluster::shared(3)?;
        let prefix = cluster.new_prefix();
        let connect = async |number| cluster.connect(cluster.options_of(&[number]).prefix(&prefix)).await;
        let (first, second, third) = (connect(0).await, connect(1).await, connect(2).await);
        let store = StoreUnderTest::new(first).with_door(second).with_door(third);
        Some(store.keeping(cluster))
    }

    converge_controller::storage_conformance!(new_store);
}
