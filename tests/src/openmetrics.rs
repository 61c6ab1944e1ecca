//! A strict parser of [OpenMetrics](https://prometheus.io/docs/specs/om/open_metrics_spec/) text.

use std::collections::{BTreeMap, BTreeSet};

/// A metric family.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Family {
    /// The name without the suffixes of samples.
    pub name: String,
    /// The kind: `counter`, `gauge`, `histogram` or `info`.
    pub kind: String,
    /// The help text.
    pub help: String,
    /// The samples in order.
    pub samples: Vec<Sample>,
    unit: Option<String>,
}

/// A sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The name with its suffix, such as `_total` or `_bucket`.
    pub name: String,
    /// The labels.
    pub labels: BTreeMap<String, String>,
    /// The value.
    pub value: f64,
}

impl Family {
    /// Returns the value of the sample with these labels.
    pub fn value(&self, labels: &[(&str, &str)]) -> Option<f64> {
        let labels = labels.iter().map(|(label, text)| ((*label).to_owned(), (*text).to_owned())).collect();
        let sample_found = self.samples.iter().find(|sample| sample.labels == labels)?;
        Some(sample_found.value)
    }
}

/// Parses a complete text.
///
/// # Errors
///
/// The first invalid line and the reason.
pub fn parse(text: &str) -> Result<Vec<Family>, String> {
    let body = text.strip_suffix("# EOF\n").ok_or("the last line is not # EOF")?;
    if !body.is_empty() && !body.ends_with('\n') {
        return Err("# EOF is not a line of its own".to_owned());
    }
    let mut families: Vec<Family> = Vec::new();
    for line in body.lines() {
        read(line, &mut families).map_err(|message| format!("{message}: {line}"))?;
    }
    let (mut names, mut samples) = (BTreeSet::new(), BTreeSet::new());
    for family in &families {
        check(family).map_err(|message| format!("{message}: {}", family.name))?;
        if !names.insert(&family.name) {
            return Err(format!("it is there twice, or its lines are apart: {}", family.name));
        }
        for sample in &family.samples {
            if !samples.insert((&sample.name, &sample.labels)) {
                return Err(format!("a sample is there twice: {sample:?}"));
            }
        }
    }
    Ok(families)
}

fn read(line: &str, families: &mut Vec<Family>) -> Result<(), &'static str> {
    let Some(described) = line.strip_prefix("# ") else {
        let sample = sample(line)?;
        let family = families.last_mut().ok_or("a sample of no family")?;
        let suffix = sample.name.strip_prefix(&family.name).ok_or("a sample of another family")?;
        let suffixes: &[&str] = match family.kind.as_str() {
            "counter" => &["_total"],
            "gauge" => &[""],
            "histogram" => &["_bucket", "_sum", "_count"],
            "info" => &["_info"],
            _ => return Err("a sample before the type of its family"),
        };
        if !suffixes.contains(&suffix) {
            return Err("the name of a sample of another kind");
        }
        family.samples.push(sample);
        return Ok(());
    };
    let mut words = described.splitn(3, ' ');
    let (Some(what), Some(name), Some(said)) = (words.next(), words.next(), words.next()) else {
        return Err("neither a sample nor a description");
    };
    if !is_name(name) {
        return Err("the name has other characters than letters, digits and _");
    }
    if families.last().is_none_or(|family| family.name != name) {
        families.push(Family { name: name.to_owned(), ..Family::default() });
    }
    let family = families.last_mut().ok_or("no family")?;
    if !family.samples.is_empty() {
        return Err("a description behind a sample");
    }
    let place = match what {
        "TYPE" => &mut family.kind,
        "HELP" => &mut family.help,
        "UNIT" => family.unit.get_or_insert_default(),
        _ => return Err("a description of another kind"),
    };
    if !place.is_empty() {
        return Err("described twice");
    }
    said.clone_into(place);
    Ok(())
}

