use std::sync::Arc;

use converge_controller::clock::Clock;
use converge_controller::service::List;
use converge_controller::storage::Memory;
use converge_controller::{Partition, Tenancy};

use super::*;
use crate::fleet::types::{Event, Occurrence, Severity, Strategy};

async fn events(client: &TestClient) -> Vec<Typed<Event>> {
    let list = List::new(Event::resource_type().clone()).in_tenancy(Tenancy::Partition(Partition::default()));
    client.list_as::<Event>(&list).await.unwrap()
}

/// Returns all events with their subjects and counts.
async fn list_events(client: &TestClient) -> Vec<String> {
    let describe = |event: Typed<Event>| {
        let Event { about, reason, times, .. } = event.data;
        format!("{} {reason} {times}", about.unwrap().name)
    };
    let mut lines: Vec<_> = events(client).await.into_iter().map(describe).collect();
    lines.sort();
    lines
}

/// Waits until the events are as expected, while time is paused.
async fn until(client: &TestClient, expect: &[&str]) {
    for _ in 0..1000 {
        if list_events(client).await == expect {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{:?} are not {expect:?}", list_events(client).await);
}

#[tokio::test(start_paused = true)]
async fn what_happens_is_counted_once_whoever_looks() {
    let (store, clock) = (Arc::new(Memory::new()), Clock::following_tokio(std::time::SystemTime::UNIX_EPOCH));
    let server = || {
        ControllerTest::builder()
            .types(register_types)
            .controllers(register_controllers)
            .store(store.clone())
            .clock(clock.clone())
            .start()
    };
    let test = server().await;
    let web = node(&test.client, "web-1", "web").await;
    let report = resource::<NodeReport>("web-1").with_owner(web.id()).write(&test.client).await;
    for times in 1..=3 {
        heard(&test.client, &report.resource, []).await;
        let node_lost = format!("web-1 NodeLost {}", times - 1);
        let ready = format!("web-1 NodeReady {times}");
        if times == 1 {
            until(&test.client, &[&ready]).await;
        } else {
            until(&test.client, &[&node_lost, &ready]).await;
        }
        tokio::time::sleep(Duration::from_secs(91)).await;
        until(&test.client, &[&format!("web-1 NodeLost {times}"), &ready]).await;
    }
    // Another server inspects all resources again.
    test.stop().await;
    let test = server().await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    until(&test.client, &["web-1 NodeLost 3", "web-1 NodeReady 3"]).await;
    let node_lost_event =
        events(&test.client).await.into_iter().find(|event| event.reason == "NodeLost").unwrap();
    assert_eq!(node_lost_event.severity, Severity::Warning);
    assert!(
        node_lost_event.message.starts_with("its agent last reported at "),
        "{}",
        node_lost_event.message
    );
    assert!(node_lost_event.first < node_lost_event.last);

    // An event that has not occurred for a week is deleted and not recorded again.
    tokio::time::sleep(Duration::from_hours(7 * 24)).await;
    until(&test.client, &[]).await;
    test.stop().await;
    let test = server().await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    until(&test.client, &[]).await;
    test.stop().await;
}

#[tokio::test(start_paused = true)]
async fn rollouts_and_what_agents_say_are_told() {
    let test = start(7).await;
    let client = &test.client;
    node(client, "web-1", "web").await;
    let strategy = Strategy { paused: true, ..Strategy::default() };
    let data = Module { rollout: Some(strategy), ..module("web") };
    let site = resource("site").with_data(data).write(client).await;
    let reasons = |events: &[Typed<Event>]| {
        let mut reasons: Vec<_> =
            events.iter().map(|event| format!("{} {}", event.reason, event.times)).collect();
        reasons.sort();
        reasons
    };
    let wait_until = async |expect: &[&str]| {
        for _ in 0..1000 {
            if reasons(&events(client).await) == expect {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{:?} are not {expect:?}", reasons(&events(client).await));
    };
    wait_until(&["RolloutBegan 1", "RolloutPaused 1"]).await;
    let paused = async |paused: bool| {
        let mut module: Typed<Module> = Typed::try_from(client.require_exists(site.id()).await).unwrap();
        module.rollout.as_mut().unwrap().paused = paused;
        client.write_as(module).await.unwrap();
        tokio::time::sleep(Duration::from_secs(2)).await;
    };
    paused(false).await;
    paused(true).await;
    wait_until(&["RolloutBegan 1", "RolloutPaused 2"]).await;
    // The module changes while it has no rollout strategy.
    let mut newer: Typed<Module> = Typed::try_from(client.require_exists(site.id()).await).unwrap();
    newer.rollout = None;
    client.write_as(newer).await.unwrap();
    wait_until(&["RolloutBegan 1", "RolloutPaused 2", "RolloutSuperseded 1"]).await;

    let assignments = async || owned::<Assignment>(client, site.id()).await;
    while assignments().await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let assignment = &assignments().await[0].resource;
    let failed = |why: &str| Condition::new(Assignment::FAILED, TRUE).message(why.to_owned());
    let planned = |state| Condition::new(Assignment::PLANNED, state);
    heard(client, assignment, [planned(FALSE), failed("no such type")]).await;
    wait_until(&["ModuleRefused 1", "RolloutBegan 1", "RolloutPaused 2", "RolloutSuperseded 1"]).await;
    for (times, huge) in [(1, "é".repeat(10_000)), (2, "exit code 3".to_owned())] {
        let drifted = Condition::new(Assignment::DRIFTED, (times == 2).into());
        // Two reports at the same moment would count as one.
        tokio::time::sleep(Duration::from_secs(1)).await;
        heard(client, assignment, [planned(TRUE), failed(&huge), drifted]).await;
        let not_applied = format!("NotApplied {times}");
        let mut expect =
            vec!["ModuleRefused 1", &not_applied, "RolloutBegan 1", "RolloutPaused 2", "RolloutSuperseded 1"];
        if times == 2 {
            expect.insert(0, "Drifted 1");
        }
        wait_until(&expect).await;
    }
    let last = events(client).await.into_iter().find(|event| event.reason == "NotApplied").unwrap();
    assert_eq!(last.message, "exit code 3");
    test.stop().await;
}

#[test]
fn too_many_and_old_ones_go() {
    use super::super::events::unwanted;
    use converge_controller::protobuf::Timestamp;
    let timestamp = |second: i64| Timestamp::from_second(1_700_000_000 + second).unwrap();
    let event = |number: i64, reason: &'static str| {
        let node_id = resource::<Node>(&format!("node-{number}")).build().id;
        let happened = Occurrence {
            reason,
            severity: Severity::Note,
            message: String::new(),
            at: timestamp(number),
            occurrence: number.to_string(),
        };
        Event::first_occurrence(&node_id, happened).unwrap()
    };
    let mut all_events: Vec<_> = (0..1010).map(|number| event(number, "NodeLost")).collect();
    all_events.push(event(-10, "RolloutFailed"));
    let (expired_events, retry_after) = unwanted(&all_events, timestamp(2000), 1000);
    let expect: Vec<_> = all_events[..11].iter().map(|event| event.id().clone()).collect();
    assert_eq!(expired_events, expect);
    let week = Duration::from_hours(7 * 24);
    // The next event to expire is the only one of its reason.
    assert_eq!(retry_after, week.checked_sub(Duration::from_secs(2010)));
    let (expired_events, retry_after) = unwanted(&all_events, timestamp(500) + week, 1000);
    assert_eq!(expired_events.len(), 502);
    assert_eq!(retry_after, Some(Duration::from_secs(1)));
    // After a clock jumped back, events from the future are kept and checked again in time.
    let (expired_events, retry_after) = unwanted(&all_events[..1], timestamp(-100_000_000), 1000);
    assert_eq!((expired_events.len(), retry_after), (0, Some(week)));
    assert_eq!(unwanted(&[], timestamp(0), 1000), (vec![], None));
}
