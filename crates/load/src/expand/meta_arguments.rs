//! Evaluation of meta-arguments that must be known at load because they shape the graph and the run.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use super::expander::Expander;
use crate::diagnostic::Span;
use crate::errors;
use crate::graph::{Environment, Input, LexicalScope, Retry};
use crate::model::declaration::{Constant, Lifecycle};
use crate::model::references::{self, NameUse};
use crate::types::meta_arguments::MetaArgument;
use converge_value::types::convert::FromValue;
use converge_value::types::schema::Kind;
use converge_value::types::value::{Conversion, Unknown, Value};

const DURATION: &str = "a duration such as \"30s\"";

/// The evaluated value of an argument.
pub(super) enum Evaluated {
    Known(Value),
    /// The value depends on something that only a run knows.
    KnownInRun(Unknown),
}

struct Expected {
    argument: MetaArgument,
    name: &'static str,
    must_be: &'static str,
}

impl Expander<'_> {
    pub(super) fn timeout(&mut self, lifecycle: &Lifecycle, scope: &LexicalScope) -> Option<Duration> {
        let input = match lifecycle.timeout.as_ref()? {
            Constant::Value(timeout) => return Some(*timeout),
            Constant::Expression(input) => input,
        };
        let (argument, name) = (MetaArgument::Timeout, MetaArgument::Timeout.name());
        let expected = Expected { argument, name, must_be: DURATION };
        let timeout = self.constant(input, &expected, scope, |_: &Duration| true)?;
        if timeout.is_zero() {
            self.report(errors::meta::wrong_value(name, "more than nothing", "0", input.span));
            return None;
        }
        Some(timeout)
    }

    pub(super) fn optional(&mut self, lifecycle: &Lifecycle, scope: &LexicalScope) -> bool {
        let input = match &lifecycle.optional {
            None => return false,
            Some(Constant::Value(optional)) => return *optional,
            Some(Constant::Expression(input)) => input,
        };
        let (argument, name) = (MetaArgument::Optional, MetaArgument::Optional.name());
        let expected = Expected { argument, name, must_be: "true or false" };
        self.constant(input, &expected, scope, |_: &bool| true).unwrap_or(false)
    }

    /// Returns the declared variables combined with those of the enclosing module.
    ///
    /// Returns `None` if none are declared.
    pub(super) fn environment(
        &mut self,
        lifecycle: &Lifecycle,
        scope: &LexicalScope,
    ) -> Option<Arc<Environment>> {
        let own_environment = match lifecycle.environment.as_ref()? {
            Constant::Value(environment) => Environment::clone(environment),
            Constant::Expression(input) => {
                let value = self.known(input, MetaArgument::Environment, scope)?;
                match Environment::from_value(value) {
                    Ok(environment) => environment,
                    Err(error) => {
                        self.report(errors::meta::no_environment(&error, input.span));
                        return None;
                    }
                }
            }
        };
        for secret in own_environment.secrets() {
            self.files.map.redactor().hide(secret);
        }
        Some(Arc::new(own_environment.within(&scope.module.environment)))
    }

    pub(super) fn retry(&mut self, lifecycle: &Lifecycle, scope: &LexicalScope) -> Option<Retry> {
        let retry = match lifecycle.retry.as_ref()? {
            Constant::Value(retry) => return Some(**retry),
            Constant::Expression(retry) => retry,
        };
        let expected = |name, must_be| Expected { argument: MetaArgument::Retry, name, must_be };
        let attempts = if let Some(input) = &retry.attempts {
            let expected = expected("attempts", "a whole number of at least 1");
            self.constant(input, &expected, scope, |attempts: &u32| *attempts > 0)
        } else {
            self.report(errors::meta::wrong_value("attempts", "written", "left out", retry.span));
            None
        };
        let delay = match &retry.delay {
            Some(input) => self.constant(input, &expected("delay", DURATION), scope, |_| true),
            None => Some(Duration::from_secs(1)),
        };
        let backoff = match &retry.backoff {
            Some(input) => {
                let expected = expected("backoff", "a number of at least 1");
                self.constant(input, &expected, scope, |backoff: &f64| backoff.is_finite() && *backoff >= 1.0)
            }
            None => Some(1.0),
        };
        Some(Retry { attempts: NonZeroU32::new(attempts?)?, delay: delay?, backoff: backoff? })
    }

    /// Evaluates and converts an argument, or a part of one, that must be known at load.
    fn constant<T: FromValue>(
        &mut self,
        input: &Input,
        expected: &Expected,
        scope: &LexicalScope,
        accepts: impl Fn(&T) -> bool,
    ) -> Option<T> {
        let value = self.known(input, expected.argument, scope)?;
        let actual = value.to_string();
        let converted = T::from_value(value, &Conversion::default()).ok().filter(accepts);
        if converted.is_none() {
            self.report(errors::meta::wrong_value(expected.name, expected.must_be, &actual, input.span));
        }
        converted
    }

    /// Evaluates an argument that must be known at load.
    ///
    /// Returns `None` after an error, or if the value is provided only when the module runs.
    pub(super) fn known(
        &mut self,
        input: &Input,
        argument: MetaArgument,
        scope: &LexicalScope,
    ) -> Option<Value> {
        match self.evaluate(input, scope)? {
            Evaluated::Known(value) => return Some(value),
            Evaluated::KnownInRun(unknown) => self.report_unknown(input, argument, &unknown),
        }
        None
    }

    /// Evaluates an argument.
    ///
    /// Returns `None` after an error, or if the value is provided only when the module runs.
    pub(super) fn evaluate(&mut self, input: &Input, scope: &LexicalScope) -> Option<Evaluated> {
        match self.constants.evaluate(input, &Kind::Any, scope, &self.files.map) {
            Ok(value) => match value.find_unknown() {
                None => return Some(Evaluated::Known(value)),
                Some(unknown) if self.constants.is_given_later(unknown) => {}
                Some(unknown) => return Some(Evaluated::KnownInRun(unknown.clone())),
            },
            Err(diagnostics) => self.problems.diagnostics.extend(diagnostics),
        }
        None
    }

    /// Reports an unknown argument that must be known at load.
    pub(super) fn report_unknown(&mut self, input: &Input, argument: MetaArgument, unknown: &Unknown) {
        let span = self.first_lookup(input).or(input.span);
        self.report(errors::meta::not_known(argument, &unknown.waits_for, span));
    }

    fn first_lookup(&self, input: &Input) -> Option<Span> {
        let lookup = |name: &&NameUse| name.target.path().is_some();
        references::collect([(input, None)], &self.files.map).iter().find(lookup)?.span
    }
}