fn sample(line: &str) -> Result<Sample, &'static str> {
    let end = line.find(['{', ' ']).ok_or("no value")?;
    let (name, mut rest) = line.split_at(end);
    if !is_name(name) {
        return Err("the name has other characters than letters, digits and _");
    }
    let mut labels = BTreeMap::new();
    if let Some(mut inside) = rest.strip_prefix('{') {
        loop {
            let (label, behind) = inside.split_once("=\"").ok_or("a label without text")?;
            let (text, behind) = quoted(behind)?;
            if !is_name(label) || label.contains(':') || label.starts_with("__") {
                return Err("the name of a label has other characters than letters, digits and _");
            }
            if labels.insert(label.to_owned(), text).is_some() {
                return Err("a label twice");
            }
            match behind.strip_prefix(',') {
                Some(next) => inside = next,
                None => break rest = behind.strip_prefix('}').ok_or("no } behind the labels")?,
            }
        }
    }
    let value = rest.strip_prefix(' ').ok_or("no value")?;
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || b"+-.e".contains(&byte));
    let value = value.parse().ok().filter(|_| is_number).ok_or("a value that is not a number")?;
    Ok(Sample { name: name.to_owned(), labels, value })
}

/// Returns the text up to the next `"`, and the rest after it.
fn quoted(text: &str) -> Result<(String, &str), &'static str> {
    let (mut unescaped_text, mut characters) = (String::new(), text.char_indices());
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Ok((unescaped_text, &text[at + 1..])),
            '\\' => unescaped_text.push(match characters.next() {
                Some((_, 'n')) => '\n',
                Some((_, escaped @ ('\\' | '"'))) => escaped,
                _ => return Err("a \\ before what is not escaped"),
            }),
            character => unescaped_text.push(character),
        }
    }
    Err("a text without end")
}

fn is_name(text: &str) -> bool {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':';
    text.bytes().all(is_legal) && text.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

/// Checks the rules for a family as a whole.
fn check(family: &Family) -> Result<(), &'static str> {
    let Family { name, kind, help, samples, unit } = family;
    if kind.is_empty() || help.is_empty() {
        return Err("there is no TYPE or no HELP");
    }
    if ["_total", "_info", "_bucket", "_count", "_sum", "_created"]
        .iter()
        .any(|suffix| name.ends_with(suffix))
    {
        return Err("the name of a family ends as that of a sample");
    }
    if unit.as_ref().is_some_and(|unit| !name.ends_with(&format!("_{unit}"))) {
        return Err("the name does not end with the unit");
    }
    if unit.is_none() && (name.ends_with("_seconds") || name.ends_with("_bytes")) {
        return Err("there is no UNIT");
    }
    let is_count = kind != "gauge";
    if is_count && samples.iter().any(|sample| sample.value.is_nan() || sample.value < 0.0) {
        return Err("a count below 0");
    }
    match kind.as_str() {
        "info" if samples.iter().any(|sample| (sample.value - 1.0).abs() > 0.0) => {
            Err("an information that is not 1")
        }
        "histogram" => check_histogram(family),
        _ => Ok(()),
    }
}

