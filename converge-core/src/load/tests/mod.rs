//! Modules and what loading says about them.

#![expect(clippy::disallowed_methods, reason = "tests make the files that they load")]

mod graphs;
mod meta;
mod modules;
mod switches;
mod values;

use super::{GraphBuilder, Loaded, Loader};
use crate::graph::{EdgeReason, Graph};
use crate::prelude::*;
use crate::registry::Registry;
use crate::report::{Diagnostic, Span};

/// A thing with fields of every kind that loading treats in its own way.
#[derive(Debug, Preparer)]
#[preparer(name = "a.thing", task = Thing, register = false)]
struct ThingPreparer {
    /// Where.
    #[hcl(required, nonempty)]
    path: String,
    /// Bits.
    #[hcl(base = 8)]
    mode: Option<u32>,
    /// A flag.
    flag: bool,
    /// Numbers.
    #[hcl(alias = "nums")]
    numbers: Vec<u8>,
    /// Variables.
    env: std::collections::BTreeMap<String, String>,
    /// Parts.
    part: Vec<Part>,
    /// One way.
    #[hcl(mutually_exclusive = "left,right")]
    left: Option<String>,
    /// The other way.
    #[hcl(mutually_exclusive = "left,right")]
    right: Option<String>,
    /// Old.
    #[hcl(deprecated = "write `path`")]
    place: Option<String>,
    /// A password.
    #[hcl(sensitive, pattern = "^[a-z]+$")]
    password: Option<Secret<String>>,
}

/// A part.
#[derive(Debug, HclBlock)]
struct Part {
    /// Size.
    #[hcl(required)]
    size: u8,
}

/// The work.
#[derive(Debug, Export)]
struct Thing {
    /// Where.
    #[export]
    path: String,
    /// What happened.
    #[re_export_as = "status"]
    status: Inner,
    /// Names.
    #[export]
    names: std::collections::BTreeMap<String, String>,
}

/// What happened.
#[derive(Debug, Default, Export)]
struct Inner {
    /// Output.
    #[export(computed)]
    stdout: String,
}

#[async_trait]
impl Resource for ThingPreparer {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Thing> {
        let size = self.part.iter().map(|part| u32::from(part.size)).sum::<u32>();
        let all = format!(
            "{}{:?}{:?}{}{:?}{:?}{:?}{:?}{size}",
            self.path, self.mode, self.numbers, self.flag, self.env, self.left, self.right, self.place
        );
        let length = self.password.map_or(0, |password| password.expose().len());
        Ok(Thing { path: format!("{all}{length}"), status: Inner::default(), names: self.env })
    }
}

#[async_trait]
impl Task for Thing {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn registry() -> Registry {
    Registry::new().with::<ThingPreparer>().unwrap()
}

fn load(text: &str) -> Loaded {
    Loader::new(&registry()).load_text("m.hcl", text)
}

/// Checks each diagnostic of a module: `line:column code: message | help`, with all its places.
fn check(text: &str, expect: &[&str]) {
    let loaded = load(text);
    let place = |span| {
        let at = loaded.sources.position(span);
        format!("{}:{}", at.line, at.column)
    };
    assert_eq!(lines(&loaded, place), expect, "{text}");
}

/// What is wrong, a line for each.
fn lines(loaded: &Loaded, place: impl Fn(Span) -> String) -> Vec<String> {
    let line = |diagnostic: &Diagnostic| {
        let places: Vec<String> = diagnostic.labels.iter().map(|label| place(label.span)).collect();
        let help = diagnostic.help.as_ref().map(|help| format!(" | {help}")).unwrap_or_default();
        format!("{} {}: {}{help}", places.join(" "), diagnostic.code, diagnostic.message)
    };
    loaded.diagnostics.iter().map(line).collect()
}

/// Files in a folder of their own.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    /// Loads the first file.
    fn load(files: &[(&str, &str)]) -> (Self, Loaded) {
        let folder = Self::new(files);
        let loaded = Loader::new(&registry()).load_file(&folder.0.path().join(files[0].0));
        (folder, loaded)
    }

    /// A text without the path of the folder.
    fn short(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.0.path().display()), "")
    }
}

/// Checks the diagnostics of several files, of which the first is loaded: as [`check`], with the file before each
/// place.
fn check_files(files: &[(&str, &str)], expect: &[&str]) {
    let (folder, loaded) = Folder::load(files);
    let lines = lines(&loaded, |span| loaded.sources.location(span));
    let lines: Vec<String> = lines.iter().map(|line| folder.short(line)).collect();
    assert_eq!(lines, expect, "{files:#?}");
}

