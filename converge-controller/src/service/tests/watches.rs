use super::*;
use crate::storage::WatchEvent;

/// Returns the short form of an event: `+name`, `-name` or `.`.
fn shown(event: &WatchEvent) -> String {
    match event {
        WatchEvent::Upsert(resource) => format!("+{}={}", resource.id.name, word(resource)),
        WatchEvent::Delete(resource) => format!("-{}={}", resource.id.name, word(resource)),
        WatchEvent::EndOfSnapshot => ".".to_owned(),
    }
}

/// Returns the available events.
async fn events(watch: &mut ResourceWatch) -> String {
    let mut events_so_far = Vec::new();
    while let Ok(event) = tokio::time::timeout(Duration::from_millis(1), watch.next()).await {
        events_so_far.push(shown(&event.unwrap()));
    }
    events_so_far.join(" ")
}

#[tokio::test(start_paused = true)]
async fn q5_a_watch_tells_what_is_there_and_what_changes() {
    let f = fixture();
    f.write(resource(ARTIST, "korn")).await;
    let mut watch = f.client.watch_list(&List::new(ARTIST.parse().unwrap())).await.unwrap();
    assert_eq!(events(&mut watch).await, "+korn=hello .");
    f.write(resource(ARTIST, "tool")).await;
    f.write(with_word(resource(ARTIST, "korn"), "two")).await;
    f.write(resource(NODE, "n1")).await;
    f.client.delete(&id(ARTIST, "korn"), None).await.unwrap();
    assert_eq!(events(&mut watch).await, "+tool=hello +korn=two -korn=two");
    let mut prefixed =
        f.client.watch_list(&List::new(ARTIST.parse().unwrap()).with_prefix("k")).await.unwrap();
    assert_eq!(events(&mut prefixed).await, ".");
}

#[tokio::test(start_paused = true)]
async fn another_version_of_the_group_is_an_end_and_a_beginning() {
    let f = fixture();
    let mut old = f.client.watch_list(&List::new(ARTIST.parse().unwrap())).await.unwrap();
    let mut new = f.client.watch_list(&List::new(NEW_ARTIST.parse().unwrap())).await.unwrap();
    f.write(resource(ARTIST, "korn")).await;
    f.write(with_word(resource(NEW_ARTIST, "korn"), "two")).await;
    f.write(with_word(resource(NEW_ARTIST, "korn"), "three")).await;
    assert_eq!(events(&mut old).await, ". +korn=hello -korn=hello");
    assert_eq!(events(&mut new).await, ". +korn=two +korn=three");
    f.client.delete(&id(NEW_ARTIST, "korn"), None).await.unwrap();
    assert_eq!(events(&mut old).await, "");
    assert_eq!(events(&mut new).await, "-korn=three");
}

#[tokio::test(start_paused = true)]
async fn what_may_not_be_read_any_more_is_gone() {
    let f = fixture();
    let mut watch = f.client.watch_list(&List::new(GUARDED.parse().unwrap())).await.unwrap();
    for word in ["shut", "open", "shut", "open"] {
        f.write(with_word(resource(GUARDED, "g"), word)).await;
    }
    f.client.delete(&id(GUARDED, "g"), None).await.unwrap();
    assert_eq!(events(&mut watch).await, ". +g=open -g=open +g=open -g=open");
}

#[tokio::test(start_paused = true)]
async fn q7_a_watch_that_ends_says_so() {
    let f = fixture();
    let mut watch = f.client.watch_list(&List::new(ARTIST.parse().unwrap())).await.unwrap();
    assert_eq!(shown(&watch.next().await.unwrap()), ".");
    f.store.restore([]);
    let error = watch.next().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Aborted);
    assert_eq!(
        error.to_string(),
        "the watch was closed because the store was restored or has forgotten older changes"
    );
}

#[tokio::test(start_paused = true)]
async fn what_its_metadata_do_not_mean_any_more_is_gone() {
    let f = fixture();
    let of_team = List::new(ARTIST.parse().unwrap()).with_metadata("team=web".parse().unwrap());
    let mut watch = f.client.watch_list(&of_team).await.unwrap();
    for (word, team) in [("one", "db"), ("two", "web"), ("three", "db"), ("four", "web")] {
        let mut input = with_word(resource(ARTIST, "korn"), word);
        input.metadata.set("team", team).unwrap();
        f.write(input).await;
    }
    f.client.delete(&id(ARTIST, "korn"), None).await.unwrap();
    assert_eq!(events(&mut watch).await, ". +korn=two -korn=two +korn=four -korn=four");
}
