//! Lowering of the parser's tree to the tree that is evaluated, with every check that needs no values.
//!
//! Constant parts are evaluated during lowering. The functions themselves refuse invalid constants, so no
//! second description of their types is needed.

mod names;
mod symbols;

use std::ops::Range;
use std::sync::Arc;

use self::symbols::Symbols;
use crate::language::budget::OutOfSteps;
use crate::language::budget::StepBudget;
use crate::language::call_error::CallError;
use crate::language::convert::Number;
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};
use crate::language::expression::budget::MAX_CONSTANT_STEPS;
use crate::language::expression::eval::{Interpreter, NoScope, range_in_file, ranges_in_file};
use crate::language::expression::tree::{
    Access, Accessor, Binary, Call, Conditional, Expr, ExprKind, Expression, For, ForForm, ScopeSymbol, Text,
    Unary,
};
use crate::language::functions;
use crate::language::functions::foreign_functions::in_expression;
use crate::language::functions::function::{Function, Implementation};
use crate::language::template::{Reference, ReferenceTarget, Template};
use crate::syntax::{self, Computed, ExpressionKind};
use crate::types::budget::WorkBudget;
use crate::types::function::ModuleFunctions;
use crate::types::platform::Platform;
use crate::types::value::Value;

impl Expression {
    /// Lowers the tree of an expression.
    ///
    /// `text` is the whole text of the file. Constant evaluation is counted against `budget`, which the whole
    /// load shares. `functions` are the functions that the program registered.
    ///
    /// # Errors
    ///
    /// Fails with everything that is wrong whatever the values are: unknown functions, numbers of arguments,
    /// unknown names, invalid templates in strings, constant parts that can only fail, and the place where
    /// the budget ends.
    #[doc(hidden)]
    pub fn lower(
        tree: syntax::Expression,
        text: &str,
        budget: Option<&WorkBudget>,
        functions: &ModuleFunctions,
    ) -> Result<Self, Vec<LanguageError>> {
        let mut lower = ExpressionLowering {
            text,
            budget,
            functions,
            symbols: Symbols::default(),
            // Most expressions refer to one name.
            references: Vec::with_capacity(1),
            errors: Vec::new(),
            variables: Vec::new(),
            tolerant: 0,
            scope: NoScope(Platform::default()),
        };
        let root = lower.expression(tree);
        if !lower.errors.is_empty() {
            lower.errors.sort_by_key(|error| error.range.start);
            return Err(lower.errors);
        }
        // Parts are not always lowered in source order.
        lower.references.sort_by_key(|reference| reference.range.start);
        Ok(Self { root, symbols: lower.symbols.into_list(), references: lower.references.into_boxed_slice() })
    }
}

struct ExpressionLowering<'t> {
    text: &'t str,
    budget: Option<&'t WorkBudget>,
    functions: &'t ModuleFunctions,
    symbols: Symbols,
    references: Vec<Reference>,
    errors: Vec<LanguageError>,
    /// The variables of the enclosing loops, outermost first.
    variables: Vec<Arc<str>>,
    /// The number of enclosing `try` and `can` calls, which expect failures.
    tolerant: usize,
    scope: NoScope,
}