#[test]
fn what_is_right_says_nothing() {
    check("", &[]);
    check("param \"p\" { default = 1 }", &[]);
    check("a.thing \"x\" {\n  path = \"p\"\n  mode = 0644\n  flag = \"T\"\n  numbers = [1, \"2\"]\n}", &[]);
    check(
        "a.thing \"x\" {\n  path = \"p\"\n  env { A = 1 }\n  part { size = 1 }\n  part { size = 2 }\n}",
        &[],
    );
    check("a.thing \"x\" {\n  path = \"p\"\n  nums = []\n  mode = 7\n  group = \"g\"\n}", &[]);
}

#[test]
fn types_and_names() {
    check(
        "a = 1",
        &[
            "1:1 stray-attribute: `a` is written outside of any resource | a module holds only blocks: TYPE \"NAME\" { .. }",
        ],
    );
    check("a.thng \"x\" {}", &["1:1 unknown-type: unknown resource type `a.thng` | did you mean `a.thing`?"]);
    check(
        "zzz {}",
        &[
            "1:1 unknown-type: unknown resource type `zzz` | `converge resources` lists the types that there are",
        ],
    );
    check(
        "param {}",
        &["1:1 wrong-labels: this `param` has no name | write one name: param \"NAME\" { .. }"],
    );
    check(
        "param \"a\" \"b\" {}",
        &["1:1 wrong-labels: this `param` has 2 names | write one name: param \"NAME\" { .. }"],
    );
    check(
        "param \"a/b\" { default = 1 }",
        &[
            "1:7 bad-name: \"a/b\" cannot be the name of a `param` | a name is not empty and has no `/`, no `[\"`, no line break and no template",
        ],
    );
    check(
        "param \"a\" { default = 1 }\nparam \"a\" { default = 2 }",
        &["2:1 1:1 duplicate-resource: `param.a` is declared twice | give one of them another name"],
    );
}

#[test]
fn a_graph_that_is_printed_shows_no_secret() {
    let loaded = load("a.thing \"x\" {\n  path = \"p\"\n  password = \"canary\"\n}");
    let printed = format!("{:?}", loaded.graph);
    assert!(printed.contains("Value((sensitive))"), "{printed}");
    assert!(!printed.contains("canary"), "{printed}");
}

#[test]
fn fields() {
    check(
        "a.thing \"x\" {\n  pth = \"p\"\n}",
        &["2:3 unknown-field: a.thing: unknown field `pth` | did you mean `path`?"],
    );
    check(
        "a.thing \"x\" {\n  nope = \"p\"\n}",
        &[
            "1:1 missing-field: a.thing: `path` is required",
            "2:3 unknown-field: a.thing: unknown field `nope` | the fields of a.thing are path, mode, flag, numbers, env, part, left, right, place, password",
        ],
    );
    let thing = |fields: &str, expect: &[&str]| {
        check(&format!("a.thing \"x\" {{\n  path = \"p\"\n  {fields}\n}}"), expect);
    };
    thing(
        "mode = 777",
        &[
            "3:10 not-a-number: a.thing.mode: 777 is a decimal number, but this field counts in base 8 | write `0777`",
        ],
    );
    thing(
        "mode = 999",
        &[
            "3:10 not-a-number: a.thing.mode: 999 is a decimal number, but this field counts in base 8 | the digits of base 8 are 0 to 7",
        ],
    );
    thing("mode = \"9\"", &["3:10 not-a-number: a.thing.mode: \"9\" is not an integer in base 8"]);
    thing(
        "flag = \"yes\"",
        &["3:10 not-a-bool: a.thing.flag: \"yes\" is not a boolean: write true or false"],
    );
    thing(
        "numbers = [1, 256]",
        &["3:17 out-of-range: a.thing.numbers[1]: 256 is out of range: at least 0 and at most 255"],
    );
    thing(
        "numbers = [\"{{param `no`}}\", \"x\"]",
        &[
            "3:23 unknown-param: unknown parameter `no` | declare it: param \"no\" { default = \"..\" }",
            "3:32 not-a-number: a.thing.numbers[1]: \"x\" is not an integer",
        ],
    );
    thing("env { A = [] }", &["3:13 wrong-type: a.thing.env.A: expected a string, found a list"]);
    thing(
        "part { sise = 1 }",
        &[
            "3:3 missing-field: a.thing.part: `size` is required",
            "3:17 unknown-field: a.thing.part: unknown field `sise` | did you mean `size`?",
        ],
    );
    thing(
        "part \"x\" { size = 1 }",
        &["3:8 labelled-field: `part` is a field and takes no name | write part { .. }"],
    );
    thing(
        "numbers = [1]\n  nums = [2]",
        &["4:3 3:3 duplicate-field: `numbers` is written twice | keep one of them"],
    );
    thing(
        "left = \"a\"\n  right = \"b\"",
        &[
            "4:3 3:3 mutually-exclusive: a.thing: `left` and `right` are mutually exclusive | write at most one of them",
        ],
    );
    thing("place = \"x\"", &["3:3 deprecated-field: `place` of a.thing is deprecated: write `path`"]);
    thing(
        "password = \"UPPER\"",
        &["3:14 pattern-mismatch: a.thing.password: (sensitive) does not match the pattern `^[a-z]+$`"],
    );
    thing(
        "depends = \"a\"",
        &[
            "3:13 bad-meta-argument: `depends` must be a list of names | write it like depends = [\"task.build\"]",
        ],
    );
    thing(
        "depends { a = 1 }\n  group { }",
        &[
            "3:3 bad-meta-argument: `depends` must be a list of names | write it like depends = [\"task.build\"]",
            "4:3 bad-meta-argument: `group` must be a name | write it like group = \"apt\"",
        ],
    );
    thing(
        "group = [\"a\"]",
        &["3:11 bad-meta-argument: `group` must be a name | write it like group = \"apt\""],
    );
}

