use std::time::Duration;

use converge_controller::protobuf::Timestamp;
use converge_controller::testing::resource;
use converge_controller::{Condition, ConditionState, Generation, Name, Ref, Status, Typed};

use super::condition::rollout_condition;
use super::decide::{Stands, decide};
use super::node_progress::{Asked, NodeProgress};
use crate::fleet::types::{
    Assignment, Mode, Module, Node, OnFailure, Phase, Revision, Rollout, Strategy, Window,
};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).unwrap()
}

const NOW: i64 = 1000;

/// Creates the progress of nodes `n0`, `n1`.. from one letter each.
///
/// The letters are **b**efore, **u**nder way, **o**utside of its windows, **w**ell, **f**ailed, **a**way and
/// waited for, **s**uspended.
fn stands(letters: &str) -> Stands {
    let stand_of = |letter| match letter {
        'b' => NodeProgress::Before,
        'u' => NodeProgress::UnderWay { until: at(NOW + 60) },
        'o' => NodeProgress::Waits { until: Some(at(NOW + 90)) },
        'w' => NodeProgress::Well,
        'f' => NodeProgress::Failed,
        'a' => NodeProgress::Away { until: Some(at(NOW + 30)) },
        _ => NodeProgress::Away { until: None },
    };
    let named_stand = |(number, letter)| (format!("n{number}").parse().unwrap(), stand_of(letter));
    letters.chars().enumerate().map(named_stand).collect()
}

fn strategy(canary: u32, at_once: &str, failures: &str) -> Strategy {
    let (at_once, failures) = (at_once.to_owned(), failures.to_owned());
    Strategy { canary, at_once, failures, time_limit: Duration::from_mins(1), ..Strategy::default() }
}

#[test]
fn who_is_next() {
    #[track_caller]
    fn check(strategy: &Strategy, letters: &str, expect: (Phase, &str)) {
        let decision = decide(strategy, Phase::Running, &stands(letters), at(NOW));
        let names: Vec<_> = decision.give.iter().map(Name::as_str).collect();
        assert_eq!((decision.phase, names.join(" ").as_str()), expect, "{letters}");
    }
    use Phase::{Complete, Failed, Running};
    // One node after the other.
    let single = strategy(0, "1", "0");
    check(&single, "bbb", (Running, "n0"));
    check(&single, "ubb", (Running, ""));
    check(&single, "obb", (Running, ""));
    check(&single, "wwo", (Running, ""));
    check(&single, "wbb", (Running, "n1"));
    check(&single, "wwu", (Running, ""));
    check(&single, "www", (Complete, ""));
    check(&single, "wfb", (Failed, ""));
    // Canaries first, then a limited number at a time.
    let canaries = strategy(2, "50%", "1");
    check(&canaries, "bbbbbbbb", (Running, "n0 n1"));
    check(&canaries, "wubbbbbb", (Running, ""));
    check(&canaries, "wwbbbbbb", (Running, "n2 n3 n4 n5"));
    check(&canaries, "wwuwwubb", (Running, "n6 n7"));
    // A canary that may fail is replaced by another node; a second failure ends the rollout.
    check(&canaries, "wfbbbbbb", (Running, "n2"));
    check(&canaries, "ffbbbbbb", (Failed, ""));
    check(&canaries, "wwwwwwwf", (Complete, ""));
    // More canaries than nodes.
    check(&strategy(9, "1", "0"), "bbb", (Running, "n0 n1 n2"));
    // The rollout waits for an absent node, but continues with the others.
    check(&single, "abs", (Running, "n1"));
    check(&single, "aws", (Running, ""));
    check(&single, "sws", (Complete, ""));
    // A rollout that no node has tried is not complete.
    check(&single, "ss", (Running, ""));
    check(&single, "", (Running, ""));
    // A paused rollout starts no nodes, but the started nodes may complete it.
    let paused = Strategy { paused: true, ..single };
    check(&paused, "wbb", (Running, ""));
    check(&paused, "wfb", (Failed, ""));
    check(&paused, "www", (Complete, ""));
}

