//! Evaluation of template expressions: field chains and calls.

use crate::diagnostic::close_names;

use super::super::builtins::index::no_key;
use super::super::tree::{Call, Chain, Expr, ExprKind, Field};
use super::{Abort, Executor, NULL};
use crate::language::data::datum::{Data, Datum};
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};
use crate::language::functions::template_arguments::{TemplateArgs, TemplateResult};
use crate::language::functions::{FunctionError, Implementation};
use crate::types::platform::Platform;

impl<'a> Executor<'a> {
    pub(super) fn eval(&mut self, expr: &'a Expr, dot: &Datum) -> Result<Datum, Abort> {
        let datum = self.value(expr, dot)?;
        if self.trying > 0 {
            self.taint.note(&datum);
        }
        Ok(datum)
    }

    fn value(&mut self, expr: &'a Expr, dot: &Datum) -> Result<Datum, Abort> {
        Ok(match &expr.kind {
            ExprKind::Dot => dot.clone(),
            ExprKind::Nil => Datum::plain(Data::Nil),
            ExprKind::Bool(value) => Datum::plain(Data::Bool(*value)),
            ExprKind::Int(value) => Datum::plain(Data::Int(*value)),
            ExprKind::Float(value) => Datum::plain(Data::Float(*value)),
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
                let value = match call.function.implementation {
                    Implementation::Template(run) => self.strict(expr, call, run, dot)?,
                    Implementation::And => self.short(call, false, dot)?,
                    Implementation::Or => self.short(call, true, dot)?,
                    Implementation::Try => self.attempt(call, dot)?,
                    Implementation::Can => self.can(call, dot)?,
                    Implementation::Plain(_) | Implementation::TemplateFile | Implementation::Own => {
                        self.library(expr, call, dot)?
                    }
                };
                self.depth -= 1;
                value
            }
        })
    }

    fn chain(&mut self, expr: &'a Expr, chain: &'a Chain, dot: &Datum) -> Result<Datum, Abort> {
        self.enter(expr.start, expr.end)?;
        let (mut datum, fields) = match self.field_of_record(chain, dot)? {
            Some(datum) => (datum, chain.fields.get(1..).unwrap_or_default()),
            None => (self.eval(&chain.base, dot)?, &*chain.fields),
        };
        self.depth -= 1;
        for field in fields {
            let secret = datum.secret;
            datum = match &datum.data {
                Data::Map(items) => match Datum::entry(items, &field.name) {
                    Some(item) => item.clone(),
                    None => no_key(&field.name, items, field.start..field.end),
                },
                Data::Platform(fields) => Platform::template_place(&field.name)
                    .and_then(|place| fields.get(place).map(|(_, item)| item.clone()))
                    .ok_or_else(|| no_field(&datum, field))?,
                // Everything inside a missing value is missing, as in Go.
                Data::Unknown(_) | Data::Missing(_) => return Ok(datum),
                _ => return Err(no_field(&datum, field).into()),
            }
            .marked(secret);
        }
        Ok(datum)
    }

    /// Evaluates the first field of a record function such as `each.key`, without computing other fields.
    fn field_of_record(&mut self, chain: &'a Chain, dot: &Datum) -> Result<Option<Datum>, Abort> {
        let (ExprKind::Call(call), Some(first)) = (&chain.base.kind, chain.fields.first()) else {
            return Ok(None);
        };
        let Some(record) = &call.function.record else { return Ok(None) };
        self.enter(chain.base.start, chain.base.end)?;
        let datum = self.strict(&chain.base, call, |args| (record.field)(args, &first.name), dot)?;
        self.depth -= 1;
        Ok(Some(datum))
    }

    /// Evaluates `and` and `or`: returns the first argument that decides, or the last one.
    fn short(&mut self, call: &'a Call, decides: bool, dot: &Datum) -> Result<Datum, Abort> {
        // Go evaluates the piped argument before it looks at the others.
        let mut piped = match call.args.last() {
            Some(arg) if call.piped.is_some() => Some(self.eval(arg, dot)?),
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
            if matches!(last.data, Data::Unknown(_)) || last.is_true() == decides {
                break;
            }
        }
        Ok(last.marked(secret))
    }

    fn strict(
        &mut self,
        expr: &'a Expr,
        call: &'a Call,
        run: impl FnOnce(&mut TemplateArgs<'_>) -> TemplateResult,
        dot: &Datum,
    ) -> Result<Datum, Abort> {
        // Most calls have one argument, usually a name.
        if let [arg] = &*call.args {
            let value = self.eval(arg, dot)?;
            return self.call_with_values(expr, call, run, &mut [value]);
        }
        let mut values = vec![NULL.clone(); call.args.len()];
        for index in call.order() {
            if let (Some(arg), Some(place)) = (call.args.get(index), values.get_mut(index)) {
                *place = self.eval(arg, dot)?;
            }
        }
        self.call_with_values(expr, call, run, &mut values)
    }

    /// Calls a function with evaluated arguments.
    fn call_with_values(
        &mut self,
        expr: &'a Expr,
        call: &'a Call,
        run: impl FnOnce(&mut TemplateArgs<'_>) -> TemplateResult,
        values: &mut [Datum],
    ) -> Result<Datum, Abort> {
        let secret = values.iter().any(|value| value.secret);
        let unknown =
            |index: &usize| values.get(*index).is_some_and(|value| matches!(value.data, Data::Unknown(_)));
        let is_there = |value: &Datum| !matches!(value.data, Data::Unknown(_) | Data::Missing(_));
        if !values.iter().all(is_there) {
            if let Some(value) = call.order().find(unknown).and_then(|index| values.get_mut(index)) {
                return Ok(std::mem::replace(value, NULL).marked(secret));
            }
            if !call.function.sees_missing
                && let Some(error) = call.order().find_map(|index| values.get(index)?.absence())
            {
                return Err(error.into());
            }
        }
        let name = call.function.name;
        let bytes = values.iter().map(text_length).sum();
        let outcome = self.budget.spend_bytes(bytes).map_err(FunctionError::from).and_then(|()| {
            run(&mut TemplateArgs {
                function: name,
                place: expr.range(),
                values,
                scope: self.scope,
                budget: &self.budget,
            })
        });
        match outcome {
            Ok(datum) => {
                let result = self.budget.spend_bytes(text_length(&datum));
                result.map_err(|reason| {
                    Abort::Error(LanguageError { kind: reason.into(), range: expr.range() })
                })?;
                Ok(datum.marked(secret))
            }
            Err(FunctionError { kind, argument, place }) => {
                if self.trying > 0 {
                    // Items of the arguments may be the reason for the failure.
                    self.taint.secret |=
                        values.iter().any(|value| value.clone().into_value().contains_secret());
                }
                let range = place.unwrap_or_else(|| call.place(expr, argument));
                let kind = if secret { kind.hidden_argument(name) } else { kind };
                Err(LanguageError { kind, range }.into())
            }
        }
    }
}

fn text_length(datum: &Datum) -> usize {
    match &datum.data {
        Data::Text(text) => text.len(),
        Data::List(items) => items.len(),
        Data::Map(items) => items.len(),
        _ => 0,
    }
}

fn no_field(datum: &Datum, field: &Field) -> LanguageError {
    let names = match &datum.data {
        Data::Platform(fields) => fields.iter().map(|(name, _)| *name).collect(),
        _ => Vec::new(),
    };
    let close = close_names(&field.name, names);
    let kind = Kind::NoField { field: field.name.to_string(), kind: datum.kind_name(), close };
    LanguageError { kind, range: field.start..field.end }
}
