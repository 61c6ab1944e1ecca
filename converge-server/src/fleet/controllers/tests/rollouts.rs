//! Complete rollouts of good and bad revisions, while nodes come and go and servers restart.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use converge_controller::clock::{Clock, Random};
use converge_controller::storage::{Consistency, Memory};
use converge_controller::testing::{ControllerTest, TestClient, resource, simulate};
use converge_controller::{Condition, ConditionState, Id, Typed};

use super::{heard, module, node, owned, says};
use crate::fleet::types::{Assignment, Module, NodeReport, OnFailure, Phase, Revision, Rollout, Strategy};
use crate::fleet::{register_controllers, register_types};

/// A server that can be restarted, and agents that follow a script.
struct Stage {
    test: Option<ControllerTest>,
    store: Arc<Memory>,
    clock: Clock,
    random: Random,
    /// The nodes on which a text fails.
    bad: BTreeMap<String, BTreeSet<String>>,
    /// The nodes whose agents are silent.
    silent: BTreeSet<String>,
    /// The texts that each node had, in order.
    had: BTreeMap<String, Vec<String>>,
}

impl Stage {
    async fn new(seed: u64, nodes: &[&str]) -> Self {
        let mut stage = Self {
            test: None,
            store: Arc::new(Memory::new()),
            clock: Clock::following_tokio(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000)),
            random: Random::from_seed(seed),
            bad: BTreeMap::new(),
            silent: BTreeSet::new(),
            had: BTreeMap::new(),
        };
        stage.start().await;
        for name in nodes {
            let node = node(stage.client(), name, "web").await;
            resource::<NodeReport>(name).with_owner(node.id()).write(stage.client()).await;
        }
        stage
    }

    async fn start(&mut self) {
        let builder = ControllerTest::builder().types(register_types).controllers(register_controllers);
        let seed = u64::try_from(self.random.bits() >> 64).unwrap();
        let builder = builder.store(self.store.clone()).clock(self.clock.clone()).seed(seed);
        self.test = Some(builder.start().await);
    }

    async fn restart(&mut self) {
        if let Some(test) = self.test.take() {
            test.stop().await;
        }
        self.start().await;
    }

    fn client(&self) -> &TestClient {
        &self.test.as_ref().unwrap().client
    }

    /// Advances by one second: some agents finish their assignment, and all send heartbeats.
    async fn tick(&mut self, site: &Id) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let texts = self.texts(site).await;
        for assignment in owned::<Assignment>(self.client(), site).await {
            let name = assignment.node.as_ref().unwrap().name.to_string();
            let text = texts[assignment.revision.as_ref().unwrap().name.as_str()].clone();
            let history = self.had.entry(name.clone()).or_default();
            if history.last() != Some(&text) {
                history.push(text.clone());
            }
            let is_told = assignment
                .resource
                .status
                .values()
                .any(|status| Some(status.observed_generation) == assignment.resource.generation);
            if is_told || self.silent.contains(&name) || self.random.below(3) > 0 {
                continue;
            }
            let is_bad = self.bad.get(&text).is_some_and(|nodes| nodes.contains(&name));
            let applied = Condition::new(Assignment::APPLIED, ConditionState::from(!is_bad));
            heard(self.client(), &assignment.resource, [applied]).await;
        }
        for node in self.nodes() {
            if !self.silent.contains(&node) {
                let report = resource::<NodeReport>(&node).build().id;
                let report = self.client().require_exists(&report).await;
                heard(self.client(), &report, []).await;
            }
        }
    }

    fn nodes(&self) -> Vec<String> {
        self.had.keys().cloned().collect()
    }

    /// Returns the texts of a module's revisions.
    async fn texts(&self, site: &Id) -> BTreeMap<String, String> {
        let revisions = owned::<Revision>(self.client(), site).await;
        revisions
            .into_iter()
            .map(|revision| (revision.id().name.to_string(), revision.data.content.text))
            .collect()
    }

    async fn change(&self, site: &Id, change: impl Fn(&mut Module)) {
        let module_found = self.client().find_as::<Module>(site, Consistency::Strong).await.unwrap();
        let mut module = module_found.unwrap();
        change(&mut module);
        self.client().write_as(module).await.unwrap();
    }

    /// Ticks until the rollout with this number is in a phase.
    async fn until(&mut self, site: &Id, number: u64, phase: Phase) -> Typed<Rollout> {
        for _ in 0..1000 {
            self.tick(site).await;
            let last = self.last(site).await;
            if let Some(last) = last.filter(|last| (last.number, last.phase) == (number, phase)) {
                return last;
            }
        }
        panic!("rollout {number} never was {phase:?}: {:?}", self.last(site).await)
    }

    async fn last(&self, site: &Id) -> Option<Typed<Rollout>> {
        let rollouts = owned::<Rollout>(self.client(), site).await;
        rollouts.into_iter().max_by_key(|rollout| rollout.number)
    }

    /// Returns the current text of each node.
    async fn have(&self, site: &Id) -> BTreeMap<String, String> {
        let texts = self.texts(site).await;
        let assignments = owned::<Assignment>(self.client(), site).await;
        let entry_of = |assignment: Typed<Assignment>| {
            let text = &texts[assignment.revision.as_ref().unwrap().name.as_str()];
            (assignment.node.as_ref().unwrap().name.to_string(), text.clone())
        };
        assignments.into_iter().map(entry_of).collect()
    }
}