#[test]
fn what_is_complete_does_not_fail_any_more() {
    #[track_caller]
    fn check(letters: &str, expect: &str) {
        let decision = decide(&strategy(2, "1", "0"), Phase::Complete, &stands(letters), at(NOW));
        let names: Vec<_> = decision.give.iter().map(Name::as_str).collect();
        assert_eq!((decision.phase, names.join(" ").as_str()), (Phase::Complete, expect), "{letters}");
    }
    check("wwf", "");
    check("fbb", "n1");
    check("ubb", "");
    check("bbb", "n0");
}

#[test]
fn when_time_alone_changes_something() {
    #[track_caller]
    fn check(letters: &str, expect: Option<u64>) {
        let retry_after = decide(&strategy(0, "1", "9"), Phase::Running, &stands(letters), at(NOW)).again;
        assert_eq!(retry_after, expect.map(Duration::from_secs), "{letters}");
    }
    check("wfbs", None);
    check("ub", Some(60));
    check("ob", Some(90));
    check("uab", Some(30));
}

/// Creates a node with this ready condition since a second.
fn node(ready: Option<(ConditionState, i64)>) -> Typed<Node> {
    let mut node = resource::<Node>("web-1").build();
    if let Some((state, timestamp)) = ready {
        let mut status = Status::new(Generation::from_bits(1), [Condition::new("ready", state)]);
        status.updated_at = Some(at(timestamp));
        node.status.insert("nodes".parse().unwrap(), status);
    }
    Typed::decode(node).unwrap()
}

fn module(mode: Mode) -> Typed<Module> {
    Typed::decode(resource("site").with_data(Module { mode, ..Module::default() }).build()).unwrap()
}

fn revision(name: &str) -> Ref<Revision> {
    let module = module(Mode::Enforce);
    Ref::new(module.id().tenancy.clone(), name.parse().unwrap())
}

