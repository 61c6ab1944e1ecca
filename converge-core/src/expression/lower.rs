//! From the tree of the parser to the tree that is evaluated, with every mistake that can be seen without
//! values.

use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexSet;

use super::convert::Number;
use super::error::{ExpressionError, ExpressionErrorKind as Kind};
use super::eval::{Machine, NoScope, range_in_file};
use super::functions::{self, Function, Run};
use super::tree::{
    Access, Binary, Call, Conditional, Expr, ExprKind, For, ForForm, Name, PlatformField, Slot, Step, Text,
    Unary,
};
use super::work::Work;
use crate::graph::quoted_key;
use crate::report::close_names;
use crate::syntax::{self, ExpressionKind, Native};
use crate::system::Platform;
use crate::template::{Reference, ReferenceTarget, Template};
use crate::value::Value;

/// What an expression becomes.
pub(super) struct Lowered {
    pub(super) root: Expr,
    pub(super) names: Box<[Name]>,
    pub(super) references: Box<[Reference]>,
}

/// Lowers a whole expression; `text` is the text of its file.
pub(super) fn lower(tree: syntax::Expression, text: &str) -> Result<Lowered, Vec<ExpressionError>> {
    let mut lower = Lower {
        text,
        names: IndexSet::new(),
        references: Vec::new(),
        errors: Vec::new(),
        variables: Vec::new(),
        forgiven: 0,
        scope: NoScope(Platform::default()),
    };
    let root = lower.expression(tree);
    if !lower.errors.is_empty() {
        lower.errors.sort_by_key(|error| error.range.start);
        return Err(lower.errors);
    }
    // Parts are not always lowered in the order in which they are written.
    lower.references.sort_by_key(|reference| reference.range.start);
    Ok(Lowered {
        root,
        names: lower.names.into_iter().collect(),
        references: lower.references.into_boxed_slice(),
    })
}

/// The roots that are no resources, and what could follow them.
const ROOTS: [(&str, &str); 5] =
    [("param", "NAME"), ("env", "NAME"), ("self", "FIELD"), ("platform", "os"), ("each", "key")];

