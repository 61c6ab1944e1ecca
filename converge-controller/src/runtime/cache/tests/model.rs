//! Tests of the cache against a model: a map that is searched completely.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Put(String, Vec<String>),
    Remove(String),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => ("[ab]{1,3}", prop::collection::vec("[ab]{1,2}", 0..3)).prop_map(|(name, keys)| Step::Put(name, keys)),
        1 => "[ab]{1,3}".prop_map(Step::Remove),
    ];
    prop::collection::vec(step, 0..40)
}

proptest! {
    #[test]
    fn every_lookup_finds_what_a_search_does(steps in steps(), ask in "[ab]{1,3}") {
        let writer = definition().build();
        let cache = writer.cache();
        let mut model: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Put(name, keys) => {
                    let artists: Vec<&str> = keys.iter().map(String::as_str).collect();
                    put(&writer, resource(&name, album(&artists, "")));
                    let albums_from = keys.first().cloned().unwrap_or_default();
                    put(&writer, resource(&name, Playlist { albums_from, ..Playlist::default() }));
                    model.insert(name, keys);
                }
                Step::Remove(name) => {
                    let before = writer.remove(&resource(&name, Album::default())).expect("albums");
                    writer.remove(&resource(&name, Playlist::default())).expect("playlists");
                    prop_assert_eq!(before.is_some(), model.remove(&name).is_some());
                }
            }
        }

        let listed = cache.list(&BY_ARTIST, &reference::<Artist>(&ask)).expect("an answer");
        let listed: Vec<String> = listed.iter().map(|album| album.resource.id.name.to_string()).collect();
        let expect: Vec<String> =
            model.iter().filter(|(_, keys)| keys.contains(&ask)).map(|(name, _)| name.clone()).collect();
        prop_assert_eq!(listed, expect);

        let parents = cache.parents(&BY_SELECTION, &id::<Album>(&ask)).expect("an answer");
        let parents: Vec<String> = parents.iter().map(|list| list.resource.id.name.to_string()).collect();
        let mut expect: Vec<(usize, String)> = model
            .iter()
            .map(|(name, keys)| (keys.first().cloned().unwrap_or_default(), name.clone()))
            .filter(|(prefix, _)| ask.starts_with(prefix))
            .map(|(prefix, name)| (prefix.len(), name))
            .collect();
        expect.sort();
        let expect: Vec<String> = expect.into_iter().map(|(_, name)| name).collect();
        prop_assert_eq!(parents, expect);
    }
}