#[test]
fn what_could_not_be_read_is_not_missed() {
    check(
        "a.thing \"x\" {\n  path = \"p\n}\na.thing \"y\" {}",
        &[
            "2:10 unclosed-string: the string is not closed | a string ends on the line where it begins; for several lines use a heredoc, `<<EOF`",
            "4:1 missing-field: a.thing: `path` is required",
        ],
    );
}

#[test]
fn what_cannot_be_read_is_not_missing() {
    let check = |text: &str, expect: &[&str]| {
        let loaded = load(text);
        let codes: Vec<&str> = loaded.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!(codes, expect, "{text}");
    };
    check("a.thing \"x\" {\n  path = 08\n}", &["invalid-number"]);
    check("a.thing \"x\" {\n  path = \"p\n  flag = true\n}", &["unclosed-string"]);
    check("param \"x\" { default = 08 }", &["invalid-number"]);
    check("a.thing \"x\" {\n  path = \"p\"\n  part {\n    size = 08\n  }\n}", &["invalid-number"]);
    // The next one is whole.
    check("a.thing \"x\" {\n  path = 08\n}\na.thing \"y\" {}", &["invalid-number", "missing-field"]);
    check("param \"x\" { default = 08 }\nparam \"z\" {}", &["invalid-number", "missing-param"]);
}

#[test]
fn many_wrong_names_take_time_in_proportion() {
    let module = |count: usize| -> String {
        let thing = |at| {
            format!(
                "a.thing \"t{at}\" {{\n  path = \"{{{{param `p{at}`}}}}\"\n  depends = [\"a.thing.u{at}\"]\n}}\n"
            )
        };
        (0..count).map(thing).collect::<Vec<_>>().concat()
    };
    let helps = |count: usize| {
        let loaded = load(&module(count));
        assert_eq!(loaded.diagnostics.len(), 2 * count);
        loaded
            .diagnostics
            .iter()
            .filter(|found| found.help.as_deref().is_some_and(|help| help.contains("did you mean")))
            .count()
    };
    assert_eq!(helps(20), 20, "each wrong name in `depends` has a suggestion");
    assert!(helps(2000) < 200, "suggestions end where they would take most of the time");
}

#[test]
fn one_mistake_is_told_once() {
    check(
        "a.thng \"x\" {\n  path = \"p\"\n}\na.thing \"y\" {\n  path = \"{{lookup `a.thing.x.path`}}\"\n  depends = [\"a.thing.x\"]\n}",
        &["1:1 unknown-type: unknown resource type `a.thng` | did you mean `a.thing`?"],
    );
    check(
        "param \"x\" {\n  default = 1\n\na.thing \"y\" {\n  path = \"{{param `x`}}\"\n}",
        &["4:1 1:11 missing-close: `}` is missing"],
    );
    check(
        "module \"a.hcl\" \"web\" {}\na.thing \"y\" {\n  path = \"p\"\n  depends = [\"module.web\"]\n}",
        &["1:8 unreadable-file: cannot read a.hcl: there is no such file; it is called in m.hcl"],
    );
}

