//! Running of templates.

mod expression;
mod library;

use std::sync::Arc;

use crate::language::budget::{MAX_STEPS, StepBudget};
use crate::language::taint::Taint;
use crate::types::scope::Scope;
use crate::types::value::{Unknown, Value};

use super::tree::{Expr, If, Invoke, Node, Range, Slot, Template, With};
use crate::language::data::budget::MAX_DEPTH;
use crate::language::data::datum::{Data, Datum};
use crate::language::data::sink::{NoText, Sink};
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};

/// The reason why a run ended early.
enum Abort {
    Error(LanguageError),
    /// An unknown value decides what runs next, so the whole result is unknown.
    Unknown(Unknown),
}

impl From<LanguageError> for Abort {
    fn from(error: LanguageError) -> Self {
        Self::Error(error)
    }
}

/// The control flow after a node.
#[derive(Clone, Copy, PartialEq)]
enum LoopControl {
    Next,
    Break,
    Continue,
}

impl Template {
    /// Runs the template; the result is text, secret text, or unknown.
    ///
    /// The result is unknown when an unknown value was printed, was compared, or decided a branch. It is
    /// secret when a secret value did so. An unknown result names the dependency of the first unknown value.
    ///
    /// # Errors
    ///
    /// Fails with the kind of error and its range. A message never shows a secret.
    pub fn render(&self, scope: &dyn Scope) -> Result<Value, LanguageError> {
        if let Some(text) = self.known() {
            return Ok(Value::String(Arc::clone(text)));
        }
        // Most templates are one action that gives text. That text is returned without a copy.
        if let Some(expr) = self.only_action() {
            let mut executor = Executor::new(self, scope);
            return match executor.result(expr, &NULL) {
                Ok(datum) if matches!(datum.data, Data::Text(_) | Data::Unknown(_)) => Ok(datum.into_value()),
                Ok(datum) => {
                    executor.print(expr, &datum)?;
                    Ok(executor.sink.into_value())
                }
                Err(abort) => aborted(abort),
            };
        }
        Executor::new(self, scope).run(&NULL).0
    }

    /// Runs the template within `most` steps; returns the result and the spent steps.
    ///
    /// The caller counts the steps against its own limit. `dot` is the initial dot, if there is one.
    pub(crate) fn render_counted(
        &self,
        dot: Option<Value>,
        scope: &dyn Scope,
        steps: usize,
    ) -> (Result<Value, LanguageError>, usize) {
        let mut executor =
            Executor::with_budget(self, scope, StepBudget::part(steps.min(MAX_STEPS), scope.budget()));
        let dot = dot.map_or(NULL, Datum::from_value);
        executor.frame.push(dot.clone());
        executor.run(&dot)
    }

    /// Runs a template and keeps the type of its value if the template is a single action.
    ///
    /// Fields that take a list or a map use this for texts such as `{{paramList "x"}}`. Any other template is
    /// [rendered](Template::render) to text.
    ///
    /// # Errors
    ///
    /// The same as for [`render`](Self::render).
    pub fn evaluate(&self, scope: &dyn Scope) -> Result<Value, LanguageError> {
        match self.only_action().filter(|_| self.known().is_none()) {
            Some(expr) => match Executor::new(self, scope).result(expr, &NULL) {
                Ok(datum) => match (datum.absence(), &datum.data) {
                    (Some(error), _) => Err(error),
                    (None, Data::Nil) => Err(no_text(expr, NoText::Nil)),
                    (None, _) => Ok(datum.into_value()),
                },
                Err(abort) => aborted(abort),
            },
            None => self.render(scope),
        }
    }
}

fn aborted(abort: Abort) -> Result<Value, LanguageError> {
    match abort {
        Abort::Error(error) => Err(error),
        Abort::Unknown(unknown) => Ok(Value::Unknown(unknown)),
    }
}

/// Returns the error of an expression whose value cannot be printed.
fn no_text(expr: &Expr, reason: NoText) -> LanguageError {
    let (kind, place) = reason.into_parts();
    LanguageError { kind, range: place.unwrap_or_else(|| expr.range()) }
}

/// The dot of a template that runs without one.
const NULL: Datum = Datum::plain(Data::Null);

