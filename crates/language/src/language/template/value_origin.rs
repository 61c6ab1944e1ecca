//! The part of a template that produces its value.

use std::ops::Range;

use super::tree::{Body, Expr, ExprKind, Node, Template, Tree};

impl Template {
    /// Returns the range of the expression that produces the value.
    ///
    /// This is the only action of the text, or the action that contains the only reference. Returns `None` if
    /// there are several references.
    #[doc(hidden)]
    pub fn value_origin(&self) -> Option<Range<u32>> {
        if let Some(expression) = self.only_action() {
            return Some(piped_range(expression));
        }
        let [reference] = self.references() else { return None };
        let contains_reference = |expression: &&Expr| {
            let range = piped_range(expression);
            range.start <= reference.range.start && reference.range.end <= range.end
        };
        // This is a loop rather than a recursion because blocks may be nested deeply.
        let Tree { body, defined, .. } = &*self.tree;
        let mut open: Vec<&Body> = std::iter::once(body).chain(defined).collect();
        while let Some(body) = open.pop() {
            for node in body {
                match node {
                    Node::Action(expression) if contains_reference(&expression) => {
                        return Some(piped_range(expression));
                    }
                    Node::If(inner) => {
                        open.extend(inner.arms.iter().map(|(_, body)| body));
                        open.push(&inner.otherwise);
                    }
                    Node::Range(inner) => open.extend([&inner.body, &inner.otherwise]),
                    Node::With(inner) => open.extend([&inner.body, &inner.otherwise]),
                    Node::Action(_)
                    | Node::Text(_)
                    | Node::Set(_)
                    | Node::Template(_)
                    | Node::Break
                    | Node::Continue => {}
                }
            }
        }
        Some(reference.range.clone())
    }
}

/// Returns the range of an expression with everything that is piped into it.
fn piped_range(expression: &Expr) -> Range<u32> {
    let mut first = expression;
    while let ExprKind::Call(call) = &first.kind
        && let Some(piped) = call.piped.and_then(|index| call.args.get(index as usize))
    {
        first = piped;
    }
    first.start.min(expression.start)..expression.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_comes_from_one_expression_when_there_is_one() {
        let check = |text: &str, expect: Option<&str>| {
            let range = Template::parse(text).unwrap().value_origin();
            let actual = range.map(|range| &text[range.start as usize..range.end as usize]);
            assert_eq!(actual, expect, "{text}");
        };
        check("{{param `a`}}", Some("param `a`"));
        check("{{ print (param `a`) (param `b`) }}", Some("print (param `a`) (param `b`)"));
        check("0{{param `a`}}", Some("param `a`"));
        check("{{env `X`}} {{param `a` | print}}", Some("param `a` | print"));
        check("{{param `a`}}{{param `b`}}", None);
        check("a{{if true}}b{{lookup `t.a.b`}}{{end}}", Some("lookup `t.a.b`"));
        check("a{{if param `a`}}b{{end}}", Some("`a`"));
        check("a", None);
    }
}
