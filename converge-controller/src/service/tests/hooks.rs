//! Tests of faulty hooks.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use super::*;
use crate::identity::TenancyPattern;
use crate::storage::WatchEvent;

const SLOW: &str = "demo.v1.Slow";

#[tokio::test]
async fn a_panic_of_a_hook_is_told_to_who_wrote_and_to_nobody_else() {
    let fixture = fixture();
    fixture.write(resource(ARTIST, "korn")).await;
    for (word, hook) in [("panic in mutate", "mutate"), ("panic in validate", "validate")] {
        let given = with_word(resource(ARTIST, "korn"), word);
        let expect =
            format!("the hook {hook} of {ARTIST} panicked over {ARTIST}/default/default/korn: {word}");
        fixture.refused(given, ErrorKind::Internal, &expect).await;
    }
    let stored = fixture.write(with_word(resource(ARTIST, "korn"), "after")).await;
    assert_eq!(word(&stored), "after");
}

/// A type that reports the call of its validate hook, and waits for permission to return.
struct Slow {
    asked: SyncSender<()>,
    leave: Mutex<Receiver<()>>,
}

impl Hooks for Slow {
    fn check_data(&self, _: &Data) -> Result<(), Cause> {
        Ok(())
    }

    fn validate(&self, _: &Resource) -> Result<(), Cause> {
        self.asked.send(())?;
        Ok(self.leave.lock().unwrap_or_else(PoisonError::into_inner).recv()?)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn others_are_answered_while_a_hook_takes_its_time() {
    let (asked, was_asked) = sync_channel(1);
    let (give, leave) = sync_channel(1);
    let mut types = types();
    let slow = Slow { asked, leave: Mutex::new(leave) };
    types.add(Registration::new(SLOW.parse().unwrap(), Scope::Namespace, "tests", slow)).unwrap();
    let clock = Clock::following_tokio(UNIX_EPOCH + TODAY);
    let service = Service::new(Arc::new(Memory::new()), types, clock, Random::from_seed(1)).unwrap();
    service.start().await.unwrap();
    let client = service.client(Caller::system());

    let writing = client.clone();
    let slow = tokio::spawn(async move { writing.write(resource(SLOW, "one")).await });
    tokio::task::spawn_blocking(move || was_asked.recv().unwrap()).await.unwrap();
    let written = client.write(resource(ARTIST, "korn")).await.unwrap();
    assert_eq!(client.read(&written.id, Consistency::Strong).await.unwrap(), written);
    assert!(!slow.is_finished());
    give.send(()).unwrap();
    slow.await.unwrap().unwrap();
}

/// A type whose authorization hooks panic.
///
/// The read hook panics once it gets the resource, and the list hook panics for one partition.
struct Trapped;

impl Hooks for Trapped {
    fn check_data(&self, _: &Data) -> Result<(), Cause> {
        Ok(())
    }

    fn authorize_read(&self, _: &dyn Authorizer, id: &Id, resource: Option<&Resource>) -> Access {
        match resource {
            None if id.name.as_str() == "at-once" => panic!("asked for at-once"),
            None => Access::NeedResource,
            Some(resource) if resource.id.name.as_str() == "open" => Access::Allow,
            Some(resource) => panic!("it says {}", word(resource)),
        }
    }

    fn authorize_write(&self, _: &dyn Authorizer, resource: &Resource) -> Access {
        panic!("it is {}", resource.id)
    }

    fn authorize_list(&self, _: &dyn Authorizer, _: &Type, tenancy: &TenancyPattern) -> Access {
        assert!(tenancy.units()[0] == Some("default"), "lists elsewhere");
        Access::Allow
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_a_hook_about_callers_is_a_denial_that_tells_nothing() {
    const TRAPPED: &str = "demo.v1.Trapped";
    let mut types = types();
    types.add(Registration::new(TRAPPED.parse().unwrap(), Scope::Namespace, "tests", Trapped)).unwrap();
    let store = Arc::new(Memory::new());
    let clock = Clock::following_tokio(UNIX_EPOCH + TODAY);
    let service = Service::new(Arc::<Memory>::clone(&store), types, clock, Random::from_seed(1)).unwrap();
    let client = service.client(Caller::system());
    let mut owner = None;
    for (number, name) in ["there", "at-once", "open"].into_iter().enumerate() {
        let mut stored = with_word(resource(TRAPPED, name), "secret");
        stored.id.tenancy = Scope::Namespace.default_tenancy();
        stored.id.uid = Some(crate::Uid::from_bits(number as u128 + 1));
        stored.owner = owner.get_or_insert_with(|| stored.id.clone()).clone().into();
        store.write(stored).await.unwrap();
    }
    let before = store.snapshot();

    // The denial has the same text whether the resource exists or not.
    let words = async |name: &str| {
        let given = resource(TRAPPED, name);
        let (id, version) = (given.id.clone().with_uid(crate::Uid::from_bits(1)), None);
        let status = crate::resource::Status::new(crate::Generation::from_bits(1), []);
        let update = StatusUpdate { id: id.clone(), version, key: "c".parse().unwrap(), status };
        let refusals = [
            client.read(&given.id, Consistency::Strong).await.map(|_| ()),
            client.write(given.clone()).await.map(|_| ()),
            client.mutate_and_validate(given.clone()).await.map(|_| ()),
            client.write_status(update).await.map(|_| ()),
            client.delete(&id, None).await,
        ];
        refusals.map(|refused| {
            let error = refused.expect_err("it is denied");
            assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{name}: {error}");
            error.to_string().replace(name, "NAME")
        })
    };
    let of_what_is_there = words("there").await;
    assert_eq!(of_what_is_there, words("missing").await);
    assert_eq!(of_what_is_there, words("at-once").await);
    assert!(!of_what_is_there.concat().contains("secret"));
    assert_eq!(store.snapshot(), before);

    // Lists and watches include the resources whose hooks do not panic.
    let list = List::new(TRAPPED.parse().unwrap()).in_tenancy(Tenancy::Cluster);
    let names =
        |found: &[Arc<Resource>]| found.iter().map(|found| found.id.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&client.list(&list).await.unwrap()), ["open"]);
    let mut watch = client.watch_list(&list).await.unwrap();
    assert!(
        matches!(watch.next().await.unwrap(), WatchEvent::Upsert(open) if open.id.name.as_str() == "open")
    );
    assert_eq!(watch.next().await.unwrap(), WatchEvent::EndOfSnapshot);
    assert_eq!(names(&client.list_by_owner(&before[1].id).await.unwrap()), Vec::<String>::new());
    let elsewhere = list.in_tenancy(TenancyPattern::from_units("us", "*").unwrap());
    assert_eq!(client.list(&elsewhere).await.unwrap_err().kind(), ErrorKind::PermissionDenied);

    // Other requests still work.
    service.start().await.unwrap();
    client.write(resource(ARTIST, "korn")).await.unwrap();
}

/// A type whose hooks all panic.
struct Panics;

impl Authorizer for Panics {
    fn allows(&self, _: &crate::authorize::Question<'_>) -> bool {
        panic!("it has a mistake")
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_an_authorizer_is_a_denial() {
    let f = fixture();
    f.write(resource(ARTIST, "korn")).await;
    let client = f.client.service().client(Caller::new(Panics));
    // For an unregistered type the authorizer is called directly.
    for asked in [ARTIST, "gone.v1.Thing"] {
        let error = client.delete(&id(asked, "korn"), None).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{error}");
        let error = client.write(resource(asked, "korn")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{error}");
    }
    assert!(f.read(&id(ARTIST, "korn")).await.is_some());
}