fn check_histogram(family: &Family) -> Result<(), &'static str> {
    let mut series: BTreeMap<BTreeMap<String, String>, Vec<(f64, f64)>> = BTreeMap::new();
    for sample in family.samples.iter().filter(|sample| sample.name.ends_with("_bucket")) {
        let mut labels = sample.labels.clone();
        let bound = labels.remove("le").ok_or("a bucket without le")?;
        if bound != "+Inf" && !bound.contains('.') {
            return Err("a bound that is not written as 1.0");
        }
        let bound = bound.trim_start_matches('+').parse().map_err(|_| "a bound that is not a number")?;
        series.entry(labels).or_default().push((bound, sample.value));
    }
    for (labels, buckets) in &series {
        if !buckets.is_sorted_by(|one, next| one.0 < next.0 && one.1 <= next.1) {
            return Err("buckets that do not grow");
        }
        let last = buckets.last().filter(|last| last.0.is_infinite()).ok_or("no bucket of all")?;
        let has_suffix = |suffix: &str| {
            let mut others = family.samples.iter().filter(|sample| sample.name.ends_with(suffix));
            others.find(|sample| sample.labels == *labels).map(|sample| sample.value)
        };
        if has_suffix("_sum").is_none()
            || has_suffix("_count").is_none_or(|count| (count - last.1).abs() > 0.0)
        {
            return Err("no sum, or a count that is not that of the last bucket");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAUGE: &str = "# TYPE a gauge\n# HELP a A.\n";
    const TIMES: &str = "# TYPE a_seconds histogram\n# HELP a_seconds A.\n# UNIT a_seconds seconds\n";

    #[test]
    fn what_is_right() {
        let text = "# TYPE a counter\n# HELP a A b.\na_total{x=\"1\",y=\"\\\"\\\\\\n\"} 3\na_total{x=\"2\"} 0.5\n# EOF\n";
        let families = parse(text).unwrap();
        let [family] = &*families else { panic!("{families:?}") };
        assert_eq!(
            (family.name.as_str(), family.kind.as_str(), family.help.as_str()),
            ("a", "counter", "A b.")
        );
        assert_eq!(family.value(&[("x", "1"), ("y", "\"\\\n")]), Some(3.0));
        assert_eq!(family.value(&[("x", "3")]), None);
        let buckets = "a_seconds_bucket{le=\"0.1\"} 1\na_seconds_bucket{le=\"+Inf\"} 2\na_seconds_sum 3\na_seconds_count 2\n";
        assert!(parse(&format!("{TIMES}{buckets}# EOF\n")).is_ok());
    }

    #[test]
    fn what_is_wrong() {
        #[track_caller]
        fn check(text: &str, expect: &str) {
            let message = parse(&format!("{text}# EOF\n")).unwrap_err();
            assert!(message.contains(expect), "{message}");
        }
        assert!(parse("").unwrap_err().contains("the last line"));
        assert!(parse("# TYPE a gauge\n# EOF\n\n").unwrap_err().contains("the last line"));
        check("# EOF\n", "neither");
        check("\n", "no value");
        check("a 1\n", "of no family");
        check("# HELP a A.\na 1\n", "before the type");
        check("# TYPE a gauge\na 1\n", "no HELP");
        check("# TYPE a_total counter\n# HELP a_total A.\n", "ends as that of a sample");
        check("# TYPE a_bytes gauge\n# HELP a_bytes A.\n", "no UNIT");
        check("# TYPE a gauge\n# HELP a A.\n# UNIT a seconds\n", "end with the unit");
        check(&format!("{GAUGE}a 1\n{GAUGE}"), "behind a sample");
        check(&format!("{GAUGE}# TYPE b gauge\n# HELP b B.\n{GAUGE}"), "twice");
        check(&format!("{GAUGE}a 1\na 2\n"), "a sample is there twice");
        check(&format!("{GAUGE}a_total 1\n"), "of another kind");
        check(&format!("{GAUGE}b 1\n"), "of another family");
        check(&format!("{GAUGE}a one\n"), "not a number");
        check(&format!("{GAUGE}a 1 2\n"), "not a number");
        check(&format!("{GAUGE}a{{x=\"1\",x=\"2\"}} 1\n"), "a label twice");
        check(&format!("{GAUGE}a{{x=\"\\q\"}} 1\n"), "not escaped");
        check(&format!("{GAUGE}a{{x=\"1}} 1\n"), "without end");
        check(&format!("{GAUGE}a{{x y=\"1\"}} 1\n"), "name of a label");
        check("# TYPE a counter\n# HELP a A.\na_total -1\n", "below 0");
        check("# TYPE a info\n# HELP a A.\na_info 2\n", "not 1");
        let bucket = |bound: &str, count| format!("a_seconds_bucket{{le=\"{bound}\"}} {count}\n");
        check(&format!("{TIMES}{}", bucket("1", 1)), "written as 1.0");
        check(&format!("{TIMES}{}", bucket("1.0", 1)), "no bucket of all");
        check(&format!("{TIMES}{}{}", bucket("1.0", 2), bucket("+Inf", 1)), "do not grow");
        check(&format!("{TIMES}{}a_seconds_sum 1\na_seconds_count 2\n", bucket("+Inf", 1)), "a count that");
    }
}
