//! The chapters on controllers, from the first one to initializers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use converge_controller::runtime::{
    Action, CacheError, Controller, Definition, Index, Placement, Request, Runtime, map, report,
};
use converge_controller::service::TypedError;
use converge_controller::storage::Consistency;
use converge_controller::testing::{ControllerTest, condition, resource};
use converge_controller::{Condition, ConditionState, Id, Ref, Reference, Typed};
use tokio::time::Instant;

use crate::Walked;
use crate::types::{Bar, Foo, register_types};

/// The actions of reconcilers in order.
#[derive(Default)]
struct Journal(Mutex<Vec<(String, Instant)>>);

impl Journal {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((what.into(), Instant::now()));
    }

    fn notes(&self) -> Vec<(String, Instant)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn run(controller: impl Fn() -> Definition + 'static) -> ControllerTest {
    let register = move |manager: &mut converge_controller::runtime::Manager| manager.register(controller());
    ControllerTest::builder().types(register_types).controllers(register).start().await
}

fn bar(baz: &str) -> Bar {
    Bar { baz: baz.to_owned(), qux: None }
}

pub async fn controllers() -> Walked {
    // The external state that this controller manages: the text of each bar.
    let world = Arc::new(Mutex::new(BTreeMap::new()));
    let kept = Arc::clone(&world);
    let test = run(move || {
        let world = Arc::clone(&kept);
        Controller::<Bar>::new("bars").reconcile_with(world, |runtime, request, world| async move {
            let found = runtime.client.find_as::<Bar>(request.id(), Consistency::Eventual).await?;
            let mut world = world.lock().unwrap_or_else(PoisonError::into_inner);
            match found {
                Some(bar) => world.insert(request.id().name.to_string(), bar.baz.clone()),
                None => world.remove(request.id().name.as_str()),
            };
            Ok::<_, TypedError>(Action::await_change())
        })
    })
    .await;
    let until = |expect: Option<&'static str>| {
        let world = Arc::clone(&world);
        async move {
            for _ in 0..100 {
                let now = world.lock().unwrap_or_else(PoisonError::into_inner).get("mine").cloned();
                if now.as_deref() == expect {
                    return Ok(());
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Err(format!("the world is not {expect:?}"))
        }
    };
    let mine = resource("mine").with_data(bar("one")).write(&test.client).await;
    until(Some("one")).await?;
    resource("mine").with_data(bar("two")).write(&test.client).await;
    until(Some("two")).await?;
    test.client.must_delete(mine.id()).await;
    until(None).await?;
    test.stop().await;
    Ok(())
}

#[derive(Debug, thiserror::Error)]
#[error("not yet")]
struct NotYet;

pub async fn errors_and_retries() -> Walked {
    let journal = Arc::new(Journal::default());
    let kept = Arc::clone(&journal);
    let test = run(move || {
        let journal = Arc::clone(&kept);
        let controller = Controller::<Bar>::new("bars").backoff(Duration::from_millis(5)..=Duration::from_secs(1000));
        controller.reconcile_with(journal, |_, _, journal: Arc<Journal>| async move {
            journal.note("asked");
            match journal.notes().len() {
                1 | 2 => Err(NotYet),
                3 => panic!("a panic is an error"),
                4 => Ok(Action::requeue(Duration::from_secs(60))),
                _ => Ok(Action::await_change()),
            }
        })
    })
    .await;
    resource("mine").with_data(bar("x")).write(&test.client).await;
    // The process has its own panic hook, which adds nothing here.
    tokio::time::sleep(Duration::from_secs(100)).await;
    let notes = journal.notes();
    let waits: Vec<Duration> = notes.windows(2).map(|pair| pair[1].1 - pair[0].1).collect();
    let expect = [5, 10, 20, 60_000].map(Duration::from_millis);
    if waits.len() != expect.len() || waits.iter().zip(expect).any(|(wait, least)| *wait < least) {
        return Err(format!("{waits:?} is not at least {expect:?}").into());
    }
    test.stop().await;
    Ok(())
}

pub async fn status() -> Walked {
    let journal = Arc::new(Journal::default());
    let kept = Arc::clone(&journal);
    let test = run(move || {
        let journal = Arc::clone(&kept);
        Controller::<Bar>::new("bars").reconcile_with(journal, |runtime, request, journal: Arc<Journal>| async move {
            journal.note("asked");
            let found = runtime.client.find_as::<Bar>(request.id(), Consistency::Eventual).await?;
            let Some(bar) = found else { return Ok(Action::await_change()) };
            // Whether the referenced resource exists is not a matter of validation.
            let there = match &bar.qux {
                Some(qux) => runtime.client.find(qux, Consistency::Eventual).await?.is_some(),
                None => true,
            };
            let accepted = Condition::new("accepted", there.into()).reason(if there { "" } else { "UnknownQux" });
            report(&runtime, &bar.resource, [accepted]).await?;
            Ok::<_, TypedError>(Action::await_change())
        })
    })
    .await;
    let nobody = resource::<Foo>("nobody").build().id;
    let lost = Bar { qux: Some(nobody), ..bar("x") };
    let mine = resource("mine").with_data(lost).write(&test.client).await;
    let unknown = condition("bars", "accepted", ConditionState::False).because("UnknownQux");
    test.client.wait_for_status_condition(mine.id(), &unknown).await;
    resource("mine").with_data(bar("x")).write(&test.client).await;
    let accepted = condition("bars", "accepted", ConditionState::True);
    test.client.wait_for_status_condition(mine.id(), &accepted).await;
    // Writing a status is a change and triggers a reconcile, but the loop settles.
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(journal.notes().len() <= 4, "it was asked {} times", journal.notes().len());
    test.stop().await;
    Ok(())
}

/// The index of foos by the bar that they need.
const BY_BAR: Index<Foo, Reference> = Index::one("bar", |foo| foo.bar.as_ref().map(Reference::from));

/// Writes the number of foos that need a bar to its status.
async fn count(runtime: Runtime, request: Request<Bar>) -> Result<Action, converge_controller::runtime::RunError> {
    let Some(bar) = runtime.client.find(request.id(), Consistency::Eventual).await? else {
        return Ok(Action::await_change());
    };
    let foos = runtime.cache.list(&BY_BAR, &Reference::from(request.id().clone()))?;
    let needed = Condition::new("needed", ConditionState::from(!foos.is_empty())).reason(foos.len().to_string());
    report(&runtime, &bar, [needed]).await?;
    Ok(Action::await_change())
}

fn counting() -> Definition {
    Controller::<Bar>::new("bars")
        .watch(map::references(|foo: &Typed<Foo>| foo.bar.as_ref().map(Reference::from)))
        .index(&BY_BAR)
        .reconcile(count)
}

fn foo(of: &Id) -> Foo {
    Foo { bar: Some(Ref::new(of.tenancy.clone(), of.name.clone())) }
}

pub async fn watching_other_resources() -> Walked {
    let mut test = run(counting).await;
    let mine = resource("mine").with_data(bar("x")).build();
    let all = ["a", "b", "c"].map(|name| resource(name).with_data(foo(&mine.id)).build());
    test.publish(all.into_iter().chain([mine.clone()]).collect()).await;
    let needed = |state, foos| condition("bars", "needed", state).because(foos);
    test.client.wait_for_status_condition(&mine.id, &needed(ConditionState::True, "3")).await;
    for name in ["a", "b", "c"] {
        test.client.must_delete(&resource::<Foo>(name).build().id).await;
    }
    test.client.wait_for_status_condition(&mine.id, &needed(ConditionState::False, "0")).await;
    test.stop().await;

    // An index that the controller does not declare is an error with a clear message.
    let unnamed = Controller::<Foo>::new("foos").reconcile(|runtime: Runtime, _| async move {
        runtime.cache.list(&BY_BAR, &Reference::from(resource::<Bar>("mine").build().id))?;
        Ok::<_, CacheError>(Action::await_change())
    });
    let client = converge_controller::testing::TestClient::in_memory(register_types).await;
    let mut unnamed = converge_controller::testing::TestController::new(unnamed, &client).await;
    let said = unnamed.reconcile(&resource::<Foo>("a").build().id).await.unwrap_err().to_string();
    assert!(said.contains("bar") && said.contains("foo.v1alpha1.Foo"), "{said}");
    Ok(())
}

pub async fn placement() -> Walked {
    let controller = Controller::<Bar>::new("bars").placement(Placement::EachServer);
    let shown = controller.reconcile(|_, _| async { Ok::<_, TypedError>(Action::await_change()) }).to_string();
    assert!(shown.contains("each"), "{shown}");
    assert!(counting().to_string().contains("singleton"), "{}", counting());
    Ok(())
}

pub async fn initializers() -> Walked {
    let failed = Arc::new(Mutex::new(false));
    let test = run(move || {
        let failed = Arc::clone(&failed);
        let initialize = move |runtime: Runtime| {
            let first = !std::mem::replace(&mut *failed.lock().unwrap_or_else(PoisonError::into_inner), true);
            async move {
                if first {
                    // The next run tries again.
                    return Err(converge_controller::runtime::RunError::from("not the first time"));
                }
                let always = resource("always").with_data(bar("there")).build();
                runtime.client.write(always).await?;
                Ok(())
            }
        };
        Controller::<Bar>::new("bars").initialize(initialize).reconcile(count_nothing)
    })
    .await;
    let always = resource::<Bar>("always").build().id;
    let reported = condition("bars", "seen", ConditionState::True);
    test.client.wait_for_resource_state(&always, |_| true).await;
    test.client.wait_for_status_condition(&always, &reported).await;
    test.stop().await;
    Ok(())
}

async fn count_nothing(runtime: Runtime, request: Request<Bar>) -> Result<Action, TypedError> {
    if let Some(bar) = runtime.client.find(request.id(), Consistency::Eventual).await? {
        report(&runtime, &bar, [Condition::new("seen", ConditionState::True)]).await?;
    }
    Ok(Action::await_change())
}
