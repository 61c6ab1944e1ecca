use std::fmt::Debug;
use std::time::Duration;

use converge_controller::protobuf::Timestamp;
use converge_controller::testing::{admit, resource};
use converge_controller::{Id, Name, Ref, StoredResource, Typed};

use super::content::{Content, Source};
use super::{
    Assignment, DifferingResource, Mode, Module, Node, NodeHistory, NodePlan, NodePlans, NodeReport,
    OnFailure, Phase, Revision, Rollout, Run, RunOutcome, Strategy,
};

fn module() -> Module {
    let content = Content { text: "task \"a\" {}".into(), ..Content::default() };
    Module {
        content,
        mode: Mode::Report,
        nodes: "role=web".into(),
        interval: Duration::from_secs(10),
        suspended: false,
        rollout: None,
        windows: Vec::new(),
    }
}

/// Returns a module as the service stores it.
fn stored() -> Typed<Module> {
    Typed::decode(resource("site").with_data(module()).build()).unwrap()
}

/// Checks the validation error of some data.
#[track_caller]
fn refused<T: StoredResource + Debug>(data: T, expect: &str) {
    assert_eq!(admit::<T>(resource("some").with_data(data).build()).unwrap_err(), expect);
}

#[test]
fn what_is_left_out_is_filled_in() {
    let input = Module { interval: Duration::ZERO, ..module() };
    let expect = Module { interval: Duration::from_mins(30), ..module() };
    assert_eq!(admit(resource("some").with_data(input).build()), Ok(expect));
    assert_eq!(admit(resource("some").with_data(module()).build()), Ok(module()));
}

#[test]
fn modules() {
    refused(
        Module { interval: Duration::from_secs(9), ..Module::default() },
        "content.text is empty, and there is no source; mode is missing: write MODE_REPORT or MODE_ENFORCE; nodes is empty: write labels, \
         such as role=web, or * for every node; interval is shorter than the minimum of 10 seconds",
    );
    refused(
        Module { nodes: "role".into(), ..module() },
        "nodes is not a selector of labels: \"role\" is not a selector: write key=value, key!=value \
         or key in (a, b), with commas between them",
    );
    let check = |url: &str, sha256: &str, text: &str, expect: &str| {
        let source = Some(Source { url: url.into(), sha256: sha256.into() });
        let content = Content { text: text.into(), source, ..Content::default() };
        refused(Module { content, ..module() }, expect);
    };
    let hash = "0".repeat(64);
    check(
        "https://example.org/a.hcl",
        &hash,
        "text",
        "content.text is given, and so is a source: remove one of them",
    );
    let hash_is_none = "content.source.sha256 is not a SHA-256: 64 hexadecimal digits in small letters";
    check("http://example.org/a.hcl", &hash[1..], "", hash_is_none);
    check("https://example.org/a.hcl", &"A".repeat(64), "", hash_is_none);
    for url in ["", "/etc/passwd", "file:///etc/passwd", "https:///a", "https://"] {
        check(url, &hash, "", "content.source.url is not a URL that begins with https:// or http://");
    }
}

#[test]
fn who_is_meant() {
    let check = |nodes: &str, expect: &str| {
        let selector = Module { nodes: nodes.into(), ..module() }.selector().unwrap();
        assert_eq!(selector.to_string(), expect);
    };
    check("role=web", "role=web");
    check(" * ", "");
}

#[test]
fn a_report_is_of_its_node() {
    let node = |name| resource::<Node>(name).build().id;
    let report = |owner| admit::<NodeReport>(resource::<NodeReport>("web-1").with_owner(&owner).build());
    assert!(report(node("web-1")).is_ok());
    assert_eq!(report(node("web-2")).unwrap_err(), "owner.name is web-2: a report has the name of its node");
    refused(NodeReport::default(), "owner is missing");
    let owned = resource::<Node>("web-1").with_owner(&node("web-2")).build();
    assert_eq!(admit::<Node>(owned).unwrap_err(), "owner a node has no owner");
}

