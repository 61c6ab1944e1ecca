//! `format`.

use std::str::Chars;

use super::arguments::{Args, FunctionError, FunctionResult};
use super::encoding::json;
use super::function::Function;
use crate::language::expression::convert::{self, Number};
use crate::language::template::{Spec, flags, print_one};
use crate::types::value::Value;

pub(super) static FUNCTIONS: &[Function] = &[Function::new(
    "format",
    "format, value..",
    "The format with its verbs replaced by the values: `%s` text, `%d` a whole number, `%f` `%e` `%g` a number, `%x` \
     `%X` `%o` `%b` another base, `%t` a bool, `%q` text in quotes, `%v` any value, `%#v` JSON, `%%` a percent sign.",
    [r#"format("%s has %03d", "web", 7)"#, r#""web has 007""#],
)
.takes_any(1)
.whole(format)];

/// The widest that text is padded to.
const MAX_WIDTH: usize = 1_000_000;

fn format(args: &mut Args<'_>) -> FunctionResult {
    let format = args.text(0)?;
    let mut out = String::new();
    let (mut next, mut used) = (1, 0);
    let mut rest: &str = &format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let mut chars = rest[at + 1..].chars();
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
                // Nearly all verbs are of these.
                's' if verb.spec == Spec::default() => out.push_str(&args.text(index)?),
                'd' if verb.spec == Spec::default() => out.push_str(&args.int(index)?.to_string()),
                _ => out.push_str(&print(args, index, &verb)?),
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

struct Verb {
    name: char,
    spec: Spec,
    /// `[n]`: which value.
    argument: Option<usize>,
}

/// What follows a `%`.
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

fn print(args: &Args<'_>, index: usize, verb: &Verb) -> Result<String, FunctionError> {
    let Verb { name, spec, .. } = *verb;
    let value = args.get(index);
    let print_one =
        |value, verb| print_one(value, verb, spec).map_err(|message| args.refuse_at(index, message));
    let text = |text: String| print_one(Value::from(text), 's');
    Ok(match name {
        'v' if !spec.sharp && matches!(value, Value::String(_) | Value::Int(_) | Value::Float(_)) => {
            text(args.text(index)?.as_ref().to_owned())?
        }
        'v' => {
            args.budget.spend_text(value)?;
            text(json(value))?
        }
        's' => text(args.text(index)?.as_ref().to_owned())?,
        'q' => text(json(&Value::String(args.text(index)?)))?,
        't' => match convert::boolean(value) {
            Some(value) => print_one(Value::Bool(value), 't')?,
            None => return Err(args.wrong(index, "true or false")),
        },
        'x' | 'X' if matches!(value, Value::String(_)) => print_one(Value::String(args.text(index)?), name)?,
        'b' | 'd' | 'o' | 'x' | 'X' => print_one(Value::Int(args.int(index)?), name)?,
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' => {
            let number: Number = args.number(index)?;
            print_one(Value::Float(number.to_float()), name)?
        }
        other => return Err(args.refuse_at(0, format!("there is no verb `%{other}`"))),
    })
}
