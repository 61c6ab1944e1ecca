use super::*;
use crate::identity::{Generation, Uid};
use crate::resource::{Condition, ConditionState, Status, Version};

fn update(id: &Id, key: &str, conditions: impl IntoIterator<Item = Condition>) -> StatusUpdate {
    let status = Status::new(Generation::from_bits(1), conditions);
    StatusUpdate { id: id.clone(), version: None, key: key.parse().unwrap(), status }
}

fn up() -> Condition {
    Condition::new("up", ConditionState::True)
}

#[tokio::test(start_paused = true)]
async fn s1_s2_the_form_is_checked_with_its_path() {
    let f = fixture();
    let created = f.write(resource(ARTIST, "korn")).await;
    let check = async |update: StatusUpdate, expect: &str| {
        let error = f.client.write_status(update).await.unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::InvalidArgument, expect));
    };
    let nameless = update(&created.id, "c", [up(), Condition::new("", ConditionState::True)]);
    check(nameless, "status.conditions[1].type cannot be empty: it is what a condition is found by").await;
    let mut timed = update(&created.id, "c", []);
    timed.status.updated_at = Some(jiff::Timestamp::UNIX_EPOCH);
    check(timed, "status.updated_at is set by the service: leave it out").await;
    let expect = "the uid of demo.v1.Artist/default/default/korn is required, so that a later resource of that name is not affected";
    check(update(&id(ARTIST, "korn"), "c", []), expect).await;
}

#[tokio::test(start_paused = true)]
async fn s3_only_the_status_of_the_key_changes() {
    let f = fixture();
    let created = f.write(resource(ARTIST, "korn")).await;
    let first = f.client.write_status(update(&created.id, "one", [up()])).await.unwrap();
    let time = jiff::Timestamp::try_from(f.client.service().clock().now()).unwrap();
    assert_eq!(first.status.values().next().unwrap().updated_at, Some(time));
    tokio::time::advance(Duration::from_secs(1)).await;
    let second = f.client.write_status(update(&created.id, "two", [])).await.unwrap();
    assert_eq!(second.status.len(), 2);
    assert_eq!(second.status.get(&"one".parse().unwrap()), first.status.get(&"one".parse().unwrap()));
    assert_eq!((&second.data, second.generation), (&created.data, created.generation));
    assert!(second.version != first.version && first.version != created.version);
}

#[tokio::test(start_paused = true)]
async fn s4_with_a_version_it_is_tried_once() {
    let f = fixture();
    let created = f.write(resource(ARTIST, "korn")).await;
    let status_update =
        |version: &Option<Version>| StatusUpdate { version: version.clone(), ..update(&created.id, "c", []) };
    let updated = f.client.write_status(status_update(&created.version)).await.unwrap();
    let error = f.client.write_status(status_update(&created.version)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Aborted);
    f.client.write_status(status_update(&updated.version)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn s5_the_resource_has_to_be_there() {
    let f = fixture();
    let created = f.write(resource(ARTIST, "korn")).await;
    let check = async |id: Id, kind: ErrorKind, expect: &str| {
        let error = f.client.write_status(update(&id, "c", [])).await.unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(error.to_string().contains(expect), "{error}");
    };
    let uid = Uid::from_bits(1);
    check(id(ARTIST, "nobody").with_uid(uid), ErrorKind::NotFound, "there is no resource").await;
    let second_id = created.id.clone().with_uid(uid);
    check(second_id, ErrorKind::FailedPrecondition, "it is another resource of that name").await;
    let newer = id(NEW_ARTIST, "korn").with_uid(created.id.uid.unwrap());
    check(newer, ErrorKind::InvalidArgument, "is stored as demo.v1.Artist").await;
    let mut elsewhere = created.id.clone();
    elsewhere.tenancy = Tenancy::from_units("eu", "web").unwrap();
    check(elsewhere, ErrorKind::InvalidArgument, "partition \"eu\" does not exist").await;
}
