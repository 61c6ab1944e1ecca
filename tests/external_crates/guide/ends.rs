//! The chapters on deletion and testing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use converge_controller::runtime::{
    Action, Controller, Definition, Manager, Request, RunError, Runtime, ensure_finalizer,
    ensure_finalizer_removed, report,
};
use converge_controller::service::TypedError;
use converge_controller::storage::{Backend, Consistency, Memory};
use converge_controller::testing::{
    ControllerTest, FaultRates, Faults, TestClient, TestController, condition, resource,
};
use converge_controller::{Condition, ConditionState, Ref, Reference, Typed};

use crate::Walked;
use crate::types::{Bar, Foo, register_types};

fn bar() -> Bar {
    Bar { baz: "x".to_owned(), qux: None }
}

async fn run(controller: impl Fn() -> Definition + 'static) -> ControllerTest {
    let register = move |manager: &mut Manager| manager.register(controller());
    ControllerTest::builder().types(register_types).controllers(register).start().await
}

async fn nothing<T: 'static>(_: Runtime, _: Request<T>) -> Result<Action, TypedError> {
    Ok(Action::await_change())
}

/// Keeps a bar until no foo needs it.
async fn hold(runtime: Runtime, request: Request<Bar>) -> Result<Action, RunError> {
    let needed = "guide.example/needed".parse()?;
    let Some(bar) = runtime.client.find(request.id(), Consistency::Eventual).await? else {
        return Ok(Action::await_change());
    };
    if !bar.metadata.is_marked_for_deletion() {
        ensure_finalizer(&runtime, &bar, &needed).await?;
        return Ok(Action::await_change());
    }
    let list = converge_controller::service::List::for_type::<Foo>().in_tenancy(bar.id.tenancy.clone());
    let of = Reference::from(request.id().clone());
    let foos = runtime.client.list_as::<Foo>(&list).await?;
    let needs = |foo: &&Typed<Foo>| foo.bar.as_ref().is_some_and(|bar| Reference::from(bar) == of);
    if let Some(foo) = foos.iter().find(needs) {
        let held = Condition::new("deleted", ConditionState::False).reason("Needed").resource(foo.id().clone());
        report(&runtime, &bar, [held]).await?;
        return Ok(Action::requeue(Duration::from_secs(1)));
    }
    ensure_finalizer_removed(&runtime, &bar, &needed).await?;
    Ok(Action::await_change())
}

pub async fn finalizers() -> Walked {
    // A cleanup finalizer, which is called once before the bar is deleted.
    let cleaned = Arc::new(AtomicU32::new(0));
    let kept = Arc::clone(&cleaned);
    let test = run(move || {
        let cleaned = Arc::clone(&kept);
        let cleanup = move |_: Runtime, _: Typed<Bar>| {
            cleaned.fetch_add(1, Ordering::Relaxed);
            async { Ok::<_, TypedError>(()) }
        };
        let name = "guide.example/clean".parse().expect("a finalizer");
        Controller::<Bar>::new("bars").finalizer(name, cleanup).reconcile(nothing)
    })
    .await;
    let mine = resource("mine").with_data(bar()).write(&test.client).await;
    test.client.wait_for_resource_state(mine.id(), |bar| bar.metadata.has_finalizers()).await;
    test.client.must_delete(mine.id()).await;
    test.client.wait_for_deletion(mine.id()).await;
    assert_eq!(cleaned.load(Ordering::Relaxed), 1);
    test.stop().await;

    // A finalizer that blocks the deletion until a condition holds.
    let test = run(|| Controller::<Bar>::new("bars").reconcile(hold)).await;
    let mine = resource("mine").with_data(bar()).write(&test.client).await;
    let of = Ref::new(mine.id().tenancy.clone(), mine.id().name.clone());
    let foo = resource("foo").with_data(Foo { bar: Some(of) }).write(&test.client).await;
    test.client.wait_for_resource_state(mine.id(), |bar| bar.metadata.has_finalizers()).await;
    test.client.must_delete(mine.id()).await;
    let held = condition("bars", "deleted", ConditionState::False).because("Needed");
    test.client.wait_for_status_condition(mine.id(), &held).await;
    // A resource marked for deletion cannot be changed, and the error explains why.
    let refused = test.client.write(resource("mine").with_data(Bar { baz: "y".into(), ..bar() }).build()).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("is marked for deletion"), "{refused}");
    test.client.must_delete(foo.id()).await;
    test.client.wait_for_deletion(mine.id()).await;
    test.stop().await;
    Ok(())
}

pub async fn ownership() -> Walked {
    let test = ControllerTest::builder().types(register_types).start().await;
    let root = resource("root").with_data(bar()).write(&test.client).await;
    let child = resource::<Foo>("child").with_owner(root.id()).write(&test.client).await;
    let grandchild = resource::<Foo>("grandchild").with_owner(child.id()).write(&test.client).await;
    let refused = resource::<Foo>("orphan").with_owner(&resource::<Foo>("nobody").build().id).build();
    let refused = test.client.write(refused).await.unwrap_err().to_string();
    assert!(refused.contains("does not exist"), "{refused}");
    test.client.must_delete(root.id()).await;
    let again = resource("root").with_data(bar()).write(&test.client).await;
    test.client.wait_for_deletion(grandchild.id()).await;
    test.client.wait_for_deletion(child.id()).await;
    test.client.require_exists(again.id()).await;
    test.stop().await;
    Ok(())
}

pub async fn testing() -> Walked {
    // One call of a reconciler in each tenancy.
    let client = TestClient::in_memory(register_types).await;
    let mut holding = TestController::new(Controller::<Bar>::new("bars").reconcile(hold), &client).await;
    for tenancy in client.tenancies::<Bar>().await {
        let mine = resource("mine").in_tenancy(tenancy).with_data(bar()).write(&client).await;
        assert_eq!(holding.reconcile(mine.id()).await?, Action::await_change());
        assert!(client.require_exists(mine.id()).await.metadata.has_finalizers());
    }

    // The complete runtime over a failing store.
    let memory = Memory::new();
    let leases = memory.leases().clone();
    let faults = Arc::new(Faults::new(memory, leases, FaultRates::NONE, 7));
    let store: Arc<dyn Backend> = Arc::<Faults<Memory>>::clone(&faults);
    let register = |manager: &mut Manager| manager.register(Controller::<Bar>::new("bars").reconcile(hold));
    let test = ControllerTest::builder().types(register_types).controllers(register).store(store).start().await;
    let mine = resource("mine").with_data(bar()).write(&test.client).await;
    faults.set_rates(FaultRates::default());
    tokio::time::sleep(Duration::from_secs(5)).await;
    faults.set_rates(FaultRates::NONE);
    test.client.wait_for_resource_state(mine.id(), |bar| bar.metadata.has_finalizers()).await;
    test.stop().await;
    Ok(())
}