struct Lower<'t> {
    text: &'t str,
    names: IndexSet<Name>,
    references: Vec<Reference>,
    errors: Vec<ExpressionError>,
    /// The variables of the loops around, outermost first.
    variables: Vec<Arc<str>>,
    /// In how many `try` and `can` this is: failing is what these are for.
    forgiven: usize,
    scope: NoScope,
}

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
    fn fail(&mut self, range: Range<u32>, kind: Kind) {
        self.errors.push(ExpressionError { kind, range });
    }

    /// Stands for what could not be lowered. It is no constant, so nothing is said about what is made of it.
    fn wrong(&mut self, range: Range<u32>, kind: Kind) -> Expr {
        self.fail(range.clone(), kind);
        lost(range)
    }

    fn expression(&mut self, tree: syntax::Expression) -> Expr {
        let range = tree.range;
        let constant = |value: Value| at(&range, ExprKind::Constant(value));
        match tree.kind {
            ExpressionKind::Bool(value) => constant(Value::Bool(value)),
            ExpressionKind::Int { value, .. } => constant(Value::Int(value)),
            ExpressionKind::Float(value) => {
                constant(Number::from_float(value).map_or(Value::Float(value), Value::from))
            }
            ExpressionKind::String(text) => self.string(text, range),
            ExpressionKind::List(items) => {
                let items = items.into_iter().map(|item| self.expression(item)).collect();
                self.folded(range, ExprKind::List(items))
            }
            ExpressionKind::Map(entries) => {
                let entries = entries.into_iter().map(|(name, value)| {
                    let key = self.string(name.text, name.range);
                    (key, self.expression(value))
                });
                let entries = entries.collect();
                self.folded(range, ExprKind::Map(entries))
            }
            ExpressionKind::Native(native) => self.native(*native, range),
        }
    }

    fn native(&mut self, native: Native, range: Range<u32>) -> Expr {
        let kind = match native {
            Native::Null => ExprKind::Constant(Value::Null),
            native @ (Native::Name(_) | Native::Attribute { .. } | Native::Index { .. }) => {
                return self.chain(native, range);
            }
            Native::Splat { base, steps } => {
                let base = self.expression(base);
                let steps = steps.into_iter().map(|step| match step {
                    syntax::Step::Attribute(name) => attribute(name),
                    syntax::Step::Index(index) => Step::Index(self.expression(index)),
                });
                let steps = steps.collect();
                ExprKind::Splat(Box::new(Access { base, steps }))
            }
            Native::Call { function, arguments, spread } => {
                return self.call(&function, arguments, spread.is_some(), range);
            }
            Native::Unary { operator, operand } => {
                let operand = self.expression(operand);
                ExprKind::Unary(Box::new(Unary { operator, operand }))
            }
            Native::Binary { operator, at, left, right } => {
                let (left, right) = (self.expression(left), self.expression(right));
                ExprKind::Binary(Box::new(Binary { operator, at, left, right }))
            }
            Native::Conditional { condition, yes, no } => {
                let condition = self.expression(condition);
                let (yes, no) = (self.expression(yes), self.expression(no));
                ExprKind::Conditional(Box::new(Conditional { condition, yes, no }))
            }
            Native::For(node) => return self.for_loop(node, &range),
            Native::Map(entries) => {
                let entries =
                    entries.into_iter().map(|(key, value)| (self.expression(key), self.expression(value)));
                ExprKind::Map(entries.collect())
            }
        };
        self.folded(range, kind)
    }

    /// A string, which is a template when it holds `{{`.
    fn string(&mut self, text: Arc<str>, range: Range<u32>) -> Expr {
        if Template::is_literal(&text) {
            return at(&range, ExprKind::Constant(Value::String(text)));
        }
        let raw: Box<str> =
            self.text.get(range.start as usize..range.end as usize).unwrap_or_default().into();
        match Template::parse(&text) {
            Ok(template) => {
                let references = template.references().iter().map(|reference| Reference {
                    target: reference.target.clone(),
                    range: range_in_file(range.start, &raw, &reference.range),
                });
                self.references.extend(references);
                at(&range, ExprKind::Text(Box::new(Text { template, raw })))
            }
            Err(error) => {
                let place = range_in_file(range.start, &raw, &error.range);
                self.fail(place, Kind::Template(Box::new(error.kind)));
                lost(range)
            }
        }
    }

    /// A name with everything that follows it, or names and indexes of something else.
    fn chain(&mut self, native: Native, range: Range<u32>) -> Expr {
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
            _ => match PlatformField::find(&field) {
                Some(field) => (Name::Platform(field), None),
                None => {
                    let close = close_names(&field, PlatformField::ALL.map(|(name, _)| name));
                    return self.wrong(field_range, unknown(close));
                }
            },
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

    fn named(&mut self, name: Name, range: &Range<u32>) -> Expr {
        let (index, _) = self.names.insert_full(name);
        match u32::try_from(index) {
            Ok(index) => at(range, ExprKind::Name(index)),
            Err(_) => self.wrong(range.clone(), Kind::TooLarge),
        }
    }

    fn call(
        &mut self,
        name: &syntax::Name,
        arguments: Vec<syntax::Expression>,
        spread: bool,
        range: Range<u32>,
    ) -> Expr {
        let found = functions::find(&name.text);
        let forgives = found.as_ref().is_ok_and(|function| matches!(function.run, Run::Try | Run::Can));
        self.forgiven += usize::from(forgives);
        let args: Box<[Expr]> = arguments.into_iter().map(|argument| self.expression(argument)).collect();
        self.forgiven -= usize::from(forgives);
        let function = match found {
            Ok(function) => function,
            Err(close) => {
                let kind = Kind::UnknownFunction { name: name.text.as_ref().to_owned(), close };
                return self.wrong(name.range.clone(), kind);
            }
        };
        // How many `...` gives is not known yet, but perhaps none.
        let least = args.len() - usize::from(spread && !args.is_empty());
        let enough = if spread { least.max(usize::from(function.least)) } else { least };
        if let Err(kind) = function.check_count(enough) {
            return self.wrong(name.range.clone(), kind);
        }
        if function.name == "lookup"
            && !spread
            && let [path] = &*args
        {
            return self.lookup(path, &range).unwrap_or_else(|| {
                let args = args.clone();
                at(
                    &range,
                    ExprKind::Call(Box::new(Call { function, name: name.range.clone(), args, spread })),
                )
            });
        }
        self.check_arguments(function, &args, spread);
        let call = Call { function, name: name.range.clone(), args, spread };
        self.folded(range, ExprKind::Call(Box::new(call)))
    }

    /// `lookup` of one argument: an export, which is a name when it is written out.
    fn lookup(&mut self, path: &Expr, range: &Range<u32>) -> Option<Expr> {
        let target = match &path.kind {
            ExprKind::Constant(Value::String(path)) => ReferenceTarget::Lookup(path.clone()),
            _ => ReferenceTarget::Computed,
        };
        self.references.push(Reference { target: target.clone(), range: path.range() });
        match target {
            ReferenceTarget::Lookup(path) => Some(self.named(Name::Lookup(path), range)),
            _ => None,
        }
    }

    /// What a function says about constant arguments beside others that are not constant.
    fn check_arguments(&mut self, function: &Function, args: &[Expr], spread: bool) {
        let Some(check) = function.check.filter(|_| self.forgiven == 0 && !spread) else { return };
        let known: Vec<Option<&Value>> = args.iter().map(constant).collect();
        if known.iter().all(Option::is_some) {
            // The call itself is a constant.
            return;
        }
        if let Err(failure) = check(&known)
            && let Some(arg) = failure.argument.and_then(|index| args.get(index))
        {
            self.errors.push(ExpressionError { kind: failure.kind, range: arg.range() });
        }
    }

    fn for_loop(&mut self, node: syntax::For, range: &Range<u32>) -> Expr {
        let over = self.expression(node.over);
        let outside = self.variables.len();
        if let Some(key) = &node.key {
            if key.text == node.value.text {
                let name = key.text.as_ref().to_owned();
                self.fail(node.value.range.clone(), Kind::DuplicateVariable { name });
            }
            self.variables.push(key.text.clone());
        }
        self.variables.push(node.value.text);
        let key = node.result_key.map(|key| self.expression(key));
        let result = self.expression(node.result);
        let condition = node.condition.map(|condition| self.expression(condition));
        self.variables.truncate(outside);
        let form = match key {
            None => ForForm::List,
            Some(key) if node.grouped => ForForm::Grouped(key),
            Some(key) => ForForm::Map(key),
        };
        at(range, ExprKind::For(Box::new(For { over, key: node.key.is_some(), condition, result, form })))
    }

    /// Evaluates what is made of constants only, so that what can only fail is found when the module is
    /// loaded.
    fn folded(&mut self, range: Range<u32>, kind: ExprKind) -> Expr {
        /// A larger value is made when it is needed.
        const KEPT_STEPS: usize = 1024;
        let expr = at(&range, kind);
        if !is_constant(&expr.kind) {
            return expr;
        }
        let value = match Machine::new(&[], &self.scope, Work::constant()).run(&expr) {
            Ok(value) => value,
            Err(error) if self.forgiven > 0 || error.kind == Kind::TooMuchWork => return expr,
            Err(error) => {
                self.errors.push(error);
                return lost(range);
            }
        };
        let work = Work::of(KEPT_STEPS);
        if work.spend_value(&value).and_then(|()| work.spend_text(&value)).is_err() {
            return expr;
        }
        at(&range, ExprKind::Constant(value))
    }
}

