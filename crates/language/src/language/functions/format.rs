//! The functions `format` and `formatlist`.

use std::str::Chars;

use super::arguments::{Args, FunctionResult};
use super::encoding::json;
use super::error::FunctionError;
use super::function::Function;
use crate::language::convert;
use crate::language::go_format::verb::{self, Spec, flags};
use crate::language::operand::Operand;
use crate::types::value::Value;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "format",
        "format, value..",
        "The format with its verbs replaced by the values: `%s` text, `%d` a whole number, `%f` `%e` `%g` a number, `%x` \
         `%X` `%o` `%b` another base, `%t` a bool, `%q` text in quotes, `%v` any value, `%#v` JSON, `%%` a percent sign.",
        [r#"format("%s has %03d", "web", 7)"#, r#""web has 007""#],
    )
    .takes_any(1)
    .runs_deep(format)
    .piped_last(),
    Function::new(
        "formatlist",
        "format, value..",
        "The results of `format` for the items of lists of equal length; other values are the same for each.",
        [r#"formatlist("%s:%d", ["a", "b"], 80)"#, r#"["a:80", "b:80"]"#],
    )
    .takes_any(1)
    .runs_deep(formatlist)
    .piped_last(),
];

/// The maximum width of padding, in characters.
const MAX_WIDTH: usize = 1_000_000;

fn format(args: &mut Args<'_>) -> FunctionResult {
    let format = args.text(0)?;
    let mut out = String::new();
    let (mut next, mut used) = (1, 0);
    let mut rest: &str = &format;
    while let Some(percent) = rest.find('%') {
        out.push_str(&rest[..percent]);
        let mut chars = rest[percent + 1..].chars();
        if chars.as_str().starts_with('%') {
            out.push('%');
            chars.next();
        } else {
            let verb = read_verb(args, &mut chars)?;
            let index = verb.argument.unwrap_or(next);
            if index == 0 || index >= args.count() {
                let verb = verb.name;
                return Err(args.refuse_at(0, format!("there is no value for the verb {index}, `%{verb}`")));
            }
            let before = out.len();
            match verb.name {
                // Nearly all verbs are plain `%s`.
                's' if verb.spec == Spec::default() => out.push_str(&args.text(index)?),
                'd' if verb.spec == Spec::default() => out.push_str(&args.int(index)?.to_string()),
                _ => print(args, index, &mut out, &verb)?,
            }
            args.budget.spend_bytes(out.len() - before)?;
            used = used.max(index);
            next = index + 1;
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    if used + 1 < args.count() {
        return Err(args.refuse_at(used + 1, "the format has no verb for this value"));
    }
    Ok(out.into())
}

fn formatlist(args: &mut Args<'_>) -> FunctionResult {
    let values = (1..args.count()).map(|index| args.get(index));
    let mut lengths = values.enumerate().filter_map(|(index, value)| match value {
        Value::List(items) => Some((index + 1, items.len())),
        _ => None,
    });
    let length = lengths.next().map_or(1, |(_, length)| length);
    if let Some((index, other)) = lengths.find(|(_, other_length)| *other_length != length) {
        return Err(args.refuse_at(index, format!("this list has {other} items, and one before it {length}")));
    }
    let rows = (0..length).map(|row| {
        args.budget.spend(args.count())?;
        let value = |index: usize| match args.get(index) {
            Value::List(items) if index > 0 => items.get(row).unwrap_or(&Value::Null),
            value => value,
        };
        let values = (0..args.count()).map(|index| Operand::Borrowed(value(index))).collect();
        format(&mut Args::new(args.function, values, args.scope, args.budget))
    });
    Ok(Value::List(rows.collect::<Result<_, _>>()?))
}

struct Verb {
    name: char,
    spec: Spec,
    /// The number of the value in `[n]`.
    argument: Option<usize>,
}

/// Parses the verb after a `%`.
fn read_verb(args: &Args<'_>, chars: &mut Chars<'_>) -> Result<Verb, FunctionError> {
    let mut spec = flags(chars);
    let bound = |number: Option<usize>| match number {
        Some(number) if number > MAX_WIDTH => {
            Err(args.refuse_at(0, format!("a width can be at most {MAX_WIDTH}")))
        }
        number => Ok(number),
    };
    spec.width = bound(digits(chars))?;
    if chars.as_str().starts_with('.') {
        chars.next();
        spec.precision = Some(bound(digits(chars))?.unwrap_or(0));
    }
    args.budget.spend_bytes(spec.width.unwrap_or(0).saturating_add(spec.precision.unwrap_or(0)))?;
    let mut argument = None;
    if chars.as_str().starts_with('[') {
        chars.next();
        argument = digits(chars);
        if argument.is_none() || chars.next() != Some(']') {
            return Err(args.refuse_at(0, "`[` must be followed by the number of a value and `]`"));
        }
    }
    let name = chars
        .next()
        .ok_or_else(|| args.refuse_at(0, "the format ends inside of a verb; `%%` is a percent sign"))?;
    Ok(Verb { name, spec, argument })
}

fn digits(chars: &mut Chars<'_>) -> Option<usize> {
    let text = chars.as_str();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *chars = rest.chars();
    (!digits.is_empty()).then(|| digits.parse().unwrap_or(usize::MAX))
}

/// Formats one value by its verb.
fn print(args: &Args<'_>, index: usize, out: &mut String, verb: &Verb) -> Result<(), FunctionError> {
    let Verb { name, spec, .. } = *verb;
    let value = args.get(index);
    match name {
        'v' if !spec.sharp && matches!(value, Value::String(_) | Value::Int(_) | Value::Float(_)) => {
            verb::text(out, &args.text(index)?, 's', spec);
        }
        'v' => {
            args.budget.spend_text(value)?;
            verb::text(out, &json(value), 's', spec);
        }
        's' => verb::text(out, &args.text(index)?, 's', spec),
        'q' => verb::text(out, &json(&Value::String(args.text(index)?)), 's', spec),
        't' => match convert::boolean(value) {
            Some(value) => verb::bool(out, value, spec),
            None => return Err(args.wrong(index, "true or false")),
        },
        'x' | 'X' if matches!(value, Value::String(_)) => verb::text(out, &args.text(index)?, name, spec),
        'b' | 'd' | 'o' | 'x' | 'X' => {
            verb::integer(out, args.int(index)?, name, spec);
        }
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' => verb::float(out, args.number(index)?.to_float(), name, spec),
        other => return Err(args.refuse_at(0, format!("there is no verb `%{other}`"))),
    }
    Ok(())
}
