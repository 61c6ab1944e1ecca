//! Meta-arguments whose values are known at load.

use std::num::NonZeroU32;
use std::time::Duration;

use super::Expander;
use crate::graph::{Input, Retry, Site};
use crate::load::blueprint::Handling;
use crate::load::declaration::Early;
use crate::load::error::MetaError;
use crate::load::hcl::Argument;
use crate::load::references::{self, Found};
use crate::report::Span;
use crate::schema::Kind;
use crate::template::ReferenceTarget;
use crate::value::{Conversion, FromValue, Value};

const DURATION: &str = "a duration such as \"30s\"";

impl Expander<'_> {
    pub(super) fn timeout(&mut self, handling: &Handling, site: &Site) -> Option<Duration> {
        let input = match handling.timeout.as_ref()? {
            Early::Known(timeout) => return Some(*timeout),
            Early::Written(input) => input,
        };
        let timeout = self.duration(input, Argument::Timeout.name(), Argument::Timeout, site)?;
        if timeout.is_zero() {
            let (name, expected, found) = (Argument::Timeout.name(), "more than nothing", "0".to_owned());
            self.report(MetaError::WrongValue { name, expected, found, span: input.span });
            return None;
        }
        Some(timeout)
    }

    pub(super) fn retry(&mut self, handling: &Handling, site: &Site) -> Option<Retry> {
        let retry = match handling.retry.as_ref()? {
            Early::Known(retry) => return Some(*retry),
            Early::Written(retry) => retry,
        };
        let attempts = if let Some(input) = &retry.attempts {
            self.attempts(input, site)
        } else {
            let (name, expected) = ("attempts", "written");
            let found = "left out".to_owned();
            self.report(MetaError::WrongValue { name, expected, found, span: retry.span });
            None
        };
        let delay = match &retry.delay {
            Some(input) => self.duration(input, "delay", Argument::Retry, site),
            None => Some(Duration::from_secs(1)),
        };
        let backoff = match &retry.backoff {
            Some(input) => self.backoff(input, site),
            None => Some(1.0),
        };
        Some(Retry { attempts: attempts?, delay: delay?, backoff: backoff? })
    }

    fn attempts(&mut self, input: &Input, site: &Site) -> Option<NonZeroU32> {
        let value = self.known(input, Argument::Retry, site)?;
        let found = value.to_string();
        let attempts = u32::from_value(value, &Conversion::default()).ok().and_then(NonZeroU32::new);
        if attempts.is_none() {
            let (name, expected) = ("attempts", "a whole number of at least 1");
            self.report(MetaError::WrongValue { name, expected, found, span: input.span });
        }
        attempts
    }

    fn backoff(&mut self, input: &Input, site: &Site) -> Option<f64> {
        let value = self.known(input, Argument::Retry, site)?;
        let found = value.to_string();
        let backoff = f64::from_value(value, &Conversion::default()).ok();
        let backoff = backoff.filter(|backoff| backoff.is_finite() && *backoff >= 1.0);
        if backoff.is_none() {
            let (name, expected) = ("backoff", "a number of at least 1");
            self.report(MetaError::WrongValue { name, expected, found, span: input.span });
        }
        backoff
    }

    fn duration(
        &mut self,
        input: &Input,
        name: &'static str,
        argument: Argument,
        site: &Site,
    ) -> Option<Duration> {
        let value = self.known(input, argument, site)?;
        let found = value.to_string();
        let duration = Duration::from_value(value, &Conversion::default()).ok();
        if duration.is_none() {
            self.report(MetaError::WrongValue { name, expected: DURATION, found, span: input.span });
        }
        duration
    }

    /// The value of an argument that must be known now.
    pub(super) fn known(&mut self, input: &Input, argument: Argument, site: &Site) -> Option<Value> {
        match self.statics.evaluate(input, &Kind::Any, site, &self.files.map) {
            Ok(value) => match value.find_unknown() {
                None => Some(value),
                Some(unknown) => {
                    let waits_for = unknown.waits_for.to_string();
                    let span = self.first_lookup(input).or(input.span);
                    self.report(MetaError::NotKnown { argument, waits_for, span });
                    None
                }
            },
            Err(diagnostics) => {
                self.diagnostics.extend(diagnostics);
                None
            }
        }
    }

    /// The first name in an input that is only known in a run.
    fn first_lookup(&self, input: &Input) -> Option<Span> {
        let mut found = Vec::new();
        references::collect(input, None, &self.files.map, &mut found);
        let lookup = |found: &&Found| {
            matches!(found.target, ReferenceTarget::Lookup(_) | ReferenceTarget::Traversal(_))
        };
        found.iter().find(lookup).and_then(|found| found.span)
    }
}