fn at(range: &Range<u32>, kind: ExprKind) -> Expr {
    Expr { start: range.start, end: range.end, kind }
}

fn lost(range: Range<u32>) -> Expr {
    at(&range, ExprKind::Name(u32::MAX))
}

fn attribute(name: syntax::Name) -> Step {
    Step::Attribute { name: name.text, start: name.range.start, end: name.range.end }
}

fn constant(expr: &Expr) -> Option<&Value> {
    match &expr.kind {
        ExprKind::Constant(value) => Some(value),
        _ => None,
    }
}

/// Whether all parts are constants. These were evaluated before, so this looks one level deep.
fn is_constant(kind: &ExprKind) -> bool {
    let all = |parts: &[&Expr]| parts.iter().all(|part| constant(part).is_some());
    match kind {
        ExprKind::List(items) => items.iter().all(|item| all(&[item])),
        ExprKind::Map(entries) => entries.iter().all(|(key, value)| all(&[key, value])),
        ExprKind::Access(access) | ExprKind::Splat(access) => {
            let index = |step: &Step| match step {
                Step::Attribute { .. } => true,
                Step::Index(index) => all(&[index]),
            };
            all(&[&access.base]) && access.steps.iter().all(index)
        }
        ExprKind::Call(call) => !call.function.reads && call.args.iter().all(|arg| all(&[arg])),
        ExprKind::Unary(unary) => all(&[&unary.operand]),
        ExprKind::Binary(binary) => all(&[&binary.left, &binary.right]),
        ExprKind::Conditional(node) => all(&[&node.condition, &node.yes, &node.no]),
        ExprKind::Constant(_)
        | ExprKind::Text(_)
        | ExprKind::Variable(_)
        | ExprKind::Name(_)
        | ExprKind::For(_) => false,
    }
}
