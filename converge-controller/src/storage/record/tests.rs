use proptest::prelude::*;

use super::*;
use crate::{Id, Scope, Uid};

fn id() -> Id {
    Id::new("demo.v2.Artist".parse().unwrap(), Scope::Namespace.default_tenancy(), "korn".parse().unwrap())
}

/// Numbers of fields are never used again: files have them.
#[test]
fn the_bytes_are_these() {
    let resource = Resource {
        version: Some("7".parse().unwrap()),
        ..Resource::new(id().without_uid().with_uid(Uid::from_bits(1)))
    };
    let mut expect = Vec::new();
    let mut put = |tag: u8, bytes: &[u8]| {
        expect.extend([tag << 3 | 2, u8::try_from(bytes.len()).unwrap()]);
        expect.extend(bytes);
    };
    let identity = [
        &b"\x0a\x12\x0a\x04demo\x12\x02v2\x1a\x06Artist"[..],
        b"\x12\x12\x0a\x07default\x12\x07default",
        b"\x1a\x04korn",
        b"\x22\x1a00000000000000000000000001",
    ];
    put(1, &identity.concat());
    put(3, b"7");
    assert_eq!(encode(&resource), expect);
    assert_eq!(decode(&expect).unwrap(), resource);
}

#[test]
fn finalizers_that_are_said_to_be_none_stay_so() {
    let notes = std::collections::BTreeMap::from([("finalizers".to_owned(), String::new())]);
    let resource = Resource { metadata: notes.try_into().unwrap(), ..Resource::new(id()) };
    assert!(decode(&encode(&resource)).unwrap().metadata.says_finalizers());
}

#[test]
fn wrong_fields_are_named() {
    #[track_caller]
    fn check(change: impl FnOnce(&mut message::Resource), expect: &str) {
        let mut wrong = message::Resource::from(&Resource::new(id()));
        change(&mut wrong);
        assert_eq!(decode(&wrong.encode_to_vec()).unwrap_err().to_string(), expect);
    }
    check(|resource| resource.id = None, "id: it is missing");
    check(|resource| resource.id.as_mut().unwrap().r#type = None, "id.type: it is missing");
    check(
        |resource| resource.generation = "x".to_owned(),
        "generation: \"x\" is not a generation: it is a ULID, 26 characters of 0-9 and A-Z without I, L, O and U, the first one at most 7",
    );
    let state = message::Condition { state: 3, ..message::Condition::default() };
    let generation = "01ARZ3NDEKTSV4RRFFQ69G5FAV".to_owned();
    let status =
        message::Status { observed_generation: generation, conditions: vec![state], updated_at: None };
    check(
        |resource| _ = resource.status.insert("key".to_owned(), status),
        "condition.state: there is no state 3",
    );
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
