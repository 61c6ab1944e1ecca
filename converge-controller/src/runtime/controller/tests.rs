use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::clock::Random;
use crate::resource::{Condition, ConditionState, Resource, Status, StatusKey};
use crate::runtime::demo::{Artist, client, id, resource};
use crate::runtime::{Cache, CacheDefinition, Manager};
use crate::storage::{Consistency, Memory};

const NAME: &str = "example.org/artist";

fn name() -> Finalizer {
    NAME.parse().expect("a finalizer")
}

fn empty() -> Cache {
    CacheDefinition::new().build().cache().clone()
}

fn runtime() -> Runtime {
    Runtime::new("artists", client(Arc::new(Memory::new())), empty())
}

async fn read(runtime: &Runtime) -> Option<Arc<Resource>> {
    runtime.client.find(&id::<Artist>("korn"), Consistency::Strong).await.expect("the store answers")
}

fn finalizers(resource: &Resource) -> Vec<&str> {
    resource.metadata.finalizers().map(Finalizer::as_str).collect()
}

#[tokio::test(start_paused = true)]
async fn finalizers_are_written_only_when_they_change() {
    let runtime = runtime();
    let korn = runtime.client.write(resource("korn", Artist::default())).await.expect("written");
    let with_finalizer = ensure_finalizer(&runtime, &korn, &name()).await.expect("written");
    assert_eq!(finalizers(&with_finalizer), [NAME]);
    assert_ne!(with_finalizer.version, korn.version);
    assert_eq!(ensure_finalizer(&runtime, &with_finalizer, &name()).await.expect("kept"), with_finalizer);
    assert_eq!(read(&runtime).await, Some(with_finalizer.clone()));

    let second_finalizer = "example.org/other".parse().expect("a finalizer");
    assert_eq!(
        ensure_finalizer_removed(&runtime, &with_finalizer, &second_finalizer).await.expect("kept"),
        with_finalizer
    );
    let without_finalizer =
        ensure_finalizer_removed(&runtime, &with_finalizer, &name()).await.expect("written");
    assert!(finalizers(&without_finalizer).is_empty());
    assert_eq!(read(&runtime).await, Some(without_finalizer));

    // An outdated state cannot be written.
    let error = ensure_finalizer(&runtime, &korn, &name()).await.expect_err("it was written meanwhile");
    assert_eq!(error.kind(), crate::service::ErrorKind::Aborted);
}

#[tokio::test(start_paused = true)]
async fn a_status_is_written_only_when_it_says_something_else() {
    let runtime = runtime();
    let korn = runtime.client.write(resource("korn", Artist::default())).await.expect("written");
    let key: StatusKey = "artists".parse().expect("a key");
    let status =
        |state| Status::new(korn.generation.expect("it is stored"), [Condition::new("accepted", state)]);
    let mut last = korn.clone();
    for (state, changes) in [
        (ConditionState::True, true),
        (ConditionState::True, false),
        (ConditionState::False, true),
        (ConditionState::False, false),
    ] {
        sleep(Duration::from_secs(1)).await;
        let updated = update_status(&runtime, &last, &key, status(state)).await.expect("it is written");
        assert_eq!(updated.version != last.version, changes, "{state}");
        assert_eq!(updated.status[&key].condition("accepted").map(|condition| condition.state), Some(state));
        assert_eq!(read(&runtime).await.as_ref(), Some(&updated));
        last = updated;
    }
}

/// Calls `finalize` for `korn`, and returns the events and the result.
async fn finalize_korn(
    runtime: &Runtime,
    result: Result<Action, RunError>,
) -> (Vec<String>, Result<Action, String>) {
    let request: Request<Artist> = id::<Artist>("korn").try_into().expect("an artist");
    let events = Mutex::new(Vec::new());
    let action = finalize(runtime, &request, &name(), |event| {
        let (event, artist) = match event {
            FinalizerEvent::Apply(artist) => ("apply", artist),
            FinalizerEvent::Cleanup(artist) => ("cleanup", artist),
        };
        events
            .lock()
            .expect("nobody panics")
            .push(format!("{event} {}", finalizers(&artist.resource).join(" ")));
        async move { result }
    })
    .await;
    (events.into_inner().expect("nobody panics"), action.map_err(|error| error.to_string()))
}

#[tokio::test(start_paused = true)]
async fn the_finalizer_guards_what_was_applied() {
    let runtime = runtime();
    let ok = || Ok(Action::await_change());
    assert_eq!(finalize_korn(&runtime, ok()).await, (vec![], Ok(Action::await_change())));

    runtime.client.write(resource("korn", Artist::default())).await.expect("written");
    let applied = vec![format!("apply {NAME}")];
    assert_eq!(finalize_korn(&runtime, Err("no".into())).await, (applied.clone(), Err("no".into())));
    let action = Action::requeue_now();
    assert_eq!(finalize_korn(&runtime, Ok(action)).await, (applied, Ok(action)));

    runtime.client.delete(&id::<Artist>("korn"), None).await.expect("it is marked");
    let cleaned = vec![format!("cleanup {NAME}")];
    assert_eq!(
        finalize_korn(&runtime, Err("not yet".into())).await,
        (cleaned.clone(), Err("not yet".into()))
    );
    assert!(read(&runtime).await.is_some_and(|korn| korn.metadata.is_marked_for_deletion()));
    assert_eq!(
        finalize_korn(&runtime, ok()).await,
        (cleaned, ok().map_err(|error: RunError| error.to_string()))
    );
    assert_eq!(read(&runtime).await, None);
}

