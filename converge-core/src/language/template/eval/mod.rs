//! Running a template.

mod expression;
mod library;

use std::sync::Arc;

use crate::language::budget::{MAX_STEPS, StepBudget};
use crate::types::scope::Scope;
use crate::types::value::{Unknown, Value};

use super::data::budget::MAX_DEPTH;
use super::data::datum::{Data, Datum};
use super::data::sink::{NoText, Sink};
use super::error::{TemplateError, TemplateErrorKind as Kind};
use super::tree::{Expr, If, Invoke, Node, Range, Slot, Template, With};

/// Why a run ended early.
enum Abort {
    Error(TemplateError),
    /// An unknown value decides what runs next, so the whole result is unknown.
    Unknown(Unknown),
}

impl From<TemplateError> for Abort {
    fn from(error: TemplateError) -> Self {
        Self::Error(error)
    }
}

/// What follows a node.
#[derive(Clone, Copy, PartialEq)]
enum LoopControl {
    Next,
    Break,
    Continue,
}

impl Template {
    /// Runs the template. The result is text, unknown, or secret text.
    ///
    /// It is unknown when an unknown value was printed, compared or decided a branch, and secret when a
    /// secret was. An unknown result names what the first unknown value waits for.
    ///
    /// # Errors
    ///
    /// What went wrong, and where. A message never shows a secret.
    pub fn render(&self, scope: &dyn Scope) -> Result<Value, TemplateError> {
        if let Some(text) = self.known() {
            return Ok(Value::String(Arc::clone(text)));
        }
        // The most common template by far is one action that gives text: that text is the result as it is.
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

    /// Runs the template, with a dot where there is one, in at most so many steps, and gives beside the result those
    /// that it took, which callers count against their own limit.
    pub(crate) fn render_counted(
        &self,
        dot: Option<Value>,
        scope: &dyn Scope,
        steps: usize,
    ) -> (Result<Value, TemplateError>, usize) {
        let mut executor =
            Executor::with_budget(self, scope, StepBudget::part(steps.min(MAX_STEPS), scope.budget()));
        let dot = dot.map_or(NULL, Datum::from_value);
        executor.frame.push(dot.clone());
        executor.run(&dot)
    }

    /// Runs a template that is one action and nothing else (`{{paramList "x"}}`) and gives the value of
    /// that action with its type; any other template is [rendered](Template::render).
    ///
    /// For fields that take a list or a map.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render).
    pub fn evaluate(&self, scope: &dyn Scope) -> Result<Value, TemplateError> {
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

fn aborted(abort: Abort) -> Result<Value, TemplateError> {
    match abort {
        Abort::Error(error) => Err(error),
        Abort::Unknown(unknown) => Ok(Value::Unknown(unknown)),
    }
}

/// The error of an expression whose value has no text.
fn no_text(expr: &Expr, reason: NoText) -> TemplateError {
    let (kind, place) = reason.into_parts();
    TemplateError { kind, range: place.unwrap_or_else(|| expr.range()) }
}

/// The dot of a whole template.
const NULL: Datum = Datum::plain(Data::Null);

/// What decided something on the way: `try` and `can` tell whether something failed, and that must be as secret and as
/// unknown as what it depends on.
#[derive(Default)]
struct Taint {
    secret: bool,
    unknown: Option<Unknown>,
}

struct Executor<'a> {
    template: &'a Template,
    scope: &'a dyn Scope,
    sink: Sink,
    /// Variables of the template that runs, by slot.
    frame: Vec<Datum>,
    depth: usize,
    /// In how many `try` and `can` this is.
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

    /// Runs the whole template; gives its text, and the steps that it took.
    fn run(mut self, dot: &Datum) -> (Result<Value, TemplateError>, usize) {
        /// More is asked for when there is more.
        const FIRST: usize = 128;
        // What a template gives is about as long as the template.
        self.sink.text.reserve(self.template.length().min(FIRST));
        let result = match self.all(dot) {
            Ok(()) => Ok(self.sink.into_value()),
            Err(abort) => aborted(abort),
        };
        (result, self.budget.spent())
    }

    /// The tree, and the text after it.
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

    /// Counts one step of the thing at this place, one level deeper. Left again with `self.depth -= 1`.
    fn enter(&mut self, start: u32, end: u32) -> Result<(), Abort> {
        let failed = |kind: Kind| Abort::Error(TemplateError { kind, range: start..end });
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

    /// The failure of a text, which has no place of its own.
    fn at_all(&self, kind: Kind) -> Abort {
        Abort::Error(TemplateError { kind, range: 0..self.template.length })
    }

    /// The value of an action. What functions made of a secret looks different from it.
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
            .map_err(|reason| Abort::Error(TemplateError { kind: reason.into(), range: expr.range() }))
    }

    /// Prints what an expression gave.
    fn print(&mut self, expr: &Expr, datum: &Datum) -> Result<(), TemplateError> {
        self.sink.value(datum).map_err(|reason| no_text(expr, reason))
    }

    /// The value of a pipeline that decides what runs.
    fn deciding(&mut self, expr: &'a Expr, dot: &Datum) -> Result<Datum, Abort> {
        let datum = self.eval(expr, dot)?;
        self.sink.secret |= datum.secret;
        match datum.data {
            // What was printed before may wait for something else, and that came first.
            Data::Unknown(unknown) => Err(Abort::Unknown(self.sink.unknown.take().unwrap_or(unknown))),
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

    /// A body, one level deeper; `at` is what the error of a limit points to.
    fn block(&mut self, at: &'a Expr, body: &'a [Node], dot: &Datum) -> Result<LoopControl, Abort> {
        self.enter(at.start, at.end)?;
        let flow = self.walk(body, dot)?;
        self.depth -= 1;
        Ok(flow)
    }

    fn range_block(&mut self, node: &'a Range, dot: &Datum) -> Result<LoopControl, Abort> {
        let over = self.deciding(&node.over, dot)?;
        for slot in [node.index, node.item].into_iter().flatten() {
            self.set(slot, over.clone());
        }
        let secret = over.secret;
        let mut empty = true;
        match &over.data {
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
                let kind = Kind::invalid(format!("`range` needs a list or a map, not {}", over.kind_name()));
                return Err(TemplateError { kind, range: node.over.range() }.into());
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
            None => Datum::missing(TemplateError {
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