#[test]
fn references() {
    let two = |field: &str, expect: &[&str]| {
        let first = "param \"user\" { default = 1 }\na.thing \"first\" { path = \"p\" }\n";
        check(&format!("{first}a.thing \"x\" {{\n  path = \"p\"\n  {field}\n}}"), expect);
    };
    two("left = \"{{param `user`}} {{lookup `a.thing.first.Status.Stdout`}}\"", &[]);
    two("left = \"{{lookup `a.thing.first.names.whatever`}}\"", &[]);
    two("depends = [\"a.thing.first\", \"param.user\"]", &[]);
    two(
        "left = \"\\t{{param `usr`}}\"",
        &["5:21 unknown-param: unknown parameter `usr` | did you mean `user`?"],
    );
    two(
        "left = \"{{if true}}{{else}}{{param `no`}}{{end}}\"",
        &["5:38 unknown-param: unknown parameter `no` | declare it: param \"no\" { default = \"..\" }"],
    );
    two(
        "left = <<EOF\nline\n  {{param `no`}}\nEOF",
        &["7:11 unknown-param: unknown parameter `no` | declare it: param \"no\" { default = \"..\" }"],
    );
    two(
        "left = \"{{lookup `a.thing.frst.path`}}\"",
        &[
            "5:20 unknown-resource: lookup of `a.thing.frst.path`, which does not exist | did you mean `a.thing.first.path`?",
        ],
    );
    two(
        "left = \"{{lookup `a.thing.first`}}\"",
        &[
            "5:20 missing-export: this lookup names no export of `a.thing.first` | its exports are path, status, names",
        ],
    );
    two(
        "left = \"{{lookup `a.thing.first.pth`}}\"",
        &["5:20 unknown-export: `a.thing.first` has no export `pth` | did you mean `path`?"],
    );
    two(
        "left = \"{{lookup `a.thing.first.status.stdut`}}\"",
        &["5:20 unknown-export: `a.thing.first` has no export `status.stdut` | did you mean `stdout`?"],
    );
    two(
        "left = \"{{lookup `a.thing.first.status.x`}}\"",
        &["5:20 unknown-export: `a.thing.first` has no export `status.x` | its exports are stdout"],
    );
    two(
        "left = \"{{lookup `a.thing.first.path.x`}}\"",
        &[
            "5:20 unknown-export: `a.thing.first` has no export `path.x` | it is a plain value: there are no names in it",
        ],
    );
    two(
        "depends = [\"a.thing.frst\"]",
        &[
            "5:14 unknown-resource: `depends` names `a.thing.frst`, which does not exist | did you mean `a.thing.first`?",
        ],
    );
    two(
        "depends = [\"a.thing.first.path\"]",
        &[
            "5:14 unknown-resource: `depends` names `a.thing.first.path`, which does not exist | did you mean `a.thing.first`?",
        ],
    );
}

#[test]
fn cycles_are_shown_step_by_step() {
    check(
        "a.thing \"x\" {\n  path = \"{{lookup `a.thing.y.path`}}\"\n}\na.thing \"y\" {\n  path = \"p\"\n  depends = [\"a.thing.x\"]\n}",
        &[
            "2:20 6:14 cycle: resources wait for each other: a.thing.x -> a.thing.y -> a.thing.x | remove one of these steps",
        ],
    );
    check(
        "a.thing \"x\" {\n  path = \"p\"\n  depends = [\"a.thing.x\"]\n}",
        &["3:14 cycle: `a.thing.x` waits for itself | remove one of these steps"],
    );
}

#[test]
fn params_from_outside() {
    let registry = registry();
    let check = |given: &[(&str, &str)], expect: &[&str]| {
        let loader = given
            .iter()
            .fold(Loader::new(&registry), |loader, (name, value)| loader.with_param(*name, *value));
        let module = loader.load_text("m.hcl", "param \"must\" {}\nparam \"may\" { default = 1 }");
        let lines: Vec<String> =
            module.diagnostics.iter().map(|diagnostic| diagnostic.one_line(&module.sources)).collect();
        assert_eq!(lines, expect);
    };
    check(&[("must", "x")], &[]);
    check(&[("must", "x"), ("may", "y")], &[]);
    check(&[], &["m.hcl:1:1: error[missing-param]: parameter `must` of m.hcl is required"]);
    let looked_at = Loader::new(&registry).for_inspection().load_text("m.hcl", "param \"must\" {}");
    assert!(looked_at.diagnostics.is_empty(), "{:?}", looked_at.diagnostics);
    check(&[("must", "x"), ("mya", "y")], &["error[unexpected-param]: m.hcl has no parameter `mya`"]);
}

