use std::sync::Arc;

use super::*;
use crate::registry::{StoredResource, Typed};
use crate::runtime::demo::{Album, Artist, Playlist, id, reference, resource, stored};
use crate::{Reference, Resource};

mod model;

const BY_ARTIST: Index<Album, Reference> = Index::many("artist", |album| album.artists.clone());
const BY_TITLE: Index<Album, String> =
    Index::one("title", |album| (!album.title.is_empty()).then(|| album.title.clone()));
const BY_SELECTION: Index<Playlist, IdPrefix> = Index::one("selection", |playlist| {
    let tenancy = &playlist.resource.id.tenancy;
    Some(IdPrefix::names(Album::resource_type(), tenancy, &playlist.albums_from))
});
const ALBUMS_OF_GENRE: Query<String, Vec<String>> = Query::new("albums_of_genre", |cache, genre| {
    let mut titles = Vec::new();
    for artist in cache.list_iter(&by_id::<Artist>(), &IdPrefix::of_type(Artist::resource_type()))? {
        let artist = artist?;
        if artist.genre == *genre {
            let albums = cache.list(&BY_ARTIST, &artist.resource.id)?;
            titles.extend(albums.iter().map(|album| album.title.clone()));
        }
    }
    Ok(titles)
});

fn definition() -> CacheDefinition {
    let mut definition = CacheDefinition::new();
    definition.index(&BY_ARTIST);
    definition.hold::<Album>();
    definition.hold::<Artist>();
    definition.hold::<Playlist>();
    definition.index(&BY_TITLE);
    definition.index(&BY_SELECTION);
    definition.index(&by_owner::<Album>());
    definition.index(&by_bound_references::<Playlist>());
    definition.query(&ALBUMS_OF_GENRE);
    definition.check().expect("a definition without mistakes");
    definition
}

impl BoundReferences for Playlist {
    fn bound_references(&self) -> &[Reference] {
        &self.made_of
    }
}

/// Inserts a resource, and returns the reason if it is missing from an index.
fn try_put(writer: &CacheWriter, resource: Resource) -> Option<NotIndexed> {
    writer.upsert(Arc::new(resource)).expect("a type that is held").problem
}

fn put(writer: &CacheWriter, resource: Resource) {
    if let Some(problem) = try_put(writer, resource) {
        panic!("{problem}");
    }
}

fn album(artists: &[&str], title: &str) -> Album {
    let artists = artists.iter().map(|name| reference::<Artist>(name)).collect();
    Album { artists, title: title.into() }
}

fn writer() -> CacheWriter {
    let writer = definition().build();
    put(&writer, resource("korn", Artist { genre: "metal".into() }));
    put(&writer, resource("bjork", Artist { genre: "pop".into() }));
    put(&writer, resource("issues", album(&["korn"], "Issues")));
    put(&writer, resource("debut", album(&["bjork"], "Debut")));
    put(&writer, resource("duets", album(&["korn", "bjork"], "Duets")));
    writer
}

fn cache() -> Cache {
    writer().cache().clone()
}

/// Compares the names of the found resources.
#[track_caller]
fn check<T: StoredResource>(albums: Result<Vec<Typed<T>>, CacheError>, expect: &[&str]) {
    let albums = albums.expect("the cache answers");
    let names: Vec<&str> = albums.iter().map(|resource| resource.resource.id.name.as_str()).collect();
    assert_eq!(names, expect);
}

#[test]
fn by_identity() {
    let cache = cache();
    let issues = cache.resource::<Album>(&id::<Album>("issues")).expect("an answer").expect("an album");
    assert_eq!(issues.title, "Issues");
    assert!(cache.resource::<Album>(&id::<Album>("greatest-hits")).expect("an answer").is_none());
    let hit = cache.get(&by_id::<Album>(), &id::<Album>("debut")).expect("an answer");
    assert_eq!(hit.map(|album| album.title.clone()), Some("Debut".into()));

    let all_names = IdPrefix::of_type(Album::resource_type());
    check(cache.list(&by_id::<Album>(), &all_names), &["debut", "duets", "issues"]);
    let tenancy = Album::SCOPE.default_tenancy();
    let names_with_d = IdPrefix::names(Album::resource_type(), &tenancy, "d");
    check(cache.list(&by_id::<Album>(), &names_with_d), &["debut", "duets"]);
    check(cache.list(&by_id::<Album>(), &reference::<Album>("debut")), &["debut"]);
    assert_eq!(cache.count(Album::resource_type()), 3);
}