struct Executor<'a> {
    template: &'a Template,
    scope: &'a dyn Scope,
    sink: Sink,
    /// The variables of the running template, by slot.
    frame: Vec<Datum>,
    depth: usize,
    /// The number of enclosing `try` and `can` calls.
    trying: usize,
    taint: Taint,
    budget: StepBudget<'a>,
}

impl<'a> Executor<'a> {
    fn new(template: &'a Template, scope: &'a dyn Scope) -> Self {
        Self::with_budget(template, scope, StepBudget::new(MAX_STEPS, scope.budget()))
    }

    fn with_budget(template: &'a Template, scope: &'a dyn Scope, budget: StepBudget<'a>) -> Self {
        Self {
            template,
            scope,
            sink: Sink::default(),
            frame: Vec::new(),
            depth: 0,
            trying: 0,
            taint: Taint::default(),
            budget,
        }
    }

    /// Runs the whole template; returns its text and the spent steps.
    fn run(mut self, dot: &Datum) -> (Result<Value, LanguageError>, usize) {
        /// The maximum initial capacity; the text grows when it needs more.
        const FIRST: usize = 128;
        // The output of a template is about as long as its source.
        self.sink.text.reserve(self.template.length().min(FIRST));
        let result = match self.all(dot) {
            Ok(()) => Ok(self.sink.into_value()),
            Err(abort) => aborted(abort),
        };
        (result, self.budget.spent())
    }

