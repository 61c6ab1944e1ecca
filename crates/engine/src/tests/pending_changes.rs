//! Tests of the checks that pending changes put in doubt.

use super::{Toys, toys};
use crate::graph::{Graph, NodeIndex};
use crate::sdk::prelude::*;
use crate::sdk::registry::Registry;
use crate::tables::node_flags::{CHANGES, Flags, WAITS_FOR_CHANGES};
use crate::tables::pending_changes::{About, PendingChanges, PendingEffect};
use crate::types::footprint::{Claim, Footprint, Thing, Verb, kind};
use crate::{Difference, Outcome, ResourceReport};
use converge_load::{GraphBuilder, ResourceBuilder};

/// Parses a footprint such as `manages path:content /x, needs user u`.
///
/// A leading `removes` marks a removal.
fn footprint(text: &str) -> Footprint {
    let mut footprint = Footprint::new();
    let removal = text.strip_prefix("removes ");
    footprint.removes = removal.is_some();
    for claim in removal.unwrap_or(text).split(", ").filter(|claim| !claim.is_empty()) {
        let [verb, what, name] = claim.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let (of, aspect) =
            what.split_once(':').map_or((what, None), |(kind_name, aspect)| (kind_name, Some(aspect)));
        let verbs = [Verb::Manages, Verb::Ensures, Verb::Needs, Verb::Touches];
        let verb = verbs.into_iter().find(|candidate| candidate.as_str() == verb).unwrap();
        let kinds = [kind::PATH, kind::USER, kind::GROUP];
        let thing_kind = kinds.into_iter().find(|candidate| *candidate == of).unwrap();
        let aspects = ["existence", "tree", "mount", "content", "owner", "mode", "uid"];
        let aspect = aspect.map(|name_of_aspect| {
            aspects.into_iter().find(|candidate| *candidate == name_of_aspect).unwrap()
        });
        footprint.claims.push(Claim {
            verb,
            thing: Thing::new(thing_kind, name),
            aspect,
            field: None,
            state: None,
        });
    }
    footprint
}

fn plain(toy: ResourceBuilder) -> ResourceBuilder {
    toy.set("state", "new")
}

/// Marks nodes as pending in graph order and returns the table.
fn run(graph: &Graph, changing: &[(&str, PendingEffect)]) -> PendingChanges {
    let flags = Flags::new(graph);
    let pending = PendingChanges::new(graph.len());
    for index in graph.order() {
        if graph.dependencies(index).iter().any(|edge| flags.has(edge.on, CHANGES | WAITS_FOR_CHANGES)) {
            flags.add(index, WAITS_FOR_CHANGES);
            pending.begins(graph, &flags, index);
        }
        let name = graph.node(index).id.name();
        if let Some((_, changing)) = changing.iter().find(|(of, _)| format!("toy.{of}") == name) {
            flags.add(index, CHANGES);
            let changing = match changing {
                PendingEffect::Anything => PendingEffect::Anything,
                PendingEffect::Named(footprint) => PendingEffect::Named(footprint.clone()),
            };
            pending.changes(index, changing);
        }
    }
    pending
}

fn index(graph: &Graph, name: &str) -> NodeIndex {
    graph.find(&format!("root/toy.{name}")).unwrap()
}

