//! Templates whose result is known at load.

use std::sync::Arc;

use super::tree::{Content, Expr, ExprKind, Node, Template, Tree};
use crate::language::budget::{BYTES_PER_STEP, MAX_STEPS};
use crate::language::functions::NameUse;
use crate::types::concat::joined;
use crate::types::scope::Scope;
use crate::types::value::Value;

/// The rendered text of a shared tree that contains only text and parameters.
///
/// Templates that differ only in the text after their last action share the tree, and so this result.
#[derive(Debug)]
#[doc(hidden)]
pub struct KnownTree {
    tree: Arc<Tree>,
    text: Box<str>,
    /// The number of steps that rendering takes.
    steps: usize,
}

impl KnownTree {
    /// Renders the tree of a template if other templates share it and its result is plain text.
    #[doc(hidden)]
    pub fn from_template(template: &Template, scope: &dyn Scope) -> Option<Self> {
        let is_shared = Arc::strong_count(&template.tree) > 1;
        if !is_shared || template.ending().is_empty() || !template.is_of_params() {
            return None;
        }
        let Content::Text(text) = &template.content else { return None };
        let beginning = text.get(..template.tree.length as usize)?;
        let beginning = Template::new(Arc::clone(&template.tree), beginning.into());
        match beginning.render_counted(None, scope, MAX_STEPS) {
            (Ok(Value::String(text)), steps) => {
                Some(Self { tree: beginning.tree, text: (&*text).into(), steps })
            }
            _ => None,
        }
    }

    /// Returns the result of a template with this tree, and the steps it takes.
    ///
    /// Returns `None` for a template with another tree, or if the steps exceed the limit.
    #[doc(hidden)]
    pub fn render(&self, template: &Template) -> Option<(Arc<str>, usize)> {
        let ending = template.ending();
        let steps = self.steps + ending.len().div_ceil(BYTES_PER_STEP);
        let is_of_it = Arc::ptr_eq(&self.tree, &template.tree) && !ending.is_empty();
        (is_of_it && steps <= MAX_STEPS).then(|| (joined([&self.text, ending]), steps))
    }
}

impl Template {
    /// Returns whether the template contains only text and parameters with literal names.
    ///
    /// Its result at load then equals its result in every run.
    #[doc(hidden)]
    pub fn is_of_params(&self) -> bool {
        let is_param = |expr: &Expr| match &expr.kind {
            ExprKind::Call(call) if call.function.names == NameUse::Param => {
                matches!(&*call.args, [Expr { kind: ExprKind::Text(_), .. }])
            }
            _ => false,
        };
        let Tree { body, defined, .. } = &*self.tree;
        defined.is_empty()
            && body.iter().all(|node| match node {
                Node::Text(_) => true,
                Node::Action(expr) => is_param(expr),
                _ => false,
            })
    }

    /// Returns the beginning of the result, as far as it is plain text or known at load.
    #[doc(hidden)]
    pub fn known_prefix(&self) -> &str {
        match (&self.content, self.tree.body.first()) {
            (Content::Known(text), _) => text,
            (Content::Text(_), Some(Node::Text(text))) => text,
            (Content::Text(_), _) => "",
        }
    }

    /// Replaces the source text by the rendered text.
    ///
    /// References and the origin of the value stay available.
    #[doc(hidden)]
    pub fn keep_known(&mut self, text: Arc<str>) {
        self.content = Content::Known(text);
    }

    /// Returns the rendered text, if it is kept.
    #[doc(hidden)]
    pub fn known(&self) -> Option<&Arc<str>> {
        match &self.content {
            Content::Known(text) => Some(text),
            Content::Text(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::template::ReferenceTarget;
    use crate::language::template::tests::TestScope;
    use crate::types::value::Value;

    #[test]
    fn text_and_parameters_are_the_same_in_every_run() {
        let check = |text: &str, expect: bool| {
            assert_eq!(Template::parse(text).unwrap().is_of_params(), expect, "{text}");
        };
        check("a", true);
        check("{{param `a`}}", true);
        check("{{param `a`}}/b/{{param `c`}}", true);
        check("{{paramList `a`}}", true);
        check("{{param (print `a` `b`)}}", false);
        check("{{param `a` | print}}", false);
        check("{{lookup `task.a.status`}}", false);
        check("{{env `HOME`}}/{{param `a`}}", false);
        check("{{platform.OS}}", false);
        check("{{if param `a`}}b{{end}}", false);
        check("{{define `a`}}b{{end}}{{template `a`}}", false);
    }

    #[test]
    fn what_is_kept_is_what_it_gives_and_the_rest_stays() {
        for text in ["{{param `a`}}", "0{{param `a`}}", "{{param `a`}}{{param `b`}}"] {
            let original = Template::parse(text).unwrap();
            let mut template = original.clone();
            template.keep_known("known".into());
            assert_eq!(template.known().map(|prefix| &**prefix), Some("known"));
            assert_eq!(template.render(&TestScope::new()), Ok(Value::string("known")));
            assert_eq!(template.evaluate(&TestScope::new()), Ok(Value::string("known")));
            assert_eq!(template.references(), original.references());
            assert!(matches!(template.references()[0].target, ReferenceTarget::Param(_)));
            assert_eq!(template.value_origin(), original.value_origin(), "{text}");
        }
    }
}