#[test]
fn a_history_is_of_its_node_and_has_an_end() {
    let node = |name| resource::<Node>(name).build().id;
    let history = |owner, runs| {
        let data = NodeHistory { runs };
        admit::<NodeHistory>(resource("web-1").with_owner(&owner).with_data(data).build())
    };
    let run = |number: usize| Run {
        id: number.to_string(),
        module: Some(Ref::new(stored().id().tenancy.clone(), "site".parse().unwrap())),
        revision: Some(Ref::new(stored().id().tenancy.clone(), "site-1".parse().unwrap())),
        outcome: RunOutcome::Changed,
        times: 1,
        ..Run::default()
    };
    assert!(history(node("web-1"), (0..100).map(run).collect()).is_ok());
    let refused = |owner, runs, expect: &str| assert_eq!(history(owner, runs).unwrap_err(), expect);
    refused(node("web-2"), vec![], "owner.name is web-2: a history has the name of its node");
    refused(node("web-1"), (0..101).map(run).collect(), "runs are more than 100");
    let long = Run { errors: vec!["x".repeat(601)], changes: vec![String::new(); 11], ..run(1) };
    refused(
        node("web-1"),
        vec![long],
        "runs[0].changes are more than 10; runs[0].errors[0] is longer than 600 bytes",
    );
    refused(
        node("web-1"),
        vec![Run::default()],
        "runs[0].id is empty, or too long; runs[0].module is missing; runs[0].revision is missing; runs[0].outcome is missing",
    );

    // A repeated run is updated in place, and the newest is last.
    let mut node_history = NodeHistory::default();
    for number in 0..10_000 {
        node_history.add([run(number), run(number)]);
    }
    assert_eq!((node_history.runs.len(), node_history.runs[99].id.as_str()), (100, "9999"));
    node_history.add([Run { times: 2, ..run(9_950) }, run(9_960)]);
    assert_eq!(
        (node_history.runs.len(), node_history.runs[99].id.as_str(), node_history.runs[99].times),
        (100, "9950", 2)
    );
    assert!(history(node("web-1"), node_history.runs).is_ok());
}

#[test]
fn plans_are_of_their_node_and_have_an_end() {
    let node = |name| resource::<Node>(name).build().id;
    let admitted = |owner, plans| {
        admit::<NodePlans>(resource("web-1").with_owner(&owner).with_data(NodePlans { plans }).build())
    };
    let plan = |module: usize, size: usize| NodePlan {
        module: Some(Ref::new(stored().id().tenancy.clone(), format!("site-{module}").parse().unwrap())),
        resources: vec![DifferingResource { error: "x".repeat(size), ..DifferingResource::default() }],
        ..NodePlan::default()
    };
    assert!(admitted(node("web-1"), vec![plan(1, 10)]).is_ok());
    let refused = |owner, plans, expect: &str| assert_eq!(admitted(owner, plans).unwrap_err(), expect);
    refused(node("web-2"), vec![], "owner.name is web-2: the plans of a node have its name");
    refused(node("web-1"), vec![NodePlan::default()], "plans[0].module is missing");
    let huge = admitted(node("web-1"), vec![plan(1, 256 * 1024)]).unwrap_err();
    assert!(huge.starts_with("plans are 262") && huge.ends_with(" bytes, and may be 262144"), "{huge}");

    // There is one plan per module. The newest has priority, and a shortened plan says so.
    let mut node_plans = NodePlans::default();
    for number in 0..10 {
        node_plans.replace(plan(number % 5, 100_000));
    }
    let left_out = node_plans.plans.iter().map(|plan| plan.left_out.len()).collect::<Vec<_>>();
    assert_eq!((left_out.len(), left_out[2] > 0, &left_out[3..]), (5, true, &[0, 0][..]));
    assert!(admitted(node("web-1"), node_plans.plans.clone()).is_ok());
    for number in 0..500 {
        node_plans.replace(plan(number, 1_000));
    }
    let complete = node_plans.plans.iter().filter(|plan| plan.left_out.is_empty()).count();
    assert!(node_plans.plans.len() == 500 && (100..500).contains(&complete), "{complete}");
    assert!(node_plans.plans[499].left_out.is_empty() && admitted(node("web-1"), node_plans.plans).is_ok());
}

#[test]
fn a_revision_never_changes() {
    let (module, site): (_, Name) = (stored(), "site".parse().unwrap());
    let revision = Revision::from_module(&module).unwrap();
    assert_eq!(revision.id(), Revision::from_module(&module).unwrap().id());
    assert!(revision.id().name.as_str().starts_with("site-"), "{}", revision.id());
    assert_eq!(admit(revision.clone().into_resource()), Ok(revision.data.clone()));

    // A revision with another text cannot have this name.
    let mut changed_module = module.clone();
    changed_module.content.text.push(' ');
    let changed_revision = Revision::from_module(&changed_module).unwrap();
    let names = (revision.id().name.clone(), changed_revision.id().name.clone());
    assert_ne!(names.0, names.1);
    let changed = Typed { data: changed_revision.data, ..revision };
    let expect =
        format!("id.name is not {}, the name that belongs to its content: a revision never changes", names.1);
    assert_eq!(admit::<Revision>(changed.into_resource()), Err(expect));
    assert_eq!(module.id().name, site);
}

