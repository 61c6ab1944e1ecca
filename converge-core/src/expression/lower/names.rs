//! Names with all that follows them: which part belongs to the scope, and which is taken from the value.

use std::ops::Range;
use std::sync::Arc;

use super::{Lower, at, attribute};
use crate::expression::error::ExpressionErrorKind as Kind;
use crate::expression::tree::{Access, Expr, ExprKind, Name, PlatformField, Slot, Step};
use crate::graph::quoted_key;
use crate::report::close_names;
use crate::syntax::{self, ExpressionKind, Native};
use crate::template::{Reference, ReferenceTarget, Template};

/// The roots that are no resources, and what could follow them.
const ROOTS: [(&str, &str); 5] =
    [("param", "NAME"), ("env", "NAME"), ("self", "FIELD"), ("platform", "os"), ("each", "key")];

/// A step of `a.b["c"][d]` and the end of the part that it ends.
struct RawStep {
    kind: RawStepKind,
    end: u32,
}

enum RawStepKind {
    Attribute(syntax::Name),
    Index(syntax::Expression),
}

impl RawStep {
    /// The name or the key, where it is written out.
    fn name(&self) -> Option<&Arc<str>> {
        match &self.kind {
            RawStepKind::Attribute(name) => Some(&name.text),
            RawStepKind::Index(index) => match &index.kind {
                ExpressionKind::String(text) if Template::is_literal(text) => Some(text),
                _ => None,
            },
        }
    }
}

impl Lower<'_> {
    /// A name with everything that follows it, or names and indexes of something else.
    pub(super) fn chain(&mut self, native: Native, range: Range<u32>) -> Expr {
        let mut steps = Vec::new();
        let mut base =
            syntax::Expression { kind: ExpressionKind::Native(Box::new(native)), range: range.clone() };
        // Not by calls of itself: a chain may be long.
        let root = loop {
            let end = base.range.end;
            let (inner, kind) = match base.kind {
                ExpressionKind::Native(native) => match *native {
                    Native::Attribute { base, name } => (base, RawStepKind::Attribute(name)),
                    Native::Index { base, index } => (base, RawStepKind::Index(index)),
                    Native::Name(name) => break self.root(&name, &base.range, &mut steps),
                    other => {
                        let kind = ExpressionKind::Native(Box::new(other));
                        break self.expression(syntax::Expression { kind, range: base.range });
                    }
                },
                kind => break self.expression(syntax::Expression { kind, range: base.range }),
            };
            steps.push(RawStep { kind, end });
            base = inner;
        };
        if steps.is_empty() {
            return root;
        }
        let steps = steps.into_iter().rev().map(|step| match step.kind {
            RawStepKind::Attribute(name) => attribute(name),
            RawStepKind::Index(index) => Step::Index(self.expression(index)),
        });
        let steps = steps.collect();
        self.folded(range, ExprKind::Access(Box::new(Access { base: root, steps })))
    }

    /// What a name stands for, with as many of the steps as belong to it. The first step is the last in the
    /// list.
    fn root(&mut self, name: &Arc<str>, range: &Range<u32>, steps: &mut Vec<RawStep>) -> Expr {
        if let Some(slot) = self.variables.iter().rposition(|variable| variable == name) {
            return match Slot::try_from(slot) {
                Ok(slot) => at(range, ExprKind::Variable(slot)),
                Err(_) => self.wrong(range.clone(), Kind::TooLarge),
            };
        }
        let Some((root, example)) = ROOTS.into_iter().find(|(root, _)| **root == **name) else {
            return self.traversal(name, range, steps);
        };
        let Some((step, field)) = steps.pop_if(|step| step.name().is_some()).and_then(|step| {
            let field = step.name()?.clone();
            Some((step, field))
        }) else {
            // What follows has been said to be wrong with this.
            steps.clear();
            return self.wrong(range.clone(), Kind::NeedsName { root, example });
        };
        let whole = range.start..step.end;
        let field_range = match &step.kind {
            RawStepKind::Attribute(name) => name.range.clone(),
            RawStepKind::Index(index) => index.range.clone(),
        };
        let unknown = |close: Vec<&str>| Kind::UnknownRootName {
            root,
            name: field.as_ref().to_owned(),
            close: close.into_iter().map(str::to_owned).collect(),
        };
        let (named, reference) = match root {
            "param" => (Name::Param(field.clone()), Some(ReferenceTarget::Param(field))),
            "self" => (Name::This(field.clone()), Some(ReferenceTarget::This(field))),
            "env" => (Name::Env(field), None),
            "each" => match &*field {
                "key" => (Name::EachKey, Some(ReferenceTarget::Each)),
                "value" => (Name::EachValue, Some(ReferenceTarget::Each)),
                _ => return self.wrong(field_range, unknown(vec!["key", "value"])),
            },
            _ => {
                let Some(field) = PlatformField::find(&field) else {
                    let close = close_names(&field, PlatformField::ALL.map(|(name, _)| name));
                    return self.wrong(field_range, unknown(close));
                };
                (Name::Platform(field), None)
            }
        };
        if let Some(target) = reference {
            self.references.push(Reference { target, range: whole.clone() });
        }
        self.named(named, &whole)
    }

    /// A resource, or an export of one: the names and keys that are written out.
    fn traversal(&mut self, name: &Arc<str>, range: &Range<u32>, steps: &mut Vec<RawStep>) -> Expr {
        if !matches!(steps.last(), Some(RawStep { kind: RawStepKind::Attribute(_), .. })) {
            steps.clear();
            let known = self.variables.iter().map(|name| &**name).chain(ROOTS.map(|(root, _)| root));
            let close = close_names(name, known).into_iter().map(str::to_owned).collect();
            return self.wrong(range.clone(), Kind::UnknownName { name: name.as_ref().to_owned(), close });
        }
        let mut path = name.as_ref().to_owned();
        let mut end = range.end;
        while let Some(step) = steps.pop_if(|step| step.name().is_some()) {
            match (&step.kind, step.name()) {
                (RawStepKind::Attribute(_), Some(name)) => {
                    path.push('.');
                    path.push_str(name);
                }
                (_, Some(key)) => path.push_str(&quoted_key(key)),
                (_, None) => {}
            }
            end = step.end;
        }
        let path: Arc<str> = path.into();
        let whole = range.start..end;
        self.references
            .push(Reference { target: ReferenceTarget::Traversal(path.clone()), range: whole.clone() });
        self.named(Name::Traverse(path), &whole)
    }

    pub(super) fn named(&mut self, name: Name, range: &Range<u32>) -> Expr {
        let (index, _) = self.names.insert_full(name);
        match u32::try_from(index) {
            Ok(index) => at(range, ExprKind::Name(index)),
            Err(_) => self.wrong(range.clone(), Kind::TooLarge),
        }
    }
}