#[test]
fn by_many_keys_and_by_one() {
    let cache = cache();
    check(cache.list(&BY_ARTIST, &reference::<Artist>("korn")), &["duets", "issues"]);
    check(cache.list(&BY_ARTIST, &id::<Artist>("bjork")), &["debut", "duets"]);
    check(cache.list(&BY_ARTIST, &reference::<Artist>("kor")), &[]);
    // A resource with several keys is found once, at the position of its first key.
    check(cache.list(&BY_ARTIST, &IdPrefix::of_type(Artist::resource_type())), &["debut", "duets", "issues"]);
    check(cache.list(&BY_TITLE, &"Duets"), &["duets"]);
    check(cache.list(&BY_TITLE, &TextPrefix("D".into())), &["debut", "duets"]);
    let first = cache.get(&BY_ARTIST, &reference::<Artist>("korn")).expect("an answer");
    assert_eq!(first.map(|album| album.title.clone()), Some("Duets".into()));
}

#[test]
fn all_indexes_follow_a_change() {
    let writer = writer();
    let cache = writer.cache();
    put(&writer, resource("duets", album(&["korn"], "")));
    check(cache.list(&BY_ARTIST, &reference::<Artist>("bjork")), &["debut"]);
    check(cache.list(&BY_ARTIST, &reference::<Artist>("korn")), &["duets", "issues"]);
    check(cache.list(&BY_TITLE, &"Duets"), &[]);

    let remove = |resource: &Resource| writer.remove(resource).expect("a type that is held");
    let duets = remove(&resource("duets", Album::default())).expect("it was there");
    assert_eq!(duets.id.name.as_str(), "duets");
    assert!(remove(&duets).is_none());
    assert!(!cache.contains(&duets.id) && cache.contains(&id::<Album>("issues")));
    check(cache.list(&BY_ARTIST, &reference::<Artist>("korn")), &["issues"]);
    assert_eq!(cache.count(Album::resource_type()), 2);
}

#[test]
fn prefixes_find_who_selects() {
    let writer = writer();
    let cache = writer.cache();
    for (name, albums_from) in [("all", ""), ("d", "d"), ("du", "du"), ("due", "due"), ("debut", "debut")] {
        put(&writer, resource(name, Playlist { albums_from: albums_from.into(), ..Playlist::default() }));
    }
    check(cache.parents(&BY_SELECTION, &id::<Album>("duets")), &["all", "d", "du", "due"]);
    check(cache.parents(&BY_SELECTION, &reference::<Album>("debut")), &["all", "d", "debut"]);
    check(cache.parents(&BY_SELECTION, &id::<Album>("dummy")), &["all", "d", "du"]);
    check(cache.parents(&BY_SELECTION, &id::<Artist>("duets")), &[]);
    // A key is a prefix of itself.
    check(cache.parents(&by_id::<Album>(), &id::<Album>("duets")), &["duets"]);
}

#[test]
fn owners_and_bound_references() {
    let writer = writer();
    let cache = writer.cache();
    let owner = id::<Artist>("korn");
    put(&writer, Resource { owner: Some(owner.clone()), ..resource("live", Album::default()) });
    check(cache.list(&by_owner::<Album>(), &owner), &["live"]);
    let made_of = vec![reference::<Album>("debut"), reference::<Album>("duets")];
    put(&writer, resource("mine", Playlist { made_of, ..Playlist::default() }));
    let bound = by_bound_references::<Playlist>();
    check(cache.list(&bound, &id::<Album>("duets")), &["mine"]);
    check(cache.list(&bound, &id::<Album>("issues")), &[]);
}

