//! Metrics of controllers.

use std::fmt::{Display, Write as _};

use crate::runtime::engine::record::BUCKETS;
use crate::runtime::queue::QueueStatus;
use crate::runtime::supervisor::Phase;

use super::status::ControllerStatus;

/// Formats the statuses of controllers as `OpenMetrics` text.
///
/// The format is that of [OpenMetrics](https://prometheus.io/docs/specs/om/open_metrics_spec/).
pub fn openmetrics(statuses: &[ControllerStatus]) -> String {
    let mut text = Text(String::new());
    text.family("running", "gauge", "Whether the controller runs on this server.");
    for status in statuses {
        text.sample("running", &[name(status)], u8::from(status.supervisor.phase == Phase::Running));
    }
    text.family("restarts", "counter", "How many times the controller has begun again.");
    for status in statuses {
        text.sample("restarts_total", &[name(status)], status.supervisor.restarts);
    }
    text.family("reconciles", "counter", "How many reconciles there were, by result.");
    for status in statuses {
        let reconciles = &status.reconciles;
        for (result, count) in [
            ("succeeded", reconciles.succeeded),
            ("requeued", reconciles.requeued),
            ("failed", reconciles.failed),
            ("panicked", reconciles.panicked),
        ] {
            text.sample("reconciles_total", &[name(status), ("result", result)], count);
        }
    }
    text.reconcile_times(statuses);
    text.queues(statuses);
    text.family("cache_resources", "gauge", "How many resources of a type the controller knows.");
    for status in statuses {
        for cache in status.run.iter().flat_map(|run| &run.cache) {
            let labels = [name(status), ("type", cache.resource_type.as_str())];
            text.sample("cache_resources", &labels, cache.resources);
        }
    }
    text.0 + "# EOF\n"
}

type Label<'a> = (&'static str, &'a str);
type Gauge = fn(&QueueStatus<String>) -> usize;

fn name(status: &ControllerStatus) -> Label<'_> {
    ("controller", &status.name)
}

/// A metrics text, to which samples are added line by line.
struct Text(String);

impl Text {
    fn family(&mut self, family: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# TYPE converge_controller_{family} {kind}");
        let _ = writeln!(self.0, "# HELP converge_controller_{family} {help}");
    }

    fn sample(&mut self, sample: &str, labels: &[Label<'_>], value: impl Display) {
        let labels: Vec<String> =
            labels.iter().map(|(label, text)| format!("{label}=\"{}\"", escaped(text))).collect();
        let _ = writeln!(self.0, "converge_controller_{sample}{{{}}} {value}", labels.join(","));
    }

    fn reconcile_times(&mut self, statuses: &[ControllerStatus]) {
        self.family("reconcile_seconds", "histogram", "How long reconciles take.");
        self.0.push_str("# UNIT converge_controller_reconcile_seconds seconds\n");
        for status in statuses {
            let reconciles = &status.reconciles;
            for (bound, count) in BUCKETS.iter().zip(reconciles.buckets) {
                let bound = format!("{:?}", bound.as_secs_f64());
                self.sample("reconcile_seconds_bucket", &[name(status), ("le", &bound)], count);
            }
            let total = reconciles.total();
            self.sample("reconcile_seconds_bucket", &[name(status), ("le", "+Inf")], total);
            self.sample("reconcile_seconds_sum", &[name(status)], reconciles.time.as_secs_f64());
            self.sample("reconcile_seconds_count", &[name(status)], total);
        }
    }

    /// Writes the queues: that of reconciles as the source `reconcile`, and those of events by source.
    fn queues(&mut self, statuses: &[ControllerStatus]) {
        let gauges: [(&str, &str, Gauge); 4] = [
            ("queue_depth", "How many keys are ready and wait for their turn.", |queue| queue.depth),
            ("queue_delayed", "How many keys are ready later.", |queue| queue.delayed),
            ("queue_in_flight", "How many keys have their turn.", |queue| queue.in_flight),
            ("queue_failing", "How many keys failed in their last turn.", |queue| queue.failing.len()),
        ];
        for (family, help, value) in gauges {
            self.family(family, "gauge", help);
            for status in statuses {
                let Some(run) = &status.run else { continue };
                let feeds = run.feeds.iter().map(|feed| (feed.source.as_str(), &feed.queue));
                for (source, queue) in std::iter::once(("reconcile", &run.queue)).chain(feeds) {
                    self.sample(family, &[name(status), ("source", source)], value(queue));
                }
            }
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
