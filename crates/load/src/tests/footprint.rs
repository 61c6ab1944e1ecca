#![expect(clippy::disallowed_methods, reason = "a test makes the files that it loads")]

use std::collections::BTreeSet;

use crate::footprint::AutomaticEdges;
use crate::graph::{EdgeReason, Graph};
use crate::sdk::prelude::*;
use crate::sdk::registry::Registry;
use converge_value::types::visibility::Visible;

use crate::{Loaded, Loader};

/// A test resource whose footprint follows from its fields, and that does nothing.
#[derive(Debug, Preparer)]
#[preparer(name = "t", task = Nothing, register = false)]
struct ThingPreparer {
    /// A file.
    #[hcl(manages = "path:existence, path:content")]
    file: Option<String>,
    /// A file that the resource edits a part of.
    #[hcl(ensures = "path:content")]
    part: Option<String>,
    /// Whether the content of the file is left to others once it exists.
    #[hcl(default, ensures = "path:content of file")]
    once: bool,
    /// A folder that the resource ensures.
    #[hcl(ensures = "path:existence")]
    wants: Option<String>,
    /// A folder.
    #[hcl(manages = "path:existence")]
    dir: Option<String>,
    /// A folder that is created with its parents.
    #[hcl(manages = "path:existence", touches = "path:parents")]
    way: Option<String>,
    /// A path whose owner is set.
    #[hcl(manages = "path:owner")]
    owner: Option<String>,
    /// A path whose mode is set.
    #[hcl(manages = "path:mode")]
    mode: Option<String>,
    /// A tree that is unpacked.
    #[hcl(ensures = "path:tree")]
    fills: Option<String>,
    /// A tree that is traversed and changed.
    #[hcl(needs = "path:tree", touches = "path:tree")]
    through: Option<String>,
    /// A tree that is read.
    #[hcl(needs = "path:tree")]
    reads: Option<String>,
    /// A directory where a file system is mounted.
    #[hcl(manages = "path:mount", ensures = "path:tree")]
    mounts: Option<String>,
    /// A tree that is unpacked into a folder that exists.
    #[hcl(needs = "path:existence", ensures = "path:tree")]
    unpacks: Option<String>,
    /// The target of a link at `file`.
    #[hcl(needs = "path:target")]
    leads_to: Option<String>,
    /// A path that is read.
    #[hcl(needs = "path")]
    needs: Option<String>,
    /// The home directory of `user`.
    #[hcl(touches = "home_dir")]
    home: Option<String>,
    /// A path in the home directory of a user.
    #[hcl(needs = "home")]
    in_home: Option<String>,
    /// An account with its own group.
    #[hcl(manages = "user", touches = "group")]
    user: Option<String>,
    /// A group.
    #[hcl(manages = "group")]
    group_name: Option<String>,
    /// Accounts that are used.
    #[hcl(needs = "user")]
    as_user: Vec<String>,
    /// A group that is used.
    #[hcl(needs = "group")]
    as_group: Option<String>,
    /// Packages.
    #[hcl(ensures = "package")]
    packages: Vec<String>,
    /// The content of a text file.
    text: Option<String>,
    /// The permissions of the path in `text`.
    #[hcl(manages = "path:mode of text")]
    permissions: Option<String>,
    /// The permissions as a number.
    #[hcl(base = 8, manages = "path:mode of text")]
    bits: Option<u32>,
    /// Whether the thing is present or absent.
    #[hcl(removes = "absent")]
    state: Option<String>,
}

/// The exports of the test resource.
#[derive(Debug, Export)]
struct Nothing {
    /// A value that only a run knows.
    #[export]
    out: String,
}

