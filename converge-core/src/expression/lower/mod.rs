//! From the tree of the parser to the tree that is evaluated, with every mistake that can be seen without
//! values.

mod names;

use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexSet;

use crate::expression::convert::Number;
use crate::expression::error::{ExpressionError, ExpressionErrorKind as Kind};
use crate::expression::eval::{Machine, NoScope, range_in_file};
use crate::expression::functions::{self, Function, Run};
use crate::expression::tree::{
    Access, Binary, Call, Conditional, Expr, ExprKind, For, ForForm, Name, Step, Text, Unary,
};
use crate::expression::work::Work;
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
                    syntax::Step::Splat => Step::Splat,
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
                Step::Attribute { .. } | Step::Splat => true,
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
