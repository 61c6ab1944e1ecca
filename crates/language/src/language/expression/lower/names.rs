//! Lowering of names with accessors.
//!
//! The scope resolves the first part of a name; the rest is read from the value.

use std::ops::Range;
use std::sync::Arc;

use super::{ExpressionLowering, at, attribute};
use crate::diagnostic::{Suggest, close_names};
use crate::language::convert;
use crate::language::error::LanguageErrorKind as Kind;
use crate::language::expression::tree::{Access, Accessor, Expr, ExprKind, Expression, ScopeSymbol, Slot};
use crate::language::template::{LazyText, NameStep, PickedName, Reference, ReferenceTarget, Template};
use crate::syntax::{self, Computed, ExpressionKind};
use crate::types::base_path::BasePath;
use crate::types::id::quoted_key;
use crate::types::local_path::{local_name, local_path};
use crate::types::platform::Platform;

/// The roots that are not resources, each with an example of a name that may follow.
const ROOTS: [(&str, &str); 7] = [
    ("param", "NAME"),
    ("local", "NAME"),
    ("env", "NAME"),
    ("self", "FIELD"),
    ("platform", "os"),
    ("each", "key"),
    ("path", "module"),
];

/// One `.name` or `[index]` of a chain, with the end of its range.
struct Link {
    kind: LinkKind,
    end: u32,
}

enum LinkKind {
    Attribute(syntax::Name),
    Index(syntax::Expression),
}

impl Link {
    /// Returns the name or the literal key.
    fn name(&self) -> Option<&Arc<str>> {
        match &self.kind {
            LinkKind::Attribute(name) => Some(&name.text),
            LinkKind::Index(index) => match &index.kind {
                ExpressionKind::String(text) if Template::is_literal(text) => Some(text),
                _ => None,
            },
        }
    }
}

