//! Output of the health derived from a plan, for people and for programs.

use std::fmt::Write as _;
use std::time::Duration;

use anstyle::Style;
use converge_core::Health;
use converge_core::diagnostic::SourceMap;
use converge_core::engine::EventKind;
use converge_core::view::health::{Assessment, Failing};
use converge_core::view::json;
use converge_core::view::render::sanitize_line;
use serde_json::{Value, json};

use super::human::{details, verdict_words};
use super::json::json_line;
use crate::console::{ADD, BOLD, CHANGE, Console, DIM, ERROR, Paint};
use crate::wording::{count, elapsed, name_some};

#[derive(Clone, Copy, Debug)]
pub(crate) struct HealthSummary {
    healthy: usize,
    warnings: usize,
    errors: usize,
    elapsed: Duration,
}

impl HealthSummary {
    pub(crate) fn new(assessments: &[Assessment<'_>], elapsed: Duration) -> Self {
        let count = |health| assessments.iter().filter(|assessment| assessment.health == health).count();
        Self {
            healthy: count(Health::Healthy),
            warnings: count(Health::Warning),
            errors: count(Health::Error),
            elapsed,
        }
    }

    pub(crate) fn health(self) -> Health {
        match self {
            Self { errors: 1.., .. } => Health::Error,
            Self { warnings: 1.., .. } => Health::Warning,
            _ => Health::Healthy,
        }
    }

    /// Formats these resources, and a summary line for all resources.
    pub(crate) fn human(
        self,
        assessments: &[&Assessment<'_>],
        console: Console,
        sources: &SourceMap,
    ) -> String {
        let (paint, verbose) = (console.stdout, console.verbose);
        let mut text: String =
            assessments.iter().map(|item| assessment(item, verbose, paint, sources)).collect();
        let (health, title) = (self.health(), paint.paint(BOLD, "Health"));
        let health = paint.paint(sign(health).1, health);
        let (errors, warnings) = (count(self.errors, "error"), count(self.warnings, "warning"));
        let time = elapsed(self.elapsed);
        let _ = writeln!(text, "{title}: {health}: {errors}, {warnings}, {} healthy ({time})", self.healthy);
        text
    }

    /// Formats a line of JSON for each of these resources, and one for all.
    pub(crate) fn json(
        self,
        assessments: &[&Assessment<'_>],
        sources: &SourceMap,
    ) -> serde_json::Result<String> {
        let mut text = String::new();
        for assessment in assessments {
            let finished = EventKind::ResourceFinished(Box::new(assessment.report.clone()));
            let mut record = json::event_kind(&finished, sources)?;
            if let Value::Object(fields) = &mut record {
                fields.insert("event".into(), "health".into());
                fields.insert("health".into(), serde_json::to_value(assessment.health)?);
                if !assessment.failing.is_empty() {
                    fields.insert("failing".into(), serde_json::to_value(&assessment.failing)?);
                }
            }
            text += &json_line(&record)?;
        }
        text += &json_line(&json!({
            "event": "health-summary",
            "health": self.health(),
            "errors": self.errors,
            "warnings": self.warnings,
            "healthy": self.healthy,
            "elapsed_seconds": self.elapsed.as_secs_f64(),
        }))?;
        Ok(text)
    }
}

fn assessment(item: &Assessment<'_>, verbose: bool, paint: Paint, sources: &SourceMap) -> String {
    let (sign, style) = sign(item.health);
    let words = match item.health {
        Health::Healthy => item.health.to_string(),
        health => format!("{health}: {}", verdict_words(item.report)),
    };
    let name = paint.paint(BOLD, sanitize_line(item.id.short()));
    let (sign, words) = (paint.paint(style, sign), paint.paint(style, words));
    let mut text = format!("{sign} {name}  {words}\n");
    if verbose || item.health > Health::Healthy {
        text += &details(item.report, verbose, paint, sources);
        text += &failing(&item.failing, paint);
    }
    text
}

fn failing(failing: &[Failing<'_>], paint: Paint) -> String {
    if failing.is_empty() {
        return String::new();
    }
    let name = |one: &Failing<'_>| {
        let health = paint.paint(sign(one.health).1, one.health);
        format!("{} ({health})", sanitize_line(one.id.short()))
    };
    let names = name_some(failing.iter().map(name));
    format!("  {} {names}\n", paint.paint(DIM, "failing dependencies:"))
}

fn sign(health: Health) -> (&'static str, Style) {
    match health {
        Health::Healthy => ("=", ADD),
        Health::Warning => ("~", CHANGE),
        Health::Error => ("!", ERROR),
    }
}

#[cfg(test)]
mod tests;
