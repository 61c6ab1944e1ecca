//! Calls of functions that are shared with expressions.

use super::super::call::call_function;
use super::super::tree::{Call, Expr};
use super::{Abort, Executor, NULL};
use crate::language::data::budget::spend_datum;
use crate::language::data::datum::{Data, Datum};
use crate::language::error::LanguageError;
use crate::language::functions::arguments::Args;
use crate::language::functions::{FunctionError, FunctionRef, look_through};
use crate::language::operand::{Forced, Operand, marked};
use crate::language::taint::Taint;

impl<'a> Executor<'a> {
    pub(super) fn library(&mut self, expr: &'a Expr, call: &'a Call, dot: &Datum) -> Result<Datum, Abort> {
        let function = &call.function;
        let mut values = vec![NULL.clone(); call.args.len()];
        for index in call.order() {
            let (Some(arg), Some(place)) = (call.args.get(index), values.get_mut(index)) else { continue };
            *place = self.eval(arg, dot)?;
            if !function.sees_missing
                && let Some(error) = place.absence()
            {
                return Err(error.into());
            }
        }
        let has_secret = values.iter().any(|value| value.secret);
        let outcome = self.call_with_operands(function, values);
        outcome.map_err(|(FunctionError { kind, argument, .. }, secret)| {
            // A failure reveals something about the arguments.
            self.taint.secret |= secret || has_secret;
            let kind = if secret || has_secret { kind.hidden(function.name) } else { kind };
            let range = call.place(expr, argument);
            LanguageError { kind: kind.in_template(function.name), range }.into()
        })
    }

    /// Calls a function with evaluated arguments.
    ///
    /// The flag of an error tells whether it depends on a secret.
    fn call_with_operands(
        &self,
        function: &FunctionRef,
        values: Vec<Datum>,
    ) -> Result<Datum, (FunctionError, bool)> {
        let public_error = |reason| (FunctionError::from(reason), false);
        for value in &values {
            spend_datum(&self.budget, value).map_err(public_error)?;
        }
        let mut values: Vec<Operand<'_>> =
            values.into_iter().map(|value| value.into_value().into()).collect();
        let holds_secret = values.iter().any(|value| value.contains_secret());
        let secret = match look_through(function, &mut values, &self.budget) {
            Ok(Forced::Known((), secret)) => secret,
            Ok(Forced::Unknown(unknown)) => return Ok(Datum::plain(Data::Unknown(unknown))),
            Err(error) => return Err((error, holds_secret)),
        };
        let mut args = Args::new(function.name, values, self.scope, &self.budget);
        let value = call_function(function, &mut args);
        let datum = Datum::from_value(marked(value.map_err(|error| (error, holds_secret))?, secret));
        spend_datum(&self.budget, &datum).map_err(public_error)?;
        Ok(datum)
    }

    /// Evaluates `try`: the first argument that evaluates without an error.
    pub(super) fn attempt(&mut self, call: &'a Call, dot: &Datum) -> Result<Datum, Abort> {
        let before = std::mem::take(&mut self.taint);
        let mut last = None;
        let mut outcome = None;
        // Arguments are tried in the order of the call; a piped argument is the first one.
        for arg in &call.args {
            match self.evaluate_fallible(arg, dot)? {
                Ok(datum) => {
                    outcome = Some(datum);
                    break;
                }
                Err(error) => last = Some(error),
            }
        }
        let Taint { secret, unknown } = self.taint.merge(before);
        match (outcome, last) {
            // An argument that depends on an unknown value may still fail, in which case the next argument
            // counts.
            (Some(_), _) if unknown.is_some() => Ok(waiting(unknown)),
            (Some(datum), _) => Ok(datum.marked(secret)),
            (None, Some(error)) => {
                let kind = if secret { error.kind.hidden_argument("try") } else { error.kind };
                Err(LanguageError { kind, ..error }.into())
            }
            (None, None) => Ok(NULL.clone()),
        }
    }

    /// Evaluates `can`: whether the argument evaluates without an error.
    pub(super) fn can(&mut self, call: &'a Call, dot: &Datum) -> Result<Datum, Abort> {
        let before = std::mem::take(&mut self.taint);
        let mut worked = true;
        for arg in &call.args {
            worked &= self.evaluate_fallible(arg, dot)?.is_ok();
        }
        let Taint { secret, unknown } = self.taint.merge(before);
        if worked && unknown.is_some() {
            return Ok(waiting(unknown));
        }
        Ok(Datum::plain(Data::Bool(worked)).marked(secret))
    }

    /// Evaluates an argument of `try` or `can`, which may fail.
    ///
    /// The outer error is one that would occur again whatever is evaluated instead.
    fn evaluate_fallible(
        &mut self,
        arg: &'a Expr,
        dot: &Datum,
    ) -> Result<Result<Datum, LanguageError>, Abort> {
        let depth = self.depth;
        self.trying += 1;
        let result = self.eval(arg, dot);
        self.trying -= 1;
        let error = match result {
            Ok(datum) => match datum.absence() {
                None => return Ok(Ok(datum)),
                Some(error) => error,
            },
            Err(Abort::Error(error)) if !error.kind.is_final() => error,
            Err(abort) => return Err(abort),
        };
        self.depth = depth;
        Ok(Err(error))
    }
}

fn waiting(unknown: Option<crate::types::value::Unknown>) -> Datum {
    unknown.map_or_else(|| NULL.clone(), |unknown| Datum::plain(Data::Unknown(unknown)))
}
