use prost::Message as _;

use super::*;
use crate::{Generation, Id, Scope, StoredMessage};

fn resource() -> Resource {
    let korn =
        Id::new("demo.v2.Artist".parse().unwrap(), Scope::Cluster.default_tenancy(), "korn".parse().unwrap());
    let condition = Condition::new("up", ConditionState::False).resource(korn.clone());
    let status = Status::new(Generation::from_bits(1), [condition]);
    Resource { status: [("artists".parse().unwrap(), status)].into(), ..Resource::new(korn) }
}

#[test]
fn wrong_fields_are_named() {
    #[track_caller]
    fn check(change: impl FnOnce(&mut WireResource), expect: &str) {
        let mut invalid = WireResource::from_native(&resource());
        change(&mut invalid);
        let error = invalid.into_native().unwrap_err().to_string();
        assert_eq!(error.strip_prefix("failed to decode Protobuf message: "), Some(expect));
    }
    fn status(resource: &mut WireResource) -> &mut WireStatus {
        resource.status.get_mut("artists").unwrap()
    }
    check(|resource| resource.id = None, "`id`: it is missing");
    check(
        |resource| resource.generation = "x".to_owned(),
        "`generation`: \"x\" is not a generation: it is a ULID, 26 characters of 0-9 and A-Z without I, L, O and U, the first one at most 7",
    );
    check(
        |resource| _ = resource.metadata.insert("deletionTimestamp".to_owned(), "soon".to_owned()),
        "`metadata`: metadata \"deletionTimestamp\" is \"soon\", which is not a time of RFC 3339 such as 2026-01-31T12:00:00Z",
    );
    check(
        |resource| status(resource).observed_generation.clear(),
        "`status[\"artists\"].observed_generation`: \"\" is not a generation: it is a ULID, 26 characters of 0-9 and A-Z without I, L, O and U, the first one at most 7",
    );
    check(
        |resource| status(resource).conditions[0].resource = Some(WireReference::default()),
        "`status[\"artists\"].conditions[0].resource.type.group`: \"\" is not a group: it is written in snake_case, 2 characters or more: a-z, 0-9 and _, a letter first",
    );
}

#[test]
fn a_state_that_there_is_not_is_named() {
    let mut bytes =
        WireCondition { state: ConditionState::False, ..WireCondition::default() }.encode_to_vec();
    assert_eq!(bytes, [16, 2]);
    bytes[1] = 3;
    let error = WireCondition::decode(&bytes[..]).unwrap_err().to_string();
    assert!(
        error.contains(
            "`state`: 3 is not a value of converge.resource.ConditionState: 0 CONDITION_STATE_UNKNOWN"
        ),
        "{error}"
    );
}

/// A response of a program that requests a resource.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.test")]
struct Answer {
    #[stored(tag = 1)]
    resource: Option<Resource>,
    #[stored(tag = 2)]
    statuses: BTreeMap<String, Status>,
    #[stored(tag = 3)]
    conditions: Vec<Condition>,
    #[stored(tag = 4)]
    data: Option<Data>,
}

#[test]
fn a_resource_and_its_parts_can_be_fields() {
    let resource = resource();
    let status = resource.status.values().next().unwrap().clone();
    let answer = Answer {
        conditions: status.conditions.clone(),
        statuses: [("artists".to_owned(), status)].into(),
        data: Some(Data::new(&resource.id.resource_type, vec![1])),
        resource: Some(resource),
    };
    assert_eq!(Answer::decode(&answer.encode_to_vec()[..]).unwrap(), answer);
}
