use super::*;
use crate::identity::{Id, Reference};
use crate::resource::Resource;
use crate::runtime::cache::{Cache, CacheDefinition, IdPrefix, Index, by_owner};
use crate::runtime::demo::{Album, Artist, Playlist, client, id, reference, resource};
use crate::storage::Memory;

const BY_ARTIST: Index<Album, Reference> = Index::many("artist", |album| album.artists.clone());
const BY_TITLE: Index<Album, String> = Index::one("title", |album| Some(album.title.clone()));
const BY_SELECTION: Index<Playlist, IdPrefix> = Index::one("selection", |playlist| {
    let tenancy = &playlist.resource.id.tenancy;
    Some(IdPrefix::names(Album::resource_type(), tenancy, &playlist.albums_from))
});

fn cache() -> Cache {
    let mut definition = CacheDefinition::new();
    definition.hold::<Album>();
    definition.hold::<Playlist>();
    definition.index(&BY_ARTIST);
    definition.index(&BY_TITLE);
    definition.index(&BY_SELECTION);
    definition.index(&by_owner::<Album>());
    let writer = definition.build();
    let album = |name: &str, artists: &[&str], title: &str| {
        let artists = artists.iter().map(|name| reference::<Artist>(name)).collect();
        resource(name, Album { artists, title: title.into() })
    };
    let owned = Resource { owner: Some(id::<Artist>("korn")), ..album("live", &[], "Live") };
    let playlist = |name: &str, albums_from: &str| {
        resource(name, Playlist { albums_from: albums_from.into(), ..Playlist::default() })
    };
    for resource in [
        album("issues", &["korn"], "Issues"),
        album("debut", &["bjork"], "Debut"),
        album("duets", &["korn", "bjork"], "Duets"),
        owned,
        playlist("all", ""),
        playlist("d", "d"),
        playlist("iss", "iss"),
    ] {
        let upserted = writer.upsert(Arc::new(resource)).expect("a type that is held");
        assert!(upserted.problem.is_none());
    }
    writer.cache().clone()
}

fn runtime() -> Runtime {
    Runtime::new("test", client(Arc::new(Memory::new())), cache())
}

/// Compares the names that a mapper returns for a changed resource.
async fn check<A: StoredResource, B: StoredResource>(
    mapper: Mapper<A, B>,
    changed: Resource,
    expect: &[&str],
) {
    let text = format!("{mapper:?} of {}", changed.id.name);
    let changed = Typed::decode(changed).expect("its data");
    let requests = mapper.map(runtime(), changed).await.expect("it is mapped");
    let names: Vec<&str> = requests.iter().map(|request| request.id().name.as_str()).collect();
    assert_eq!(names, expect, "{text}");
    let of_another = requests
        .iter()
        .find(|request| request.id().resource_type != *B::resource_type() || request.id().uid.is_some());
    assert_eq!(of_another, None, "{text}");
}

fn korn() -> Resource {
    resource("korn", Artist { genre: "metal".into() })
}

fn owned_by(owner: Id) -> Resource {
    Resource { owner: Some(owner), ..resource("live", Album::default()) }
}

#[tokio::test]
async fn owners() {
    let uid = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().expect("a uid");
    check::<Album, Artist>(owner(), owned_by(id::<Artist>("korn").with_uid(uid)), &["korn"]).await;
    check::<Album, Artist>(owner(), owned_by(id::<Playlist>("korn")), &[]).await;
    check::<Album, Artist>(owner(), resource("live", Album::default()), &[]).await;
    // The version of a type does not matter.
    let older = Id { resource_type: "demo.v1.Artist".parse().expect("a type"), ..id::<Artist>("korn") };
    check::<Album, Artist>(owner(), owned_by(older), &["korn"]).await;
}

#[tokio::test]
async fn by_name() {
    check::<Artist, Playlist>(same_name(), korn(), &["korn"]).await;
    check::<Artist, Playlist>(all(), korn(), &["all", "d", "iss"]).await;
    // The result of another mapper is renamed to another type.
    let renamed = owner::<Album, Artist>().renamed::<Playlist>();
    check(renamed, owned_by(id::<Artist>("korn")), &["korn"]).await;
}

