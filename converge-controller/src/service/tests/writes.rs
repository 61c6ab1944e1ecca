use super::*;
use crate::identity::Uid;
use crate::resource::{Status, StatusKey, Version};

const INVALID: ErrorKind = ErrorKind::InvalidArgument;

#[tokio::test(start_paused = true)]
async fn w1_a_creation_has_a_uid_and_nothing_of_the_service() {
    let f = fixture();
    let created = f.write(resource(ARTIST, "korn")).await;
    let uid = created.id.uid.expect("a uid");
    assert_eq!(uid.created(), f.client.service().clock().now());
    assert!(created.version.is_some() && created.generation.is_some());
    assert_eq!(created.id.to_string(), "demo.v1.Artist/default/default/korn");

    let generation = created.generation.unwrap();
    let key: StatusKey = "c".parse().unwrap();
    let mut input = resource(ARTIST, "tool");
    input.status.insert(key, Status::new(generation, []));
    let expect = "the status of demo.v1.Artist/default/default/tool can only be set by write_status: leave it out, or give it back as it was read";
    f.refused(input, INVALID, expect).await;

    let mut input = resource(ARTIST, "tool");
    input.metadata.set_deletion_timestamp(Some(jiff::Timestamp::UNIX_EPOCH));
    let expect =
        "demo.v1.Artist/default/default/tool cannot be created with a deletionTimestamp: leave it out";
    f.refused(input, INVALID, expect).await;

    let input = Resource { version: Some(Version::from(7)), ..resource(ARTIST, "tool") };
    let expect = "CAS operation failed: demo.v1.Artist/default/default/tool was changed by somebody else; read it again, \
                  and write it again";
    f.refused(input, ErrorKind::Aborted, expect).await;
}

#[tokio::test(start_paused = true)]
async fn a_late_writer_does_not_resurrect_the_dead() {
    let f = fixture();
    let created = f.write(resource(ARTIST, "korn")).await;
    f.client.delete(&created.id, None).await.unwrap();
    let late = Resource { version: None, ..Resource::clone(&created) };
    let expect = format!(
        "demo.v1.Artist/default/default/korn with uid {} is gone: leave out the uid to create another one of that name",
        created.id.uid.unwrap()
    );
    f.refused(late, ErrorKind::FailedPrecondition, &expect).await;
}

#[tokio::test(start_paused = true)]
async fn w2_an_owner_has_to_be_there() {
    let f = fixture();
    let owner = f.write(resource(ARTIST, "korn")).await;
    let owned_by = |owner: Id, name| Resource { owner: Some(owner), ..resource(ARTIST, name) };

    // The owner has no uid and no tenancy; the tenancy defaults to that of the child.
    let child = f.write(owned_by(id(ARTIST, "korn"), "child")).await;
    assert_eq!(child.owner.as_ref(), Some(&owner.id));
    let second = f.write(owned_by(owner.id.clone(), "other")).await;
    assert_eq!(second.owner.as_ref(), Some(&owner.id));

    let missing = "resource.owner demo.v1.Artist/default/default/nobody: does not exist: create it first, or leave its uid out if it was created again";
    f.refused(owned_by(id(ARTIST, "nobody"), "x"), INVALID, missing).await;
    let invalid = owner.id.clone().with_uid(Uid::from_bits(1));
    let missing = "resource.owner demo.v1.Artist/default/default/korn: does not exist: create it first, or leave its uid out if it was created again";
    f.refused(owned_by(invalid, "x"), INVALID, missing).await;
    let itself = "resource.owner demo.v1.Artist/default/default/x: a resource cannot own itself";
    f.refused(owned_by(id(ARTIST, "x"), "x"), INVALID, itself).await;
    let unknown =
        "resource type demo.v9.Artist not registered: ask for it as demo.v1.Artist or demo.v2.Artist";
    f.refused(owned_by(id("demo.v9.Artist", "x"), "y"), INVALID, unknown).await;
}

#[tokio::test(start_paused = true)]
async fn an_owner_has_the_tenancy_of_what_it_owns_or_a_wider_one() {
    let f = fixture();
    for (resource_type, name) in [(ARTIST, "korn"), (NODE, "n1"), (REGION, "eu")] {
        f.write(resource(resource_type, name)).await;
    }
    let owned_by = |child, owner: &str| Resource {
        owner: Some(id(
            owner,
            if owner == ARTIST {
                "korn"
            } else if owner == NODE {
                "n1"
            } else {
                "eu"
            },
        )),
        ..resource(child, "c")
    };
    for (child, owner) in [(ARTIST, NODE), (ARTIST, REGION), (NODE, REGION)] {
        let child_in_store = f.write(owned_by(child, owner)).await;
        f.client.delete(&child_in_store.id, None).await.unwrap();
    }
    let narrow = "an owner has the tenancy of what it owns, or a wider one";
    let artist = format!("resource.owner demo.v1.Artist/default/default/korn: {narrow}");
    f.refused(owned_by(NODE, ARTIST), INVALID, &artist).await;
    f.refused(owned_by(REGION, ARTIST), INVALID, &artist).await;
    f.refused(owned_by(REGION, NODE), INVALID, &format!("resource.owner demo.v1.Node/default/n1: {narrow}"))
        .await;
}

