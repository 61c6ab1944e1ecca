use super::*;

#[tokio::test(start_paused = true)]
async fn what_a_resource_owned_goes_with_it() {
    let mut stage = Stage::new().await;
    stage.run();
    let node = stage.write(NODE, "default", "n1", None).await;
    let second = stage.write(NODE, "default", "n2", None).await;
    let child = stage.write(ARTIST, "default/default", "child", Some(&node.id)).await;
    stage.write(ARTIST, "default/default", "grandchild", Some(&child.id)).await;
    stage.write(ARTIST, "default/default", "of-other", Some(&second.id)).await;
    stage.client.delete(&node.id, None).await.unwrap();
    stage.wait_until_left(&["demo/Artist/default/default/of-other", "demo/Node/default/_/n2"]).await;
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_was_made_again_keeps_what_is_its_own() {
    let mut stage = Stage::new().await;
    let first = stage.write(NODE, "default", "n1", None).await;
    stage.write(ARTIST, "default/default", "of-first", Some(&first.id)).await;
    stage.client.delete(&first.id, None).await.unwrap();
    let second = stage.write(NODE, "default", "n1", None).await;
    stage.write(ARTIST, "default/default", "of-second", Some(&second.id)).await;
    stage.run();
    stage.wait_until_left(&["demo/Artist/default/default/of-second", "demo/Node/default/_/n1"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_child_with_a_finalizer_goes_when_that_is_removed_and_takes_its_own_with_it() {
    let mut stage = Stage::new().await;
    stage.run();
    let node = stage.write(NODE, "default", "n1", None).await;
    let mut child =
        Resource { owner: Some(node.id.clone()), ..Resource::new(id(ARTIST, "default/default", "child")) };
    child.metadata.add_finalizer("held".parse().unwrap());
    let child = stage.client.write(child).await.unwrap();
    stage.write(ARTIST, "default/default", "grandchild", Some(&child.id)).await;
    stage.client.delete(&node.id, None).await.unwrap();
    stage
        .wait_until_left(&["demo/Artist/default/default/child", "demo/Artist/default/default/grandchild"])
        .await;
    let resource = stage.client.read(&child.id, Consistency::Strong).await.unwrap();
    assert!(resource.metadata.is_marked_for_deletion());
    let mut freed = Resource::clone(&resource);
    freed.metadata.remove_finalizer(&"held".parse().unwrap());
    stage.client.write(freed).await.unwrap();
    stage.wait_until_left(&[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_kill_in_the_midst_of_a_cascade_does_no_harm() {
    for count in 0..40 {
        let mut stage = Stage::new().await;
        let node = stage.write(NODE, "default", "n1", None).await;
        for n in 0..5 {
            let child = stage.write(ARTIST, "default/default", &format!("c{n}"), Some(&node.id)).await;
            stage.write(ARTIST, "default/default", &format!("g{n}"), Some(&child.id)).await;
        }
        stage.client.delete(&node.id, None).await.unwrap();
        stage.run();
        // The kill happens at an arbitrary point, after this number of task switches.
        for _ in 0..count {
            tokio::task::yield_now().await;
        }
        stage.kill().await;
        stage.run();
        stage.wait_until_left(&[]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn children_that_are_born_while_their_owner_goes_do_not_stay() {
    for seed in 0..20 {
        let mut stage = Stage::new().await;
        stage.run();
        let node = stage.write(NODE, "default", "n1", None).await;
        let mut random = Random::from_seed(seed);
        let births: Vec<_> = (0..20)
            .map(|n| {
                let (client, owner) = (stage.client.clone(), node.id.clone());
                let wait = Duration::from_millis(random.below(20) as u64);
                tokio::spawn(async move {
                    tokio::time::sleep(wait).await;
                    let id = id(ARTIST, "default/default", &format!("c{n}"));
                    client.write(Resource { owner: Some(owner), ..Resource::new(id) }).await.is_ok()
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(10)).await;
        stage.client.delete(&node.id, None).await.unwrap();
        let mut born = 0;
        for birth in births {
            born += usize::from(birth.await.unwrap());
        }
        assert!(born < 20, "the owner was gone for some of them");
        stage.wait_until_left(&[]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_cascade_of_many_ends() {
    let mut stage = Stage::new().await;
    let node = stage.write(NODE, "default", "n1", None).await;
    for n in 0..2_000 {
        stage.write(ARTIST, "default/default", &format!("c{n}"), Some(&node.id)).await;
    }
    stage.client.delete(&node.id, None).await.unwrap();
    stage.run();
    stage.wait_until_left(&[]).await;
    let list = List::new(Tombstone::resource_type().clone()).in_tenancy(Tenancy::Cluster);
    assert_eq!(stage.client.list(&list).await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn a_cascade_goes_down_ten_thousand_owners() {
    let mut stage = Stage::new().await;
    let first = stage.write(NODE, "default", "n1", None).await;
    let mut owner = first.id.clone();
    for depth in 0..10_000 {
        owner = stage.write(ARTIST, "default/default", &format!("c{depth}"), Some(&owner)).await.id.clone();
    }
    stage.client.delete(&first.id, None).await.unwrap();
    stage.run();
    stage.wait_until_left(&[]).await;
}
