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
    fn say<T>(&mut self, asked: &str, answer: Result<T, ServiceError>) {
        let error = answer.err().unwrap_or_else(|| panic!("{asked}: nothing was refused"));
        let _ = writeln!(self.0, "{asked}\n    {:?}: {error}", error.kind());
    }
}

fn update(id: &Id) -> StatusUpdate {
    let status = Status::new(crate::Generation::from_bits(1), []);
    StatusUpdate { id: id.clone(), version: None, key: "c".parse().unwrap(), status }
}

#[tokio::test(start_paused = true)]
async fn refusals_of_what_is_asked() {
    let (f, mut said) = (fixture(), Said::default());
    let c = &f.client;
    let korn = f.write(resource(ARTIST, "korn")).await;
    said.say("an unknown type", c.write(resource("demo.v9.Artist", "x")).await);
    said.say(
        "a type of which there is no version",
        c.read(&id("other.v1.Thing", "x"), Consistency::Strong).await,
    );
    let mut placed = resource(NODE, "x");
    placed.id.tenancy = Tenancy::from_units("eu", "web").unwrap();
    said.say("a unit too much", c.write(placed.clone()).await);
    placed.id.tenancy = Tenancy::from_units("eu", "").unwrap();
    said.say("a partition that is not there", c.write(placed).await);
    let list = List::new(ARTIST.parse().unwrap());
    said.say("a list of no tenancy", c.list(&list).await);
    let anywhere = list.in_tenancy(TenancyPattern::from_units("*", "*").unwrap());
    said.say("a list of a wrong prefix", c.list(&anywhere.with_prefix("Ko")).await);
    said.say("what an unknown resource owns", c.list_by_owner(&id(ARTIST, "korn")).await);
    let mut other = resource(ARTIST, "x");
    other.data.as_mut().unwrap().type_url = "type.googleapis.com/converge.demo.v1.Node".to_owned();
    said.say("data of another type", c.write(other).await);
    let mut unreadable = resource(ARTIST, "x");
    unreadable.data.as_mut().unwrap().value = vec![0xff].into();
    said.say("data that are none", c.write(unreadable).await);
    said.say("what the type refuses", c.write(with_word(resource(ARTIST, "x"), "bad")).await);
    said.say("a hook that fails", c.write(with_word(resource(ARTIST, "x"), "broken")).await);
    said.say("another version of the group", c.read(&id(NEW_ARTIST, "korn"), Consistency::Strong).await);
    let mut reported = resource(ARTIST, "x");
    reported.status.insert("c".parse().unwrap(), Status::new(korn.generation.unwrap(), []));
    said.say("a status by a write", c.write(reported).await);
    let mut timed = update(&korn.id);
    timed.status.updated_at = Some(jiff::Timestamp::UNIX_EPOCH);
    said.say("the time of a status", c.write_status(timed).await);
    let mut nameless = update(&korn.id);
    nameless.status.conditions = vec![Condition::new("", ConditionState::True)];
    said.say("a condition without type", c.write_status(nameless).await);
    said.say("a status without uid", c.write_status(update(&id(ARTIST, "korn"))).await);
    let owned = |owner| Resource { owner: Some(owner), ..resource(NODE, "x") };
    said.say("an owner that is not there", c.write(owned(id(REGION, "eu"))).await);
    said.say("an owner that is the resource", c.write(owned(id(NODE, "x"))).await);
    said.say("an owner of a narrower scope", c.write(owned(id(ARTIST, "korn"))).await);
    f.write(resource(REGION, "eu")).await;
    f.write(resource(NODE, "x")).await;
    said.say("another owner", c.write(owned(id(REGION, "eu"))).await);
    insta::assert_snapshot!(said.0);
}