#[tokio::test(start_paused = true)]
async fn w3_an_update_may_leave_the_uid_out() {
    let f = fixture();
    let created = f.write(resource(ARTIST, "korn")).await;
    let updated = f.write(with_word(resource(ARTIST, "korn"), "again")).await;
    assert_eq!(updated.id, created.id);
    assert_eq!(word(&updated), "again");
}

#[tokio::test(start_paused = true)]
async fn w4_without_a_version_a_write_is_tried_again() {
    let f = fixture();
    f.write(resource(ARTIST, "korn")).await;
    // No write is lost, whatever their order is.
    let writes: Vec<_> = (0..4)
        .map(|n| {
            let client = f.client.clone();
            tokio::spawn(
                async move { client.write(with_word(resource(ARTIST, "korn"), &n.to_string())).await },
            )
        })
        .collect();
    for write in writes {
        write.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn w5_with_a_version_a_write_is_tried_once() {
    let f = fixture();
    let created = f.write(resource(ARTIST, "korn")).await;
    let stale = Resource::clone(&created);
    let updated = f.write(with_word(stale.clone(), "mine")).await;
    assert_ne!(updated.version, created.version);
    let expect = "CAS operation failed: demo.v1.Artist/default/default/korn was changed by somebody else; read it again, \
                  and write it again";
    f.refused(with_word(stale, "late"), ErrorKind::Aborted, expect).await;
}

#[tokio::test(start_paused = true)]
async fn w6_a_wrong_uid_is_told_with_the_right_one() {
    let f = fixture();
    let created = f.write(resource(ARTIST, "korn")).await;
    let mut input = resource(ARTIST, "korn");
    input.id.uid = Some(Uid::from_bits(1));
    let expect = format!(
        "demo.v1.Artist/default/default/korn has uid {}, not 00000000000000000000000001: it is another resource of that name",
        created.id.uid.unwrap()
    );
    f.refused(input, ErrorKind::FailedPrecondition, &expect).await;
}

#[tokio::test(start_paused = true)]
async fn w7_an_owner_stays() {
    let f = fixture();
    f.write(resource(ARTIST, "korn")).await;
    f.write(resource(ARTIST, "tool")).await;
    let owned = |name: &str, owner: Option<&str>| Resource {
        owner: owner.map(|owner| id(ARTIST, owner)),
        ..resource(ARTIST, name)
    };
    f.write(owned("free", None)).await;
    let first = f.write(owned("child", Some("korn"))).await;
    // The same file is applied again; its owner has no uid.
    let second_write = f.write(owned("child", Some("korn"))).await;
    assert_eq!(second_write.owner, first.owner);

    let changed = |owner: &str| {
        format!(
            "resource.owner {owner}: the owner cannot be changed: delete the resource, and create it with the other one"
        )
    };
    let name_of = |name| format!("demo.v1.Artist/default/default/{name}");
    f.refused(owned("free", Some("korn")), INVALID, &changed(&name_of("korn"))).await;
    f.refused(owned("child", Some("tool")), INVALID, &changed(&name_of("tool"))).await;
    f.refused(owned("child", None), INVALID, &changed("is absent")).await;
    let mut other_uid = owned("child", Some("korn"));
    other_uid.owner.as_mut().unwrap().uid = Some(Uid::from_bits(1));
    f.refused(other_uid, INVALID, &changed(&name_of("korn"))).await;
}

#[tokio::test(start_paused = true)]
async fn w8_a_write_leaves_statuses_alone() {
    let f = fixture();
    let created = f.write(resource(ARTIST, "korn")).await;
    let key: StatusKey = "c".parse().unwrap();
    let status = Status::new(created.generation.unwrap(), []);
    let update = StatusUpdate { id: created.id.clone(), version: None, key: key.clone(), status };
    let reported = f.client.write_status(update).await.unwrap();

    // The finalizers are absent, which keeps the stored ones.
    let absent = f.write(with_word(resource(ARTIST, "korn"), "absent")).await;
    assert_eq!(absent.status, reported.status);
    let without_version = Resource { version: None, ..Resource::clone(&absent) };
    assert_eq!(f.write(without_version.clone()).await.status, reported.status);

    let mut without_time = without_version;
    without_time.status.get_mut(&key).unwrap().updated_at = None;
    let expect = "the status of demo.v1.Artist/default/default/korn can only be set by write_status: leave it out, or give it back as it was read";
    f.refused(without_time, INVALID, expect).await;
}

#[tokio::test(start_paused = true)]
async fn w9_every_write_makes_a_generation() {
    let f = fixture();
    let first = f.write(resource(ARTIST, "korn")).await;
    let second = f.write(resource(ARTIST, "korn")).await;
    assert_ne!(first.generation, second.generation);
    assert_ne!(first.version, second.version);
}

#[tokio::test(start_paused = true)]
async fn w10_the_version_of_a_group_may_change_either_way() {
    let f = fixture();
    let old = f.write(resource(ARTIST, "korn")).await;
    let new = f.write(resource(NEW_ARTIST, "korn")).await;
    assert_eq!((new.id.uid, new.id.resource_type.to_string().as_str()), (old.id.uid, NEW_ARTIST));
    let read = f.client.read(&id(ARTIST, "korn"), Consistency::Strong).await.unwrap_err();
    assert_eq!(
        (read.kind(), read.to_string().as_str()),
        (
            INVALID,
            "demo.v2.Artist/default/default/korn was asked for as demo.v1.Artist, and is stored as demo.v2.Artist: ask for that"
        )
    );
    assert_eq!(f.write(resource(ARTIST, "korn")).await.id, old.id);
}

#[tokio::test(start_paused = true)]
async fn w11_notes_are_replaced_and_finalizers_stay_unless_they_are_given() {
    let f = fixture();
    let noted = |key: &str| {
        let mut input = resource(ARTIST, "korn");
        input.metadata.set(key, "x").unwrap();
        input
    };
    f.write(with_finalizers(resource(ARTIST, "korn"), ["a", "b"])).await;
    let with_old_finalizers = f.write(noted("one")).await;
    assert_eq!(finalizers(&with_old_finalizers), ["a", "b"]);
    let replaced = f.write(noted("two")).await;
    assert_eq!(replaced.metadata.notes().collect::<Vec<_>>(), [("two", "x")]);

    // Given finalizers replace the stored ones, and a write with a version keeps nothing.
    let fewer = f.write(with_finalizers(resource(ARTIST, "korn"), ["b"])).await;
    assert_eq!(finalizers(&fewer), ["b"]);
    let cleared = f.write(with_finalizers(resource(ARTIST, "korn"), [])).await;
    assert!(!cleared.metadata.has_finalizers() && !cleared.metadata.says_finalizers());
    let replacement = f.write(with_finalizers(resource(ARTIST, "korn"), ["c"])).await;
    let mut stale = Resource::clone(&replacement);
    stale.metadata = Metadata::default();
    assert!(!f.write(stale).await.metadata.has_finalizers());
}

#[tokio::test(start_paused = true)]
async fn w12_a_dry_run_gives_what_would_be_written() {
    let f = fixture();
    let dry = f.client.mutate_and_validate(with_word(resource(ARTIST, "korn"), "old")).await.unwrap();
    assert_eq!((word(&dry), dry.id.to_string().as_str()), ("new", "demo.v1.Artist/default/default/korn"));
    assert_eq!(f.store.snapshot(), []);
}

#[tokio::test(start_paused = true)]
async fn hooks_fill_in_and_refuse() {
    let f = fixture();
    assert_eq!(f.outcome(with_word(resource(ARTIST, "a"), "old")).await, Ok("new".to_owned()));
    let korn = "demo.v1.Artist/default/default/korn";
    let artist_with = |word| with_word(resource(ARTIST, "korn"), word);
    f.refused(artist_with("bad"), INVALID, &format!("{korn} is not valid: it is bad")).await;
    let broken = format!("the type of {korn} cannot fill in its defaults: it is broken");
    f.refused(artist_with("broken"), ErrorKind::Internal, &broken).await;

    let mut wrong_type = artist_with("x");
    wrong_type.data.as_mut().unwrap().type_url = "type.googleapis.com/converge.demo.v1.Node".to_owned();
    let expect =
        format!("the data of {korn} have to be converge.demo.v1.Artist, got \"converge.demo.v1.Node\"");
    f.refused(wrong_type, INVALID, &expect).await;
    let mut unreadable = artist_with("x");
    unreadable.data.as_mut().unwrap().value = vec![0xff].into();
    let expect = format!("the data of {korn} cannot be read: invalid utf-8 sequence of 1 bytes from index 0");
    f.refused(unreadable, INVALID, &expect).await;

    // Data may be absent.
    let without_data = Resource::new(id(ARTIST, "bare"));
    assert_eq!(f.write(without_data).await.data, None);
}

#[tokio::test(start_paused = true)]
async fn a_type_has_to_be_registered() {
    let f = fixture();
    let expect =
        "resource type demo.v9.Artist not registered: ask for it as demo.v1.Artist or demo.v2.Artist";
    f.refused(resource("demo.v9.Artist", "korn"), INVALID, expect).await;
    let unknown = id("demo.v9.Artist", "korn").with_uid(Uid::from_bits(1));
    let status = Status::new(crate::Generation::from_bits(1), []);
    let update = StatusUpdate { id: unknown.clone(), version: None, key: "c".parse().unwrap(), status };
    let errors = [
        f.client.write_status(update).await.map(|_| ()),
        f.client.read(&unknown, Consistency::Strong).await.map(|_| ()),
        f.client.delete(&unknown, None).await,
        f.client.list_by_owner(&unknown).await.map(|_| ()),
        f.client.list(&List::new(unknown.resource_type.clone())).await.map(|_| ()),
        f.client.watch_list(&List::new(unknown.resource_type.clone())).await.map(|_| ()),
    ];
    for error in errors {
        assert_eq!(error.unwrap_err().to_string(), expect);
    }
}