/// A report: its generation, its conditions, and the second since when it holds.
type Reported<'a> = (u128, &'a [(&'a str, ConditionState)], i64);

/// Creates an assignment of a revision that the node has had since second 0.
fn assignment(text: &str, reported: Option<Reported<'_>>) -> Typed<Assignment> {
    let mut assignment =
        Assignment::for_node(&module(Mode::Enforce), &node(None), &revision(text), at(0)).unwrap();
    assignment.resource.generation = Some(Generation::from_bits(2));
    if let Some((generation, conditions, timestamp)) = reported {
        let conditions = conditions.iter().map(|&(name, state)| Condition::new(name, state));
        let mut status = Status::new(Generation::from_bits(generation), conditions);
        status.updated_at = Some(at(timestamp));
        assignment.resource.status.insert("agent".parse().unwrap(), status);
    }
    assignment
}

#[test]
fn how_a_node_stands() {
    const TRUE: ConditionState = ConditionState::True;
    const FALSE: ConditionState = ConditionState::False;
    #[track_caller]
    fn check(
        mode: Mode,
        node: &Typed<Node>,
        current: Option<&Typed<Assignment>>,
        time: i64,
        expect: NodeProgress,
    ) {
        let strategy = Strategy { well_for: Duration::from_secs(10), ..strategy(0, "1", "0") };
        let (module, to) = (module(mode), revision("new"));
        let context = Asked { module: &module, strategy: &strategy, to: &to, now: at(time) };
        assert_eq!(context.progress_of(node, current), expect);
    }
    let enforced = |node: &Typed<Node>, has: Option<&Typed<Assignment>>, now, expect| {
        check(Mode::Enforce, node, has, now, expect);
    };
    let away_until = |until: Option<i64>| NodeProgress::Away { until: until.map(at) };
    let (ready, silent) = (node(Some((TRUE, 0))), node(Some((ConditionState::Unknown, 0))));
    let old = assignment("old", None);

    enforced(&ready, None, 0, NodeProgress::Before);
    enforced(&ready, Some(&old), 0, NodeProgress::Before);
    // Silent for a minute: the rollout no longer waits for the node.
    enforced(&silent, Some(&old), 59, away_until(Some(60)));
    enforced(&silent, None, 60, away_until(None));
    enforced(&node(None), None, 5, away_until(Some(65)));
    let suspended = Typed { data: Node { suspended: true, ..Node::default() }, ..ready.clone() };
    enforced(&suspended, Some(&old), 0, away_until(None));
    enforced(&suspended, Some(&assignment("new", None)), 100, away_until(None));

    let under_way = |deadline| NodeProgress::UnderWay { until: at(deadline) };
    enforced(&ready, Some(&assignment("new", None)), 59, under_way(60));
    enforced(&ready, Some(&assignment("new", None)), 60, NodeProgress::Failed);
    // A report on an earlier generation does not count.
    let applied: &[_] = &[("applied", TRUE)];
    enforced(&ready, Some(&assignment("new", Some((1, applied, 20)))), 59, under_way(60));
    enforced(&ready, Some(&assignment("new", Some((2, applied, 20)))), 29, under_way(30));
    enforced(&ready, Some(&assignment("new", Some((2, applied, 20)))), 30, NodeProgress::Well);
    // Once the agent has reported success, a missing heartbeat does not matter.
    enforced(&silent, Some(&assignment("new", Some((2, applied, 20)))), 99, NodeProgress::Well);
    let invalid: &[_] = &[("planned", TRUE), ("applied", FALSE), ("failed", FALSE)];
    enforced(&ready, Some(&assignment("new", Some((2, invalid, 20)))), 59, under_way(60));
    enforced(&ready, Some(&assignment("new", Some((2, invalid, 20)))), 60, NodeProgress::Failed);
    // The windows are open from 22:14 to 22:16, which is second 40 to second 160. Outside of them no node
    // fails.
    let mut windows = assignment("new", Some((2, invalid, 20)));
    windows.data.windows =
        vec![Window { from: "22:14".into(), to: "22:16".into(), zone: "UTC".into(), days: String::new() }];
    enforced(&ready, Some(&windows), 39, NodeProgress::Waits { until: Some(at(40)) });
    enforced(&ready, Some(&windows), 99, under_way(100));
    enforced(&ready, Some(&windows), 100, NodeProgress::Failed);
    enforced(&ready, Some(&windows), 160, NodeProgress::Waits { until: Some(at(40 + 24 * 60 * 60)) });
    // The module only reports and changes nothing.
    check(Mode::Report, &ready, Some(&assignment("new", Some((2, invalid, 20)))), 60, NodeProgress::Well);
    let broken: &[_] = &[("planned", TRUE), ("applied", FALSE), ("failed", TRUE)];
    check(Mode::Report, &ready, Some(&assignment("new", Some((2, broken, 20)))), 60, NodeProgress::Failed);
}

#[test]
fn what_is_said() {
    #[track_caller]
    fn check(rollout: &Rollout, paused: bool, letters: &str, expect: &str) {
        let strategy = Strategy { paused, on_failure: OnFailure::RollBack, ..strategy(0, "1", "0") };
        let Condition { state, reason, message, .. } =
            rollout_condition(rollout, &strategy, &stands(letters));
        assert_eq!(format!("{state} {reason}: {message}"), expect);
    }
    let rollout_of = |phase| Rollout { phase, reason: "too bad".into(), ..Rollout::default() };
    check(
        &rollout_of(Phase::Running),
        false,
        "wwufbas",
        "unknown Running: well on 2 of 7; under way on n2; failed on n3; pending on n4; not available to n5, n6",
    );
    check(&rollout_of(Phase::Running), true, "wb", "unknown Paused: well on 1 of 2; pending on n1");
    check(&rollout_of(Phase::Complete), true, "ww", "true : well on 2 of 2");
    check(&rollout_of(Phase::Failed), false, "ww", "false Failed: too bad");
    check(&rollout_of(Phase::Superseded), false, "ww", "false Superseded: too bad");
}
