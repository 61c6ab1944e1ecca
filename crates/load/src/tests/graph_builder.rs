//! Tests of graphs built in Rust.

use super::registry;
use crate::GraphBuilder;

#[test]
fn built_graphs_get_the_same_checks() {
    let registry = registry();
    let messages = |builder: GraphBuilder<'_>| -> Vec<String> {
        match builder.build() {
            Ok(graph) => graph.nodes().map(|(_, node)| node.id.to_string()).collect(),
            Err(error) => error.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect(),
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