impl ExpressionLowering<'_> {
    /// Lowers a name, or any other expression, together with the accessors that follow it.
    pub(super) fn chain(&mut self, computed: Computed, range: Range<u32>) -> Expr {
        let mut steps = Vec::new();
        let (mut base, mut place) = (computed, range.clone());
        // This is a loop rather than a recursion because a chain may be long.
        let root = loop {
            let (inner, kind) = match base {
                Computed::Attribute { base, name } => (base, LinkKind::Attribute(name)),
                Computed::Index { base, index } => (base, LinkKind::Index(index)),
                Computed::Name(name) => break self.root(&name, &place, &mut steps),
                other => break self.computed(other, place),
            };
            steps.push(Link { kind, end: place.end });
            match inner.kind {
                ExpressionKind::Computed(computed) => (base, place) = (*computed, inner.range),
                kind => break self.expression(syntax::Expression { kind, range: inner.range }),
            }
        };
        if steps.is_empty() {
            return root;
        }
        let accessors = steps.into_iter().rev().map(|step| match step.kind {
            LinkKind::Attribute(name) => attribute(name),
            LinkKind::Index(index) => Accessor::Index(self.expression(index)),
        });
        let accessors: Box<[Accessor]> = accessors.collect();
        self.pick(&root, &accessors);
        self.folded(range, ExprKind::Access(Box::new(Access { base: root, accessors })))
    }

    /// Turns the reference to a dotted name into one that goes on behind its first computed key.
    fn pick(&mut self, root: &Expr, accessors: &[Accessor]) {
        let has_key = accessors.iter().any(|accessor| matches!(accessor, Accessor::Index(_)));
        let ExprKind::Name(symbol) = root.kind else { return };
        let Some(ScopeSymbol::Traverse(path)) = self.symbols.get(symbol).filter(|_| has_key) else { return };
        if local_name(path).is_some() {
            return;
        }
        let base = path.clone();
        let steps = accessors.iter().map_while(|accessor| match accessor {
            Accessor::Attribute { name, .. } => Some(NameStep::Name(name.clone())),
            Accessor::Index(index) => Some(NameStep::Key(self.lazy_text(index))),
            Accessor::Splat => None,
        });
        let steps = steps.collect();
        let range = root.range();
        let is_root = |reference: &&mut Reference| {
            reference.range == range && matches!(reference.target, ReferenceTarget::Traversal(_))
        };
        if let Some(reference) = self.references.iter_mut().rev().find(is_root) {
            reference.target = ReferenceTarget::Picked(Arc::new(PickedName { base, steps }));
        }
    }

    /// Returns the text of an expression, for evaluation before a run.
    pub(super) fn lazy_text(&self, expr: &Expr) -> LazyText {
        // Only an evaluation knows the variables of an enclosing loop.
        let is_free =
            self.variables.is_empty() || matches!(expr.kind, ExprKind::Name(_) | ExprKind::Constant(_));
        if !is_free {
            return LazyText::default();
        }
        let expression = Expression {
            root: expr.clone(),
            symbols: self.symbols.list().into(),
            references: Box::default(),
        };
        LazyText::new(move |scope| convert::text(&expression.evaluate(scope).ok()?))
    }

    /// Resolves a name and takes the steps that belong to it.
    ///
    /// The last element of `steps` is the first step.
    fn root(&mut self, name: &Arc<str>, range: &Range<u32>, steps: &mut Vec<Link>) -> Expr {
        if let Some(slot) = self.variables.iter().rposition(|variable| variable == name) {
            return match Slot::try_from(slot) {
                Ok(slot) => at(range, ExprKind::Variable(slot)),
                Err(_) => self.wrong(range.clone(), too_large()),
            };
        }
        let Some((root, example)) = ROOTS.into_iter().find(|(root, _)| **root == **name) else {
            return self.traversal(name, range, steps);
        };
        let Some((step, field)) = steps.pop_if(|step| step.name().is_some()).and_then(|step| {
            let field = step.name()?.clone();
            Some((step, field))
        }) else {
            // The accessors are dropped because this error already covers them.
            steps.clear();
            let message = format!("`{root}` needs a name that is written out: `{root}.{example}`");
            return self.wrong(range.clone(), Kind::Invalid(message));
        };
        let full_range = range.start..step.end;
        let field_range = match &step.kind {
            LinkKind::Attribute(name) => name.range.clone(),
            LinkKind::Index(index) => index.range.clone(),
        };
        let unknown = |field: &str, close: &[String]| {
            Kind::Invalid(format!("`{root}` has no `{field}`{}", Suggest(close)))
        };
        let (symbol, reference) = match root {
            "param" => (ScopeSymbol::Param(field.clone()), Some(ReferenceTarget::Param(field))),
            "local" => {
                let path: Arc<str> = local_path(&field).into();
                (ScopeSymbol::Traverse(path.clone()), Some(ReferenceTarget::Traversal(path)))
            }
            "self" => (ScopeSymbol::This(field.clone()), Some(ReferenceTarget::This(field))),
            "env" => (ScopeSymbol::Env(field), None),
            "each" => match &*field {
                "key" => (ScopeSymbol::EachKey, Some(ReferenceTarget::Each)),
                "value" => (ScopeSymbol::EachValue, Some(ReferenceTarget::Each)),
                _ => return self.wrong(field_range, unknown(&field, &["key", "value"].map(str::to_owned))),
            },
            "path" => match BasePath::ALL.into_iter().find(|base| base.name() == &*field) {
                Some(base) => (ScopeSymbol::Path(base), None),
                None => {
                    return self.wrong(field_range, unknown(&field, &close_names(&field, BasePath::NAMES)));
                }
            },
            _ => {
                let Some(place) = Platform::place(&field) else {
                    return self.wrong(field_range, unknown(&field, &close_names(&field, Platform::FIELDS)));
                };
                (ScopeSymbol::Platform(place), None)
            }
        };
        if let Some(target) = reference {
            self.references.push(Reference { target, range: full_range.clone() });
        }
        self.named(symbol, &full_range)
    }

    /// Lowers a resource or one of its exports, from the names and literal keys that follow.
    fn traversal(&mut self, name: &Arc<str>, range: &Range<u32>, steps: &mut Vec<Link>) -> Expr {
        if !matches!(steps.last(), Some(Link { kind: LinkKind::Attribute(_), .. })) {
            steps.clear();
            let candidates = self.variables.iter().map(|name| &**name).chain(ROOTS.map(|(root, _)| root));
            let close = close_names(name, candidates);
            return self.wrong(range.clone(), Kind::UnknownName { name: name.as_ref().to_owned(), close });
        }
        let mut path = name.as_ref().to_owned();
        let mut end = range.end;
        while let Some(step) = steps.pop_if(|step| step.name().is_some()) {
            match (&step.kind, step.name()) {
                (LinkKind::Attribute(_), Some(name)) => {
                    path.push('.');
                    path.push_str(name);
                }
                (_, Some(key)) => path.push_str(&quoted_key(key)),
                (_, None) => {}
            }
            end = step.end;
        }
        let path: Arc<str> = path.into();
        let full_range = range.start..end;
        self.references
            .push(Reference { target: ReferenceTarget::Traversal(path.clone()), range: full_range.clone() });
        self.named(ScopeSymbol::Traverse(path), &full_range)
    }

    pub(super) fn named(&mut self, symbol: ScopeSymbol, range: &Range<u32>) -> Expr {
        match u32::try_from(self.symbols.place(symbol)) {
            Ok(index) => at(range, ExprKind::Name(index)),
            Err(_) => self.wrong(range.clone(), too_large()),
        }
    }
}

fn too_large() -> Kind {
    Kind::Invalid("the expression is too large".to_owned())
}