#[test]
fn queries_take_several_indexes() {
    let titles = cache().query(&ALBUMS_OF_GENRE, &"pop".to_owned()).expect("an answer");
    assert_eq!(titles, ["Debut", "Duets"]);
}

#[test]
fn what_is_given_belongs_to_who_asked() {
    let cache = cache();
    let ask = || cache.resource::<Album>(&id::<Album>("issues")).expect("an answer").expect("an album");
    let mut mine = ask();
    mine.title.push('!');
    assert_eq!(ask().title, "Issues");
}

#[test]
fn what_cannot_be_decoded_is_found_by_what_needs_no_data() {
    let writer = writer();
    let cache = writer.cache();
    let mut broken = resource("broken", album(&["korn"], "Broken"));
    broken.owner = Some(id::<Artist>("korn"));
    broken.data.as_mut().expect("data").value = vec![0xff].into();
    let problem = try_put(&writer, broken).expect("it is not in all of its indexes");
    assert!(matches!(problem, NotIndexed::Data(_)), "{problem}");

    let owned = by_owner::<Album>();
    let decode = |error: CacheError| assert!(matches!(error, CacheError::Data(_)), "{error}");
    decode(cache.list(&owned, &id::<Artist>("korn")).expect_err("one is broken"));
    decode(cache.resource::<Album>(&id::<Album>("broken")).expect_err("it is broken"));
    check(cache.list(&BY_ARTIST, &reference::<Artist>("korn")), &["duets", "issues"]);
    // The list fails as a whole, and the iterator continues.
    let prefix = IdPrefix::of_type(Album::resource_type());
    decode(cache.list(&by_id::<Album>(), &prefix).expect_err("one is broken"));
    let validity: Vec<bool> =
        cache.list_iter(&by_id::<Album>(), &prefix).expect("an answer").map(|item| item.is_ok()).collect();
    assert_eq!(validity, [false, true, true, true]);
}

#[test]
fn an_index_can_be_required_and_can_panic() {
    const REQUIRED: Index<Album, String> =
        Index::<Album, String>::one("title", |album| (!album.title.is_empty()).then(|| album.title.clone()))
            .required();
    const PANICS: Index<Album, String> = Index::many("panics", |album| panic!("no {}", album.title));
    let mut definition = CacheDefinition::new();
    definition.hold::<Album>();
    definition.index(&REQUIRED);
    let writer = definition.build();
    let problem = try_put(&writer, resource("untitled", Album::default())).expect("it has no title");
    assert_eq!(
        problem.to_string(),
        "resource demo.v2.Album/default/default/untitled has no key for the required index \"title\""
    );
    assert_eq!(writer.cache().count(Album::resource_type()), 1);

    definition.index(&PANICS);
    let writer = definition.build();
    let problem = try_put(&writer, resource("x", album(&[], "X"))).expect("it panics");
    assert!(matches!(problem, NotIndexed::Panicked { index: "panics", .. }), "{problem}");
    check(writer.cache().list(&REQUIRED, &"X"), &["x"]);
}

#[test]
fn what_is_held_is_what_was_told() {
    let writer = definition().build();
    let issues = Arc::new(resource("issues", album(&["korn"], "Issues")));
    writer.upsert(Arc::clone(&issues)).expect("a type that is held");
    assert_eq!(Arc::strong_count(&issues), 2, "no copy, and no second place");
    let previous = writer.remove(&issues).expect("a type that is held").expect("it was there");
    assert!(Arc::ptr_eq(&previous, &issues));
}

#[test]
fn what_is_not_held_is_not_taken() {
    let mut definition = CacheDefinition::new();
    definition.hold::<Artist>();
    let writer = definition.build();
    let album = resource("issues", album(&["korn"], "Issues"));
    let expect = "the cache does not hold demo.v2.Album: the controller neither manages nor watches it";
    let upserted = writer.upsert(Arc::new(album.clone())).map(|_| ()).expect_err("it is not held");
    assert_eq!(upserted.to_string(), expect);
    assert_eq!(writer.remove(&album).expect_err("it is not held").to_string(), expect);
}

