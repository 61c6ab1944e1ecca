//! Properties that hold for every album, and for arbitrary bytes.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage};

use super::*;
use crate::protobuf::{Declaration, Files};
use crate::{Name, Partition};

fn genre() -> impl Strategy<Value = Genre> {
    prop_oneof![Just(Genre::Metal), Just(Genre::Unspecified), Just(Genre::JazzRock)]
}

fn track() -> impl Strategy<Value = Track> {
    let leaf = ".{0,4}".prop_map(|name| Track { name, ..Track::default() });
    leaf.prop_recursive(3, 8, 2, |inner| {
        (".{0,4}", vec(inner.clone(), 0..3), option::of(inner.prop_map(Box::new)))
            .prop_map(|(name, parts, refrain)| Track { name, parts, refrain })
    })
}

fn name() -> impl Strategy<Value = Name> {
    "[a-z][a-z0-9-]{0,5}[a-z]".prop_map(|name| name.parse().unwrap())
}

fn tenancy() -> impl Strategy<Value = Tenancy> {
    let partition = || "[a-z]{1,3}".prop_map(|name| name.parse::<Partition>().unwrap());
    prop_oneof![
        Just(Tenancy::Cluster),
        partition().prop_map(Tenancy::Partition),
        (partition(), "[a-z]{1,3}")
            .prop_map(|(partition, namespace)| Tenancy::Namespace(partition, namespace.parse().unwrap())),
    ]
}

fn resource_type() -> impl Strategy<Value = Type> {
    "[a-z]{2,4}\\.v[1-9]\\.[A-Z][a-z]{1,4}".prop_map(|text| text.parse().unwrap())
}

fn label() -> impl Strategy<Value = Ref<Label>> {
    (tenancy(), name(), ".{0,3}")
        .prop_map(|(tenancy, name, section)| Ref::new(tenancy, name).with_section(section))
}

