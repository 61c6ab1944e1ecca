//! Metrics in the [OpenMetrics](https://prometheus.io/docs/specs/om/open_metrics_spec/) text format.

use std::fmt::{Display, Write as _};

use super::count::Histogram;

/// The last line of the text.
pub(super) const END: &str = "# EOF\n";
/// The units that names may end with.
const UNITS: [&str; 2] = ["seconds", "bytes"];

/// A metric family, whose samples differ by their labels.
#[derive(Debug)]
pub(super) struct Family {
    /// The name.
    ///
    /// Samples of counters get the suffix `_total`, and those of infos `_info`.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// The meaning in one sentence.
    pub(super) help: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A value that only grows, from 0 at the start of the server.
    Counter,
    /// A current value.
    Gauge,
    /// A distribution of durations.
    Histogram,
    /// A set of labels with the constant value 1.
    Info,
}

/// Label names and values.
pub(super) type Labels<'a> = [(&'static str, &'a str)];

/// The text, which grows by one line for each sample.
#[derive(Debug, Default)]
pub(super) struct Text(String);

/// The samples of one family.
pub(super) struct Samples<'a> {
    text: &'a mut String,
    family: &'static Family,
}

impl Text {
    /// Continues a text of metrics without its last line.
    pub(super) fn after(text: String) -> Self {
        Self(text)
    }

    /// Starts a family, whose samples are added to the result.
    pub(super) fn family(&mut self, family: &'static Family) -> Samples<'_> {
        let Family { name, kind, help } = family;
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
            Kind::Info => "info",
        };
        let _ = write!(self.0, "# TYPE {name} {kind}\n# HELP {name} {help}\n");
        if let Some(unit) = UNITS.iter().find(|unit| name.rsplit('_').next() == Some(unit)) {
            let _ = writeln!(self.0, "# UNIT {name} {unit}");
        }
        Samples { text: &mut self.0, family }
    }

    /// Returns the complete text with its last line.
    pub(super) fn end(self) -> String {
        self.0 + END
    }
}

impl Samples<'_> {
    pub(super) fn value(&mut self, labels: &Labels<'_>, value: impl Display) {
        let suffix = match self.family.kind {
            Kind::Counter => "_total",
            Kind::Info => "_info",
            Kind::Gauge | Kind::Histogram => "",
        };
        self.line(suffix, labels, None, value);
    }

    pub(super) fn histogram(&mut self, labels: &Labels<'_>, histogram: &Histogram) {
        let counts = histogram.cumulative();
        for (bound, count) in &counts {
            self.line("_bucket", labels, Some(bound), count);
        }
        self.line("_sum", labels, None, histogram.seconds());
        // The count is taken from the last bucket, so that they agree even if values were added meanwhile.
        self.line("_count", labels, None, counts.last().map_or(0, |(_, count)| *count));
    }

    fn line(&mut self, suffix: &str, labels: &Labels<'_>, bound: Option<&str>, value: impl Display) {
        let bound = bound.map(|bound| ("le", bound));
        let labels: Vec<String> = labels
            .iter()
            .copied()
            .chain(bound)
            .map(|(label, said)| format!("{label}=\"{}\"", escaped(said)))
            .collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.text, "{}{suffix}{labels} {value}", self.family.name);
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const READS: Family = Family { name: "reads", kind: Kind::Counter, help: "Reads." };
    const FILE: Family = Family { name: "file_bytes", kind: Kind::Gauge, help: "Its size." };
    const TIMES: Family = Family { name: "read_seconds", kind: Kind::Histogram, help: "Times." };
    const BUILD: Family = Family { name: "build", kind: Kind::Info, help: "What runs." };

    #[test]
    fn families_and_their_samples() {
        let times = Histogram::default();
        times.add(Duration::from_millis(5));
        let mut text = Text::after("first 1\n".to_owned());
        text.family(&READS).value(&[("of", "a \"b\" \\c\n")], 3);
        text.family(&FILE).value(&[], 4096);
        text.family(&TIMES).histogram(&[("of", "x")], &times);
        text.family(&BUILD).value(&[("version", "1.0")], 1);
        insta::assert_snapshot!(text.end(), @r##"
        first 1
        # TYPE reads counter
        # HELP reads Reads.
        reads_total{of="a \"b\" \\c\n"} 3
        # TYPE file_bytes gauge
        # HELP file_bytes Its size.
        # UNIT file_bytes bytes
        file_bytes 4096
        # TYPE read_seconds histogram
        # HELP read_seconds Times.
        # UNIT read_seconds seconds
        read_seconds_bucket{of="x",le="0.001"} 0
        read_seconds_bucket{of="x",le="0.01"} 1
        read_seconds_bucket{of="x",le="0.1"} 1
        read_seconds_bucket{of="x",le="1.0"} 1
        read_seconds_bucket{of="x",le="10.0"} 1
        read_seconds_bucket{of="x",le="+Inf"} 1
        read_seconds_sum{of="x"} 0.005
        read_seconds_count{of="x"} 1
        # TYPE build info
        # HELP build What runs.
        build_info{version="1.0"} 1
        # EOF
        "##);
    }
}