fn strategy(canary: u32, at_once: &str, failures: &str) -> Strategy {
    Strategy {
        canary,
        at_once: at_once.to_owned(),
        failures: failures.to_owned(),
        time_limit: Duration::from_mins(1),
        ..Strategy::default()
    }
}

const NODES: [&str; 6] = ["n0", "n1", "n2", "n3", "n4", "n5"];

/// Creates six nodes with a first revision from a rollout.
async fn with_first_version(seed: u64, strategy: Strategy) -> (Stage, Id) {
    let mut stage = Stage::new(seed, &NODES).await;
    stage.had = NODES.iter().map(|&name| (name.to_owned(), Vec::new())).collect();
    let site = Module { rollout: Some(strategy), ..module("web") };
    let site = resource("site").with_data(site).write(stage.client()).await.id().clone();
    stage.until(&site, 1, Phase::Complete).await;
    assert!(stage.have(&site).await.values().all(|text| text == "first"));
    (stage, site)
}

/// Rolls out revisions that are good or bad for some nodes, while servers restart.
async fn any_versions(seed: u64) {
    let mut random = Random::from_seed(seed);
    let (canary, at_once) = (random.below(4), 1 + random.below(3));
    let failures = random.below(3);
    let maximum = canary.max(at_once);
    let strategy = Strategy {
        well_for: Duration::from_secs([0, 5][random.below(2)]),
        on_failure: [OnFailure::RollBack, OnFailure::Stop][random.below(2)],
        ..strategy(u32::try_from(canary).unwrap(), &at_once.to_string(), &failures.to_string())
    };
    let (mut stage, site) = with_first_version(seed, strategy.clone()).await;
    let mut valid_text = "first".to_owned();
    for version in 2..6 {
        let text = format!("version {version}");
        let bad: BTreeSet<String> =
            NODES.iter().filter(|_| random.below(5) == 0).map(|&name| name.to_owned()).collect();
        stage.bad.insert(text.clone(), bad.clone());
        let before = stage.have(&site).await;
        stage.change(&site, |site| site.content = says(&text)).await;
        let phase = loop {
            stage.tick(&site).await;
            if random.below(8) == 0 {
                stage.restart().await;
            }
            let rollout = stage.last(&site).await.filter(|rollout| rollout.number == version);
            let have = stage.have(&site).await;
            let has_it: Vec<_> = have.iter().filter(|(_, has)| **has == text).map(|(name, _)| name).collect();
            let Some(rollout) = rollout else { continue };
            // Concurrency stays within its limit, and canaries come alone.
            let assignments = owned::<Assignment>(stage.client(), &site).await;
            let not_well = assignments.iter().filter(|assignment| {
                let name = assignment.node.as_ref().unwrap().name.to_string();
                let status = assignment.resource.status.values().find(|status| {
                    Some(status.observed_generation) == assignment.resource.generation
                        && status.condition(Assignment::APPLIED).is_some()
                });
                has_it.contains(&&name) && status.is_none()
            });
            assert!(not_well.count() <= maximum, "{have:?}");
            if rollout.phase != Phase::Running {
                break rollout.phase;
            }
        };
        for _ in 0..5 {
            stage.tick(&site).await;
        }
        let have = stage.have(&site).await;
        let expect = if bad.len() > failures { Phase::Failed } else { Phase::Complete };
        assert_eq!(phase, expect, "{bad:?} {have:?}");
        if phase == Phase::Complete {
            assert!(have.values().all(|text_of_node| *text_of_node == text), "{have:?}");
            valid_text = text;
        } else if strategy.on_failure == OnFailure::RollBack {
            assert!(have.values().all(|text_of_node| *text_of_node == valid_text), "{have:?}");
        } else {
            assert!(have.iter().all(|(name, has)| *has == text || before[name] == *has), "{have:?}");
        }
    }
    // No node gets a revision twice, except after a rollback.
    for (node, history) in &stage.had {
        for text in stage.bad.keys().filter(|text| *text != &valid_text) {
            let times = history.iter().filter(|entry| entry == &text).count();
            let went_back =
                history.windows(3).filter(|three| three[0] == three[2] && three[0] == *text).count();
            assert!(times <= 1 + went_back, "{node}: {history:?}");
        }
    }
    stage.test.take().unwrap().stop().await;
}

#[test]
fn any_versions_come_to_all_nodes_or_go_back() {
    simulate(12, any_versions);
}

