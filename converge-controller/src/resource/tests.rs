use std::collections::BTreeMap;

use super::*;
use crate::identity::Reference;

fn metadata(entries: &[(&str, &str)]) -> Result<Metadata, MetadataError> {
    let entries = entries.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned()));
    Metadata::try_from(entries.collect::<BTreeMap<_, _>>())
}

#[test]
fn metadata_is_parsed_and_written_in_one_form() {
    #[track_caller]
    fn check(entries: &[(&str, &str)], expect: &[(&str, &str)]) {
        let map: BTreeMap<String, String> = metadata(entries).unwrap().into();
        let map: Vec<_> = map.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
        assert_eq!(map, expect);
    }
    check(&[], &[]);
    check(&[("b", "2"), ("a", "1")], &[("a", "1"), ("b", "2")]);
    check(&[("finalizers", " z  a\ta ")], &[("finalizers", "a z")]);
    // An empty set of finalizers is given, which clears the stored ones.
    check(&[("finalizers", "")], &[("finalizers", "")]);
    check(
        &[("deletionTimestamp", "2026-01-31T13:00:00+01:00")],
        &[("deletionTimestamp", "2026-01-31T12:00:00Z")],
    );
}

#[test]
fn a_mark_that_is_no_time_is_refused() {
    assert_eq!(
        metadata(&[("deletionTimestamp", "soon")]).unwrap_err().to_string(),
        "metadata \"deletionTimestamp\" is \"soon\", which is not a time of RFC 3339 such as 2026-01-31T12:00:00Z"
    );
}

#[test]
fn the_keys_of_the_service_are_not_for_notes() {
    for key in [Metadata::FINALIZERS, Metadata::DELETION_TIMESTAMP] {
        let error = Metadata::default().set(key, "x").unwrap_err();
        assert_eq!(error, MetadataError::Reserved { key: key.to_owned() });
    }
}

#[test]
fn no_finalizers_are_the_same_as_an_empty_set() {
    let cleared = metadata(&[("finalizers", "")]).unwrap();
    assert_eq!(cleared, Metadata::default());
    assert!(cleared.says_finalizers() && !cleared.is_empty());
}

#[test]
fn finalizers_come_and_go() {
    let (a, b): (Finalizer, Finalizer) = ("a".parse().unwrap(), "b".parse().unwrap());
    let mut metadata = Metadata::default();
    assert!(!metadata.remove_finalizer(&a));
    assert!(metadata.add_finalizer(b.clone()) && metadata.add_finalizer(a.clone()));
    assert!(!metadata.add_finalizer(a.clone()));
    assert_eq!(metadata.finalizers().collect::<Vec<_>>(), [&a, &b]);
    assert!(metadata.has_finalizer(&a) && metadata.has_finalizers());
    assert!(metadata.remove_finalizer(&a) && metadata.remove_finalizer(&b));
    assert!(!metadata.has_finalizers());
}

#[test]
fn statuses_are_compared_without_their_time() {
    let generation = Generation::from_bits(1);
    let (up, down) =
        (Condition::new("up", ConditionState::True), Condition::new("down", ConditionState::False));
    let status = Status::new(generation, [up.clone(), down.clone()]);
    let later = Status { updated_at: Some(jiff::Timestamp::UNIX_EPOCH), ..status.clone() };
    assert!(status.says_the_same_as(&later) && status != later);
    assert!(!status.says_the_same_as(&Status::new(Generation::from_bits(2), [up.clone(), down.clone()])));
    // The order of conditions matters.
    assert!(!status.says_the_same_as(&Status::new(generation, [down.clone(), up.clone()])));

    // Every part of a condition is compared, including the parts of its reference.
    let korn: Reference = serde_json::from_str(
        r#"{"type":{"group":"demo","group_version":"v2","kind":"Artist"},"tenancy":{"partition":"eu","namespace":"web"},"name":"korn","section":"a"}"#,
    )
    .unwrap();
    let condition_about = |resource: Reference| Condition { resource: Some(resource), ..up.clone() };
    let status = Status::new(generation, [condition_about(korn.clone())]);
    let other_type = Reference { resource_type: "demo.v1.Artist".parse().unwrap(), ..korn.clone() };
    let elsewhere = Reference { tenancy: crate::Tenancy::Cluster, ..korn.clone() };
    let namesake = Reference { name: "tool".parse().unwrap(), ..korn.clone() };
    let other_part = Reference { section: "b".to_owned(), ..korn.clone() };
    let condition = condition_about(korn);
    let others = [
        vec![],
        vec![condition.clone(), condition.clone()],
        vec![up.clone()],
        vec![down],
        vec![Condition { condition_type: "other".into(), ..condition.clone() }],
        vec![Condition { state: ConditionState::Unknown, ..condition.clone() }],
        vec![condition.clone().reason("other")],
        vec![condition.clone().message("other")],
        vec![condition_about(other_type)],
        vec![condition_about(elsewhere)],
        vec![condition_about(namesake)],
        vec![condition_about(other_part)],
    ];
    for conditions in others {
        let other_status = Status::new(generation, conditions);
        assert!(
            !status.says_the_same_as(&other_status) && !other_status.says_the_same_as(&status),
            "{other_status:?}"
        );
    }
    assert!(status.says_the_same_as(&Status::new(generation, [condition])));
}

#[test]
fn a_resource_is_read_as_it_was_written() {
    let id = r#"{"type":{"group":"demo","group_version":"v2","kind":"Artist"},"tenancy":{},"name":"korn"}"#;
    let json = format!(
        r#"{{"id":{id},"owner":{id},"version":"3","generation":"01ARZ3NDEKTSV4RRFFQ69G5FAV","metadata":{{"a":"b"}},"status":{{"key":{{"observed_generation":"01ARZ3NDEKTSV4RRFFQ69G5FAV","conditions":[{{"type":"up","state":"true","resource":{id}}}],"updated_at":"2026-01-31T12:00:00Z"}}}},"data":{{"type_url":"type.googleapis.com/converge.demo.v2.Artist","value":"AAE="}}}}"#
    );
    let resource: Resource = serde_json::from_str(&json).unwrap();
    assert_eq!(&resource.data.as_ref().unwrap().value[..], [0, 1]);
    assert_eq!(serde_json::to_string(&resource).unwrap(), json);
}
