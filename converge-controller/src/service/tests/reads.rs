use std::sync::Mutex;

use super::*;
use crate::identity::{TenancyPattern, Uid};
use crate::storage::{Change, Transaction};
use crate::testing::overseen::{Oversee, Overseen};

#[tokio::test(start_paused = true)]
async fn q1_a_uid_has_to_be_right() {
    let f = fixture();
    let created = f.write(resource(ARTIST, "korn")).await;
    for consistency in [Consistency::Eventual, Consistency::Strong] {
        for id in [created.id.clone(), created.id.clone().without_uid(), id(ARTIST, "korn")] {
            assert_eq!(f.client.read(&id, consistency).await.unwrap(), created);
        }
        let second_id = created.id.clone().with_uid(Uid::from_bits(1));
        let error = f.client.read(&second_id, consistency).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}

#[tokio::test(start_paused = true)]
async fn q3_lists() {
    let f = fixture();
    for (resource_type, name) in [(ARTIST, "korn"), (ARTIST, "kora"), (ARTIST, "tool"), (NEW_ARTIST, "kor2")]
    {
        f.write(resource(resource_type, name)).await;
    }
    let list = |units: (&str, &str), prefix: &str| {
        List::new(ARTIST.parse().unwrap())
            .in_tenancy(TenancyPattern::from_units(units.0, units.1).unwrap())
            .with_prefix(prefix)
    };
    let check = async |list: List, expect: Result<&str, &str>| {
        let actual = f.client.list(&list).await.map_err(|error| error.to_string());
        let actual = actual.map(|resources| {
            resources.iter().map(|found| found.id.name.to_string()).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(actual, expect.map(str::to_owned).map_err(str::to_owned));
    };
    check(list(("default", "default"), ""), Ok("kora korn tool")).await;
    // An omitted unit is the default one of the caller.
    check(list(("", ""), ""), Ok("kora korn tool")).await;
    check(list(("default", ""), "ko"), Ok("kora korn")).await;
    check(list(("*", "*"), "kor"), Ok("kora korn")).await;
    check(list(("*", "web"), ""), Ok("")).await;
    check(list(("eu", "*"), ""), Ok("")).await;
    check(list(("", ""), "kor-"), Ok("")).await;
    let prefix = |text: &str| {
        format!("no name begins with {text:?}: names have a-z, 0-9 and -, and begin with a letter or a digit")
    };
    check(list(("", ""), "Ko"), Err(&prefix("Ko"))).await;
    check(list(("", ""), "-"), Err(&prefix("-"))).await;
    check(List::new(ARTIST.parse().unwrap()), Err("a list of demo.v1.Artist needs a tenancy; * means any"))
        .await;
}

#[tokio::test(start_paused = true)]
async fn q4_what_a_resource_owns_is_listed_by_its_uid() {
    let f = fixture();
    let owner = f.write(resource(REGION, "eu")).await;
    let node = f.write(Resource { owner: Some(owner.id.clone()), ..resource(NODE, "n1") }).await;
    let artist = f.write(Resource { owner: Some(owner.id.clone()), ..resource(ARTIST, "korn") }).await;
    f.write(Resource { owner: Some(node.id.clone()), ..resource(ARTIST, "grandchild") }).await;
    assert_eq!(f.client.list_by_owner(&owner.id).await.unwrap(), [artist, node]);
    let error = f.client.list_by_owner(&id(REGION, "eu")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

#[tokio::test(start_paused = true)]
async fn what_has_no_type_any_more_is_listed_by_its_owner() {
    let f = fixture();
    let owner = f.write(resource(REGION, "eu")).await;
    let mut orphan = Resource::new(id("gone.v1.Thing", "x").with_uid(Uid::from_bits(7)));
    orphan.owner = Some(owner.id.clone());
    f.store.commit(Transaction::from_change(Change::Put(Box::new(orphan)))).await.unwrap();
    let children = f.client.list_by_owner(&owner.id).await.unwrap();
    assert_eq!(children[0].id.to_string(), "gone.v1.Thing/x");
}

#[tokio::test(start_paused = true)]
async fn a_list_may_ask_for_metadata() {
    let f = fixture();
    for (name, team) in [("a", "web"), ("b", "db"), ("c", "web")] {
        let mut input = resource(ARTIST, name);
        input.metadata.set("team", team).unwrap();
        f.write(input).await;
    }
    f.write(resource(ARTIST, "d")).await;
    let names = async |selector: &str| {
        let list = List::new(ARTIST.parse().unwrap()).in_tenancy(Tenancy::Cluster);
        let resources = f.client.list(&list.with_metadata(selector.parse().unwrap())).await.unwrap();
        resources.iter().map(|entry| entry.id.name.as_str().to_owned()).collect::<String>()
    };
    assert_eq!(names("").await, "abcd");
    assert_eq!(names("team=web").await, "ac");
    assert_eq!(names("team!=web").await, "bd");
    assert_eq!(names("team in (web,db)").await, "abc");
    assert_eq!(names("team=web,team!=web").await, "");
}

/// Records the consistency of each read.
#[derive(Default)]
struct Noted(Mutex<Vec<Consistency>>);

impl Oversee for Noted {
    fn read(&self, consistency: Consistency) {
        self.0.lock().unwrap().push(consistency);
    }
}

#[tokio::test(start_paused = true)]
async fn the_store_is_asked_for_what_is_as_new_as_the_caller_wants() {
    let store = Arc::new(Overseen::<Noted>::default());
    let client = client_of(Arc::<Overseen<Noted>>::clone(&store), TODAY, 1);
    let created = client.write(resource(ARTIST, "korn")).await.unwrap();
    let list = List::new(ARTIST.parse().unwrap()).in_tenancy(Tenancy::Cluster);
    for consistency in [Consistency::Eventual, Consistency::Strong] {
        store.by.0.lock().unwrap().clear();
        client.read(&created.id, consistency).await.unwrap();
        client.list(&list.clone().consistency(consistency)).await.unwrap();
        assert_eq!(*store.by.0.lock().unwrap(), [consistency; 2]);
    }
    // Reads that decide about a write are strongly consistent.
    store.by.0.lock().unwrap().clear();
    client.write(resource(ARTIST, "korn")).await.unwrap();
    client.delete(&created.id, None).await.unwrap();
    assert_eq!(*store.by.0.lock().unwrap(), [Consistency::Strong; 2]);
}