#[tokio::test(start_paused = true)]
async fn a_rollout_is_paused_resumed_and_undone() {
    let (mut stage, site) = with_first_version(1, strategy(1, "1", "0")).await;
    stage.change(&site, |site| site.content = says("second")).await;
    for _ in 0..1000 {
        stage.tick(&site).await;
        if stage.have(&site).await.values().filter(|text| *text == "second").count() == 2 {
            break;
        }
    }
    let paused = |paused| move |site: &mut Module| site.rollout.as_mut().unwrap().paused = paused;
    stage.change(&site, paused(true)).await;
    for _ in 0..200 {
        stage.tick(&site).await;
    }
    let count_second =
        |have: BTreeMap<String, String>| have.values().filter(|text| *text == "second").count();
    assert_eq!(count_second(stage.have(&site).await), 2);
    let message_of = |rollout: &Typed<Rollout>| {
        let condition = rollout.resource.status.values().next().unwrap().condition("complete").unwrap();
        format!("{} {}: {}", condition.state, condition.reason, condition.message)
    };
    let last = stage.last(&site).await.unwrap();
    assert_eq!(message_of(&last), "unknown Paused: well on 2 of 6; pending on n2, n3, n4 and 1 more");
    // A new node gets the last good revision and waits for its turn.
    let six = node(stage.client(), "n6", "web").await;
    resource::<NodeReport>("n6").with_owner(six.id()).write(stage.client()).await;
    stage.had.insert("n6".to_owned(), Vec::new());
    for _ in 0..5 {
        stage.tick(&site).await;
    }
    assert_eq!(stage.have(&site).await["n6"], "first");
    stage.change(&site, paused(false)).await;
    for _ in 0..10 {
        stage.tick(&site).await;
    }
    assert!(count_second(stage.have(&site).await) > 2);

    // The module returns to the earlier text in the middle of the rollout.
    stage.change(&site, |site| site.content = says("first")).await;
    let undone = stage.until(&site, 3, Phase::Complete).await;
    assert!(stage.have(&site).await.values().all(|text| text == "first"));
    assert_eq!(undone.to, undone.from);
    let rollouts = owned::<Rollout>(stage.client(), &site).await;
    let second = rollouts.iter().find(|rollout| rollout.number == 2).unwrap();
    assert_eq!(message_of(second), "false Superseded: the module has changed since");
    assert!(second.ended.is_some() && second.phase == Phase::Superseded);
    stage.test.take().unwrap().stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_failed_is_tried_again_when_somebody_says_so() {
    let (mut stage, site) = with_first_version(2, strategy(0, "2", "0")).await;
    stage.bad.insert("second".to_owned(), [String::from("n3")].into());
    stage.change(&site, |site| site.content = says("second")).await;
    let failed = stage.until(&site, 2, Phase::Failed).await;
    let previous = failed.from.as_ref().unwrap().name.clone();
    assert_eq!(failed.reason, format!("1 failed where 0 may: n3; nodes go back to {previous}"));
    for _ in 0..100 {
        stage.tick(&site).await;
    }
    assert!(stage.have(&site).await.values().all(|text| text == "first"));
    stage.bad.clear();
    stage.change(&site, |site| site.rollout.as_mut().unwrap().attempt = 1).await;
    let second_attempt = stage.until(&site, 3, Phase::Complete).await;
    assert_eq!((second_attempt.attempt, &second_attempt.from), (1, &failed.from));
    assert!(stage.have(&site).await.values().all(|text| text == "second"));
    stage.test.take().unwrap().stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_away_gets_the_version_when_it_is_back() {
    let (mut stage, site) = with_first_version(3, strategy(1, "1", "0")).await;
    stage.silent.insert("n0".to_owned());
    // Until the node controller notices the silence.
    for _ in 0..100 {
        stage.tick(&site).await;
    }
    stage.change(&site, |site| site.content = says("second")).await;
    stage.until(&site, 2, Phase::Complete).await;
    assert_eq!(stage.have(&site).await["n0"], "first");
    stage.silent.clear();
    for _ in 0..100 {
        stage.tick(&site).await;
    }
    assert_eq!(stage.have(&site).await["n0"], "second");
    stage.test.take().unwrap().stop().await;
}

#[tokio::test(start_paused = true)]
async fn rollouts_and_what_they_name_are_kept_for_a_while() {
    let (mut stage, site) = with_first_version(4, strategy(0, "100%", "0")).await;
    for node in NODES {
        stage.bad.entry("bad".to_owned()).or_default().insert(node.to_owned());
    }
    // The first rollout is the only complete one, so it is kept.
    for number in 2..16 {
        let mut content = says("bad");
        content.params.insert("number".to_owned(), number.to_string());
        stage.change(&site, |site| site.content = content.clone()).await;
        let failed = stage.until(&site, number, Phase::Failed).await;
        assert!(stage.texts(&site).await.contains_key(failed.from.as_ref().unwrap().name.as_str()));
    }
    let mut numbers: Vec<_> =
        owned::<Rollout>(stage.client(), &site).await.iter().map(|rollout| rollout.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1].into_iter().chain(6..16).collect::<Vec<_>>());
    // Without a strategy, all nodes get the revision at once.
    stage.change(&site, |site| site.rollout = None).await;
    stage.tick(&site).await;
    assert!(stage.have(&site).await.values().all(|text| text == "bad"));
    stage.test.take().unwrap().stop().await;
}
