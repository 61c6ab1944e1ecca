//! Hooks of types that do what they should not.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use super::*;

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

/// A type that says when it is asked whether a resource is valid, and waits for leave to answer.
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
