use super::*;
use crate::identity::{TenancyPattern, Uid};
use crate::resource::Status;

const INVALID: ErrorKind = ErrorKind::InvalidArgument;

fn placed(resource_type: &str, units: (&str, &str)) -> Resource {
    let mut input = resource(resource_type, "x");
    input.id.tenancy = Tenancy::from_units(units.0, units.1).unwrap();
    input
}

/// Returns a status update for a resource.
fn status_of(id: &Id) -> StatusUpdate {
    let status = Status::new(crate::Generation::from_bits(1), []);
    StatusUpdate { id: id.clone(), version: None, key: "c".parse().unwrap(), status }
}

async fn with_tenancies() -> Fixture {
    let f = fixture();
    f.write(Resource::new(id("tenancy.v1.Partition", "eu"))).await;
    let mut web = Resource::new(id("tenancy.v1.Namespace", "web"));
    web.id.tenancy = Tenancy::from_units("eu", "").unwrap();
    f.write(web).await;
    f
}

#[tokio::test(start_paused = true)]
async fn m7_a_unit_too_much_is_refused() {
    let f = fixture();
    let expect = "partition scoped resource demo.v1.Node cannot have a namespace, got \"web\"";
    f.refused(placed(NODE, ("eu", "web")), INVALID, expect).await;
    let expect = "cluster scoped resource demo.v1.Region cannot have a partition, got \"eu\"";
    f.refused(placed(REGION, ("eu", "")), INVALID, expect).await;
    let list = List::new(REGION.parse().unwrap()).in_tenancy(Tenancy::from_units("eu", "").unwrap());
    let too_much = placed(REGION, ("eu", "")).id.with_uid(Uid::from_bits(1));
    for error in [
        f.client.read(&too_much, Consistency::Strong).await.map(|_| ()),
        f.client.delete(&too_much, None).await,
        f.client.write_status(status_of(&too_much)).await.map(|_| ()),
        f.client.list_by_owner(&too_much).await.map(|_| ()),
        f.client.list(&list).await.map(|_| ()),
        f.client.watch_list(&list).await.map(|_| ()),
    ] {
        assert_eq!(error.unwrap_err().to_string(), expect);
    }
}

#[tokio::test(start_paused = true)]
async fn m8_units_that_are_left_out_are_those_of_the_caller() {
    use crate::authorize::TenancyDefaults;
    let f = with_tenancies().await;
    let defaults = TenancyDefaults { partition: "eu".parse().unwrap(), namespace: "web".parse().unwrap() };
    let caller = Caller::system().with_defaults(defaults);
    let client = f.client.service().client(caller);
    let check = async |given: (&str, &str), expect: &str| {
        let stored_artist = client.write(placed(ARTIST, given)).await.unwrap();
        assert_eq!(stored_artist.id.to_string(), format!("demo.v1.Artist/{expect}/x"));
    };
    check(("", ""), "eu/web").await;
    check(("eu", ""), "eu/web").await;
    // In another partition, a namespace with the same name would be a coincidence.
    check(("default", ""), "default/default").await;
    let node = client.write(placed(NODE, ("", ""))).await.unwrap();
    assert_eq!(node.id.to_string(), "demo.v1.Node/eu/x");

    // An owner without units has the tenancy of its child.
    let owned = Resource { owner: Some(id(ARTIST, "x")), ..placed(ARTIST, ("default", "")) };
    let mut owned = Resource { ..owned };
    owned.id.name = "child".parse().unwrap();
    let owned = client.write(owned).await.unwrap();
    assert_eq!(owned.owner.as_ref().unwrap().to_string(), "demo.v1.Artist/default/default/x");
}

#[tokio::test(start_paused = true)]
async fn m9_a_tenancy_has_to_exist() {
    let f = with_tenancies().await;
    f.refused(
        placed(ARTIST, ("us", "web")),
        INVALID,
        "partition \"us\" does not exist: create tenancy.v1.Partition/us first",
    )
    .await;
    f.refused(
        placed(ARTIST, ("eu", "db")),
        INVALID,
        "namespace \"db\" does not exist: create tenancy.v1.Namespace/eu/db first",
    )
    .await;
    f.refused(
        placed(NODE, ("us", "")),
        INVALID,
        "partition \"us\" does not exist: create tenancy.v1.Partition/us first",
    )
    .await;
    // An owner in the missing tenancy cannot exist either; the error is about the tenancy.
    let owned = Resource { owner: Some(id(ARTIST, "o")), ..placed(ARTIST, ("us", "web")) };
    f.refused(owned, INVALID, "partition \"us\" does not exist: create tenancy.v1.Partition/us first").await;
    f.write(placed(ARTIST, ("eu", "web"))).await;

    let nowhere = placed(ARTIST, ("us", "web")).id.with_uid(Uid::from_bits(1));
    assert!(f.read(&nowhere).await.is_none());
    f.client.delete(&nowhere, None).await.unwrap();
    let error = f.client.write_status(status_of(&nowhere)).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (INVALID, "partition \"us\" does not exist: create tenancy.v1.Partition/us first")
    );
    let list = List::new(ARTIST.parse().unwrap()).in_tenancy(nowhere.tenancy.clone());
    assert_eq!(f.client.list(&list).await.unwrap(), []);
    let mut watch = f.client.watch_list(&list).await.unwrap();
    assert_eq!(watch.next().await.unwrap(), crate::storage::WatchEvent::EndOfSnapshot);
}