#[tokio::test(start_paused = true)]
async fn what_others_finalize_is_left_to_them() {
    let runtime = runtime();
    let mut korn = resource("korn", Artist::default());
    korn.metadata.add_finalizer("example.org/other".parse().expect("a finalizer"));
    runtime.client.write(korn).await.expect("written");
    runtime.client.delete(&id::<Artist>("korn"), None).await.expect("it is marked");
    // The resource was never applied here, so there is nothing to clean up, and no finalizer may be added.
    let (events, action) = finalize_korn(&runtime, Ok(Action::await_change())).await;
    assert_eq!((events, action), (vec![], Ok(Action::await_change())));
    assert_eq!(finalizers(&read(&runtime).await.expect("it is there")), ["example.org/other"]);
}

#[tokio::test(start_paused = true)]
async fn two_who_finalize_one_resource_do_not_disturb_each_other() {
    let runtime = runtime();
    let korn = runtime.client.write(resource("korn", Artist::default())).await.expect("written");
    let second_finalizer: Finalizer = "example.org/other".parse().expect("a finalizer");
    let with_both = ensure_finalizer(&runtime, &korn, &second_finalizer).await.expect("written");
    let with_both = ensure_finalizer(&runtime, &with_both, &name()).await.expect("written");
    runtime.client.delete(&id::<Artist>("korn"), None).await.expect("it is marked");
    let request: Request<Artist> = id::<Artist>("korn").try_into().expect("an artist");
    // The other finalizer is removed during this cleanup.
    let action = finalize(&runtime, &request, &name(), |_| async {
        let marked = read(&runtime).await.expect("it is there");
        ensure_finalizer_removed(&runtime, &marked, &second_finalizer).await?;
        Ok::<_, RunError>(Action::await_change())
    })
    .await
    .expect("it is cleaned up");
    assert_eq!(action, Action::await_change());
    assert_eq!(read(&runtime).await, None);
    assert_eq!(finalizers(&with_both), [NAME, "example.org/other"]);
}

#[tokio::test(start_paused = true)]
async fn a_controller_with_a_finalizer_cleans_up_until_it_succeeds() {
    let client = client(Arc::new(Memory::new()));
    let log = Arc::new(Mutex::new(Vec::new()));
    let log_entry = |what: &'static str| {
        let log = Arc::clone(&log);
        move || log.lock().expect("nobody panics").push(what)
    };
    let (reconciled, on_gone, cleaned) = (log_entry("reconcile"), log_entry("gone"), log_entry("cleanup"));
    let may_go = Arc::new(AtomicBool::new(false));
    let permission = Arc::clone(&may_go);
    let controller = Controller::<Artist>::new("artists")
        .backoff(Duration::from_secs(1)..=Duration::from_secs(1))
        .finalizer(name(), move |_, _| {
            cleaned();
            let may_go = permission.load(Ordering::SeqCst);
            async move { if may_go { Ok(()) } else { Err("in use") } }
        })
        .reconcile(move |runtime: Runtime, request: Request<Artist>| {
            let (reconciled, on_gone) = (reconciled.clone(), on_gone.clone());
            async move {
                match runtime.client.find(request.id(), Consistency::Strong).await? {
                    Some(artist) => {
                        assert_eq!(finalizers(&artist), [NAME]);
                        reconciled();
                    }
                    None => on_gone(),
                }
                Ok::<_, RunError>(Action::await_change())
            }
        });
    let mut manager = Manager::new(client.clone(), Random::from_seed(1));
    manager.register(controller).expect("it can run");
    let stop = CancellationToken::new();
    let running = tokio::spawn(manager.run(stop.clone()));
    let settled = async |time| {
        sleep(time).await;
        std::mem::take(&mut *log.lock().expect("nobody panics"))
    };
    let at_once = Duration::from_millis(1);

    client.write(resource("korn", Artist::default())).await.expect("written");
    // Adding the finalizer is a change as well.
    assert_eq!(settled(at_once).await, ["reconcile", "reconcile"]);
    client.delete(&id::<Artist>("korn"), None).await.expect("it is marked");
    assert_eq!(settled(at_once).await, ["cleanup"]);
    assert_eq!(settled(Duration::from_secs(2)).await, ["cleanup", "cleanup"]);
    may_go.store(true, Ordering::SeqCst);
    assert_eq!(settled(Duration::from_secs(1)).await, ["cleanup", "gone"]);
    assert!(client.find(&id::<Artist>("korn"), Consistency::Strong).await.expect("an answer").is_none());
    stop.cancel();
    running.await.expect("no panic");
}
