//! Evaluation of function calls.

use super::{EvalResult, Interpreter, failed};
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};
use crate::language::expression::tree::{Call, Expr};
use crate::language::functions::arguments::Args;
use crate::language::functions::function::{Implementation, Strictness};
use crate::language::functions::{FunctionError, look_through};
use crate::language::operand::{Forced, Operand, marked};
use crate::language::template;
use crate::types::value::Value;

impl<'a> Interpreter<'a> {
    pub(super) fn call(&mut self, expr: &'a Expr, call: &'a Call) -> EvalResult<'a> {
        match call.function.implementation {
            Implementation::Try => return self.attempt(call),
            Implementation::Can => return self.can(call),
            _ => {}
        }
        let (mut values, mut secret) = match self.arguments(call)? {
            Forced::Known(values, secret) => (values, secret),
            Forced::Unknown(unknown) => return Ok(Value::Unknown(unknown).into()),
        };
        match look_through(&call.function, &mut values, &self.budget) {
            Ok(Forced::Known((), hidden)) => secret |= hidden,
            Ok(Forced::Unknown(unknown)) => {
                self.taint.note_unknown(&unknown);
                return Ok(Value::Unknown(unknown).into());
            }
            Err(FunctionError { kind, argument, .. }) => {
                let range = argument.map_or(expr.range(), |index| argument_range(call, index));
                return Err(failed(range, kind));
            }
        }
        self.taint.secret |= secret;
        // A function may fail because of an argument part that was not traversed, and `try` and `can` would
        // reveal that.
        let hidden = self.trying > 0
            && call.function.strictness != Strictness::Deep
            && values.iter().any(|value| value.contains_secret());
        let mut args = Args::new(call.function.name, values, self.scope, &self.budget);
        let result = template::call_function(&call.function, &mut args);
        self.room = args.into_buffer();
        match result {
            Ok(value) => {
                let value = marked(value, secret);
                // The function may have found the unknown value inside an argument.
                if let Value::Unknown(unknown) = &value {
                    self.taint.note_unknown(unknown);
                }
                self.taint.secret |= matches!(value, Value::Secret(_));
                Ok(value.into())
            }
            Err(FunctionError { kind, argument, .. }) => {
                self.taint.secret |= hidden;
                let range = argument.map_or(expr.range(), |index| argument_range(call, index));
                Err(failed(range, if secret { kind.hidden(call.function.name) } else { kind }))
            }
        }
    }

    /// Evaluates the arguments, and expands those given with `...`.
    fn arguments(&mut self, call: &'a Call) -> Result<Forced<Vec<Operand<'a>>>, LanguageError> {
        let mut values = std::mem::take(&mut self.room);
        values.reserve_exact(call.args.len());
        let mut secret = false;
        for arg in &call.args {
            values.push(self.eval(arg)?);
        }
        if call.spread
            && let (Some(last), Some(expr)) = (values.pop(), call.args.last())
        {
            let located_error = |kind| failed(expr.range(), kind);
            let (items, hidden) = match self.force(last).map_err(located_error)? {
                Forced::Unknown(unknown) => return Ok(Forced::Unknown(unknown)),
                Forced::Known(value, secret) => (value, secret),
            };
            if !matches!(&*items, Value::List(_)) {
                return Err(super::wrong_kind(expr, "`...`", "a list", &items, hidden));
            }
            secret = hidden;
            if let Value::List(items) = items.into_owned(&self.budget).map_err(located_error)? {
                values.extend(items.into_iter().map(Operand::Owned));
            }
            call.function.check_count(values.len()).map_err(|kind| {
                // The message would show the number of arguments, which is part of the secret.
                failed(expr.range(), if secret { Kind::secret(call.function.name) } else { kind.into() })
            })?;
        }
        Ok(Forced::Known(values, secret))
    }

    /// Evaluates `try`: the first argument that evaluates without an error.
    fn attempt(&mut self, call: &'a Call) -> EvalResult<'a> {
        let before = std::mem::take(&mut self.taint);
        let mut last = None;
        let mut outcome = None;
        for arg in &call.args {
            match self.evaluate_fallible(arg)? {
                Ok(value) => {
                    outcome = Some(value);
                    break;
                }
                Err(error) => last = Some(error),
            }
        }
        let taint = self.taint.merge(before);
        match (outcome, last) {
            (Some(value), _) => {
                // An argument that depends on an unknown value may still fail, in which case the next
                // argument counts.
                if let Some(unknown) = taint.unknown.or_else(|| value.find_unknown().cloned()) {
                    return Ok(Value::Unknown(unknown).into());
                }
                if !taint.secret {
                    return Ok(value);
                }
                let value = value.into_owned(&self.budget).map_err(|kind| failed(call.name.clone(), kind))?;
                Ok(marked(value, true).into())
            }
            (None, Some(error)) => {
                let kind = Kind::NothingWorked { last: Box::new(error.kind) };
                Err(failed(error.range, if taint.secret { kind.hidden("try") } else { kind }))
            }
            (None, None) => Ok(Value::Null.into()),
        }
    }

    /// Evaluates `can`: whether the argument evaluates without an error.
    fn can(&mut self, call: &'a Call) -> EvalResult<'a> {
        let before = std::mem::take(&mut self.taint);
        let mut result = Ok(Value::Null.into());
        if let Some(arg) = call.args.first() {
            result = self.evaluate_fallible(arg)?;
        }
        let taint = self.taint.merge(before);
        let worked = match &result {
            Ok(value) => match taint.unknown.or_else(|| value.find_unknown().cloned()) {
                Some(unknown) => return Ok(Value::Unknown(unknown).into()),
                None => true,
            },
            Err(_) => false,
        };
        Ok(marked(Value::Bool(worked), taint.secret).into())
    }

    /// Evaluates an argument of `try` or `can`, which may fail.
    ///
    /// The outer error is one that would occur again whatever is evaluated instead.
    fn evaluate_fallible(
        &mut self,
        arg: &'a Expr,
    ) -> Result<Result<Operand<'a>, LanguageError>, LanguageError> {
        let depth = self.frame.len();
        self.trying += 1;
        let result = self.eval(arg);
        self.trying -= 1;
        match result {
            Err(error) if error.kind.is_final() => Err(error),
            Err(error) => {
                self.frame.truncate(depth);
                Ok(Err(error))
            }
            Ok(value) => Ok(Ok(value)),
        }
    }
}

/// Returns the range of an argument; all arguments from `...` have the range of the last one.
fn argument_range(call: &Call, index: usize) -> std::ops::Range<u32> {
    let arg = call.args.get(index).or(call.args.last());
    arg.map_or(call.name.clone(), Expr::range)
}
