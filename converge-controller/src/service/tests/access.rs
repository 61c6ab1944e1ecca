use super::*;
use crate::authorize::{Policy, TokenHash};
use crate::identity::TenancyPattern;

fn restricted(f: &Fixture, rules: &str) -> Client {
    let hash = TokenHash::from_token("t");
    let text = format!(r#"{{"tokens":[{{"name":"n","sha256":"{hash}","rules":{rules}}}]}}"#);
    f.client.service().client(Policy::parse(&text).unwrap().caller("t").unwrap())
}

fn kind<T>(result: Result<T, ServiceError>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

const DENIED: Option<ErrorKind> = Some(ErrorKind::PermissionDenied);

#[tokio::test(start_paused = true)]
async fn whoever_may_not_learns_nothing_about_what_exists() {
    let f = fixture();
    let owner = f.write(resource(ARTIST, "there")).await;
    f.write(Resource { owner: Some(owner.id.clone()), ..resource(ARTIST, "child") }).await;
    f.store.write(Resource::new(id("gone.v1.Thing", "x").with_uid(owner.id.uid.unwrap()))).await.unwrap();
    let nobody = restricted(&f, "[]");
    let mut elsewhere = id(ARTIST, "x");
    elsewhere.tenancy = Tenancy::from_units("us", "web").unwrap();
    let uid = owner.id.uid.unwrap();
    let unknown = [id("gone.v1.Thing", "x"), id("gone.v1.Thing", "missing")];
    for id in &unknown {
        assert_eq!(kind(nobody.write(Resource::new(id.clone())).await), DENIED);
        assert_eq!(kind(nobody.delete(id, None).await), DENIED);
    }
    for id in [owner.id.clone(), id(ARTIST, "missing"), elsewhere] {
        let status = crate::resource::Status::new(owner.generation.unwrap(), []);
        let update =
            StatusUpdate { id: id.clone().with_uid(uid), version: None, key: "c".parse().unwrap(), status };
        assert_eq!(kind(nobody.read(&id, Consistency::Strong).await), DENIED);
        assert_eq!(kind(nobody.write(Resource::new(id.clone())).await), DENIED);
        assert_eq!(kind(nobody.mutate_and_validate(Resource::new(id.clone())).await), DENIED);
        assert_eq!(kind(nobody.write_status(update).await), DENIED);
        assert_eq!(kind(nobody.delete(&id, None).await), DENIED);
    }
    let list = List::new(ARTIST.parse().unwrap()).in_tenancy(Tenancy::Cluster);
    assert_eq!(kind(nobody.list(&list).await), DENIED);
    assert_eq!(kind(nobody.watch_list(&list).await), DENIED);
    assert_eq!(nobody.list_by_owner(&owner.id).await.unwrap(), []);
    let orphan =
        Resource { owner: Some(owner.id.clone()), ..Resource::new(unknown[1].clone().with_uid(uid)) };
    f.store.write(orphan).await.unwrap();
    assert_eq!(nobody.list_by_owner(&owner.id).await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_needs_the_resource_hides_that_there_is_none() {
    let f = fixture();
    f.write(with_word(resource(GUARDED, "open"), "open")).await;
    f.write(with_word(resource(GUARDED, "shut"), "shut")).await;
    let reader = restricted(&f, r#"[{"types":["*"],"verbs":["read","list"]}]"#);
    let read = async |client: &Client, name| kind(client.read(&id(GUARDED, name), Consistency::Strong).await);
    for client in [&f.client, &reader] {
        assert_eq!(read(client, "open").await, None);
        assert_eq!(read(client, "shut").await, DENIED);
    }
    assert_eq!(read(&reader, "missing").await, DENIED);
    // A caller who may write the resource could learn from a write whether it exists.
    assert_eq!(read(&f.client, "missing").await, Some(ErrorKind::NotFound));
    let everywhere = TenancyPattern::from_units("*", "*").unwrap();
    let resources = f.client.list(&List::new(GUARDED.parse().unwrap()).in_tenancy(everywhere)).await.unwrap();
    assert_eq!(resources.iter().map(|entry| entry.id.name.as_str()).collect::<Vec<_>>(), ["open"]);
}

#[tokio::test(start_paused = true)]
async fn rules_are_by_verb_and_tenancy() {
    let f = fixture();
    let rules =
        r#"[{"types":["demo.*.*"],"verbs":["read","list"],"partition":"default","namespace":"default"}]"#;
    let reader = restricted(&f, rules);
    f.write(resource(ARTIST, "korn")).await;
    assert_eq!(kind(reader.read(&id(ARTIST, "korn"), Consistency::Strong).await), None);
    assert_eq!(kind(reader.write(resource(ARTIST, "korn")).await), DENIED);
    let list = List::new(ARTIST.parse().unwrap());
    assert_eq!(reader.list(&list.clone().in_tenancy(Tenancy::Cluster)).await.unwrap().len(), 1);
    let everywhere = TenancyPattern::from_units("*", "*").unwrap();
    assert_eq!(kind(reader.list(&list.in_tenancy(everywhere)).await), DENIED);
}

#[tokio::test(start_paused = true)]
async fn whoever_lost_a_lease_writes_nothing() {
    let f = fixture();
    let lease = f.store.lease(&"bar".parse().unwrap());
    let stopped = f.client.clone().fenced(lease.watch());
    let stored = stopped.write(resource(ARTIST, "korn")).await.unwrap();
    let second = f.store.lease(&"bar".parse().unwrap());
    f.store.leases().revoke(&"bar".parse().unwrap());
    let id = id(ARTIST, "korn");
    let before = f.store.snapshot();
    let refused = Some(ErrorKind::FailedPrecondition);
    assert_eq!(kind(stopped.write(resource(ARTIST, "korn")).await), refused);
    assert_eq!(kind(stopped.delete(&id, None).await), refused);
    assert_eq!(kind(stopped.mutate_and_validate(resource(ARTIST, "korn")).await), refused);
    let status = crate::resource::Status::new(stored.generation.unwrap(), []);
    let update = StatusUpdate { id: stored.id.clone(), version: None, key: "c".parse().unwrap(), status };
    assert_eq!(kind(stopped.write_status(update).await), refused);
    assert_eq!(f.store.snapshot(), before);
    f.client.clone().fenced(second.watch()).delete(&id, None).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn who_may_write_may_write_delete_and_report_and_no_more() {
    let f = fixture();
    let writer = restricted(&f, r#"[{"types":["demo.v1.Artist"],"verbs":["write"]}]"#);
    let korn = writer.write(resource(ARTIST, "korn")).await.unwrap();
    writer.mutate_and_validate(resource(ARTIST, "tool")).await.unwrap();
    let status = crate::resource::Status::new(korn.generation.unwrap(), []);
    let update = StatusUpdate { id: korn.id.clone(), version: None, key: "c".parse().unwrap(), status };
    writer.write_status(update).await.unwrap();
    assert_eq!(kind(writer.read(&korn.id, Consistency::Strong).await), DENIED);
    // Permissions for another version of the type do not count.
    assert_eq!(kind(writer.write(resource(NEW_ARTIST, "korn")).await), DENIED);
    assert_eq!(kind(writer.delete(&id(NEW_ARTIST, "missing"), None).await), DENIED);
    writer.delete(&korn.id, None).await.unwrap();
    assert!(f.read(&korn.id).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn what_is_owned_is_shown_as_far_as_it_may_be_read() {
    let f = fixture();
    let owner = f.write(resource(REGION, "eu")).await;
    let node = f.write(Resource { owner: Some(owner.id.clone()), ..resource(NODE, "n1") }).await;
    f.write(Resource { owner: Some(owner.id.clone()), ..resource(ARTIST, "korn") }).await;
    let reader = restricted(&f, r#"[{"types":["demo.v1.Node"],"verbs":["read"]}]"#);
    assert_eq!(reader.list_by_owner(&owner.id).await.unwrap(), [node]);
}

#[tokio::test(start_paused = true)]
async fn the_version_that_is_stored_says_who_may() {
    let f = fixture();
    let sealed = with_word(resource(GUARDED, "s"), "sealed");
    let mut sealed = Resource { id: sealed.id.clone().with_uid(crate::Uid::from_bits(7)), ..sealed };
    sealed.id.tenancy = Scope::Namespace.default_tenancy();
    f.store.write(sealed.clone()).await.unwrap();
    // The rule also applies if the resource is requested as another version whose type lacks the rule.
    for resource_type in [GUARDED, NEW_GUARDED] {
        let target = Id { resource_type: resource_type.parse().unwrap(), ..sealed.id.clone() };
        assert_eq!(kind(f.client.delete(&target, None).await), DENIED);
        let status = crate::resource::Status::new(crate::Generation::from_bits(1), []);
        let update = StatusUpdate { id: target, version: None, key: "c".parse().unwrap(), status };
        assert_eq!(kind(f.client.write_status(update).await), DENIED);
    }
    assert_eq!(f.store.snapshot().len(), 1);
}
