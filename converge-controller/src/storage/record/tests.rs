use proptest::prelude::*;

use super::*;
use crate::{Condition, ConditionState, Data, Generation, Id, Reference, Scope, Status, Uid};

fn id() -> Id {
    Id::new("demo.v2.Artist".parse().unwrap(), Scope::Namespace.default_tenancy(), "korn".parse().unwrap())
}

/// Tests that the encoding is unchanged: field numbers are never reused, because files contain them.
#[test]
fn the_bytes_are_these() {
    let resource = Resource {
        version: Some("7".parse().unwrap()),
        ..Resource::new(id().without_uid().with_uid(Uid::from_bits(1)))
    };
    let mut expect = Vec::new();
    let mut append = |tag: u8, bytes: &[u8]| {
        expect.extend([tag << 3 | 2, u8::try_from(bytes.len()).unwrap()]);
        expect.extend(bytes);
    };
    let identity = [
        &b"\x0a\x12\x0a\x04demo\x12\x02v2\x1a\x06Artist"[..],
        b"\x12\x12\x0a\x07default\x12\x07default",
        b"\x1a\x04korn",
        b"\x22\x1a00000000000000000000000001",
    ];
    append(1, &identity.concat());
    append(3, b"7");
    assert_eq!(encode(&resource), expect);
    assert_eq!(decode(&expect).unwrap(), resource);
}

#[test]
fn finalizers_that_are_said_to_be_none_stay_so() {
    let notes = std::collections::BTreeMap::from([("finalizers".to_owned(), String::new())]);
    let resource = Resource { metadata: notes.try_into().unwrap(), ..Resource::new(id()) };
    assert!(decode(&encode(&resource)).unwrap().metadata.says_finalizers());
}

proptest! {
    #[test]
    fn whatever_the_bytes_are_nothing_panics(bytes: Vec<u8>) {
        let _ = decode(&bytes);
    }

    #[test]
    fn notes_and_data_come_back(
        notes in proptest::collection::btree_map("[a-z]{0,8}", ".{0,40}", 0..4),
        type_url in ".{0,40}",
        value: Vec<u8>,
    ) {
        let data = crate::Data { type_url, value: value.into() };
        let resource = Resource { metadata: notes.try_into().unwrap(), data: Some(data), ..Resource::new(id()) };
        prop_assert_eq!(decode(&encode(&resource)).unwrap(), resource);
    }
}

/// Returns a resource with a value in every field, and identities without tenancy.
fn full() -> Resource {
    let label = "demo.v2.Label".parse().unwrap();
    let owner = Id::new(label, Scope::Cluster.default_tenancy(), "a".parse().unwrap());
    let reference = Reference { section: "b".to_owned(), ..owner.clone().into() };
    let condition = |state| Condition::new("up", state).reason("r").message("m").resource(reference.clone());
    let generation = Generation::from_bits(2);
    let all_states = [ConditionState::True, ConditionState::False, ConditionState::Unknown];
    let time = jiff::Timestamp::new(3, 4).unwrap();
    let status = Status { updated_at: Some(time), ..Status::new(generation, all_states.map(condition)) };
    let mut resource = Resource {
        owner: Some(owner.with_uid(Uid::from_bits(3))),
        generation: Some(generation),
        status: [("key".parse().unwrap(), status)].into(),
        data: Some(Data { type_url: "u".to_owned(), value: vec![0, 255].into() }),
        ..Resource::new(id())
    };
    resource.metadata.set("team", "web").unwrap();
    resource.metadata.add_finalizer("f".parse().unwrap());
    resource
}

#[test]
fn every_field_is_as_the_first_build_wrote_it() {
    use base64::Engine as _;

    let bytes = base64::engine::general_purpose::STANDARD.encode(encode(&full()));
    let expect = [
        "Ci4KEgoEZGVtbxICdjIaBkFydGlzdBISCgdkZWZhdWx0EgdkZWZhdWx0GgRrb3JuEjQKEQoEZGVtbxICdjIaBUxhYmVsEgAa",
        "AWEiGjAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAzIhowMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMioPCgpmaW5hbGl6ZXJz",
        "EgFmKgsKBHRlYW0SA3dlYjKpAQoDa2V5EqEBChowMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMhIpCgJ1cBABGgFyIgFtKhsK",
        "EQoEZGVtbxICdjIaBUxhYmVsEgAaAWEiAWISKQoCdXAQAhoBciIBbSobChEKBGRlbW8SAnYyGgVMYWJlbBIAGgFhIgFiEicK",
        "AnVwGgFyIgFtKhsKEQoEZGVtbxICdjIaBUxhYmVsEgAaAWEiAWIaBAgDEAQ6BwoBdRICAP8=",
    ];
    assert_eq!(bytes, expect.concat());
    assert_eq!(decode(&encode(&full())).unwrap(), full());
}

#[cfg(feature = "redb")]
#[test]
fn a_version_is_put_into_bytes_where_it_belongs() {
    for resource in [full(), Resource::new(id())] {
        let version: Version = "17".parse().unwrap();
        let bytes =
            Unversioned::encode(&Resource { version: Some("3".parse().unwrap()), ..resource.clone() });
        let mut together = vec![1];
        bytes.with(&VersionBytes::encode(&version), &mut together);
        assert_eq!(together, encode(&Resource { version: Some(version), ..resource.clone() }));
        assert_eq!(bytes.into_bytes(), encode(&resource));
    }
}

#[cfg(feature = "redb")]
#[test]
fn the_head_is_that_of_the_resource() {
    let versioned = Resource { version: Some("17".parse().unwrap()), ..full() };
    for resource in [full(), versioned, Resource::new(id()), Resource::new(id().with_uid(Uid::from_bits(4)))]
    {
        let owner = resource.owner.as_ref().and_then(|owner| owner.uid);
        let head = Head { uid: resource.id.uid, owner, version: resource.version.clone() };
        assert_eq!(decode_head(&encode(&resource)).unwrap(), head);
    }
}
