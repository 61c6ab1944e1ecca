//! Converge's functions, and Go's that make text.

use std::rc::Rc;

use super::call::{Args, Outcome};
use super::datum::{Datum, Known};
use super::escape;
use super::text::Sink;
use crate::value::Value;

/// `param NAME`: the parameter as text.
pub(in crate::template) fn param(args: &mut Args<'_>) -> Outcome {
    let datum = named_param(args)?;
    Ok(match datum.known {
        Known::List(_) | Known::Map(_) => {
            let mut sink = Sink::default();
            sink.value(&datum);
            sink.into_datum()
        }
        _ => scalar_text(datum),
    })
}

/// `paramList NAME`: the parameter as a list; plain items are text, as in the original.
pub(in crate::template) fn param_list(args: &mut Args<'_>) -> Outcome {
    let datum = named_param(args)?;
    let known = match datum.known {
        Known::List(items) => Known::List(items.iter().cloned().map(scalar_text).collect()),
        Known::Null => Known::List(Rc::default()),
        known @ Known::Unknown(_) => known,
        _ => return Err(not_a(args, "a list", &datum)),
    };
    Ok(Datum { known, ..datum })
}

/// `paramMap NAME`: the parameter as a map.
pub(in crate::template) fn param_map(args: &mut Args<'_>) -> Outcome {
    let datum = named_param(args)?;
    match datum.known {
        Known::Map(_) | Known::Unknown(_) => Ok(datum),
        Known::Null => Ok(Datum { known: Known::Map(Rc::default()), ..datum }),
        _ => Err(not_a(args, "a map", &datum)),
    }
}

fn named_param(args: &mut Args<'_>) -> Outcome {
    let name = args.text(0)?;
    let value = args.scope.param(&name).map_err(|error| args.scope_failure(error))?;
    Ok(Datum::from_value(value))
}

fn not_a(args: &Args<'_>, expected: &str, found: &Datum) -> super::call::Failure {
    args.refuse(format!("the parameter is {}, not {expected}", found.kind_name()))
}

/// `lookup PATH`: an exported value. What is not a list or a map is text, as in the original.
pub(in crate::template) fn lookup(args: &mut Args<'_>) -> Outcome {
    let path = args.text(0)?;
    let value = args.scope.lookup(&path).map_err(|error| args.scope_failure(error))?;
    Ok(scalar_text(Datum::from_value(value)))
}

/// Numbers and bools as the text that they print as.
fn scalar_text(datum: Datum) -> Datum {
    match datum.known {
        Known::Bool(_) | Known::Int(_) | Known::Float(_) => {
            let mut sink = Sink::default();
            sink.value(&datum);
            sink.into_datum()
        }
        _ => datum,
    }
}

/// `env NAME`
pub(in crate::template) fn env(args: &mut Args<'_>) -> Outcome {
    let name = args.text(0)?;
    Ok(match args.scope.machine() {
        Ok(()) => Datum::text(args.scope.env(&name)),
        Err(unknown) => Datum::plain(Known::Unknown(unknown)),
    })
}

/// `platform`
#[expect(clippy::unnecessary_wraps, reason = "the type of every function")]
pub(in crate::template) fn platform(args: &mut Args<'_>) -> Outcome {
    Ok(match args.scope.machine() {
        Ok(()) => Datum::from_platform(args.scope.platform()),
        Err(unknown) => Datum::plain(Known::Unknown(unknown)),
    })
}

/// `each`: a record of `key` and `value`.
pub(in crate::template) fn each(args: &mut Args<'_>) -> Outcome {
    match args.scope.each() {
        Some(each) => {
            let record =
                Value::from([("key", Value::String(each.key.clone())), ("value", each.value.clone())]);
            Ok(Datum::from_value(record))
        }
        None => Err(args.refuse("there is no `for_each` here".to_owned())),
    }
}

/// `split SEP STRING`; an empty separator divides between characters.
pub(in crate::template) fn split(args: &mut Args<'_>) -> Outcome {
    let (separator, text) = (args.text(0)?, args.text(1)?);
    if separator.is_empty() {
        return Ok(Datum::list(text.chars().map(|c| Datum::text(c.encode_utf8(&mut [0; 4]).to_owned()))));
    }
    Ok(Datum::list(text.split(&*separator).map(Datum::text)))
}

/// `join SEP LIST`; anything but a list is printed as it is.
pub(in crate::template) fn join(args: &mut Args<'_>) -> Outcome {
    let separator = args.text(0)?;
    let items = match &args.get(1).known {
        Known::List(items) => items.clone(),
        _ => Rc::from([args.get(1).clone()]),
    };
    args.spend(separator.len().saturating_mul(items.len()))?;
    let mut sink = Sink::default();
    for (index, item) in items.iter().enumerate() {
        sink.text.push_str(if index == 0 { "" } else { &separator });
        sink.value(item);
    }
    Ok(sink.into_datum())
}

/// `jsonify VALUE`
#[expect(clippy::unnecessary_wraps, reason = "the type of every function")]
pub(in crate::template) fn jsonify(args: &mut Args<'_>) -> Outcome {
    let mut sink = Sink::default();
    escape::json(&mut sink, args.get(0));
    Ok(sink.into_datum())
}

/// `not VALUE`
#[expect(clippy::unnecessary_wraps, reason = "the type of every function")]
pub(in crate::template) fn not(args: &mut Args<'_>) -> Outcome {
    Ok(Datum::plain(Known::Bool(!args.get(0).is_true())))
}

/// `call FUNCTION ARG..`: no value is a function, so this always fails, as it would in Go.
pub(in crate::template) fn call(args: &mut Args<'_>) -> Outcome {
    Err(args.wrong(0, "a function"))
}

/// `print VALUE..`: a space stands between two values of which neither is text.
#[expect(clippy::unnecessary_wraps, reason = "the type of every function")]
pub(in crate::template) fn print(args: &mut Args<'_>) -> Outcome {
    Ok(printed(args).into_datum())
}

fn printed(args: &Args<'_>) -> Sink {
    let mut sink = Sink::default();
    let mut after_text = true;
    for value in args.values {
        let is_text = matches!(value.known, Known::Text(_) | Known::Null);
        sink.text.push_str(if after_text || is_text { "" } else { " " });
        sink.value(value);
        after_text = is_text;
    }
    sink
}

/// `println VALUE..`: spaces between all values, and a line end.
#[expect(clippy::unnecessary_wraps, reason = "the type of every function")]
pub(in crate::template) fn println(args: &mut Args<'_>) -> Outcome {
    let mut sink = Sink::default();
    for (index, value) in args.values.iter().enumerate() {
        sink.text.push_str(if index == 0 { "" } else { " " });
        sink.value(value);
    }
    sink.text.push('\n');
    Ok(sink.into_datum())
}

/// `html VALUE..`
pub(in crate::template) fn html(args: &mut Args<'_>) -> Outcome {
    escaped(args, escape::html)
}

/// `js VALUE..`
pub(in crate::template) fn js(args: &mut Args<'_>) -> Outcome {
    escaped(args, escape::js)
}

/// `urlquery VALUE..`
pub(in crate::template) fn urlquery(args: &mut Args<'_>) -> Outcome {
    escaped(args, escape::url_query)
}

#[expect(clippy::unnecessary_wraps, reason = "the type of every function")]
fn escaped(args: &Args<'_>, escape: fn(&str, &mut String)) -> Outcome {
    let mut sink = printed(args);
    let mut text = String::with_capacity(sink.text.len());
    escape(&sink.text, &mut text);
    sink.text = text;
    Ok(sink.into_datum())
}
