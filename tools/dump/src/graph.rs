//! A graph as text: each node with its inputs and dependencies.

use std::fmt::Write as _;

use converge_core::diagnostic::{SourceMap, Span};
use converge_core::graph::{Graph, Input, InputKind, Node};

/// Returns the text of a graph, with nodes and edges in canonical order.
pub(crate) fn text(graph: &Graph, sources: &SourceMap) -> String {
    let mut text = String::new();
    for (index, node) in graph.nodes() {
        let _ = writeln!(
            text,
            "{}: {:?} of type {}{}",
            node.id,
            node.role,
            node.resource.name(),
            at(node.span, sources)
        );
        for (name, value) in inputs(node) {
            let _ = writeln!(text, "  {name} = {}", input(value, sources));
        }
        if let Some(group) = &node.group {
            let _ = writeln!(text, "  in the group {group}");
        }
        for edge in graph.dependencies(index) {
            let dependency = &graph.node(edge.on).id;
            let _ =
                writeln!(text, "  waits for {dependency}, reason {}{}", edge.reason, at(edge.span, sources));
        }
    }
    for cycle in graph.cycles() {
        let _ = writeln!(text, "cycle: {cycle:?}");
    }
    text
}

/// Returns the inputs of a node's fields and of its `when`.
fn inputs(node: &Node) -> impl Iterator<Item = (&str, &Input)> {
    let fields = node.attributes.iter().map(|attribute| {
        let field = node.resource.schema().fields.get(attribute.field);
        (field.map_or("?", |field| field.name), &attribute.input)
    });
    let condition = node.meta.as_ref().and_then(|meta| meta.when.as_ref());
    fields.chain(condition.map(|condition| ("when", condition)))
}

/// Returns a known value, or the source text that computes it at run time.
fn input(input: &Input, sources: &SourceMap) -> String {
    let form = match &input.kind {
        InputKind::Value(value) => return format!("{value:?}"),
        InputKind::Template(_) => "template",
        InputKind::Expression(_) => "expression",
        InputKind::Predicate(_) => "predicate",
        InputKind::List(_) => "list",
        InputKind::Map(_) => "map",
        InputKind::Lookup(_) => "lookup",
    };
    let source_text = input.span.map_or_else(String::new, |span| format!(" {}", sources.text(span)));
    format!("{form}{source_text}{}", at(input.span, sources))
}

fn at(span: Option<Span>, sources: &SourceMap) -> String {
    span.map_or_else(String::new, |span| format!(" at {}", sources.location(span)))
}

#[cfg(test)]
mod tests {
    use converge_core::Registry;
    use converge_core::load::Loader;

    #[test]
    fn nodes_have_inputs_and_reasons() {
        let registry = Registry::new();
        let module = "param \"a\" {\n  default = 1\n}\n\nparam \"b\" {\n  default = \"{{param `a`}}\"\n}\n";
        let loaded = Loader::new(&registry).load_text("m.hcl", module);
        assert_eq!(
            super::text(loaded.partial_graph(), &loaded.sources),
            "root/param.a: Param of type param at m.hcl:1:1\n  default = 1\n\
             root/param.b: Param of type param at m.hcl:5:1\n  \
             default = template \"{{param `a`}}\" at m.hcl:6:13\n  \
             waits for root/param.a, reason param at m.hcl:6:22\n"
        );
    }
}
