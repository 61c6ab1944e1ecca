//! Tests of error messages: the object, the position, and the advice.

use std::fmt::Write as _;

use super::*;
use crate::authorize::{Policy, TokenHash};
use crate::identity::{TenancyPattern, Uid};
use crate::resource::{Condition, ConditionState, Status, Version};
use crate::testing::{FaultRates, Faults};

/// A log of requests with their answers.
#[derive(Default)]
struct Said(String);

impl Said {
    #[track_caller]
    fn say<T>(&mut self, request: &str, answer: Result<T, ServiceError>) {
        let error = answer.err().unwrap_or_else(|| panic!("{request}: nothing was refused"));
        let _ = writeln!(self.0, "{request}\n    {:?}: {error}", error.kind());
    }
}

fn update(id: &Id) -> StatusUpdate {
    let status = Status::new(crate::Generation::from_bits(1), []);
    StatusUpdate { id: id.clone(), version: None, key: "c".parse().unwrap(), status }
}

#[tokio::test(start_paused = true)]
async fn refusals_of_what_is_asked() {
    let (f, mut messages) = (fixture(), Said::default());
    let c = &f.client;
    let korn = f.write(resource(ARTIST, "korn")).await;
    messages.say("an unknown type", c.write(resource("demo.v9.Artist", "x")).await);
    messages.say(
        "a type of which there is no version",
        c.read(&id("other.v1.Thing", "x"), Consistency::Strong).await,
    );
    let mut placed = resource(NODE, "x");
    placed.id.tenancy = Tenancy::from_units("eu", "web").unwrap();
    messages.say("a unit too much", c.write(placed.clone()).await);
    placed.id.tenancy = Tenancy::from_units("eu", "").unwrap();
    messages.say("a partition that is not there", c.write(placed).await);
    let list = List::new(ARTIST.parse().unwrap());
    messages.say("a list of no tenancy", c.list(&list).await);
    let anywhere = list.in_tenancy(TenancyPattern::from_units("*", "*").unwrap());
    messages.say("a list of a wrong prefix", c.list(&anywhere.with_prefix("Ko")).await);
    messages.say("what an unknown resource owns", c.list_by_owner(&id(ARTIST, "korn")).await);
    let mut wrong_type = resource(ARTIST, "x");
    wrong_type.data.as_mut().unwrap().type_url = "type.googleapis.com/converge.demo.v1.Node".to_owned();
    messages.say("data of another type", c.write(wrong_type).await);
    let mut unreadable = resource(ARTIST, "x");
    unreadable.data.as_mut().unwrap().value = vec![0xff].into();
    messages.say("data that are none", c.write(unreadable).await);
    messages.say("what the type refuses", c.write(with_word(resource(ARTIST, "x"), "bad")).await);
    messages.say("a hook that fails", c.write(with_word(resource(ARTIST, "x"), "broken")).await);
    messages.say("another version of the group", c.read(&id(NEW_ARTIST, "korn"), Consistency::Strong).await);
    let mut reported = resource(ARTIST, "x");
    reported.status.insert("c".parse().unwrap(), Status::new(korn.generation.unwrap(), []));
    messages.say("a status by a write", c.write(reported).await);
    let mut timed = update(&korn.id);
    timed.status.updated_at = Some(jiff::Timestamp::UNIX_EPOCH);
    messages.say("the time of a status", c.write_status(timed).await);
    let mut nameless = update(&korn.id);
    nameless.status.conditions = vec![Condition::new("", ConditionState::True)];
    messages.say("a condition without type", c.write_status(nameless).await);
    messages.say("a status without uid", c.write_status(update(&id(ARTIST, "korn"))).await);
    let owned = |owner| Resource { owner: Some(owner), ..resource(NODE, "x") };
    messages.say("an owner that is not there", c.write(owned(id(REGION, "eu"))).await);
    messages.say("an owner that is the resource", c.write(owned(id(NODE, "x"))).await);
    messages.say("an owner of a narrower scope", c.write(owned(id(ARTIST, "korn"))).await);
    f.write(resource(REGION, "eu")).await;
    f.write(resource(NODE, "x")).await;
    messages.say("another owner", c.write(owned(id(REGION, "eu"))).await);
    insta::assert_snapshot!(messages.0);
}