#[test]
fn a_check_is_in_doubt_when_it_sees_what_is_pending() {
    let graph = toys(|toys| toys.toy("a", &[], plain).toy("b", &["a"], plain));
    let check = |changing: &str, reading: &str, expect: Option<About>| {
        let pending = run(&graph, &[("a", PendingEffect::Named(footprint(changing)))]);
        let doubt = pending.doubt(&graph, index(&graph, "b"), &footprint(reading));
        assert_eq!(doubt.map(|doubt| doubt.about), expect, "{changing} | {reading}");
        assert!(doubt.is_none_or(|doubt| doubt.cause == index(&graph, "a")));
    };
    let (about_own, needs) = (Some(About::Own), Some(About::Needs));
    check("", "", None);
    check("manages user u", "needs user u", needs);
    check("manages user u", "manages user u", about_own);
    check("manages user u", "needs user v", None);
    check("manages user u", "needs group u", None);
    check("touches group u", "needs group u", needs);
    check("needs user u", "needs user u", None);
    check("manages user u", "touches user u", None);
    // These lines test aspects of a path.
    check("manages path:content /x", "needs path /x", needs);
    check("manages path:content /x", "manages path:owner /x", None);
    check("manages path:owner /x", "manages path:mode /x", None);
    check("manages path:owner /x", "manages path:owner /./x/", about_own);
    check("manages path:existence /x", "manages path:owner /x", about_own);
    check("manages path:existence /x, manages path:content /x", "needs path:content /x", needs);
    check("removes manages path:existence /x", "manages path:owner /x", about_own);
    // These lines test paths above and below another.
    check("manages path:existence /x", "manages path:content /x/y", None);
    check("manages path:mode /x", "manages path:content /x/y", None);
    check("ensures path:tree /x", "manages path:content /x/y", about_own);
    check("ensures path:tree /x", "manages path:content /xy", None);
    check("ensures path:tree /", "manages path:content /x/y", about_own);
    check("manages path:mount /x", "needs path /x/y/z", needs);
    check("removes manages path:existence /x", "manages path:content /x/y", about_own);
    check("manages path:existence /x/y", "needs path:tree /x", needs);
    check("manages path:existence /x-y", "needs path:tree /x", None);
    check("manages path:mode /x/y", "needs path:tree /x", needs);
    check("manages path:mode /x", "needs path:tree /x", needs);
    check("manages path:mode /x/y", "needs path:tree /", needs);
    check("manages path:mode /x/y", "ensures path:tree /x", None);
}

#[test]
fn what_reaches_anything_is_seen_by_all_and_sees_all() {
    let graph = toys(|toys| {
        let toys = toys.toy("a", &[], plain).toy("b", &["a"], plain).toy("c", &["b"], plain);
        toys.toy("d", &["c"], plain).toy("e", &[], plain)
    });
    let index_of = |name: &str| index(&graph, name);
    let cause = |pending: &PendingChanges, of: &str, reading: Footprint| {
        pending.doubt(&graph, index_of(of), &reading).map(|doubt| doubt.cause)
    };
    let unknown = || {
        let mut footprint = Footprint::new();
        footprint.partial = true;
        footprint
    };
    let anything = run(&graph, &[("a", PendingEffect::Anything)]);
    for name in ["b", "c", "d"] {
        assert_eq!(cause(&anything, name, Footprint::new()), Some(index_of("a")), "{name}");
        assert_eq!(cause(&anything, name, unknown()), Some(index_of("a")), "{name}");
    }
    assert_eq!(cause(&anything, "a", Footprint::new()), None);
    assert_eq!(cause(&anything, "e", unknown()), None);
    // The closest change is named.
    let changes = [("a", PendingEffect::Anything), ("c", PendingEffect::Named(footprint("manages user u")))];
    let changes = run(&graph, &changes);
    assert_eq!(cause(&changes, "d", unknown()), Some(index_of("c")));
    assert_eq!(cause(&changes, "d", Footprint::new()), Some(index_of("a")));
    // A change that does not come before the node is not seen, whatever it affects.
    let user_change = run(&graph, &[("e", PendingEffect::Named(footprint("manages user u")))]);
    assert_eq!(cause(&user_change, "d", footprint("needs user u")), None);
}