#[test]
fn two_caches_of_one_index_have_nothing_in_common() {
    let (first, second) = (writer(), writer());
    put(&first, resource("issues", album(&["bjork"], "Issues")));
    check(first.cache().list(&BY_ARTIST, &reference::<Artist>("korn")), &["duets"]);
    check(second.cache().list(&BY_ARTIST, &reference::<Artist>("korn")), &["duets", "issues"]);
}

#[test]
fn what_is_not_declared_is_refused() {
    #[track_caller]
    fn check<T>(result: Result<T, CacheError>, expect: &str) {
        assert_eq!(result.err().map(|error| error.to_string()).as_deref(), Some(expect));
    }
    // This index has the same name but another type of keys.
    const OTHER: Index<Album, u64> = Index::one("title", |_| None);
    let mut definition = CacheDefinition::new();
    definition.hold::<Album>();
    definition.index(&BY_TITLE);
    let writer = definition.build();
    let cache = writer.cache();
    check(
        cache.resource::<Artist>(&id::<Artist>("korn")),
        "the cache does not hold demo.v2.Artist: the controller neither manages nor watches it",
    );
    let no_index = |name| {
        format!("the cache has no index {name:?} of demo.v2.Album: declare it where the controller is made")
    };
    check(cache.get(&BY_ARTIST, &reference::<Artist>("korn")), &no_index("artist"));
    check(cache.get(&OTHER, &7), &no_index("title"));
    check(
        cache.query(&ALBUMS_OF_GENRE, &"pop".to_owned()),
        "the cache has no query \"albums_of_genre\": declare it where the controller is made",
    );
}

#[test]
fn mistakes_of_a_definition() {
    #[track_caller]
    fn check(define: impl FnOnce(&mut CacheDefinition), expect: &str) {
        let mut definition = CacheDefinition::new();
        define(&mut definition);
        let message = definition.check().expect_err("a mistake").to_string();
        assert_eq!(message, expect);
    }
    check(
        |definition| {
            definition.hold::<Album>();
            definition.index(&BY_TITLE);
            definition.index(&BY_TITLE);
        },
        "type demo.v2.Album has two indexes of the name \"title\"",
    );
    check(
        |definition| {
            definition.hold::<Album>();
            definition.index(&Index::<Album, String>::one("id", |_| None));
        },
        "type demo.v2.Album has two indexes of the name \"id\"",
    );
    check(
        |definition| definition.index(&BY_TITLE),
        "index \"title\" is of demo.v2.Album, which is neither managed nor watched",
    );
    check(
        |definition| {
            definition.query(&ALBUMS_OF_GENRE);
            definition.query(&ALBUMS_OF_GENRE);
        },
        "there are two queries of the name \"albums_of_genre\"",
    );
}

#[test]
fn a_snapshot_takes_the_place_of_everything() {
    let writer = definition().build();
    let cache = writer.cache();
    let state = |name, title, version| Arc::new(stored(resource(name, album(&[], title)), 1, version));
    for (name, version) in [("same", 1), ("changed", 2), ("gone", 3)] {
        writer.upsert(state(name, name, version)).expect("a type that is held");
    }
    let snapshot = vec![state("changed", "other", 7), state("new", "new", 8), state("same", "same", 1)];
    let replaced = writer.replace(Album::resource_type(), snapshot).expect("a type that is held");
    assert!(replaced.problems.is_empty());
    let changed: Vec<_> = replaced
        .changed
        .iter()
        .map(|(before, now)| (before.as_ref().and_then(|b| b.version.clone()), now.id.name.as_str()))
        .collect();
    assert_eq!(changed, [(Some(2.into()), "changed"), (None, "new")]);
    assert_eq!(replaced.gone.iter().map(|entry| entry.id.name.as_str()).collect::<Vec<_>>(), ["gone"]);
    check(
        cache.list(&by_id::<Album>(), &IdPrefix::of_type(Album::resource_type())),
        &["changed", "new", "same"],
    );
    check(cache.list(&BY_TITLE, &"other"), &["changed"]);
    check(cache.list(&BY_TITLE, &"gone"), &[]);
}
