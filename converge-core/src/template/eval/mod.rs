//! Running a template.

pub(super) mod builtins;
pub(super) mod call;
pub(super) mod compare;
pub(super) mod datum;
mod escape;
mod float;
pub(super) mod index;
pub(super) mod printf;
mod text;
mod work;

use super::ast::{Call, Chain, Expr, ExprKind, Field, If, Invoke, Node, Range, Slot, With};
use super::error::{TemplateError, TemplateErrorKind as Kind};
use super::functions::Run;
use super::{Scope, Template};
use crate::report::close_names;
use crate::value::{Unknown, Value};

use call::{Args, Failure};
use datum::{Datum, Known};
use text::Sink;
use work::{MAX_DEPTH, Work};

pub(crate) use escape::json_string;
pub(crate) use printf::{Spec, flags, print_one};

/// Why a run ended early.
enum Stop {
    Error(TemplateError),
    /// An unknown value decides what runs next, so the whole result is unknown.
    Unknown(Unknown),
}

impl From<TemplateError> for Stop {
    fn from(error: TemplateError) -> Self {
        Self::Error(error)
    }
}

/// What follows a node.
#[derive(Clone, Copy, PartialEq)]
enum Flow {
    Next,
    Break,
    Continue,
}

/// Runs a template for its text.
pub(super) fn render(template: &Template, scope: &dyn Scope) -> Result<Value, TemplateError> {
    let mut machine = Machine::new(template, scope);
    // The most common template by far is one action that gives text: that text is the result as it is.
    if let [Node::Action(expr)] = &*template.body {
        return match machine.eval(expr, &NULL) {
            Ok(datum) if matches!(datum.known, Known::Text(_) | Known::Unknown(_)) => Ok(datum.into_value()),
            Ok(datum) => {
                machine.sink.print(&datum);
                Ok(machine.sink.into_value())
            }
            Err(stop) => ended(stop),
        };
    }
    match machine.walk(&template.body, &NULL) {
        Ok(_) => Ok(machine.sink.into_value()),
        Err(stop) => ended(stop),
    }
}

/// Runs a template for its text, with a dot or without one, and gives the steps that it took.
pub(super) fn render_counted(
    template: &Template,
    dot: Option<Value>,
    scope: &dyn Scope,
) -> (Result<Value, TemplateError>, usize) {
    let mut machine = Machine::new(template, scope);
    let dot = dot.map_or(NULL, Datum::from_value);
    machine.frame.push(dot.clone());
    let result = match machine.walk(&template.body, &dot) {
        Ok(_) => Ok(machine.sink.into_value()),
        Err(stop) => ended(stop),
    };
    (result, machine.work.spent())
}

/// Runs the only action of a template for its value.
pub(super) fn evaluate(template: &Template, expr: &Expr, scope: &dyn Scope) -> Result<Value, TemplateError> {
    Machine::new(template, scope).eval(expr, &NULL).map(Datum::into_value).or_else(ended)
}

fn ended(stop: Stop) -> Result<Value, TemplateError> {
    match stop {
        Stop::Error(error) => Err(error),
        Stop::Unknown(unknown) => Ok(Value::Unknown(unknown)),
    }
}

/// The dot of a whole template.
const NULL: Datum = Datum::plain(Known::Null);

struct Machine<'a> {
    template: &'a Template,
    scope: &'a dyn Scope,
    sink: Sink,
    /// Variables of the template that runs, by slot.
    frame: Vec<Datum>,
    depth: usize,
    work: Work,
}

impl<'a> Machine<'a> {
    fn new(template: &'a Template, scope: &'a dyn Scope) -> Self {
        Self { template, scope, sink: Sink::default(), frame: Vec::new(), depth: 0, work: Work::new() }
    }

    /// Counts one step of the thing at this place, one level deeper. Left again with `self.depth -= 1`.
    fn enter(&mut self, start: u32, end: u32) -> Result<(), Stop> {
        let failed = |kind| Stop::Error(TemplateError { kind, range: start..end });
        if self.depth >= MAX_DEPTH {
            return Err(failed(Kind::TooDeep { limit: MAX_DEPTH }));
        }
        self.depth += 1;
        self.work.spend(1).map_err(failed)
    }