/// A chain in which each node looks at one thing takes constant work per node.
#[test]
fn a_chain_of_changes_is_linear() {
    let many = 2000;
    let name = |n: usize| format!("t{n:05}");
    let graph = toys(|toys| {
        (0..many).fold(toys, |toys: Toys<'_>, n| match n {
            0 => toys.toy(&name(0), &[], plain),
            _ => toys.toy(&name(n), &[&name(n - 1)], plain),
        })
    });
    let names: Vec<String> = (0..many).map(name).collect();
    let changing: Vec<_> = names
        .iter()
        .map(|name| {
            (name.as_str(), PendingEffect::Named(footprint(&format!("manages path:content /x/{name}"))))
        })
        .collect();
    let pending = run(&graph, &changing);
    for name in &names {
        let reading = footprint(&format!("manages path:owner /x/{name}, needs path /y"));
        assert_eq!(pending.doubt(&graph, index(&graph, name), &reading), None);
    }
}

/// A change affects the claims and aspects of the differing fields; a creation affects everything.
#[test]
fn a_change_is_as_wide_as_the_fields_that_differ() {
    let registry = Registry::new().with::<Account>().unwrap();
    let graph = GraphBuilder::new(&registry)
        .resource("account", "a", |account| account.set("name", "u").set("home", "/u"))
        .resource("account", "b", |account| account.set("name", "v").depends_on("account.a"))
        .build()
        .unwrap();
    let index_of = |name: &str| graph.find(&format!("root/account.{name}")).unwrap();
    let check = |differs: &[(&str, Option<&'static str>)], outcome, reading: &str, expect: Option<About>| {
        let node = graph.node(index_of("a"));
        let mut report = ResourceReport::new(node.id.clone(), outcome);
        let difference = |(name, field): &(&str, Option<&'static str>)| Difference {
            field: field.map(Into::into),
            ..Difference::new(*name, "old", "new")
        };
        report.differences = differs.iter().map(difference).collect();
        let changing =
            PendingEffect::from_report(node, crate::tables::managed_so_far::footprint(node, None), &report);
        let flags = Flags::new(&graph);
        let pending = PendingChanges::new(graph.len());
        flags.add(index_of("a"), CHANGES);
        pending.changes(index_of("a"), changing);
        pending.begins(&graph, &flags, index_of("b"));
        let doubt = pending.doubt(&graph, index_of("b"), &footprint(reading));
        assert_eq!(doubt.map(|doubt| doubt.about), expect, "{differs:?} {reading}");
    };
    let (will_change, may_change, needs) = (Outcome::WillChange, Outcome::MayChange, Some(About::Needs));
    let shell = [("shell", Some("shell"))];
    check(&shell, will_change, "needs user u", needs);
    check(&shell, will_change, "needs user:uid u", None);
    check(&shell, will_change, "needs path:tree /u", None);
    check(&shell, may_change, "needs user:uid u", needs);
    check(&[("uid", Some("uid"))], will_change, "needs user:uid u", needs);
    check(&[("home", Some("home"))], will_change, "needs path:tree /u", needs);
    check(&[("name", Some("name"))], will_change, "needs user:uid u", needs);
    check(&[("state", Some("state"))], will_change, "needs user:uid u", needs);
    check(&[("/u", None)], will_change, "needs user:uid u", needs);
    check(&[], will_change, "needs user:uid u", needs);
    check(&shell, will_change, "needs user:uid v", None);
}

/// A test account.
#[derive(Debug, Preparer)]
#[preparer(name = "account", task = NoTask, register = false)]
struct Account {
    /// The name of the account.
    #[hcl(required, manages = "user")]
    name: String,
    /// The user id.
    uid: Option<u32>,
    /// The login shell.
    shell: Option<String>,
    /// The home directory.
    home: Option<String>,
    /// Whether the account has a home directory.
    #[hcl(default = true, touches = "path:tree of home")]
    has_home: bool,
    /// Whether the account exists.
    #[hcl(removes = "absent")]
    state: Option<String>,
}

/// A task without effect.
#[derive(Debug, Export)]
struct NoTask {
    /// The whole result.
    #[export]
    all: String,
}

impl Resource for Account {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<NoTask> {
        let Self { name, uid, shell, home, has_home, state } = self;
        Ok(NoTask { all: format!("{name}{uid:?}{shell:?}{home:?}{has_home}{state:?}") })
    }
}

impl Task for NoTask {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