impl ExpressionLowering<'_> {
    fn fail(&mut self, range: Range<u32>, kind: Kind) {
        self.errors.push(LanguageError { kind, range });
    }

    /// Records an error and returns a placeholder.
    ///
    /// The placeholder is not a constant, so no further errors are reported for expressions that contain it.
    fn wrong(&mut self, range: Range<u32>, kind: Kind) -> Expr {
        self.fail(range.clone(), kind);
        poison(range)
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
            ExpressionKind::Computed(computed) => self.computed(*computed, range),
        }
    }

    fn computed(&mut self, computed: Computed, range: Range<u32>) -> Expr {
        let kind = match computed {
            Computed::Null => ExprKind::Constant(Value::Null),
            computed @ (Computed::Name(_) | Computed::Attribute { .. } | Computed::Index { .. }) => {
                return self.chain(computed, range);
            }
            Computed::Splat { base, steps } => {
                let base = self.expression(base);
                let accessors = steps.into_iter().map(|step| match step {
                    syntax::SplatStep::Attribute(name) => attribute(name),
                    syntax::SplatStep::Index(index) => Accessor::Index(self.expression(index)),
                    syntax::SplatStep::Splat => Accessor::Splat,
                });
                let accessors = accessors.collect();
                ExprKind::Splat(Box::new(Access { base, accessors }))
            }
            Computed::Call { function, arguments, spread } => {
                return self.call(&function, arguments, spread.is_some(), range);
            }
            Computed::Unary { operator, operand } => {
                let operand = self.expression(operand);
                ExprKind::Unary(Box::new(Unary { operator, operand }))
            }
            Computed::Binary { operator, at, left, right } => {
                let (left, right) = (self.expression(left), self.expression(right));
                ExprKind::Binary(Box::new(Binary { operator, at, left, right }))
            }
            Computed::Conditional { condition, yes, no } => {
                let condition = self.expression(condition);
                let (then_branch, else_branch) = (self.expression(yes), self.expression(no));
                ExprKind::Conditional(Box::new(Conditional { condition, yes: then_branch, no: else_branch }))
            }
            Computed::For(node) => return self.for_loop(node, &range),
            Computed::Map(entries) => {
                let entries =
                    entries.into_iter().map(|(key, value)| (self.expression(key), self.expression(value)));
                ExprKind::Map(entries.collect())
            }
        };
        self.folded(range, kind)
    }

    /// Lowers a string, which is a template if it contains `{{`.
    fn string(&mut self, text: Arc<str>, range: Range<u32>) -> Expr {
        if Template::is_literal(&text) {
            return at(&range, ExprKind::Constant(Value::String(text)));
        }
        let raw: Box<str> =
            self.text.get(range.start as usize..range.end as usize).unwrap_or_default().into();
        match Template::parse_with(&text, self.functions) {
            Ok(template) => {
                let template_references = template.references();
                let places = template_references.iter().map(|reference| &reference.range);
                let places: Vec<Range<u32>> = ranges_in_file(range.start, &raw, places).collect();
                // A loop variable followed by two names would be read as the path of a resource.
                let of_loop = template_references.iter().zip(&places).find_map(|(reference, place)| {
                    let ReferenceTarget::Lookup(path) = &reference.target else { return None };
                    Some((self.loop_variable_error(path.split('.').next()?)?, place.clone()))
                });
                if let Some((unseen, place)) = of_loop {
                    self.fail(place, unseen);
                    return poison(range);
                }
                let references = template_references.iter().zip(places);
                self.references.extend(
                    references
                        .map(|(Reference { target, .. }, range)| Reference { target: target.clone(), range }),
                );
                at(&range, ExprKind::Text(Box::new(Text { template, raw })))
            }
            Err(error) => {
                let place = range_in_file(range.start, &raw, &error.range);
                let unseen = match &error.kind {
                    Kind::Function(
                        CallError::UnknownFunction { name, .. } | CallError::ForeignFunction { name, .. },
                    ) => self.loop_variable_error(name),
                    _ => None,
                };
                self.fail(place, unseen.unwrap_or_else(|| Kind::Template(Box::new(error.kind))));
                poison(range)
            }
        }
    }

    /// Returns the error for a loop variable that is used in a template, which cannot see it.
    fn loop_variable_error(&self, name: &str) -> Option<Kind> {
        let is_known = self.variables.iter().any(|variable| **variable == *name);
        is_known.then(|| {
            Kind::Invalid(format!(
                "a template does not see `{name}` of the `for` around it: write format(\"..%s..\", {name}) in its place"
            ))
        })
    }

    fn call(
        &mut self,
        name: &syntax::Name,
        arguments: Vec<syntax::Expression>,
        spread: bool,
        range: Range<u32>,
    ) -> Expr {
        let lookup = functions::find(&name.text, functions::functions(), self.functions, in_expression);
        let tolerates = lookup.as_ref().is_ok_and(|function| {
            matches!(function.implementation, Implementation::Try | Implementation::Can)
        });
        self.tolerant += usize::from(tolerates);
        let args: Box<[Expr]> = arguments.into_iter().map(|argument| self.expression(argument)).collect();
        self.tolerant -= usize::from(tolerates);
        let function = match lookup {
            Ok(function) => function,
            Err(error) => return self.wrong(name.range.clone(), error.into()),
        };
        // The number of arguments that `...` gives is unknown and may be zero.
        let minimum = args.len() - usize::from(spread && !args.is_empty());
        let count = if spread { minimum.max(usize::from(function.least)) } else { minimum };
        if let Err(kind) = function.check_count(count) {
            return self.wrong(name.range.clone(), kind.into());
        }
        if function.name == "lookup"
            && !spread
            && let [path] = &*args
        {
            return self.lookup(path, &range).unwrap_or_else(|| {
                let args = args.clone();
                at(
                    &range,
                    ExprKind::Call(Box::new(Call {
                        function: function.clone(),
                        name: name.range.clone(),
                        args,
                        spread,
                    })),
                )
            });
        }
        if let (
            Implementation::TemplateFile,
            [path] | [path, Expr { kind: ExprKind::Constant(Value::Null), .. }, ..],
        ) = (function.implementation, &*args)
        {
            let target = ReferenceTarget::TemplateFile(self.lazy_text(path));
            self.references.push(Reference { target, range: name.range.clone() });
        }
        self.check_arguments(&function, &args, spread);
        let call = Call { function, name: name.range.clone(), args, spread };
        self.folded(range, ExprKind::Call(Box::new(call)))
    }

    /// Lowers `lookup` with one argument: an export, resolved like a name if the path is a literal.
    fn lookup(&mut self, path: &Expr, range: &Range<u32>) -> Option<Expr> {
        let target = match &path.kind {
            ExprKind::Constant(Value::String(path)) => ReferenceTarget::Lookup(path.clone()),
            _ => ReferenceTarget::Computed,
        };
        self.references.push(Reference { target: target.clone(), range: path.range() });
        match target {
            ReferenceTarget::Lookup(path) => Some(self.named(ScopeSymbol::Lookup(path), range)),
            _ => None,
        }
    }

    /// Checks constant arguments of a call that also has arguments that are not constant.
    fn check_arguments(&mut self, function: &Function, args: &[Expr], spread: bool) {
        let Some(check) = function.check.filter(|_| self.tolerant == 0 && !spread) else { return };
        let constants: Vec<Option<&Value>> = args.iter().map(constant).collect();
        if constants.iter().all(Option::is_some) {
            // The call itself is a constant and was already evaluated.
            return;
        }
        if let Err(failure) = check(&constants)
            && let Some(arg) = failure.argument.and_then(|index| args.get(index))
        {
            self.errors.push(LanguageError { kind: failure.kind, range: arg.range() });
        }
    }

    fn for_loop(&mut self, node: syntax::For, range: &Range<u32>) -> Expr {
        let collection = self.expression(node.over);
        let outside = self.variables.len();
        if let Some(key) = &node.key {
            if key.text == node.value.text {
                let kind = Kind::Invalid(format!("the variable `{}` is declared twice", key.text));
                self.fail(node.value.range.clone(), kind);
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
        at(
            range,
            ExprKind::For(Box::new(For {
                over: collection,
                key: node.key.is_some(),
                condition,
                result,
                form,
            })),
        )
    }

    /// Evaluates an expression made of constants only, so that its errors are found at load.
    fn folded(&mut self, range: Range<u32>, kind: ExprKind) -> Expr {
        /// The maximum size of a kept constant, in steps; larger values are computed when needed.
        const KEPT_STEPS: usize = 1024;
        let expr = at(&range, kind);
        // Nothing else is evaluated once the budget is exhausted, because that was already reported.
        if !is_constant(&expr.kind) || self.budget.is_some_and(WorkBudget::is_exhausted) {
            return expr;
        }
        let budget = StepBudget::new(MAX_CONSTANT_STEPS as usize, self.budget);
        let value = match Interpreter::new(&[], &self.scope, budget).run(&expr) {
            Ok(value) => value,
            Err(error) => {
                // An exhausted shared budget is reported here. A single constant that is too expensive is
                // left to the run.
                let is_over =
                    matches!(&error.kind, Kind::TooMuchWork(reason) if *reason != OutOfSteps::Alone);
                let is_large = error.kind == Kind::TooMuchWork(OutOfSteps::Alone);
                if !is_over && (is_large || self.tolerant > 0) {
                    return expr;
                }
                self.errors.push(error);
                return poison(range);
            }
        };
        let budget = StepBudget::new(KEPT_STEPS, None);
        if budget.spend_value(&value).and_then(|()| budget.spend_text(&value)).is_err() {
            return expr;
        }
        at(&range, ExprKind::Constant(value))
    }
}

fn at(range: &Range<u32>, kind: ExprKind) -> Expr {
    Expr { start: range.start, end: range.end, kind }
}

fn poison(range: Range<u32>) -> Expr {
    at(&range, ExprKind::Name(u32::MAX))
}

fn attribute(name: syntax::Name) -> Accessor {
    Accessor::Attribute { name: name.text, start: name.range.start, end: name.range.end }
}

fn constant(expr: &Expr) -> Option<&Value> {
    match &expr.kind {
        ExprKind::Constant(value) => Some(value),
        _ => None,
    }
}

/// Returns whether all direct parts are constants; deeper parts were already folded.
fn is_constant(kind: &ExprKind) -> bool {
    let are_constant = |parts: &[&Expr]| parts.iter().all(|part| constant(part).is_some());
    match kind {
        ExprKind::List(items) => items.iter().all(|item| are_constant(&[item])),
        ExprKind::Map(entries) => entries.iter().all(|(key, value)| are_constant(&[key, value])),
        ExprKind::Access(access) | ExprKind::Splat(access) => {
            let index = |step: &Accessor| match step {
                Accessor::Attribute { .. } | Accessor::Splat => true,
                Accessor::Index(index) => are_constant(&[index]),
            };
            are_constant(&[&access.base]) && access.accessors.iter().all(index)
        }
        ExprKind::Call(call) => {
            !call.function.reads_scope && call.args.iter().all(|arg| are_constant(&[arg]))
        }
        ExprKind::Unary(unary) => are_constant(&[&unary.operand]),
        ExprKind::Binary(binary) => are_constant(&[&binary.left, &binary.right]),
        ExprKind::Conditional(node) => are_constant(&[&node.condition, &node.yes, &node.no]),
        ExprKind::Constant(_)
        | ExprKind::Text(_)
        | ExprKind::Variable(_)
        | ExprKind::Name(_)
        | ExprKind::For(_) => false,
    }
}