#[tokio::test]
async fn identities_and_references_of_other_types_are_left_out() {
    let mixed = || [reference::<Artist>("korn"), reference::<Playlist>("korn"), reference::<Artist>("bjork")];
    let album = resource("x", Album { artists: mixed().to_vec(), ..Album::default() });
    check::<Album, Artist>(
        references(|album: &Typed<Album>| album.artists.clone()),
        album,
        &["korn", "bjork"],
    )
    .await;
    check::<Artist, Album>(ids(|_| [id::<Album>("a"), id::<Artist>("b")]), korn(), &["a"]).await;
}

#[tokio::test]
async fn by_the_cache() {
    check::<Artist, _>(list(&BY_ARTIST), korn(), &["duets", "issues"]).await;
    check::<Artist, _>(get(&BY_ARTIST), korn(), &["duets"]).await;
    check::<Artist, _>(list(&by_owner::<Album>()), korn(), &["live"]).await;
    check::<Artist, _>(list(&BY_ARTIST), resource("nobody", Artist::default()), &[]).await;
    check(
        list_by(&BY_TITLE, |_: &Typed<Artist>| ["Debut".to_owned(), "Live".to_owned()]),
        korn(),
        &["debut", "live"],
    )
    .await;
    check(get_by(&BY_TITLE, |_: &Typed<Artist>| Some("Debut".to_owned())), korn(), &["debut"]).await;
    check::<Album, _>(parents(&BY_SELECTION), resource("duets", Album::default()), &["all", "d"]).await;
    let all_albums = |_: &Typed<Artist>| [id::<Album>("issues"), id::<Album>("debut")];
    check(parents_by(&BY_SELECTION, all_albums), korn(), &["all", "iss", "all", "d"]).await;
}

#[tokio::test]
async fn several_mappers_are_one() {
    let mapper: Mapper<Artist, _> = list(&BY_ARTIST).and(list(&by_owner::<Album>()));
    check(mapper, korn(), &["duets", "issues", "live"]).await;
    // The results of one mapper are discarded if the other fails.
    let failing =
        list(&BY_ARTIST).and(with(|_, _: Typed<Artist>| async { Err::<[Request<Album>; 0], _>("no") }));
    let changed = Typed::decode(korn()).expect("its data");
    assert_eq!(failing.map(runtime(), changed).await.expect_err("it fails").to_string(), "no");
}

#[tokio::test]
async fn an_index_that_is_not_declared_is_an_error() {
    const OTHER: Index<Album, Reference> = Index::many("other", |album| album.artists.clone());
    let changed = Typed::<Artist>::decode(korn()).expect("its data");
    let error = list(&OTHER).map(runtime(), changed).await.expect_err("it is not declared");
    assert!(error.to_string().starts_with("the cache has no index \"other\""), "{error}");
}

#[tokio::test]
async fn transforms_can_be_chained() {
    // The chain leads from an artist to its albums, and to the playlists that select these.
    let albums = || transform_list::<Artist, Album, _>(&BY_ARTIST);
    check(albums().map(parents(&BY_SELECTION)), korn(), &["all", "d", "all", "iss"]).await;
    // The chain leads from an artist to an album, to the albums of the same artists, and to their owner.
    let of_the_same = transform_list_by(&BY_ARTIST, |album: &Typed<Album>| album.artists.clone());
    let mapper = same_name::<Album, Playlist>();
    check(
        albums().then(of_the_same).map(mapper),
        korn(),
        &["duets", "issues", "debut", "duets", "duets", "issues"],
    )
    .await;
    let failing = transform(|_, _: Typed<Artist>| async { Err::<Vec<Typed<Album>>, _>("no") });
    let changed = Typed::decode(korn()).expect("its data");
    let failing = failing.map(same_name::<Album, Playlist>());
    assert_eq!(failing.map(runtime(), changed).await.expect_err("it fails").to_string(), "no");
}
