//! Calls of functions.

use super::{Evaluated, Machine, Seen, failed};
use crate::expression::error::{ExpressionError, ExpressionErrorKind as Kind};
use crate::expression::functions::{Args, Failure, Flow, Function, Run};
use crate::expression::held::{Held, Opened, marked, reveal};
use crate::expression::tree::{Call, Expr};
use crate::value::{Unknown, Value};

/// The arguments of a call, and what they make of its result.
struct Prepared<'a> {
    values: Vec<Held<'a>>,
    secret: bool,
}

impl<'a> Machine<'a> {
    pub(super) fn call(&mut self, expr: &'a Expr, call: &'a Call) -> Evaluated<'a> {
        let run = match call.function.run {
            Run::Try => return self.attempt(call),
            Run::Can => return self.can(call),
            Run::Plain(run) => run,
        };
        let mut prepared = match self.arguments(call)? {
            Ok(prepared) => prepared,
            Err(unknown) => return Ok(Value::Unknown(unknown).into()),
        };
        if let Some(unknown) = self.look_through(call, &mut prepared)? {
            self.see_unknown(&unknown);
            return Ok(Value::Unknown(unknown).into());
        }
        let Prepared { values, secret } = prepared;
        self.seen.secret |= secret;
        // What such a function does not look at it may still fail for, and `try` and `can` would tell.
        let hidden = self.trying > 0
            && call.function.flow != Flow::Whole
            && values.iter().any(|value| value.contains_secret());
        let mut args = Args::new(call.function.name, values, self.scope, &self.work);
        match run(&mut args) {
            Ok(value) => {
                let value = marked(value, secret);
                // A function may have looked into its arguments.
                if let Value::Unknown(unknown) = &value {
                    self.see_unknown(unknown);
                }
                self.seen.secret |= matches!(value, Value::Secret(_));
                Ok(value.into())
            }
            Err(Failure { kind, argument }) => {
                self.seen.secret |= hidden;
                let range = argument.map_or(expr.range(), |index| argument_range(call, index));
                Err(failed(range, if secret { kind.hidden(call.function.name) } else { kind }))
            }
        }
    }

    /// The arguments, with those that `...` gives.
    fn arguments(&mut self, call: &'a Call) -> Result<Result<Prepared<'a>, Unknown>, ExpressionError> {
        let mut values = Vec::with_capacity(call.args.len());
        let mut secret = false;
        for arg in &call.args {
            values.push(self.eval(arg)?);
        }
        if call.spread
            && let (Some(last), Some(expr)) = (values.pop(), call.args.last())
        {
            let at = |kind| failed(expr.range(), kind);
            let (items, hidden) = match self.open(last).map_err(at)? {
                Opened::Unknown(unknown) => return Ok(Err(unknown)),
                Opened::Known { value, secret } => (value, secret),
            };
            if !matches!(&*items, Value::List(_)) {
                return Err(super::wrong_kind(expr, "`...`", "a list", &items, hidden));
            }
            secret = hidden;
            if let Value::List(items) = items.into_owned(&self.work).map_err(at)? {
                values.extend(items.into_iter().map(Held::Owned));
            }
            call.function.check_count(values.len()).map_err(|kind| {
                // How many there are is a part of the secret.
                failed(expr.range(), if secret { Kind::Secret { place: call.function.name } } else { kind })
            })?;
        }
        Ok(Ok(Prepared { values, secret }))
    }

    /// Takes the marks of secrets off as far as the function looks; gives what is not known there.
    fn look_through(
        &mut self,
        call: &'a Call,
        prepared: &mut Prepared<'a>,
    ) -> Result<Option<Unknown>, ExpressionError> {
        let Prepared { values, secret } = prepared;
        if call.function.flow == Flow::Itself {
            return Ok(None);
        }
        for (index, place) in values.iter_mut().enumerate() {
            let at = |kind| failed(argument_range(call, index), kind);
            let held = std::mem::replace(place, Held::Owned(Value::Null));
            *place = match call.function.flow {
                Flow::Whole => {
                    self.work.spend_value(&held).map_err(at)?;
                    if let Some(unknown) = held.find_unknown() {
                        return Ok(Some(unknown.clone()));
                    }
                    if held.contains_secret() {
                        *secret = true;
                        Held::Owned(reveal(held.into_owned(&self.work).map_err(at)?))
                    } else {
                        held
                    }
                }
                Flow::Items | Flow::Itself => match self.open(held).map_err(at)? {
                    Opened::Unknown(unknown) => return Ok(Some(unknown)),
                    Opened::Known { value, secret: hidden } => {
                        *secret |= hidden;
                        value
                    }
                },
            };
        }
        Ok(None)
    }

    /// `try`: the first argument that can be evaluated.
    fn attempt(&mut self, call: &'a Call) -> Evaluated<'a> {
        let before = std::mem::take(&mut self.seen);
        let mut last = None;
        let mut found = None;
        for arg in &call.args {
            match self.tried(arg)? {
                Ok(value) => {
                    found = Some(value);
                    break;
                }
                Err(error) => last = Some(error),
            }
        }
        let seen = self.merge_seen(before);
        match (found, last) {
            (Some(value), _) => {
                // What waited for something may still fail, and the next one would count then.
                if let Some(unknown) = seen.unknown.or_else(|| value.find_unknown().cloned()) {
                    return Ok(Value::Unknown(unknown).into());
                }
                if !seen.secret {
                    return Ok(value);
                }
                let value = value.into_owned(&self.work).map_err(|kind| failed(call.name.clone(), kind))?;
                Ok(marked(value, true).into())
            }
            (None, Some(error)) => {
                let kind = Kind::NothingWorked { last: Box::new(error.kind) };
                Err(failed(error.range, if seen.secret { kind.hidden("try") } else { kind }))
            }
            (None, None) => Ok(Value::Null.into()),
        }
    }

    /// `can`: whether the argument can be evaluated.
    fn can(&mut self, call: &'a Call) -> Evaluated<'a> {
        let before = std::mem::take(&mut self.seen);
        let mut result = Ok(Value::Null.into());
        if let Some(arg) = call.args.first() {
            result = self.tried(arg)?;
        }
        let seen = self.merge_seen(before);
        let worked = match &result {
            Ok(value) => match seen.unknown.or_else(|| value.find_unknown().cloned()) {
                Some(unknown) => return Ok(Value::Unknown(unknown).into()),
                None => true,
            },
            Err(_) => false,
        };
        Ok(marked(Value::Bool(worked), seen.secret).into())
    }

    /// Evaluates an argument that may fail. Only what would fail again is not forgiven.
    fn tried(&mut self, arg: &'a Expr) -> Result<Result<Held<'a>, ExpressionError>, ExpressionError> {
        let depth = self.frame.len();
        self.trying += 1;
        let result = self.eval(arg);
        self.trying -= 1;
        match result {
            Err(error) if error.kind == Kind::TooMuchWork => Err(error),
            Err(error) => {
                self.frame.truncate(depth);
                Ok(Err(error))
            }
            Ok(value) => Ok(Ok(value)),
        }
    }

    /// Ends what `try` and `can` watch: gives what they saw, and adds it to what was seen before.
    fn merge_seen(&mut self, before: Seen) -> Seen {
        let seen = std::mem::replace(&mut self.seen, before);
        self.seen.secret |= seen.secret;
        if let Some(unknown) = &seen.unknown {
            self.see_unknown(unknown);
        }
        seen
    }
}

/// The place of an argument; those that `...` gives are all at the last one.
fn argument_range(call: &Call, index: usize) -> std::ops::Range<u32> {
    let arg = call.args.get(index).or(call.args.last());
    arg.map_or(call.name.clone(), Expr::range)
}

impl Function {
    /// Whether the function takes that many arguments.
    pub(in crate::expression) fn check_count(&self, given: usize) -> Result<(), Kind> {
        let enough = given >= usize::from(self.least);
        if enough && self.most.is_none_or(|most| given <= usize::from(most)) {
            return Ok(());
        }
        Err(Kind::ArgumentCount { function: self.name, least: self.least, most: self.most, given })
    }
}