#[test]
fn edges_have_their_reasons() {
    let loaded = load(
        "param \"p\" { default = 1 }\na.thing \"a\" { path = \"{{param `p`}}\" }\na.thing \"b\" {\n  path = \"{{lookup `a.thing.a.path`}}\"\n  depends = [\"a.thing.a\"]\n  group = \"g\"\n}",
    );
    let graph = loaded.graph;
    let ids: Vec<&str> = graph.nodes().map(|(_, node)| node.id.as_str()).collect();
    assert_eq!(ids, ["root/a.thing.a", "root/a.thing.b", "root/param.p"]);
    let reasons = |id: &str| {
        let edges = graph.dependencies(graph.find(id).unwrap());
        edges.iter().map(|edge| (graph.node(edge.on).id.short(), edge.reason)).collect::<Vec<_>>()
    };
    assert_eq!(reasons("root/a.thing.a"), [("param.p", EdgeReason::Param)]);
    assert_eq!(
        reasons("root/a.thing.b"),
        [("a.thing.a", EdgeReason::Depends), ("a.thing.a", EdgeReason::Lookup)]
    );
    assert_eq!(graph.node(graph.find("root/a.thing.b").unwrap()).group.as_deref(), Some("g"));
}

#[test]
fn the_order_of_the_source_does_not_show() {
    let shape = |graph: &Graph| -> Vec<String> {
        graph
            .nodes()
            .map(|(index, node)| format!("{} {}", node.id, graph.dependencies(index).len()))
            .collect()
    };
    let a = "a.thing \"a\" { path = \"p\" }\n";
    let b = "a.thing \"b\" {\n  path = \"p\"\n  depends = [\"a.thing.a\"]\n}\n";
    assert_eq!(shape(&load(&[a, b].concat()).graph), shape(&load(&[b, a].concat()).graph));
}

#[test]
fn a_broken_module_still_gives_a_graph() {
    let loaded =
        load("a.thing \"a\" { path = \"p\" }\na.thing \"b\" {\n  path = \n}\na.thing \"c\" {\n  nope = 1\n}");
    assert!(loaded.diagnostics.has_errors());
    assert!(loaded.graph.find("root/a.thing.a").is_some());
    assert!(loaded.graph.find("root/a.thing.c").is_some());
    assert!(loaded.into_graph().is_err());
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let registry = registry();
    let check = |name: &str, content: Option<&[u8]>, expect: &str| {
        let path = folder.path().join(name);
        if let Some(content) = content {
            std::fs::write(&path, content).unwrap();
        }
        let loaded = Loader::new(&registry).load_file(&path);
        let lines: Vec<String> = loaded
            .diagnostics
            .iter()
            .map(|diagnostic| format!("{}: {}", diagnostic.code, diagnostic.message))
            .collect();
        assert_eq!(lines, [expect.replace("PATH", &path.display().to_string())]);
    };
    check("none.hcl", None, "unreadable-file: cannot read PATH: there is no such file");
    check(".", None, "unreadable-file: cannot read PATH: it is a directory");
    check("latin1.hcl", Some(b"# caf\xe9\n"), "not-utf8: PATH is not UTF-8: byte 5 begins no character");
    let large = vec![b' '; 16 * 1024 * 1024 + 1];
    check(
        "large.hcl",
        Some(&large),
        "file-too-large: PATH has more than 16777216 bytes, which is too much to be loaded",
    );
}

#[test]
fn built_graphs_get_the_same_checks() {
    let registry = registry();
    let messages = |builder: GraphBuilder<'_>| -> Vec<String> {
        match builder.build() {
            Ok(graph) => graph.nodes().map(|(_, node)| node.id.to_string()).collect(),
            Err(diagnostics) => diagnostics.iter().map(|found| found.message.clone()).collect(),
        }
    };
    let thing =
        |name: &str| GraphBuilder::new(&registry).resource("a.thing", name, |thing| thing.set("path", "p"));
    assert_eq!(messages(thing("x")), ["root/a.thing.x"]);
    assert_eq!(
        messages(
            thing("x")
                .resource("a.thing", "y", |thing| thing.set("pth", "p").lookup("left", "a.thing.z.path"))
        ),
        ["a.thing.y: unknown field `pth`", "lookup of `a.thing.z.path`, which does not exist",]
    );
    assert_eq!(
        messages(thing("x").resource("a.thing", "y", |thing| thing.set("path", "p").depends_on("a.thing.y"))),
        ["`a.thing.y` waits for itself"]
    );
}
