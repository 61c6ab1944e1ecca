//! Tests of types that exist only while a resource defines them.

use super::*;
use crate::registry::RegistryError;
use crate::storage::WatchEvent;

const ALBUM: &str = "music.v1.Album";
const NEW_ALBUM: &str = "music.v2.Album";

fn album(resource_type: &str, scope: Scope, definition: &Id) -> Registration {
    Registration::new(resource_type.parse().unwrap(), scope, "music", Word).defined_by(definition.clone())
}

/// Returns a service in which a region defines the type of albums.
async fn defined() -> (Fixture, Id) {
    let fixture = fixture();
    let definition =
        fixture.write(with_finalizers(resource(REGION, "music"), ["tests/music"])).await.id.clone();
    fixture.client.service().define([album(ALBUM, Scope::Namespace, &definition)]).unwrap();
    (fixture, definition)
}

#[tokio::test]
async fn a_type_is_there_once_it_is_defined_and_no_longer_than_that() {
    let (fixture, definition) = defined().await;
    let service = fixture.client.service().clone();
    fixture.write(resource(ALBUM, "issues")).await;
    // The original types of the service stay.
    fixture.write(resource(ARTIST, "korn")).await;
    service.define([album(NEW_ALBUM, Scope::Namespace, &definition)]).unwrap();
    let message = fixture.outcome(resource(ALBUM, "untouchables")).await;
    let others = "InvalidArgument: resource type music.v1.Album not registered: the group has music.v2.Album";
    assert!(message.clone().unwrap_err().starts_with(&others[..60]), "{message:?}");
    service.define([]).unwrap();
    assert_eq!(service.types().iter().count(), service.own_types().iter().count());
    // Stored resources of the type can be deleted.
    fixture.client.delete(&id(ALBUM, "issues"), None).await.unwrap_err();
}

#[tokio::test]
async fn types_that_cannot_stand_side_by_side_change_nothing() {
    let (fixture, definition) = defined().await;
    let service = fixture.client.service();
    let twice = service.define([
        album(NEW_ALBUM, Scope::Namespace, &definition),
        album(ARTIST, Scope::Namespace, &definition),
    ]);
    assert!(matches!(twice, Err(RegistryError::Twice { .. })), "{twice:?}");
    let scope = service
        .define([album(ALBUM, Scope::Namespace, &definition), album(NEW_ALBUM, Scope::Cluster, &definition)]);
    assert!(matches!(scope, Err(RegistryError::Scope { .. })), "{scope:?}");
    let names: Vec<_> = service
        .types()
        .iter()
        .map(|name| name.resource_type.to_string())
        .filter(|name| name.contains("music"))
        .collect();
    assert_eq!(names, [ALBUM]);
}

#[tokio::test]
async fn nothing_is_made_of_a_type_that_goes_and_what_there_is_can_change_and_go() {
    let (fixture, definition) = defined().await;
    fixture.write(resource(ALBUM, "issues")).await;
    fixture.client.delete(&definition, None).await.unwrap();
    let expect = "music.v1.Album cannot be created: its definition demo.v1.Region/music is being deleted or was deleted";
    fixture.refused(resource(ALBUM, "untouchables"), ErrorKind::InvalidArgument, expect).await;
    fixture.write(with_word(resource(ALBUM, "issues"), "changed")).await;
    fixture.client.delete(&id(ALBUM, "issues"), None).await.unwrap();
    assert_eq!(fixture.read(&id(ALBUM, "issues")).await, None);
}

#[tokio::test]
async fn a_server_that_does_not_know_yet_that_a_definition_is_another_one_makes_nothing() {
    let (fixture, definition) = defined().await;
    fixture.client.delete(&definition, None).await.unwrap();
    let mut marked = Resource::clone(&*fixture.read(&definition).await.unwrap());
    marked.metadata.take_finalizers_of(&Metadata::default());
    fixture.write(marked).await;
    let expect = "music.v1.Album cannot be created: its definition demo.v1.Region/music is being deleted or was deleted";
    fixture.refused(resource(ALBUM, "issues"), ErrorKind::InvalidArgument, expect).await;
    // This is another resource with that name.
    fixture.write(resource(REGION, "music")).await;
    fixture.refused(resource(ALBUM, "issues"), ErrorKind::InvalidArgument, expect).await;
}

#[tokio::test]
async fn a_watch_that_is_open_goes_on_while_types_change() {
    let (fixture, definition) = defined().await;
    let list = List::new(ALBUM.parse().unwrap());
    let mut watch = fixture.client.watch_list(&list).await.unwrap();
    assert!(matches!(watch.next().await.unwrap(), WatchEvent::EndOfSnapshot));
    let definitions =
        [album(ALBUM, Scope::Namespace, &definition), album(NEW_ALBUM, Scope::Namespace, &definition)];
    fixture.client.service().define(definitions).unwrap();
    let stored = fixture.write(resource(ALBUM, "issues")).await;
    let WatchEvent::Upsert(told) = watch.next().await.unwrap() else { panic!("no upsert") };
    assert_eq!(told, stored);
}

#[tokio::test]
async fn of_two_that_create_at_once_one_does() {
    let fixture = fixture();
    let client = &fixture.client;
    let (first, second) =
        tokio::join!(client.create(resource(REGION, "eu")), client.create(resource(REGION, "eu")));
    let refusals: Vec<_> =
        [first, second].into_iter().filter_map(Result::err).map(|error| error.kind()).collect();
    assert_eq!(refusals, [ErrorKind::Aborted]);
    assert!(fixture.client.create(resource(REGION, "us")).await.is_ok());
}