impl Resource for ThingPreparer {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Nothing> {
        let text = format!("{:?}{:?}{:?}{:?}", self.file, self.dir, self.owner, self.mode);
        let text = format!("{text}{:?}{:?}{:?}{:?}", self.fills, self.through, self.reads, self.needs);
        let text = format!("{text}{:?}{:?}{:?}{:?}", self.user, self.group_name, self.as_user, self.as_group);
        let text = format!("{text}{:?}{:?}{:?}{:?}", self.packages, self.permissions, self.bits, self.way);
        let text = format!("{text}{:?}{:?}{:?}", self.part, self.once, self.wants);
        let text = format!("{text}{:?}{:?}{:?}{:?}", self.unpacks, self.leads_to, self.home, self.in_home);
        let text = format!("{text}{:?}", self.mounts);
        Ok(Nothing { out: format!("{text}{:?}{:?}", self.text, self.state) })
    }
}

impl Task for Nothing {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

pub(super) fn registry() -> Registry {
    Registry::new().with::<ThingPreparer>().unwrap()
}

/// Builds a module; `a: file = "/x"; b: needs = "/x"` are two resources.
pub(super) fn module(text: &str) -> String {
    let resource = |(name, fields): (&str, &str)| format!("t \"{}\" {{ {fields} }}\n", name.trim());
    text.split("; ").map(|entry| resource(entry.split_once(':').unwrap_or((entry, "")))).collect()
}

pub(super) fn load(text: &str) -> Loaded {
    let loaded = Loader::new(&registry()).load_text("m.hcl", text);
    let errors: Vec<&str> = loaded.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert!(errors.is_empty(), "{text}: {errors:?}");
    loaded
}

/// Lists the derived edges: `b a /x` means that `b` waits for `a` because of `/x`.
pub(super) fn edges(graph: &Graph) -> Vec<String> {
    let name = |index| graph.node(index).id.short().trim_start_matches("t.").to_owned();
    let edges = graph.nodes().flat_map(|(from, _)| {
        let automatic = graph.dependencies(from).iter().filter(|edge| edge.reason == EdgeReason::Footprint);
        automatic.map(move |edge| {
            format!("{} {} {}", name(from), name(edge.on), graph.reason_of(from, edge.on).unwrap().name())
        })
    });
    edges.collect()
}

fn left_out(graph: &Graph) -> Vec<String> {
    let name = |index| graph.node(index).id.short().trim_start_matches("t.").to_owned();
    let nodes = graph.nodes().map(|(from, _)| from);
    nodes
        .flat_map(|from| graph.left_out(from).map(move |(on, thing)| (from, on, thing)))
        .map(|(from, on, thing)| format!("{} {} {}", name(from), name(on), thing.name()))
        .collect()
}

#[test]
fn what_works_with_a_thing_waits_for_what_makes_it() {
    let check = |text: &str, expect: &[&str]| {
        assert_eq!(edges(load(&module(text)).partial_graph()), expect, "{text}");
    };
    check("a: file = \"/x\"; b: file = \"/y\"", &[]);
    check("a: dir = \"/x\"; b: file = \"/x/y\"", &["b a /x"]);
    check("a: dir = \"/x\"; b: file = \"/x/y/z\"", &["b a /x"]);
    check("a: dir = \"/x\"; b: file = \"/xy\"", &[]);
    check("a: dir = \"/x//\"; b: file = \"/./x/y\"", &["b a /x"]);
    check("a: dir = \"x\"; b: file = \"./x/y\"", &[&format!("b a {}/x", working_dir())]);
    // A path waits for its closest folder, which in turn waits for its own.
    check("a: dir = \"/x\"; b: dir = \"/x/y\"; c: file = \"/x/y/z\"", &["b a /x", "c b /x/y"]);
    // Nodes of one path are ordered by creation and change.
    check(
        "d: needs = \"/x\"; c: mode = \"/x\"; b: owner = \"/x\"; a: file = \"/x\"",
        &["b a /x", "c b /x", "d c /x"],
    );
    check("a: fills = \"/x\"; b: dir = \"/x\"; c: file = \"/x/y\"", &["a b /x", "c a /x"]);
    // A node that edits a part waits for the one that makes the file.
    check("a: part = \"/x\"; b: file = \"/x\" once = true", &["a b /x"]);
    check("a: part = \"/x\"; b: part = \"/x\"", &[]);
    check(
        "a: part = \"/x\"; b: file = \"/x\" once = true; c: mode = \"/x\"; d: part = \"/x\"",
        &["a b /x", "c a /x", "c b /x", "c d /x", "d b /x"],
    );
    check("a: wants = \"/x\"; b: dir = \"/x\"; c: file = \"/x/y\"", &["a b /x", "c a /x", "c b /x"]);
    // The home folder is made after the user, although the user ensures a home.
    check("a: wants = \"/h\" user = \"u\"; b: dir = \"/h\" as_user = [\"u\"]", &["b a u"]);
    // Trees.
    check(
        "a: through = \"/x\"; b: file = \"/x/y\"; c: mode = \"/x/y\"; d: file = \"/xy\"",
        &["a b /x", "c a /x", "c b /x/y"],
    );
    check("a: reads = \"/x\"; b: file = \"/x/y\"; c: mode = \"/x/z\"", &["a b /x", "a c /x"]);
    check("a: through = \"/x\"; b: through = \"/x\"", &[]);
    check("a: through = \"/\"; b: file = \"/x\"", &["a b /"]);
    check("a: reads = \"/x/y\"; b: dir = \"/x\"", &["a b /x"]);
    // Accounts.
    check("a: user = \"u\"; b: as_user = [\"u\", \"v\"]; c: user = \"v\"", &["b a u", "b c v"]);
    check("a: user = \"u\"; b: group_name = \"u\"; c: as_group = \"u\"", &["a b u", "c a u"]);
    check("a: packages = [\"x\", \"y\"]; b: packages = [\"x\"]", &[]);
}

fn working_dir() -> String {
    std::env::current_dir().unwrap().into_os_string().into_string().unwrap()
}

#[test]
fn a_path_is_one_thing_however_it_is_written() {
    let check = |text: &str, expect: &[&str]| {
        assert_eq!(edges(load(&module(text)).partial_graph()), expect, "{text}");
    };
    let here = working_dir();
    check(&format!("a: file = \"s/x\"; b: dir = \"{here}/s\""), &[&format!("a b {here}/s")]);
    check(
        &format!("a: reads = \".\"; b: file = \"{here}/x\"; c: file = \"y\""),
        &[&format!("a b {here}"), &format!("a c {here}")],
    );
    // A link of the module stands for its target, and what is below waits for both.
    check(
        "a: file = \"/l\" leads_to = \"/d\"; b: file = \"/l/s/x\"; c: dir = \"/d/s\"",
        &["b a /l", "b c /d/s"],
    );
    check(
        "a: file = \"/l\" leads_to = \"/d/../e\"; b: part = \"/l/x\"; c: mode = \"/e/x\"; d: mode = \"/l\"; e: needs = \"/l\"",
        &["b a /l", "c b /e/x", "d a /l", "e a /l", "e d /e"],
    );
}

/// Links are resolved from the left, and `..` after them.
#[cfg(unix)]
#[test]
fn a_path_through_a_link_of_the_machine_is_that_of_its_target() {
    let check = |text: &str, expect: &[&str]| {
        assert_eq!(edges(load(&module(text)).partial_graph()), expect, "{text}");
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let root = folder.to_str().unwrap();
    std::fs::create_dir_all(folder.join("d/e")).unwrap();
    std::os::unix::fs::symlink("d/e", folder.join("l")).unwrap();
    check(&format!("a: file = \"{root}/l/x/y\"; b: dir = \"{root}/d/e/x\""), &[&format!("a b {root}/d/e/x")]);
    check(&format!("a: file = \"{root}/l/../x/y\"; b: dir = \"{root}/d/x\""), &[&format!("a b {root}/d/x")]);
    check(&format!("a: mode = \"{root}/l\"; b: dir = \"{root}/d/e\""), &[&format!("a b {root}/d/e")]);
    // The name of a link is not the name of its target.
    check(&format!("a: dir = \"{root}/l\"; b: dir = \"{root}/d/e\""), &[]);
    let twice = module(&format!("a: file = \"{root}/l/x\"; b: file = \"{root}/d/e/./x\""));
    let loaded = Loader::new(&registry()).load_text("m.hcl", twice.as_str());
    assert_eq!(loaded.diagnostics.iter().map(|one| one.code).collect::<Vec<_>>(), ["managed-twice"]);
    // A load that may not look at this machine compares the names.
    let elsewhere = Loader::new(&registry()).with_visible(Visible::nothing()).load_text("m.hcl", twice);
    assert!(elsewhere.diagnostics.is_empty());
}

#[test]
fn a_home_is_a_path() {
    let check = |text: &str, expect: &[&str]| {
        assert_eq!(edges(load(&module(text)).partial_graph()), expect, "{text}");
    };
    check(
        "a: in_home = \"u\"; b: dir = \"/srv/u\" as_user = [\"u\"]; c: user = \"u\" home = \"/srv/u\"",
        &["a b /srv/u", "b c u"],
    );
    check("a: in_home = \"u/.ssh\"; b: dir = \"/home/u\"; c: dir = \"/srv\"", &["a b /home/u"]);
    check("a: in_home = \"root/x\"; b: dir = \"/root/x\"", &["a b /root/x"]);
}

#[test]
fn a_folder_comes_before_what_fills_it() {
    let check = |text: &str, expect: &[&str]| {
        assert_eq!(edges(load(&module(text)).partial_graph()), expect, "{text}");
    };
    // A folder that is created with its parents makes the root of an archive.
    check("a: unpacks = \"/x\"; b: way = \"/x/y/z\"", &["a b /x"]);
    check(
        "a: unpacks = \"/x/y\"; b: way = \"/x/y/z\"; c: file = \"/x/y/f\"",
        &["a b /x/y", "c a /x/y", "c b /x/y"],
    );
    check("a: unpacks = \"/x\"; b: way = \"/x/y\"; c: dir = \"/x\"", &["a c /x", "b a /x"]);
    check(
        "a: unpacks = \"/v/x\"; b: way = \"/v/x/y\"; c: mounts = \"/v\"",
        &["a b /v/x", "a c /v", "b c /v"],
    );
    // What makes its root itself, such as a checkout, refuses a folder that is not empty.
    check("a: fills = \"/x\"; b: way = \"/x/y\"", &["b a /x"]);
    check("a: mounts = \"/x\"; b: unpacks = \"/x\"", &["b a /x"]);
    // A folder whose tree is changed comes before what is made in it.
    check(
        "a: dir = \"/x\" through = \"/x\"; b: dir = \"/x/y\"; c: file = \"/x/y/f\"",
        &["b a /x", "c a /x", "c b /x/y"],
    );
}

#[test]
fn what_is_made_on_the_way_is_there_for_others() {
    let check = |text: &str, expect: &[&str]| {
        assert_eq!(edges(load(&module(text)).partial_graph()), expect, "{text}");
    };
    check("a: way = \"/x/y/z\"; b: file = \"/x/f\"; c: file = \"/x/y/f\"", &["b a /x", "c a /x/y"]);
    check("a: way = \"/x/y\"; b: file = \"/x/y/f\"; c: file = \"/f\"", &["b a /x/y"]);
    check("a: way = \"/x/y\"; b: mode = \"/x\"; c: needs = \"/x\"", &["b a /x", "c a /x", "c b /x"]);
    check("a: way = \"/x/y\"; b: file = \"/x/v/w/f\"", &["b a /x"]);
    check("a: way = \"/x/y\"; b: user = \"x\"", &[]);
    // One creator is enough, and creators of parents do not wait for each other.
    check("a: way = \"/x/y\"; b: way = \"/x/z\"; c: file = \"/x/f\"", &["c a /x"]);
    check("a: way = \"/x/y\"; b: way = \"/x/y/z\"", &["b a /x/y"]);
    // A node that makes the folder itself comes first, also before implicit creators.
    check("a: way = \"/x/y\"; b: file = \"/x/f\"; c: dir = \"/x\"", &["a c /x", "b c /x"]);
    check("a: way = \"/v/x/y\"; b: file = \"/v/f\"; c: dir = \"/v/x\"", &["a c /v/x", "b a /v"]);
    // No node makes `/v` itself, so nodes in it wait for one that creates it implicitly.
    let two = "a: way = \"/v/x/y\"; b: way = \"/v/z\"; c: dir = \"/v/x\"; d: fills = \"/v/x\"";
    check(two, &["a d /v/x", "c b /v", "d b /v", "d c /v/x"]);
    // A removed folder creates no parents.
    let absent = "t \"a\" {\n way = \"/x/y\"\n state = \"absent\"\n}\n".to_owned();
    assert_eq!(edges(load(&(absent + &module("b: file = \"/x/f\""))).partial_graph()), [""; 0]);
}

/// Only a run may know whether a node creates a folder implicitly.
#[test]
fn who_is_there_in_each_run_is_waited_for() {
    let check = |text: &str, expect: &[&str]| assert_eq!(edges(load(text).partial_graph()), expect, "{text}");
    let resource_with = |name: &str, fields: &str| format!("t \"{name}\" {{\n {fields}\n}}\n");
    let unknown = "when = \"{{lookup `t.u.out`}}\"";
    let maybe = resource_with("a", &format!("way = \"/x/y\"\n {unknown}")) + &resource_with("u", "");
    check(&(maybe.clone() + &resource_with("f", "file = \"/x/f\"")), &["f a /x"]);
    check(
        &(maybe.clone() + &resource_with("b", "way = \"/x/z\"") + &resource_with("f", "file = \"/x/f\"")),
        &["f b /x"],
    );
    let sure = resource_with("d", &format!("dir = \"/x\"\n {unknown}"));
    check(&(maybe + &sure + &resource_with("f", "file = \"/x/f\"")), &["a d /x", "f a /x", "f d /x"]);
    // A node waits for a creator that is handled in the same runs.
    let case = |name: &str, fields: &str| {
        format!("switch \"{name}\" {{\n case \"{{{{lookup `t.u.out`}}}}\" \"c\" {{\n{fields} }}\n}}\n")
    };
    let inside = resource_with("w", "way = \"/x/y\"") + &resource_with("f", "file = \"/x/f\"");
    let expect = ["switch.s/case.c/t.f switch.s/case.c/t.w /x", "switch.t/case.c/t.f switch.t/case.c/t.w /x"];
    check(
        &(resource_with("u", "")
            + &case("s", &inside)
            + &case("t", &inside.replace("/y", "/z").replace("/f", "/g"))),
        &expect,
    );
}

#[test]
fn what_is_written_comes_first() {
    let check = |text: &str, expect: &[&str], expect_left_out: &[&str]| {
        let loaded = load(text);
        assert_eq!(edges(loaded.partial_graph()), expect, "{text}");
        assert_eq!(left_out(loaded.partial_graph()), expect_left_out, "{text}");
        assert!(loaded.partial_graph().cycles().is_empty());
    };
    let folder = "t \"a\" {\n dir = \"/x\"\n";
    let file = "t \"b\" {\n file = \"/x/y\"\n";
    check(&format!("{folder}}}\n{file} depends = [\"t.a\"]\n}}\n"), &[], &[]);
    check(&format!("{folder} depends = [\"t.b\"]\n}}\n{file}}}\n"), &[], &["b a /x"]);
    // The cycle may be longer.
    let between_resource = "t \"c\" {\n depends = [\"t.b\"]\n}\n";
    check(&format!("{folder} depends = [\"t.c\"]\n}}\n{file}}}\n{between_resource}"), &[], &["b a /x"]);
    // If two nodes would wait for each other because of two things, one edge remains.
    let conflict =
        "t \"a\" {\n dir = \"/x\"\n needs = \"/y/z\"\n}\nt \"b\" {\n dir = \"/y\"\n needs = \"/x/z\"\n}\n";
    check(conflict, &["b a /x"], &["a b /y"]);
    // An edge to an implicit creator is dropped in favour of any other edge.
    let resource = "t \"a\" {\n way = \"/x/y\"\n depends = [\"t.b\"]\n}\n";
    check(&format!("{resource}{file}}}\n").replace("/x/y\"\n}", "/x/f\"\n}"), &[], &["b a /x"]);
    let conflict =
        "t \"a\" {\n file = \"/x/f\"\n user = \"u\"\n}\nt \"b\" {\n way = \"/x/y\"\n as_user = [\"u\"]\n}\n";
    check(conflict, &["b a u"], &["a b /x"]);
}

#[test]
fn edges_can_be_omitted() {
    let text = module("a: dir = \"/x\"; b: file = \"/x/y\"");
    let registry = registry();
    let loaded = Loader::new(&registry).with_automatic_edges(AutomaticEdges::Omit).load_text("m.hcl", text);
    assert_eq!(edges(loaded.partial_graph()), [""; 0]);
}

#[test]
fn values_that_are_computed_count() {
    let check = |text: &str, expect: &[&str]| assert_eq!(edges(load(text).partial_graph()), expect, "{text}");
    let param = "param \"top\" { default = \"/x\" }\n";
    let folder = "t \"a\" { dir = \"{{param `top`}}\" }\n";
    check(&format!("{param}{folder}t \"b\" {{ file = \"{{{{param `top`}}}}/y\" }}\n"), &["b a /x"]);
    check(&format!("{param}{folder}t \"b\" {{ file = \"/x/y\" }}\n"), &["b a /x"]);
    check("t \"a\" { dir = \"/x\" }\nt \"b\" { file = \"{{lookup `t.c.out`}}\" }\nt \"c\" {}\n", &[]);
    let pages = "t \"p\" {\n for_each = [\"k\", \"l\"]\n file = \"/x/{{each.key}}\"\n}\n";
    check(&format!("{pages}t \"a\" {{ dir = \"/x\" }}\n"), &["p[\"k\"] a /x", "p[\"l\"] a /x"]);
}

/// Each use of a module waits for its own copy of a folder.
#[test]
fn copies_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let module_text =
        "param \"n\" { }\nt \"dir\" { dir = \"/x\" }\nt \"file\" { file = \"/x/{{param `n`}}\" }\n";
    std::fs::write(folder.path().join("part.hcl"), module_text).unwrap();
    let call = |n| format!("module \"part.hcl\" \"m{n}\" {{ params {{ n = \"{n}\" }} }}\n");
    let uses = |many: usize| (0..many).map(call).collect::<Vec<_>>().concat();
    let load = |text: &str| {
        std::fs::write(folder.path().join("main.hcl"), text).unwrap();
        Loader::new(&registry()).load_file(&folder.path().join("main.hcl"))
    };
    let loaded = load(&(uses(2) + "t \"other\" { needs = \"/x/z\" }\n"));
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let expect = [
        "module.m0/t.file module.m0/t.dir /x",
        "module.m1/t.file module.m1/t.dir /x",
        "other module.m0/t.dir /x",
    ];
    assert_eq!(edges(loaded.partial_graph()), expect);
    let copies = |graph: &Graph| {
        let edges = graph.nodes().flat_map(|(from, _)| graph.dependencies(from));
        edges.filter(|edge| edge.reason == EdgeReason::Copy).count()
    };
    assert_eq!(copies(loaded.partial_graph()), 1);
    let many = load(&uses(500));
    let many = many.partial_graph();
    assert_eq!((edges(many).len(), copies(many)), (500, 499));
}

#[test]
fn nothing_is_managed_twice() {
    let check = |text: &str, expect: &[&str]| {
        let loaded = Loader::new(&registry()).load_text("m.hcl", text);
        let line = |one: &crate::diagnostic::Diagnostic| {
            let places: Vec<String> = one
                .labels
                .iter()
                .map(|label| loaded.sources.position(label.span))
                .map(|position| format!("{}:{}", position.line, position.column))
                .collect();
            format!("{} {}", places.join(" "), one.message)
        };
        assert_eq!(loaded.diagnostics.iter().map(line).collect::<Vec<_>>(), expect, "{text}");
    };
    let pair = |a: &str, b: &str| module(&format!("a: {a}; b: {b}"));
    let content = "1:17 2:17 `t.a` and `t.b` both manage the existence and content of `/x`";
    check(&pair("file = \"/x\"", "file = \"/x\""), &[content]);
    check(&pair("file = \"/x\"", "file = \"/./x\""), &[content]);
    check(&pair("file = \"//x/\"", "file = \"/x\""), &[content]);
    check(
        &pair("file = \"/x\"", "dir = \"/x\""),
        &["1:17 2:16 `t.a` and `t.b` both manage the existence of `/x`"],
    );
    check(&pair("user = \"u\"", "user = \"u\""), &["1:17 2:17 `t.a` and `t.b` both manage the user `u`"]);
    check(
        &pair("file = \"/x\"", "part = \"/x\""),
        &["1:17 2:17 `t.a` writes all of the content of `/x`, and `t.b` changes it"],
    );
    check(
        &pair("part = \"/x\"", "file = \"/x\""),
        &["2:17 1:17 `t.b` writes all of the content of `/x`, and `t.a` changes it"],
    );
    check(&pair("file = \"/x\" once = true", "part = \"/x\""), &[]);
    check(&pair("part = \"/x\"", "part = \"/x\""), &[]);
    // There is no conflict for different aspects, ensured things, or other kinds.
    check(&pair("file = \"/x\"", "mode = \"/x\""), &[]);
    check(&pair("owner = \"/x\"", "mode = \"/x\""), &[]);
    check(&pair("packages = [\"p\"]", "packages = [\"p\"]"), &[]);
    check(&pair("user = \"u\"", "group_name = \"u\""), &[]);
    check(&pair("file = \"/x\"", "file = \"/X\""), &[]);
    check(
        &pair("file = \"/x/../y\"", "file = \"/y\""),
        &["1:17 2:17 `t.a` and `t.b` both manage the existence and content of `/y`"],
    );
    // Several resources may set a thing to the same field value, but not to different ones.
    let resource_with = |name: &str, more: &str| format!("t \"{name}\" {{\n text = \"/x\"\n {more}\n}}\n");
    let permissions = |values: &[&str]| -> String {
        let resource = |(name, value): (char, &&str)| {
            resource_with(&name.to_string(), &format!("permissions = {value}"))
        };
        ('a'..).zip(values).map(resource).collect()
    };
    let computed = "\"{{split `640:1` `:` | jsonify}}\"";
    check(&permissions(&["\"640\"", "\"640\"", "\"640\""]), &[]);
    check(&permissions(&[computed, computed]), &[]);
    let clash = |first: &str, second: &str| {
        format!("3:16 {second}:16 `t.a` and `t.{first}` both manage the mode of `/x`")
    };
    check(&permissions(&["\"640\"", "\"600\""]), &[&clash("b", "7")]);
    check(&permissions(&["\"640\"", "\"640\"", "\"600\""]), &[&clash("c", "11")]);
    check(
        &(permissions(&["\"/x\""]) + "t \"b\" {\n mode = \"/x\"\n}\n"),
        &["3:16 6:9 `t.a` and `t.b` both manage the mode of `/x`"],
    );
    let lookup = "\"{{lookup `t.c.out`}}\"";
    check(&(permissions(&[lookup, lookup]) + "t \"c\" {}\n"), &[&clash("b", "7")]);
    check(&resource_with("each", "permissions = \"640\"\n for_each = [\"a\", \"b\"]"), &[]);
    check(
        &resource_with("each", "permissions = \"{{each.value}}\"\n for_each = { a = \"640\", b = \"640\" }"),
        &[],
    );
    check(
        &resource_with("each", "permissions = \"{{each.value}}\"\n for_each = { a = \"640\", b = \"600\" }"),
        &["3:16 `t.each[\"a\"]` and `t.each[\"b\"]` both manage the mode of `/x`"],
    );
    let bits = |a: &str, b: &str| {
        resource_with("a", &format!("bits = {a}")) + &resource_with("b", &format!("bits = {b}"))
    };
    check(&bits("0640", "\"640\""), &[]);
    check(&bits("\"0640\"", "\"640\""), &[]);
    check(&bits("\"0640\"", "0600"), &["3:9 7:9 `t.a` and `t.b` both manage the mode of `/x`"]);
    // A resource may claim a thing twice.
    check("t \"a\" {\n file = \"/x\"\n dir = \"/x\"\n}\n", &[]);
    // The resources are in the same case, or in two cases.
    let case =
        |name: &str, text: &str| format!(" case \"eq (lookup `t.c.out`) `{name}`\" {name:?} {{\n{text} }}\n");
    let switch = |cases: &str| format!("t \"c\" {{}}\nswitch \"s\" {{\n{cases}}}\n");
    check(
        &switch(&(case("p", "t \"a\" { file = \"/x\" }\n") + &case("q", "t \"b\" { file = \"/x\" }\n"))),
        &[],
    );
    let twice =
        "`switch.s/case.p/t.a` and `switch.s/case.p/t.b` both manage the existence and content of `/x`";
    let in_one = case("p", "t \"a\" { file = \"/x\" }\nt \"b\" { file = \"/x\" }\n");
    check(&switch(&in_one), &[&format!("4:16 5:16 {twice}")]);
    // Only a run can tell.
    let conditional = "t \"a\" { file = \"/x\" }\nt \"c\" {}\nt \"b\" {\n file = \"/x\"\n when = \"{{lookup `t.c.out`}}\"\n}\n";
    check(conditional, &[]);
}

/// The work grows with the resources and not with their pairs.
#[test]
fn many_are_connected_by_few_edges() {
    let many = 3000;
    let check = |resource: fn(usize) -> String, expect: usize| {
        let text: String = (0..many).map(resource).collect();
        assert_eq!(edges(load(&text).partial_graph()).len(), expect);
    };
    // The module has files in one folder, nested folders, and two resources for each file.
    check(
        |n| if n == 0 { module("d: dir = \"/x\"") } else { module(&format!("f{n}: file = \"/x/{n}\"")) },
        many - 1,
    );
    check(|n| module(&format!("f{n}: file = \"/x/{n}\"; o{n}: owner = \"/x/{n}\"")), many);
    check(|n| module(&format!("u{n}: user = \"u{n}\"; f{n}: as_user = [\"u{n}\"]")), many);
    check(|n| module(&format!("p{n}: packages = [\"p\", \"p{n}\"]")), 0);
    check(
        |n| module(&format!("w{n}: way = \"/x/y/{n}\"; f{n}: file = \"/x/{n}\"; g{n}: needs = \"/x/y\"")),
        2 * many,
    );
}

#[test]
fn many_are_as_few() {
    let param = "param \"top\" { default = \"/x\" }\n";
    let file = |n: usize, name: &str| format!("t \"f{n}\" {{ file = \"{{{{param `top`}}}}/{name}\" }}\n");
    let text = |many: usize| {
        let files = (1..many).map(|n| file(n, &format!("{n}")));
        files.fold(format!("{param}{}", module("d: dir = \"/x\"")), |text, file| text + &file)
    };
    for many in [10, 3000] {
        let (text, edge) = (text(many), |n| format!("f{n} d /x"));
        let expect: BTreeSet<String> = (1..many).map(edge).collect();
        let actual: BTreeSet<String> = edges(load(&text).partial_graph()).into_iter().collect();
        assert_eq!(actual, expect);
        // An error is found at every position, and reported once.
        for invalid in [1, many / 2, many - 1] {
            let twice = text.clone() + &file(many, &format!("{invalid}"));
            let twice = Loader::new(&registry()).load_text("m.hcl", twice).diagnostics;
            let messages: Vec<&str> = twice.iter().map(|diagnostic| &*diagnostic.message).collect();
            let mut names = [invalid, many].map(|n| format!("t.f{n}"));
            names.sort();
            let [first, second] = names;
            let expect =
                format!("`{first}` and `{second}` both manage the existence and content of `/x/{invalid}`");
            assert_eq!(messages, [expect]);
        }
        let unknown = "t \"z\" { file = \"{{param `top`}}/{{index (paramList `top`) 1}}\" }\n";
        let failed = Loader::new(&registry()).load_text("m.hcl", text + unknown).diagnostics;
        assert_eq!(failed.len(), 1, "{failed:?}");
    }
}