    /// Runs the tree and prints the text after it.
    fn all(&mut self, dot: &Datum) -> Result<(), Abort> {
        let template = self.template;
        if let Some(text) = template.known() {
            return self.text(text);
        }
        self.walk(&template.tree.body, dot)?;
        match template.ending() {
            "" => Ok(()),
            text => self.text(text),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), Abort> {
        self.budget.spend_bytes(text.len()).map_err(|reason| self.at_all(reason.into()))?;
        self.sink.text.push_str(text);
        Ok(())
    }

    /// Counts one step and enters one level; the caller leaves it with `self.depth -= 1`.
    fn enter(&mut self, start: u32, end: u32) -> Result<(), Abort> {
        let failed = |kind: Kind| Abort::Error(LanguageError { kind, range: start..end });
        if self.depth >= MAX_DEPTH {
            return Err(failed(Kind::TooDeep { limit: MAX_DEPTH }));
        }
        self.depth += 1;
        self.budget.spend(1).map_err(|reason| failed(reason.into()))
    }

    fn walk(&mut self, body: &'a [Node], dot: &Datum) -> Result<LoopControl, Abort> {
        for node in body {
            let flow = match node {
                Node::Text(text) => {
                    self.text(text)?;
                    LoopControl::Next
                }
                Node::Action(expr) => {
                    self.action(expr, dot)?;
                    LoopControl::Next
                }
                Node::Set(expr) => {
                    self.eval(expr, dot)?;
                    LoopControl::Next
                }
                Node::If(node) => self.if_block(node, dot)?,
                Node::With(node) => self.with_block(node, dot)?,
                Node::Range(node) => self.range_block(node, dot)?,
                Node::Template(node) => {
                    self.invoke(node, dot)?;
                    LoopControl::Next
                }
                Node::Break => LoopControl::Break,
                Node::Continue => LoopControl::Continue,
            };
            if flow != LoopControl::Next {
                return Ok(flow);
            }
        }
        Ok(LoopControl::Next)
    }

    /// Returns an error that refers to the whole template.
    fn at_all(&self, kind: Kind) -> Abort {
        Abort::Error(LanguageError { kind, range: 0..self.template.length })
    }

    /// Evaluates an action, and registers values computed from secrets for redaction.
    fn result(&mut self, expr: &'a Expr, dot: &Datum) -> Result<Datum, Abort> {
        let datum = self.eval(expr, dot)?;
        if datum.secret {
            self.scope.hide(&datum.clone().into_value());
        }
        Ok(datum)
    }

    fn action(&mut self, expr: &'a Expr, dot: &Datum) -> Result<(), Abort> {
        let datum = self.result(expr, dot)?;
        let before = self.sink.text.len();
        self.print(expr, &datum)?;
        let printed = self.sink.text.len() - before;
        self.budget
            .spend_bytes(printed)
            .map_err(|reason| Abort::Error(LanguageError { kind: reason.into(), range: expr.range() }))
    }

    fn print(&mut self, expr: &Expr, datum: &Datum) -> Result<(), LanguageError> {
        self.sink.value(datum).map_err(|reason| no_text(expr, reason))
    }

    /// Evaluates a pipeline that decides what runs next.
    fn deciding(&mut self, expr: &'a Expr, dot: &Datum) -> Result<Datum, Abort> {
        let datum = self.eval(expr, dot)?;
        self.sink.taint.secret |= datum.secret;
        match datum.data {
            // The unknown value that was printed first takes precedence.
            Data::Unknown(unknown) => Err(Abort::Unknown(self.sink.taint.unknown.take().unwrap_or(unknown))),
            _ => Ok(datum),
        }
    }

    fn if_block(&mut self, node: &'a If, dot: &Datum) -> Result<LoopControl, Abort> {
        for (condition, body) in &node.arms {
            if self.deciding(condition, dot)?.is_true() {
                return self.block(condition, body, dot);
            }
        }
        self.walk(&node.otherwise, dot)
    }

    fn with_block(&mut self, node: &'a With, dot: &Datum) -> Result<LoopControl, Abort> {
        let value = self.deciding(&node.value, dot)?;
        if value.is_true() {
            self.block(&node.value, &node.body, &value)
        } else {
            self.walk(&node.otherwise, dot)
        }
    }

    /// Runs a body one level deeper; a limit error refers to `at`.
    fn block(&mut self, expression: &'a Expr, body: &'a [Node], dot: &Datum) -> Result<LoopControl, Abort> {
        self.enter(expression.start, expression.end)?;
        let flow = self.walk(body, dot)?;
        self.depth -= 1;
        Ok(flow)
    }

    fn range_block(&mut self, node: &'a Range, dot: &Datum) -> Result<LoopControl, Abort> {
        let collection = self.deciding(&node.over, dot)?;
        for slot in [node.index, node.item].into_iter().flatten() {
            self.set(slot, collection.clone());
        }
        let secret = collection.secret;
        let mut empty = true;
        match &collection.data {
            Data::List(items) => {
                for (index, item) in (0..).zip(items.iter()) {
                    empty = false;
                    let index = Datum::plain(Data::Int(index)).marked(secret);
                    if self.round(node, index, &item.clone().marked(secret))? == LoopControl::Break {
                        break;
                    }
                }
            }
            Data::Map(items) => {
                for (name, item) in items.iter() {
                    empty = false;
                    let name = Datum::text(name.clone()).marked(secret);
                    if self.round(node, name, &item.clone().marked(secret))? == LoopControl::Break {
                        break;
                    }
                }
            }
            Data::Nil | Data::Null | Data::Missing(_) => {}
            _ => {
                let kind =
                    Kind::invalid(format!("`range` needs a list or a map, not {}", collection.kind_name()));
                return Err(LanguageError { kind, range: node.over.range() }.into());
            }
        }
        if empty { self.walk(&node.otherwise, dot) } else { Ok(LoopControl::Next) }
    }

    fn round(&mut self, node: &'a Range, index: Datum, item: &Datum) -> Result<LoopControl, Abort> {
        if let Some(slot) = node.index {
            self.set(slot, index);
        }
        if let Some(slot) = node.item {
            self.set(slot, item.clone());
        }
        self.block(&node.over, &node.body, item)
    }

    fn invoke(&mut self, node: &'a Invoke, dot: &Datum) -> Result<(), Abort> {
        let dot = match &node.dot {
            Some(expr) => self.eval(expr, dot)?,
            None => Datum::missing(LanguageError {
                kind: Kind::invalid("the template uses its dot, but is called without a value"),
                range: node.start..node.end,
            }),
        };
        self.enter(node.start, node.end)?;
        let frame = std::mem::replace(&mut self.frame, vec![dot.clone()]);
        let body = self.template.tree.defined.get(node.template as usize);
        self.walk(body.map_or(&[][..], |body| body), &dot)?;
        self.frame = frame;
        self.depth -= 1;
        Ok(())
    }

    fn set(&mut self, slot: Slot, datum: Datum) {
        let slot = usize::from(slot);
        if slot >= self.frame.len() {
            self.frame.resize(slot + 1, NULL.clone());
        }
        if let Some(place) = self.frame.get_mut(slot) {
            *place = datum;
        }
    }
}