#[tokio::test(start_paused = true)]
async fn what_is_owned_is_not_found_by_the_uid_alone() {
    let f = with_tenancies().await;
    let owner = f.write(placed(ARTIST, ("eu", "web"))).await;
    let mut child = Resource { owner: Some(owner.id.clone()), ..placed(ARTIST, ("eu", "web")) };
    child.id.name = "child".parse().unwrap();
    let child = f.write(child).await;
    assert_eq!(f.client.list_by_owner(&owner.id).await.unwrap(), [child]);
    for units in [("us", "web"), ("eu", "db"), ("default", "default")] {
        let elsewhere = placed(ARTIST, units).id.with_uid(owner.id.uid.unwrap());
        assert_eq!(f.client.list_by_owner(&elsewhere).await.unwrap(), [], "{units:?}");
    }
    let namesake = Id { name: "other".parse().unwrap(), ..owner.id.clone() };
    assert_eq!(f.client.list_by_owner(&namesake).await.unwrap(), []);
    // The requested version of the type does not matter.
    let newer = Id { resource_type: NEW_ARTIST.parse().unwrap(), ..owner.id.clone() };
    assert_eq!(f.client.list_by_owner(&newer).await.unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn units_may_be_left_out_in_every_call() {
    let f = fixture();
    let complete = [
        (ARTIST, vec![("", ""), ("default", ""), ("default", "default")]),
        (NODE, vec![("", ""), ("default", "")]),
        (REGION, vec![("", "")]),
    ];
    for (resource_type, units_list) in complete {
        for units in units_list {
            let stored = f.write(placed(resource_type, ("", ""))).await;
            let child = Resource { owner: Some(stored.id.clone()), ..resource(ARTIST, "child") };
            let child = f.write(child).await;
            let id = placed(resource_type, units).id.with_uid(stored.id.uid.unwrap());
            assert_eq!(f.read(&id).await.unwrap().id, stored.id, "{units:?}");
            assert_eq!(f.client.write_status(status_of(&id)).await.unwrap().id, stored.id);
            assert_eq!(f.client.list_by_owner(&id).await.unwrap(), std::slice::from_ref(&child));
            f.client.delete(&id, None).await.unwrap();
            assert!(f.read(&id).await.is_none());
            f.client.delete(&child.id, None).await.unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn any_unit_may_be_asked_for_where_the_type_has_none() {
    let f = with_tenancies().await;
    f.write(placed(ARTIST, ("", ""))).await;
    f.write(placed(NODE, ("", ""))).await;
    f.write(placed(REGION, ("", ""))).await;
    let cases = [
        (ARTIST, vec![("", ""), ("default", ""), ("*", ""), ("default", "*"), ("*", "*"), ("*", "default")]),
        (NODE, vec![("", ""), ("default", ""), ("*", ""), ("*", "*"), ("default", "*")]),
        (REGION, vec![("", ""), ("*", ""), ("*", "*")]),
    ];
    for (resource_type, patterns) in cases {
        for units in patterns {
            let pattern = TenancyPattern::from_units(units.0, units.1).unwrap();
            let list = List::new(resource_type.parse().unwrap()).in_tenancy(pattern);
            let resources = f.client.list(&list).await.unwrap();
            assert_eq!(resources.len(), 1, "{resource_type} {units:?}");
            let mut watch = f.client.watch_list(&list).await.unwrap();
            let event = watch.next().await.unwrap();
            assert_eq!(event, crate::storage::WatchEvent::Upsert(Arc::clone(&resources[0])), "{units:?}");
        }
    }
    // A named unit is still an extra one.
    let pattern = TenancyPattern::from_units("*", "web").unwrap();
    for (resource_type, scope) in [(NODE, "partition"), (REGION, "cluster")] {
        let list = List::new(resource_type.parse().unwrap()).in_tenancy(pattern.clone());
        let expect = format!("{scope} scoped resource {resource_type} cannot have a namespace, got \"web\"");
        assert_eq!(f.client.list(&list).await.unwrap_err().to_string(), expect);
        assert_eq!(f.client.watch_list(&list).await.err().unwrap().to_string(), expect);
    }
}

#[tokio::test(start_paused = true)]
async fn m10_what_goes_takes_nothing_new() {
    let f = with_tenancies().await;
    let old = f.write(with_finalizers(placed(ARTIST, ("eu", "web")), ["a", "b"])).await;
    let mut resource = with_finalizers(placed(ARTIST, ("eu", "web")), ["a"]);
    resource.id.name = "other".parse().unwrap();
    let mut stored_resource = Resource::clone(&*f.write(resource).await);
    let mut web = id("tenancy.v1.Namespace", "web");
    web.tenancy = Tenancy::from_units("eu", "").unwrap();
    let namespace = f.read(&web).await.unwrap();
    f.write(with_finalizers(Resource::clone(&namespace), ["held"])).await;
    f.client.delete(&web, None).await.unwrap();

    let expect = "namespace \"web\" is being deleted: nothing can be created or changed in it until tenancy.v1.Namespace/eu/web is created again";
    let mut new = placed(ARTIST, ("eu", "web"));
    new.id.name = "new".parse().unwrap();
    f.refused(new, INVALID, expect).await;
    f.refused(with_word(Resource::clone(&old), "changed"), INVALID, expect).await;
    // Statuses, marks and removals of finalizers are allowed, so that the resource can be deleted.
    f.client.write_status(status_of(&old.id)).await.unwrap();
    stored_resource.metadata.set_deletion_timestamp(Some(jiff::Timestamp::UNIX_EPOCH));
    f.write(stored_resource).await;
    f.client.delete(&old.id, None).await.unwrap();
    let marked = f.read(&old.id).await.unwrap();
    f.write(Resource { version: None, ..with_finalizers(Resource::clone(&marked), ["b"]) }).await;
    f.write(Resource { version: None, ..with_finalizers(Resource::clone(&marked), []) }).await;
    assert!(f.read(&old.id).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn nothing_new_comes_into_a_partition_that_goes() {
    let f = with_tenancies().await;
    f.client.delete(&id("tenancy.v1.Partition", "eu"), None).await.unwrap();
    let expect = "partition \"eu\" is being deleted: nothing can be created or changed in it until tenancy.v1.Partition/eu is created again";
    f.refused(placed(ARTIST, ("eu", "web")), INVALID, expect).await;
    f.refused(placed(NODE, ("eu", "")), INVALID, expect).await;
    f.write(placed(NODE, ("", ""))).await;
}

#[tokio::test(start_paused = true)]
async fn some_names_are_reserved_and_nothing_owns_a_tenancy() {
    let f = fixture();
    for resource_type in ["tenancy.v1.Partition", "tenancy.v1.Namespace"] {
        let full_name = |name| {
            let units = if resource_type.ends_with("Namespace") { "default/" } else { "" };
            format!("{resource_type}/{units}{name}")
        };
        for name in ["system", "universal", "operator", "root"] {
            let input = Resource::new(id(resource_type, name));
            let expect = format!("{} is not valid: id.name \"{name}\" is reserved", full_name(name));
            f.refused(input, INVALID, &expect).await;
        }
        let default_unit = Resource::new(id(resource_type, "default"));
        let expect =
            format!("{} is not valid: the resource is built in and cannot be changed", full_name("default"));
        f.refused(default_unit, INVALID, &expect).await;
        f.write(resource(REGION, "eu")).await;
        let owned = Resource { owner: Some(id(REGION, "eu")), ..Resource::new(id(resource_type, "web")) };
        let error = f.outcome(owned).await.unwrap_err();
        assert!(error.contains("partitions and namespaces have no owner"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tenancy_has_data_and_a_finalizer_from_the_beginning() {
    let f = fixture();
    for (resource_type, finalizer) in [
        ("tenancy.v1.Partition", "converge.tenancy/partitions"),
        ("tenancy.v1.Namespace", "converge.tenancy/namespaces"),
    ] {
        let created = f.write(Resource::new(id(resource_type, "web"))).await;
        let data = created.data.as_ref().expect("data");
        assert_eq!(
            (data.message_name(), data.value.len()),
            (format!("converge.{resource_type}").as_str(), 0)
        );
        assert_eq!(finalizers(&created), [finalizer]);
        // A write with the version that omits the finalizer does not remove it.
        let mut plain_copy = Resource::clone(&created);
        plain_copy.metadata = Metadata::default();
        assert_eq!(finalizers(&*f.write(plain_copy).await), [finalizer]);
        let unit = f.write(with_finalizers(Resource::new(id(resource_type, "web")), ["mine"])).await;
        assert_eq!(finalizers(&unit), [finalizer, "mine"]);
    }
    // A `default` namespace of another partition is not special.
    f.write(Resource::new(id("tenancy.v1.Partition", "eu"))).await;
    let mut namespace = Resource::new(id("tenancy.v1.Namespace", "default"));
    namespace.id.tenancy = Tenancy::from_units("eu", "").unwrap();
    f.write(namespace).await;
}