#[test]
fn assignments() {
    let module = stored();
    let node =
        Typed::decode(resource("web-1").with_data(Node { suspended: true, ..Node::default() }).build())
            .unwrap();
    let revision = Revision::from_module(&module).unwrap();
    let Id { tenancy, name, .. } = revision.id().clone();
    let reference = Ref::new(tenancy, name);
    let assignment = Assignment::for_node(&module, &node, &reference, Timestamp::UNIX_EPOCH).unwrap();
    assert!(
        assignment.suspended && assignment.id().name.as_str().starts_with("web-1-site-"),
        "{assignment:?}"
    );
    assert_eq!(admit(assignment.clone().into_resource()), Ok(assignment.data.clone()));

    let name = assignment.id().name.clone();
    let mine = Typed::named(assignment.id().tenancy.clone(), "mine".parse().unwrap(), assignment.data);
    let result = admit::<Assignment>(mine.with_owner(module.id()).into_resource());
    assert_eq!(result, Err(format!("id.name is not {name}, the name for this module and this node")));
    refused(Assignment::default(), "node is missing; revision is missing; mode is missing; owner is missing");
}

#[test]
fn strategies() {
    let module_with = |strategy| Module { rollout: Some(strategy), ..module() };
    let filled_in = Strategy {
        at_once: "1".into(),
        failures: "0".into(),
        time_limit: Duration::from_mins(10),
        on_failure: OnFailure::RollBack,
        ..Strategy::default()
    };
    let input = resource("some").with_data(module_with(Strategy::default())).build();
    assert_eq!(admit(input), Ok(module_with(filled_in)));
    refused(
        module_with(Strategy { at_once: "0%".into(), failures: "few".into(), ..Strategy::default() }),
        "rollout.at_once is 0: no node would ever get the version; to wait, use paused; rollout.failures is neither a number, \
         such as 2, nor percent from 0% to 100%, such as 25%",
    );
}

#[test]
fn rollouts() {
    let module = stored();
    let to = Ref::new(module.id().tenancy.clone(), "site-1".parse().unwrap());
    let rollout = Rollout { number: 3, to: Some(to), phase: Phase::Running, ..Rollout::default() };
    let rollout = Rollout::for_module(&module, rollout).unwrap();
    assert_eq!(rollout.id().name.as_str().rsplit_once('-').unwrap().0, "site-3");
    assert!(admit::<Rollout>(rollout.clone().into_resource()).is_ok());
    let renumbered_rollout = Typed { data: Rollout { number: 4, ..rollout.data.clone() }, ..rollout };
    let error = admit::<Rollout>(renumbered_rollout.into_resource()).unwrap_err();
    assert!(error.starts_with("id.name is not site-4-"), "{error}");
    refused(Rollout::default(), "to is missing; phase is missing; owner is missing");
}

#[test]
fn secrets_that_a_module_cannot_name() {
    let refusal = |secrets: &[(&str, &str)], params: &[(&str, &str)]| {
        let map_of = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let content = Content { secrets: map_of(secrets), params: map_of(params), ..module().content };
        let data = Module { content, ..module() };
        match admit::<Module>(resource("some").with_data(data).build()) {
            Ok(_) => format!("{secrets:?} {params:?}\n  is taken"),
            Err(message) => format!("{secrets:?} {params:?}\n  {}", message.replace("; ", "\n  ")),
        }
    };
    let table = [
        refusal(&[("password", "db")], &[("user", "web")]),
        refusal(&[("password", "db"), ("again", "db")], &[]),
        refusal(&[("", "db")], &[]),
        refusal(&[("password", "db")], &[("password", "hunter2")]),
        refusal(&[("password", "")], &[]),
        refusal(&[("password", "Db_1")], &[]),
        refusal(&[("password", "other/db")], &[]),
        refusal(&[("a", "-"), ("", "B"), ("b", "db")], &[("a", "1"), ("", "2")]),
    ];
    insta::assert_snapshot!(table.join("\n"));
}
