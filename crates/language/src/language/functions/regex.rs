//! Regular expressions: `regex`, `regexall`, and `replace`, which accepts one between slashes.

use std::sync::Arc;

use regex_lite::{Captures, Regex, RegexBuilder};

use super::arguments::{Args, FunctionResult, wrong};
use super::error::FunctionError;
use super::function::Function;
use crate::language::convert;
use crate::language::error::LanguageErrorKind as Kind;
use crate::types::value::{Value, ValueMap};

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "replace",
        "string, part, replacement",
        "The text with every part replaced; a part between slashes is a regular expression, and `$1` or \
         `${name}` in the replacement is what its group matched.",
        [r#"replace("1.2.3", ".", "-")"#, r#""1-2-3""#],
    )
    .takes(3, 3)
    .runs_deep(replace)
    .checked(check_replace),
    Function::new(
        "regex",
        "pattern, string",
        "The first match: text, or with groups a list of what they matched, or with named groups a map. No \
         match is an error.",
        [r#"regex("(\\d+)\\.(\\d+)", "v1.27")"#, r#"["1", "27"]"#],
    )
    .takes(2, 2)
    .runs_deep(regex)
    .piped_last()
    .checked(check_regex),
    Function::new(
        "regexall",
        "pattern, string",
        "Every match, as `regex` gives it.",
        [r#"regexall("[a-z]+", "ab 1 cd")"#, r#"["ab", "cd"]"#],
    )
    .takes(2, 2)
    .runs_deep(regexall)
    .piped_last()
    .checked(|arguments| check_named("regexall", arguments)),
];

/// The maximum size of a compiled pattern in bytes, which allows some thousands of states.
const MAX_COMPILED: usize = 1 << 17;

/// The maximum number of states that is charged for a pattern.
const MAX_STATES: usize = 1 << 13;

fn check_regex(arguments: &[Option<&Value>]) -> Result<(), FunctionError> {
    check_named("regex", arguments)
}

fn check_named(function: &'static str, arguments: &[Option<&Value>]) -> Result<(), FunctionError> {
    match arguments.first() {
        Some(Some(pattern)) => match convert::text(pattern) {
            Some(text) => compile(function, 0, &text).map(drop),
            None => Err(wrong(function, 0, "a string", convert::actual(pattern))),
        },
        _ => Ok(()),
    }
}

fn check_replace(arguments: &[Option<&Value>]) -> Result<(), FunctionError> {
    match arguments.get(1).copied().flatten().and_then(convert::text) {
        Some(pattern_text) => {
            between_slashes(&pattern_text).map_or(Ok(()), |text| compile("replace", 1, text).map(drop))
        }
        None => Ok(()),
    }
}

fn compile(function: &'static str, argument: usize, pattern: &str) -> Result<Regex, FunctionError> {
    let refuse = |message: String| FunctionError::from(Kind::Call { function, message }).at(argument);
    let compiled = RegexBuilder::new(pattern).size_limit(MAX_COMPILED).build();
    let regex =
        compiled.map_err(|error| refuse(format!("{pattern:?} is not a regular expression: {error}")))?;
    let name_count = regex.capture_names().skip(1).flatten().count();
    if name_count > 0 && name_count + 1 < regex.captures_len() {
        return Err(refuse("the groups must all have names, or none of them".to_owned()));
    }
    Ok(regex)
}

/// Returns the compiled pattern and the text, and charges a search, whose time grows with both.
fn prepared(args: &Args<'_>) -> Result<(Regex, Arc<str>), FunctionError> {
    let (pattern, text) = (args.text(0)?, args.text(1)?);
    Ok((compiled(args, 0, &pattern, &text)?, text))
}

fn compiled(args: &Args<'_>, index: usize, pattern: &str, text: &str) -> Result<Regex, FunctionError> {
    let states = estimate_states(pattern);
    args.budget.spend(16 + states)?;
    args.budget.spend_bytes(states.saturating_mul(text.len()))?;
    compile(args.function, index, pattern)
}

/// Estimates the number of states of a pattern, in which counted repetitions are expanded.
fn estimate_states(pattern: &str) -> usize {
    let counts = pattern.split('{').skip(1).filter_map(|rest| {
        let numbers = rest.split('}').next()?.split(',');
        numbers.filter_map(|number| number.trim().parse::<usize>().ok()).max()
    });
    counts.fold(pattern.len(), |states, count| states.saturating_mul(count.max(1))).min(MAX_STATES)
}

fn regex(args: &mut Args<'_>) -> FunctionResult {
    let (regex, text) = prepared(args)?;
    match regex.captures(&text) {
        Some(captures) => Ok(match_value(&regex, &captures)),
        None => Err(args.refuse_at(1, "nothing in the text matches the pattern")),
    }
}

fn regexall(args: &mut Args<'_>) -> FunctionResult {
    let (regex, text) = prepared(args)?;
    let mut matches = Vec::new();
    for captures in regex.captures_iter(&text) {
        args.budget.spend(regex.captures_len())?;
        // Each search begins where the last one ended, but may read the rest of the text.
        args.budget.spend_bytes(text.len() / 16)?;
        matches.push(match_value(&regex, &captures));
    }
    Ok(Value::List(matches))
}

/// Returns the value of a match.
fn match_value(regex: &Regex, captures: &Captures<'_>) -> Value {
    let group = |index: usize| {
        captures.get(index).map_or(Value::Null, |group_match| Value::string(group_match.as_str()))
    };
    if regex.captures_len() == 1 {
        return group(0);
    }
    let groups = regex.capture_names().enumerate().skip(1);
    let groups_by_name: ValueMap<_> =
        groups.filter_map(|(index, name)| Some((name?.to_owned(), group(index)))).collect();
    if groups_by_name.is_empty() {
        Value::List((1..regex.captures_len()).map(group).collect())
    } else {
        Value::Map(groups_by_name)
    }
}

fn between_slashes(pattern_text: &str) -> Option<&str> {
    pattern_text.strip_prefix('/')?.strip_suffix('/')
}

fn replace(args: &mut Args<'_>) -> FunctionResult {
    let (text, pattern_text, replacement) = (args.text(0)?, args.text(1)?, args.text(2)?);
    let Some(pattern) = between_slashes(&pattern_text) else {
        let count = if pattern_text.is_empty() {
            text.chars().count() + 1
        } else {
            text.matches(&*pattern_text).count()
        };
        args.budget.spend_bytes(count.saturating_mul(replacement.len()))?;
        return Ok(text.replace(&*pattern_text, &replacement).into());
    };
    let regex = compiled(args, 1, pattern, &text)?;
    let mut out = String::new();
    let mut last = 0;
    for captures in regex.captures_iter(&text) {
        let Some(full_match) = captures.get(0) else { continue };
        out.push_str(text.get(last..full_match.start()).unwrap_or_default());
        let before = out.len();
        // A `$1` has two bytes and may expand to the whole match.
        args.budget.spend_bytes(replacement.matches('$').count().saturating_mul(full_match.len()))?;
        captures.expand(&replacement, &mut out);
        args.budget.spend_bytes(out.len() - before + text.len() / 16)?;
        last = full_match.end();
    }
    out.push_str(text.get(last..).unwrap_or_default());
    Ok(out.into())
}
