//! A plan seen as health, for people and for programs.

use std::fmt::Write as _;
use std::time::Duration;

use anstyle::Style;
use converge_core::Health;
use converge_core::engine::Event;
use converge_core::report::health::{Assessment, Failing};
use converge_core::report::{SourceMap, json};
use serde_json::{Value, json};

use super::human::{details, elapsed, verdict_words};
use super::json::json_line;
use super::sanitize::sanitize_line;
use super::style::{ADD, BOLD, CHANGE, DIM, ERROR, Paint};
use crate::diagnostics::count;

/// How many failing dependencies a line names before it only counts the rest.
const NAMED: usize = 5;

/// How many resources are how healthy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checkup {
    healthy: usize,
    warnings: usize,
    errors: usize,
    elapsed: Duration,
}

impl Checkup {
    pub(crate) fn new(assessments: &[Assessment<'_>], elapsed: Duration) -> Self {
        let count = |health| assessments.iter().filter(|one| one.health == health).count();
        Self {
            healthy: count(Health::Healthy),
            warnings: count(Health::Warning),
            errors: count(Health::Error),
            elapsed,
        }
    }

    /// The health of all.
    pub(crate) fn health(self) -> Health {
        match self {
            Self { errors: 1.., .. } => Health::Error,
            Self { warnings: 1.., .. } => Health::Warning,
            _ => Health::Healthy,
        }
    }

    /// These resources, and a line for all.
    pub(crate) fn human(self, listed: &[&Assessment<'_>], paint: Paint, sources: &SourceMap) -> String {
        let mut text: String = listed.iter().map(|one| assessment(one, paint, sources)).collect();
        let (health, title) = (self.health(), paint.paint(BOLD, "Health"));
        let health = paint.paint(sign(health).1, health);
        let (errors, warnings) = (count(self.errors, "error"), count(self.warnings, "warning"));
        let time = elapsed(self.elapsed);
        let _ = writeln!(text, "{title}: {health}: {errors}, {warnings}, {} healthy ({time})", self.healthy);
        text
    }

    /// A line of JSON for each of these, and one for all.
    pub(crate) fn json(self, listed: &[&Assessment<'_>], sources: &SourceMap) -> serde_json::Result<String> {
        let mut text = String::new();
        for one in listed {
            let mut record = json::event(&Event::ResourceFinished(one.report.clone()), sources)?;
            if let Value::Object(fields) = &mut record {
                fields.insert("event".into(), "health".into());
                fields.insert("health".into(), serde_json::to_value(one.health)?);
                if !one.failing.is_empty() {
                    fields.insert("failing".into(), serde_json::to_value(&one.failing)?);
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

/// The lines for one resource.
fn assessment(one: &Assessment<'_>, paint: Paint, sources: &SourceMap) -> String {
    let (sign, style) = sign(one.health);
    let words = match one.health {
        Health::Healthy => one.health.to_string(),
        health => format!("{health}: {}", verdict_words(one.report)),
    };
    let name = paint.paint(BOLD, sanitize_line(one.id.short()));
    let (sign, words) = (paint.paint(style, sign), paint.paint(style, words));
    let mut text = format!("{sign} {name}  {words}\n");
    if one.health > Health::Healthy {
        text += &details(one.report, paint, sources);
        text += &failing(&one.failing, paint);
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
    let names: Vec<String> = failing.iter().take(NAMED).map(name).collect();
    let more = failing.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("  {} {}{rest}\n", paint.paint(DIM, "failing dependencies:"), names.join(", "))
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
