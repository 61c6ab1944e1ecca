//! Tests of graphs as text: IDs, roles, gates and end nodes.

use std::fmt::Write as _;

use super::{Folder, load};
use crate::Loaded;
use crate::graph::{Graph, Role};

/// Lists every node with the nodes it waits for.
fn picture(graph: &Graph) -> String {
    let mut text = String::new();
    for (index, node) in graph.nodes() {
        let role = match node.role {
            Role::Resource | Role::Param => String::new(),
            role => format!(" ({role:?})"),
        };
        let scope = &node.scope;
        let instance = scope.each.known().map(|each| format!(" each={}:{:?}", each.key, each.value));
        let container = if Some(&scope.container) == node.id.parent().as_ref() {
            String::new()
        } else {
            format!(" at {}", scope.container)
        };
        writeln!(text, "{}{role}{container}{}", node.id, instance.unwrap_or_default()).unwrap();
        for edge in graph.dependencies(index) {
            writeln!(text, "    {} {}", edge.reason, graph.node(edge.on).id.short()).unwrap();
        }
    }
    text
}

fn right(loaded: &Loaded) -> String {
    assert!(loaded.diagnostics.is_empty(), "{:#?}", loaded.diagnostics);
    picture(loaded.partial_graph())
}

const LEAF: &str = r#"
    param "port" {}
    param "name" { default = "{{param `port`}}" }
    a.thing "page" { path = "{{param `name`}}" }
    a.thing "outer" { path = "{{lookup `a.thing.first.path`}}" }
"#;

#[test]
fn modules() {
    let (_folder, loaded) = Folder::load(&[
        (
            "main.hcl",
            r#"
            param "base" { default = 8000 }
            a.thing "first" { path = "p" }
            module "parts/web.hcl" "web" {
              params { port = "{{param `base`}}" }
              depends = ["a.thing.first"]
            }
            module "./leaf.hcl" "plain" {
              params = { port = 1, name = "x" }
            }
            a.thing "last" {
              path = "{{lookup `module.web.module.in.a.thing.page.path`}}"
              left = "{{lookup `module.web.params.port`}}"
              depends = ["module.plain", "module.web/module.in"]
            }
            "#,
        ),
        ("leaf.hcl", LEAF),
        (
            "parts/web.hcl",
            r#"
            param "port" {}
            module "../leaf.hcl" "in" {
              params { port = "{{param `port`}}" }
              when = "eq (param `port`) `1`"
            }
            a.thing "after" {
              path = "p"
              depends = ["module.in"]
            }
            "#,
        ),
    ]);
    insta::assert_snapshot!(right(&loaded));
}

#[test]
fn switches() {
    let loaded = load(
        r#"
        param "lang" { default = "fr" }
        a.thing "first" { path = "p" }
        switch "language" {
          case "eq (param `lang`) `fr`" "french" {
            a.thing "hello" {
              path = "bonjour"
              depends = ["a.thing.first"]
            }
            a.thing "more" { path = "{{lookup `a.thing.hello.path`}}" }
          }
          case "{{param `lang`}}" "german" {
            a.thing "hello" { path = "hallo" }
          }
          default {
            a.thing "hello" {
              path = "hello"
              for_each = ["a"]
            }
            a.thing "only" { path = "x" }
          }
        }
        a.thing "last" {
          path = "{{lookup `a.thing.only.path`}}"
          depends = ["a.thing.hello", "switch.language"]
        }
        "#,
    );
    insta::assert_snapshot!(right(&loaded));
}

#[test]
fn for_each() {
    let (_folder, loaded) = Folder::load(&[
        (
            "main.hcl",
            r#"
            a.thing "set" {
              path = "{{lookup `module.web[\"b\"].a.thing.page.path`}}"
              for_each = ["x", 2]
            }
            a.thing "none" {
              path = "p"
              for_each = []
            }
            module "leaf.hcl" "web" {
              for_each = { a = 1, b = [2] }
              params { port = "p" }
              when = true
            }
            a.thing "first" { path = "{{lookup `a.thing.set[\"2\"].path`}}" }
            a.thing "last" {
              path = "p"
              depends = ["a.thing.set", "a.thing.none", "module.web[\"a\"]", "module.web"]
            }
            "#,
        ),
        ("leaf.hcl", "param \"port\" {}\na.thing \"page\" { path = \"{{param `port`}}\" }"),
    ]);
    insta::assert_snapshot!(right(&loaded));
}