#[tokio::test(start_paused = true)]
async fn refusals_by_what_there_is() {
    let (f, mut messages) = (fixture(), Said::default());
    let c = &f.client;
    // The uids have known texts.
    let uid = |bits| Uid::from_bits(bits);
    let stored = |name: &str, bits| {
        let id = Id { tenancy: Scope::Namespace.default_tenancy(), ..id(ARTIST, name) };
        with_word(Resource::new(id.with_uid(uid(bits))), "hello")
    };
    let korn = f.store.write(stored("korn", 7)).await.unwrap();
    messages.say("what is not there", c.read(&id(ARTIST, "missing"), Consistency::Strong).await);
    messages.say(
        "a report on what is not there",
        c.write_status(update(&id(ARTIST, "missing").with_uid(uid(1)))).await,
    );
    let stale = Resource { version: Some(Version::from(999)), ..Resource::clone(&korn) };
    messages.say("a version of before", c.write(stale).await);
    let stranger = Resource { id: korn.id.clone().with_uid(uid(8)), version: None, ..Resource::clone(&korn) };
    messages.say("the uid of another", c.write(stranger).await);
    let absent_artist = Resource::new(id(ARTIST, "gone").with_uid(uid(9)));
    messages.say("the uid of one that is gone", c.write(absent_artist).await);
    c.service().start().await.unwrap();
    messages.say(
        "a deletion of what is always there",
        c.delete(&id("tenancy.v1.Namespace", "default"), None).await,
    );

    let timestamp = Some(jiff::Timestamp::UNIX_EPOCH);
    let marked_by = |mut resource: Resource| {
        resource.metadata.set_deletion_timestamp(timestamp);
        resource
    };
    messages.say("a creation with the mark", c.write(marked_by(resource(ARTIST, "x"))).await);
    messages.say("a mark without finalizers", c.write(marked_by(Resource::clone(&korn))).await);
    let with_finalizers_set = f.write(with_finalizers(Resource::clone(&korn), ["a", "b"])).await;
    let mark = marked_by(Resource::clone(&with_finalizers_set));
    let noted = |mut resource: Resource| {
        resource.metadata.set("note", "x").unwrap();
        resource
    };
    messages.say("a mark, and a note", c.write(noted(mark.clone())).await);
    messages.say("a mark, and other data", c.write(with_word(mark.clone(), "other")).await);
    let marked = Resource::clone(&*f.write(mark).await);
    messages.say("nothing new, of what is marked", c.write(marked.clone()).await);
    let with_mark = |timestamp| {
        let mut resource = marked.clone();
        resource.metadata.set_deletion_timestamp(timestamp);
        resource
    };
    messages.say("the mark taken away", c.write(with_mark(None)).await);
    messages.say("another mark", c.write(with_mark(Some(jiff::Timestamp::MAX))).await);
    let mut with_third = marked.clone();
    with_third.metadata.add_finalizer("c".parse().unwrap());
    messages.say("one more finalizer", c.write(with_third).await);
    let mut freed = marked;
    freed.metadata.remove_finalizer(&"a".parse().unwrap());
    messages.say("one finalizer less, and a note", c.write(noted(freed.clone())).await);
    messages.say("one finalizer less, and other data", c.write(with_word(freed, "other")).await);

    let eu = Resource::new(id("tenancy.v1.Partition", "eu"));
    f.write(eu.clone()).await;
    c.delete(&eu.id, None).await.unwrap();
    let mut late = resource(NODE, "late");
    late.id.tenancy = Tenancy::from_units("eu", "").unwrap();
    messages.say("something new in what goes", c.write(late).await);
    insta::assert_snapshot!(messages.0);
}

#[tokio::test(start_paused = true)]
async fn refusals_of_who_asks() {
    let (f, mut messages) = (fixture(), Said::default());
    f.write(resource(ARTIST, "korn")).await;
    f.write(with_word(resource(GUARDED, "shut"), "shut")).await;
    let hash = TokenHash::from_token("t");
    let text = format!(r#"{{"tokens":[{{"name":"n","sha256":"{hash}"}}]}}"#);
    let nobody = f.client.service().client(Policy::parse(&text).unwrap().caller("t").unwrap());
    messages.say("a read", nobody.read(&id(ARTIST, "korn"), Consistency::Strong).await);
    messages
        .say("a read of what is not there", nobody.read(&id(ARTIST, "missing"), Consistency::Strong).await);
    messages.say("a write", nobody.write(resource(NODE, "n1")).await);
    messages.say("a deletion", nobody.delete(&id(REGION, "eu"), None).await);
    messages.say(
        "a deletion of what is stored as another version",
        nobody.delete(&id(NEW_ARTIST, "korn"), None).await,
    );
    messages
        .say("a report", nobody.write_status(update(&id(ARTIST, "korn").with_uid(Uid::from_bits(1)))).await);
    let list = List::new(ARTIST.parse().unwrap());
    messages.say("a watch of everything", nobody.watch_list(&list).await);
    let of_one = list.in_tenancy(TenancyPattern::from_units("eu", "*").unwrap());
    messages.say("a list of a partition", nobody.list(&of_one).await);
    let nodes = List::new(NODE.parse().unwrap()).in_tenancy(Tenancy::Cluster);
    messages.say("a list of nodes", nobody.list(&nodes).await);
    let regions = List::new(REGION.parse().unwrap()).in_tenancy(Tenancy::Cluster);
    messages.say("a list of regions", nobody.list(&regions).await);
    messages
        .say("what the type keeps to itself", f.client.read(&id(GUARDED, "shut"), Consistency::Strong).await);

    let lease = f.store.lease(&"bar".parse().unwrap());
    let stopped = f.client.clone().fenced(lease.watch());
    let _next = f.store.lease(&"bar".parse().unwrap());
    f.store.leases().revoke(&"bar".parse().unwrap());
    messages
        .say("a write in the name of a lease that is lost", stopped.write(resource(ARTIST, "korn")).await);

    let memory = Memory::new();
    let leases = memory.leases().clone();
    let unavailable = FaultRates { reads: 1.0, ..FaultRates::NONE };
    let unavailable = Arc::new(Faults::new(memory, leases, unavailable, 1));
    let unavailable = client_of(unavailable, TODAY, 1);
    messages.say(
        "anything, while the store is away",
        unavailable.read(&id(ARTIST, "korn"), Consistency::Strong).await,
    );
    let mut watch = f.client.watch_list(&List::new(REGION.parse().unwrap())).await.unwrap();
    watch.next().await.unwrap();
    f.store.restore([]);
    messages.say("the next event of a watch that was closed", watch.next().await);
    insta::assert_snapshot!(messages.0);
}