#[tokio::test(start_paused = true)]
async fn refusals_by_what_there_is() {
    let (f, mut said) = (fixture(), Said::default());
    let c = &f.client;
    // The uids have known texts.
    let uid = |bits| Uid::from_bits(bits);
    let stored = |name: &str, bits| {
        let id = Id { tenancy: Scope::Namespace.default_tenancy(), ..id(ARTIST, name) };
        with_word(Resource::new(id.with_uid(uid(bits))), "hello")
    };
    let korn = f.store.write(stored("korn", 7)).await.unwrap();
    said.say("what is not there", c.read(&id(ARTIST, "missing"), Consistency::Strong).await);
    said.say(
        "a report on what is not there",
        c.write_status(update(&id(ARTIST, "missing").with_uid(uid(1)))).await,
    );
    let stale = Resource { version: Some(Version::from(999)), ..Resource::clone(&korn) };
    said.say("a version of before", c.write(stale).await);
    let other = Resource { id: korn.id.clone().with_uid(uid(8)), version: None, ..Resource::clone(&korn) };
    said.say("the uid of another", c.write(other).await);
    let gone = Resource::new(id(ARTIST, "gone").with_uid(uid(9)));
    said.say("the uid of one that is gone", c.write(gone).await);
    c.service().start().await.unwrap();
    said.say(
        "a deletion of what is always there",
        c.delete(&id("tenancy.v1.Namespace", "default"), None).await,
    );

    let timestamp = Some(jiff::Timestamp::UNIX_EPOCH);
    let marked_by = |mut resource: Resource| {
        resource.metadata.set_deletion_timestamp(timestamp);
        resource
    };
    said.say("a creation with the mark", c.write(marked_by(resource(ARTIST, "x"))).await);
    said.say("a mark without finalizers", c.write(marked_by(Resource::clone(&korn))).await);
    let held = f.write(with_finalizers(Resource::clone(&korn), ["a", "b"])).await;
    let mark = marked_by(Resource::clone(&held));
    let noted = |mut resource: Resource| {
        resource.metadata.set("note", "x").unwrap();
        resource
    };
    said.say("a mark, and a note", c.write(noted(mark.clone())).await);
    said.say("a mark, and other data", c.write(with_word(mark.clone(), "other")).await);
    let marked = Resource::clone(&*f.write(mark).await);
    said.say("nothing new, of what is marked", c.write(marked.clone()).await);
    let with_mark = |timestamp| {
        let mut resource = marked.clone();
        resource.metadata.set_deletion_timestamp(timestamp);
        resource
    };
    said.say("the mark taken away", c.write(with_mark(None)).await);
    said.say("another mark", c.write(with_mark(Some(jiff::Timestamp::MAX))).await);
    let mut more = marked.clone();
    more.metadata.add_finalizer("c".parse().unwrap());
    said.say("one more finalizer", c.write(more).await);
    let mut freed = marked;
    freed.metadata.remove_finalizer(&"a".parse().unwrap());
    said.say("one finalizer less, and a note", c.write(noted(freed.clone())).await);
    said.say("one finalizer less, and other data", c.write(with_word(freed, "other")).await);

    let eu = Resource::new(id("tenancy.v1.Partition", "eu"));
    f.write(eu.clone()).await;
    c.delete(&eu.id, None).await.unwrap();
    let mut late = resource(NODE, "late");
    late.id.tenancy = Tenancy::from_units("eu", "").unwrap();
    said.say("something new in what goes", c.write(late).await);
    insta::assert_snapshot!(said.0);
}

#[tokio::test(start_paused = true)]
async fn refusals_of_who_asks() {
    let (f, mut said) = (fixture(), Said::default());
    f.write(resource(ARTIST, "korn")).await;
    f.write(with_word(resource(GUARDED, "shut"), "shut")).await;
    let hash = TokenHash::of("t");
    let text = format!(r#"{{"tokens":[{{"name":"n","sha256":"{hash}"}}]}}"#);
    let nobody = f.client.service().client(Policy::parse(&text).unwrap().caller("t").unwrap());
    said.say("a read", nobody.read(&id(ARTIST, "korn"), Consistency::Strong).await);
    said.say("a read of what is not there", nobody.read(&id(ARTIST, "missing"), Consistency::Strong).await);
    said.say("a write", nobody.write(resource(NODE, "n1")).await);
    said.say("a deletion", nobody.delete(&id(REGION, "eu"), None).await);
    said.say(
        "a deletion of what is stored as another version",
        nobody.delete(&id(NEW_ARTIST, "korn"), None).await,
    );
    said.say("a report", nobody.write_status(update(&id(ARTIST, "korn").with_uid(Uid::from_bits(1)))).await);
    let list = List::new(ARTIST.parse().unwrap());
    said.say("a watch of everything", nobody.watch_list(&list).await);
    let of_one = list.in_tenancy(TenancyPattern::from_units("eu", "*").unwrap());
    said.say("a list of a partition", nobody.list(&of_one).await);
    let nodes = List::new(NODE.parse().unwrap()).in_tenancy(Tenancy::Cluster);
    said.say("a list of nodes", nobody.list(&nodes).await);
    let regions = List::new(REGION.parse().unwrap()).in_tenancy(Tenancy::Cluster);
    said.say("a list of regions", nobody.list(&regions).await);
    said.say("what the type keeps to itself", f.client.read(&id(GUARDED, "shut"), Consistency::Strong).await);

    let lease = f.store.lease(&"bar".parse().unwrap());
    let stopped = f.client.clone().fenced(lease.watch());
    let _next = f.store.lease(&"bar".parse().unwrap());
    f.store.leases().revoke(&"bar".parse().unwrap());
    said.say("a write in the name of a lease that is lost", stopped.write(resource(ARTIST, "korn")).await);

    let memory = Memory::new();
    let leases = memory.leases().clone();
    let away = FaultRates { reads: 1.0, ..FaultRates::NONE };
    let away = Arc::new(Faults::new(memory, leases, away, 1));
    let away = client_of(away, TODAY, 1);
    said.say("anything, while the store is away", away.read(&id(ARTIST, "korn"), Consistency::Strong).await);
    let mut watch = f.client.watch_list(&List::new(REGION.parse().unwrap())).await.unwrap();
    watch.next().await.unwrap();
    f.store.restore([]);
    said.say("the next event of a watch that was closed", watch.next().await);
    insta::assert_snapshot!(said.0);
}