fn id() -> impl Strategy<Value = Id> {
    (resource_type(), tenancy(), name(), any::<bool>()).prop_map(|(resource_type, tenancy, name, stored)| {
        let id = Id::new(resource_type, tenancy, name);
        if stored { id.with_uid("01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap()) } else { id }
    })
}

fn length() -> impl Strategy<Value = Duration> {
    (0..=i64::MAX.unsigned_abs(), 0..1_000_000_000_u32)
        .prop_map(|(seconds, nanos)| Duration::new(seconds, nanos))
}

fn time() -> impl Strategy<Value = Timestamp> {
    (-377_705_023_201..=253_402_207_200_i64, 0..1_000_000_000_i32)
        .prop_filter_map("a time", |(seconds, nanos)| Timestamp::new(seconds, nanos).ok())
}

prop_compose! {
    fn singles()(
        sold in any::<bool>(),
        (int32, int64, uint32, uint64) in any::<(i32, i64, u32, u64)>(),
        // NaN is excluded because it does not equal itself.
        (float, double) in (prop::num::f32::ANY, prop::num::f64::ANY)
            .prop_filter("no NaN", |(float, double)| !float.is_nan() && !double.is_nan()),
        (text, r#type) in any::<(String, String)>(),
        (bytes, shared_bytes) in any::<(Vec<u8>, Vec<u8>)>(),
        genre in genre(),
        track in track(),
        length in length(),
        released in time(),
        tenancy in option::of(tenancy()),
    ) -> Album {
        Album {
            sold, int32, int64, uint32, uint64, float, double, text, bytes, shared_bytes: shared_bytes.into(), genre,
            track, length, released, tenancy, r#type, ..Album::default()
        }
    }
}

fn source() -> impl Strategy<Value = Source> {
    prop_oneof![
        any::<Vec<u8>>().prop_map(Source::Raw),
        track().prop_map(Source::Whole),
        label().prop_map(Source::Shop),
        any::<u32>().prop_map(Source::Seconds),
        genre().prop_map(Source::Mood),
    ]
}

prop_compose! {
    fn options()(
        (maybe_number, maybe_text) in any::<(Option<u64>, Option<String>)>(),
        maybe_genre in option::of(genre()),
        maybe_track in option::of(track()),
        maybe_length in option::of(length()),
        label in option::of(label()),
        qux in option::of(id()),
        reference in option::of(id()),
        resource_type in option::of(resource_type()),
        source in option::of(source()),
        after in any::<Option<u32>>(),
    ) -> Album {
        Album {
            maybe_number, maybe_text, maybe_genre, maybe_track, maybe_length, label, qux,
            reference: reference.map(Into::into), resource_type, source, after, ..Album::default()
        }
    }
}

prop_compose! {
    fn many()(
        (numbers, texts, blobs) in any::<(Vec<i32>, Vec<String>, Vec<Vec<u8>>)>(),
        doubles in vec(prop::num::f64::NORMAL, 0..4),
        genres in vec(genre(), 0..4),
        tracks in vec(track(), 0..4),
        labels in vec(label(), 0..4),
        times in vec(time(), 0..4),
        track_lengths in btree_map(".{0,4}", any::<u32>(), 0..4),
        by_number in btree_map(any::<i64>(), track(), 0..4),
        by_truth in btree_map(any::<bool>(), genre(), 0..3),
        ids in btree_map(any::<u32>(), id(), 0..3),
        owners in btree_map(".{0,4}", label(), 0..3),
    ) -> Album {
        Album {
            numbers, doubles, texts, blobs, genres, tracks, labels, times, track_lengths, by_number, by_truth, ids,
            owners, ..Album::default()
        }
    }
}

prop_compose! {
    fn encoded()(
        (sint32, sint64, fixed32, sfixed64) in any::<(i32, Option<i64>, u32, i64)>(),
        (fixed64, sfixed32) in any::<(Vec<u64>, Vec<i32>)>(),
        by_sint in btree_map(any::<i64>(), any::<i32>(), 0..3),
        by_fixed in btree_map(any::<u32>(), ".{0,4}", 0..3),
    ) -> Album {
        Album {
            sint32: Sint(sint32),
            sint64: sint64.map(Sint),
            fixed32: Fixed(fixed32),
            fixed64: fixed64.into_iter().map(Fixed).collect(),
            sfixed32: sfixed32.into_iter().map(Fixed).collect(),
            sfixed64: Fixed(sfixed64),
            by_sint: by_sint.into_iter().map(|(key, value)| (Sint(key), Sint(value))).collect(),
            by_fixed: by_fixed.into_iter().map(|(key, value)| (Fixed(key), value)).collect(),
            ..Album::default()
        }
    }
}

fn album() -> impl Strategy<Value = Album> {
    prop_oneof![singles(), options(), many(), encoded()]
}

fn pool() -> DescriptorPool {
    let files = Files::from_types([Declaration::for_message::<Album>()]).unwrap();
    DescriptorPool::decode(files.descriptor_set().as_slice()).unwrap()
}

proptest! {
    #[test]
    fn what_is_written_is_read(album in album()) {
        let bytes = album.encode_to_vec();
        prop_assert_eq!(bytes.len(), album.encoded_len());
        prop_assert_eq!(Album::decode(bytes.as_slice()).unwrap(), album);
    }

    #[test]
    fn others_read_what_is_written_and_write_what_is_read(album in album()) {
        let descriptor = pool().get_message_by_name("converge.demo.v2.Album").unwrap();
        let dynamic = DynamicMessage::decode(descriptor, album.encode_to_vec().as_slice()).unwrap();
        prop_assert_eq!(dynamic.unknown_fields().count(), 0);
        // These are the fields as another implementation decodes them.
        let field = |name: &str| dynamic.get_field_by_name(name).unwrap().into_owned();
        prop_assert!(field("text").as_str() == Some(&album.text));
        prop_assert_eq!(field("uint64").as_u64().unwrap(), album.uint64);
        prop_assert_eq!(field("genre").as_enum_number().unwrap(), album.genre.number());
        prop_assert_eq!(field("double").as_f64().unwrap().to_bits(), album.double.to_bits());
        prop_assert_eq!(dynamic.has_field_by_name("maybe_number"), album.maybe_number.is_some());
        prop_assert_eq!(field("tracks").as_list().unwrap().len(), album.tracks.len());
        prop_assert_eq!(field("sint32").as_i32().unwrap(), album.sint32.0);
        prop_assert_eq!(field("sfixed64").as_i64().unwrap(), album.sfixed64.0);
        prop_assert_eq!(field("fixed64").as_list().unwrap().len(), album.fixed64.len());
        prop_assert_eq!(field("by_sint").as_map().unwrap().len(), album.by_sint.len());
        prop_assert_eq!(field("by_number").as_map().unwrap().len(), album.by_number.len());
        let presence: Vec<_> = ["raw", "whole", "in_store", "seconds", "mood"]
            .into_iter()
            .filter(|name| dynamic.has_field_by_name(name))
            .collect();
        let expect = album.source.as_ref().map(|source| match source {
            Source::Raw(_) => "raw",
            Source::Whole(_) => "whole",
            Source::Shop(_) => "in_store",
            Source::Seconds(_) => "seconds",
            Source::Mood(_) => "mood",
        });
        prop_assert_eq!(presence, Vec::from_iter(expect));
        prop_assert_eq!(Album::decode(dynamic.encode_to_vec().as_slice()).unwrap(), album);
    }

    #[test]
    fn no_bytes_do_harm(mut bytes in vec(any::<u8>(), 0..64), album in album(), at in any::<prop::sample::Index>()) {
        let _ = Album::decode(bytes.as_slice());
        // Almost valid bytes get further in the decoder.
        let mut nearly = album.encode_to_vec();
        if !nearly.is_empty() {
            let index = at.index(nearly.len());
            nearly.splice(index..index, bytes.drain(..bytes.len().min(2)));
            if let Ok(read) = Album::decode(nearly.as_slice()) {
                let second_bytes = read.encode_to_vec();
                // Bytes are compared instead of values, as NaN does not equal itself.
                prop_assert_eq!(Album::decode(second_bytes.as_slice()).unwrap().encode_to_vec(), second_bytes);
            }
        }
    }
}