    fn walk(&mut self, body: &'a [Node], dot: &Datum) -> Result<Flow, Stop> {
        for node in body {
            let flow = match node {
                Node::Text(text) => {
                    self.sink.text.push_str(text);
                    Flow::Next
                }
                Node::Action(expr) => {
                    self.action(expr, dot)?;
                    Flow::Next
                }
                Node::Set(expr) => {
                    self.eval(expr, dot)?;
                    Flow::Next
                }
                Node::If(node) => self.if_block(node, dot)?,
                Node::With(node) => self.with_block(node, dot)?,
                Node::Range(node) => self.range_block(node, dot)?,
                Node::Template(node) => {
                    self.invoke(node, dot)?;
                    Flow::Next
                }
                Node::Break => Flow::Break,
                Node::Continue => Flow::Continue,
            };
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn action(&mut self, expr: &'a Expr, dot: &Datum) -> Result<(), Stop> {
        let datum = self.eval(expr, dot)?;
        let before = self.sink.text.len();
        self.sink.print(&datum);
        let printed = self.sink.text.len() - before;
        self.work
            .spend_bytes(printed)
            .map_err(|kind| Stop::Error(TemplateError { kind, range: expr.range() }))
    }

    /// The value of a pipeline that decides what runs.
    fn deciding(&mut self, expr: &'a Expr, dot: &Datum) -> Result<Datum, Stop> {
        let datum = self.eval(expr, dot)?;
        self.sink.secret |= datum.secret;
        match datum.known {
            // What was printed before may wait for something else, and that came first.
            Known::Unknown(unknown) => Err(Stop::Unknown(self.sink.unknown.take().unwrap_or(unknown))),
            _ => Ok(datum),
        }
    }

    fn if_block(&mut self, node: &'a If, dot: &Datum) -> Result<Flow, Stop> {
        for (condition, body) in &node.arms {
            if self.deciding(condition, dot)?.is_true() {
                return self.block(condition, body, dot);
            }
        }
        self.walk(&node.otherwise, dot)
    }

    fn with_block(&mut self, node: &'a With, dot: &Datum) -> Result<Flow, Stop> {
        let value = self.deciding(&node.value, dot)?;
        if value.is_true() {
            self.block(&node.value, &node.body, &value)
        } else {
            self.walk(&node.otherwise, dot)
        }
    }

    /// A body, one level deeper; `at` is what the error of a limit points to.
    fn block(&mut self, at: &'a Expr, body: &'a [Node], dot: &Datum) -> Result<Flow, Stop> {
        self.enter(at.start, at.end)?;
        let flow = self.walk(body, dot)?;
        self.depth -= 1;
        Ok(flow)
    }

    fn range_block(&mut self, node: &'a Range, dot: &Datum) -> Result<Flow, Stop> {
        let over = self.deciding(&node.over, dot)?;
        for slot in [node.index, node.item].into_iter().flatten() {
            self.set(slot, over.clone());
        }
        let secret = over.secret;
        let mut empty = true;
        match &over.known {
            Known::List(items) => {
                for (index, item) in (0..).zip(items.iter()) {
                    empty = false;
                    let index = Datum { known: Known::Int(index), secret };
                    if self.round(node, index, &item.clone().marked(secret))? == Flow::Break {
                        break;
                    }
                }
            }
            Known::Map(items) => {
                for (name, item) in items.iter() {
                    empty = false;
                    let name = Datum::text(name.clone()).marked(secret);
                    if self.round(node, name, &item.clone().marked(secret))? == Flow::Break {
                        break;
                    }
                }
            }
            Known::Nil | Known::Null => {}
            _ => {
                let kind = Kind::CannotRange { kind: over.kind_name() };
                return Err(TemplateError { kind, range: node.over.range() }.into());
            }
        }
        if empty { self.walk(&node.otherwise, dot) } else { Ok(Flow::Next) }
    }

    fn round(&mut self, node: &'a Range, index: Datum, item: &Datum) -> Result<Flow, Stop> {
        if let Some(slot) = node.index {
            self.set(slot, index);
        }
        if let Some(slot) = node.item {
            self.set(slot, item.clone());
        }
        self.block(&node.over, &node.body, item)
    }

    fn invoke(&mut self, node: &'a Invoke, dot: &Datum) -> Result<(), Stop> {
        let dot = match &node.dot {
            Some(expr) => self.eval(expr, dot)?,
            None => Datum::plain(Known::Nil),
        };
        self.enter(node.start, node.end)?;
        let frame = std::mem::replace(&mut self.frame, vec![dot.clone()]);
        let body = self.template.defined.get(node.template as usize);
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

    fn eval(&mut self, expr: &'a Expr, dot: &Datum) -> Result<Datum, Stop> {
        Ok(match &expr.kind {
            ExprKind::Dot => dot.clone(),
            ExprKind::Nil => Datum::plain(Known::Nil),
            ExprKind::Bool(value) => Datum::plain(Known::Bool(*value)),
            ExprKind::Int(value) => Datum::plain(Known::Int(*value)),
            ExprKind::Float(value) => Datum::plain(Known::Float(*value)),
            ExprKind::Text(text) => Datum::text(text.clone()),
            ExprKind::Variable(slot) => self.frame.get(usize::from(*slot)).unwrap_or(&NULL).clone(),
            ExprKind::Chain(chain) => self.chain(expr, chain, dot)?,
            ExprKind::Bind(bind) => {
                self.enter(expr.start, expr.end)?;
                let value = self.eval(&bind.value, dot)?;
                self.depth -= 1;
                self.set(bind.slot, value.clone());
                value
            }
            ExprKind::Call(call) => {
                self.enter(expr.start, expr.end)?;
                let value = match call.function.run {
                    Run::Strict(run) => self.strict(expr, call, run, dot)?,
                    Run::And => self.short(call, false, dot)?,
                    Run::Or => self.short(call, true, dot)?,
                };
                self.depth -= 1;
                value
            }
        })
    }

    fn chain(&mut self, expr: &'a Expr, chain: &'a Chain, dot: &Datum) -> Result<Datum, Stop> {
        self.enter(expr.start, expr.end)?;
        let mut datum = self.eval(&chain.base, dot)?;
        self.depth -= 1;
        for field in &chain.fields {
            let secret = datum.secret;
            datum = match &datum.known {
                Known::Map(items) => {
                    Datum::entry(items, &field.name).cloned().unwrap_or(Datum::plain(Known::Nil))
                }
                Known::Platform(fields) => fields
                    .iter()
                    .find_map(|(name, item)| (*name == &*field.name).then(|| item.clone()))
                    .ok_or_else(|| no_field(&datum, field))?,
                // As in Go: of what is missing, everything is missing.
                Known::Unknown(_) | Known::Nil => return Ok(datum),
                _ => return Err(no_field(&datum, field).into()),
            }
            .marked(secret);
        }
        Ok(datum)
    }

    /// The arguments in the order of evaluation: what was piped in comes first.
    fn order(call: &'a Call) -> impl Iterator<Item = usize> {
        let count = call.args.len();
        let (first, rest) = if call.piped { (count - 1..count, 0..count - 1) } else { (0..0, 0..count) };
        first.chain(rest)
    }

    /// `and` and `or`: the first argument that decides, else the last.
    fn short(&mut self, call: &'a Call, decides: bool, dot: &Datum) -> Result<Datum, Stop> {
        // Go has evaluated what is piped in before it looks at the others.
        let mut piped = match call.args.last() {
            Some(arg) if call.piped => Some(self.eval(arg, dot)?),
            _ => None,
        };
        let mut secret = false;
        let mut last = NULL.clone();
        for (index, arg) in call.args.iter().enumerate() {
            let is_last = index + 1 == call.args.len();
            last = match piped.take_if(|_| is_last) {
                Some(value) => value,
                None => self.eval(arg, dot)?,
            };
            secret |= last.secret;
            if matches!(last.known, Known::Unknown(_)) || last.is_true() == decides {
                break;
            }
        }
        Ok(last.marked(secret))
    }

    fn strict(
        &mut self,
        expr: &'a Expr,
        call: &'a Call,
        run: fn(&mut Args<'_>) -> call::Outcome,
        dot: &Datum,
    ) -> Result<Datum, Stop> {
        let mut values = vec![NULL.clone(); call.args.len()];
        for index in Self::order(call) {
            if let (Some(arg), Some(place)) = (call.args.get(index), values.get_mut(index)) {
                *place = self.eval(arg, dot)?;
            }
        }
        let secret = values.iter().any(|value| value.secret);
        if let Some(index) = Self::order(call)
            .find(|index| values.get(*index).is_some_and(|value| matches!(value.known, Known::Unknown(_))))
        {
            return Ok(values.swap_remove(index).marked(secret));
        }
        let name = call.function.name;
        let bytes = values.iter().map(text_length).sum();
        let outcome = self.work.spend_bytes(bytes).map_err(Failure::from).and_then(|()| {
            run(&mut Args { function: name, values: &values, scope: self.scope, work: &mut self.work })
        });
        match outcome {
            Ok(datum) => Ok(datum.marked(secret)),
            Err(Failure { kind, argument }) => {
                let piped = call.piped && argument == Some(call.args.len() - 1);
                let range = match argument.and_then(|index| call.args.get(index)) {
                    Some(_) if piped => expr.start..call.name_end,
                    Some(arg) => arg.range(),
                    None => expr.range(),
                };
                let hide = secret && kind.shows_arguments();
                let kind = if hide { Kind::Secret { function: name } } else { kind };
                Err(TemplateError { kind, range }.into())
            }
        }
    }
}

fn text_length(datum: &Datum) -> usize {
    match &datum.known {
        Known::Text(text) => text.len(),
        Known::List(items) => items.len(),
        Known::Map(items) => items.len(),
        _ => 0,
    }
}

fn no_field(datum: &Datum, field: &Field) -> TemplateError {
    let names = match &datum.known {
        Known::Platform(fields) => fields.iter().map(|(name, _)| *name).collect(),
        _ => Vec::new(),
    };
    let close = close_names(&field.name, names).into_iter().map(str::to_owned).collect();
    let kind = Kind::NoField { field: field.name.to_string(), kind: datum.kind_name(), close };
    TemplateError { kind, range: field.start..field.end }
}
