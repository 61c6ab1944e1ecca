use super::*;
use crate::resource::ConditionState;

const PARTITION: &str = "tenancy.v1.Partition";
const NAMESPACE: &str = "tenancy.v1.Namespace";

#[tokio::test(start_paused = true)]
async fn a_namespace_goes_when_it_is_empty() {
    let mut stage = Stage::new().await;
    stage.run();
    let namespace = stage.write(NAMESPACE, "default", "web", None).await;
    stage.write(ARTIST, "default/default", "elsewhere", None).await;
    let mut artist = Resource::new(id(ARTIST, "default/web", "held"));
    artist.metadata.add_finalizer("held".parse().unwrap());
    let artist = stage.client.write(artist).await.unwrap();
    stage.write(ARTIST, "default/web", "child", Some(&artist.id)).await;
    // The loop ends when the controller has accepted the namespace, and so holds a finalizer on it.
    loop {
        let current = stage.client.read(&namespace.id, Consistency::Strong).await.unwrap();
        if let Some(status) = current.status.get(&"namespaces".parse().unwrap()) {
            assert_eq!(status.condition("accepted").unwrap().state, ConditionState::True);
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    stage.client.delete(&namespace.id, None).await.unwrap();
    stage
        .wait_until_left(&[
            "demo/Artist/default/default/elsewhere",
            "demo/Artist/default/web/held",
            "tenancy/Namespace/default/_/web",
        ])
        .await;
    let current = stage.client.read(&namespace.id, Consistency::Strong).await.unwrap();
    let deleted = current.status[&"namespaces".parse().unwrap()].condition("deleted").unwrap();
    assert_eq!((deleted.state, deleted.reason.as_str()), (ConditionState::False, "DeletionInProgress"));
    assert_eq!(deleted.message, "resources that are left in it: 1");

    let artist = stage.client.read(&artist.id, Consistency::Strong).await.unwrap();
    let mut freed = Resource::clone(&artist);
    freed.metadata.remove_finalizer(&"held".parse().unwrap());
    stage.client.write(freed).await.unwrap();
    stage.wait_until_left(&["demo/Artist/default/default/elsewhere"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_partition_takes_its_namespaces_and_all_that_is_in_them() {
    let mut stage = Stage::new().await;
    stage.run();
    let eu = stage.write(PARTITION, "", "eu", None).await;
    stage.write(NAMESPACE, "eu", "web", None).await;
    stage.write(NODE, "eu", "n1", None).await;
    stage.write(ARTIST, "eu/web", "korn", None).await;
    // The sleep gives the controllers time to see them.
    tokio::time::sleep(Duration::from_secs(1)).await;
    stage.client.delete(&eu.id, None).await.unwrap();
    let late = stage.client.write(Resource::new(id(ARTIST, "eu/web", "late"))).await.unwrap_err();
    assert_eq!(
        late.to_string(),
        "partition \"eu\" is being deleted: nothing can be created or changed in it until tenancy.v1.Partition/eu is created again"
    );
    stage.wait_until_left(&[]).await;
}

/// Puts a resource of an unregistered type into the store.
async fn put_unknown(stage: &Stage, tenancy: &str, name: &str, finalizers: &[&str]) -> Arc<Resource> {
    let uid = crate::Uid::from_bits(7);
    let mut unknown = Resource::new(id("gone.v1.Thing", tenancy, name).with_uid(uid));
    for finalizer in finalizers {
        unknown.metadata.add_finalizer(finalizer.parse().unwrap());
    }
    stage.store.write(unknown).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn what_has_no_type_any_more_goes_with_its_namespace_and_partition() {
    let mut stage = Stage::new().await;
    let eu = stage.write(PARTITION, "", "eu", None).await;
    stage.write(NAMESPACE, "eu", "web", None).await;
    put_unknown(&stage, "eu/web", "of-namespace", &[]).await;
    put_unknown(&stage, "eu", "of-partition", &[]).await;
    put_unknown(&stage, "default/default", "elsewhere", &[]).await;
    stage.run();
    stage.client.delete(&eu.id, None).await.unwrap();
    stage.wait_until_left(&["gone/Thing/default/default/elsewhere"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_namespace_that_is_deleted_before_its_controller_runs_is_emptied_too() {
    let mut stage = Stage::new().await;
    let web = stage.write(NAMESPACE, "default", "web", None).await;
    stage.write(ARTIST, "default/web", "korn", None).await;
    stage.client.delete(&web.id, None).await.unwrap();
    stage.run();
    stage.wait_until_left(&[]).await;
}

#[tokio::test(start_paused = true)]
async fn the_default_tenancy_is_accepted_without_a_finalizer() {
    let mut stage = Stage::new().await;
    stage.run();
    for (controller, resource_type, tenancy) in
        [("partitions", PARTITION, ""), ("namespaces", NAMESPACE, "default")]
    {
        loop {
            let id = id(resource_type, tenancy, "default");
            let current = stage.client.read(&id, Consistency::Strong).await.unwrap();
            assert!(current.data.is_some() && !current.metadata.has_finalizers());
            if let Some(status) = current.status.get(&controller.parse().unwrap()) {
                assert_eq!(status.condition("accepted").unwrap().state, ConditionState::True);
                break;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }
}
