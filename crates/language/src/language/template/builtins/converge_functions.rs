//! Functions specific to Converge, and Go's functions that produce text.
#![expect(clippy::unnecessary_wraps, reason = "the type of every function")]

use std::rc::Rc;
use std::sync::Arc;

use crate::language::data::budget::spend_datum;
use crate::language::data::datum::{Data, Datum};
use crate::language::data::json::json;
use crate::language::data::sink::{NoText, Sink};
use crate::language::error::{LanguageError, LanguageErrorKind};
use crate::language::functions::FunctionError;
use crate::language::functions::template_arguments::{TemplateArgs, TemplateResult};
use crate::language::go_format::escape;
use crate::types::base_path::BasePath;
use crate::types::local_path::local_path;
use crate::types::platform::Platform;
use crate::types::scope::Each;
use crate::types::value::Value;

/// Implements `param NAME`: the parameter, which keeps its kind but prints as text.
pub(crate) fn param(args: &mut TemplateArgs<'_>) -> TemplateResult {
    Ok(as_original(named_param(args)?))
}

/// Implements `paramList NAME`: the parameter as a list.
pub(crate) fn param_list(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let datum = named_param(args)?;
    match datum.data {
        Data::List(_) => Ok(Datum { textual: false, ..as_original(datum) }),
        Data::Null => Ok(Datum { data: Data::List(Rc::default()), ..datum }),
        Data::Unknown(_) => Ok(datum),
        _ => Err(not_a(args, "a list", &datum)),
    }
}

/// Marks a value, or the items of a list, as text in the original Converge.
fn as_original(datum: Datum) -> Datum {
    let data = match datum.data {
        Data::List(items) => Data::List(items.iter().cloned().map(Datum::textual).collect()),
        data => data,
    };
    Datum { data, ..datum }.textual()
}

/// Implements `paramMap NAME`: the parameter as a map.
pub(crate) fn param_map(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let datum = named_param(args)?;
    match datum.data {
        Data::Map(_) | Data::Unknown(_) => Ok(datum),
        Data::Null => Ok(Datum { data: Data::Map(Rc::default()), ..datum }),
        _ => Err(not_a(args, "a map", &datum)),
    }
}

fn named_param(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let name = args.text(0)?;
    let value = args.scope.param(&name).map_err(|error| args.scope_failure(error))?;
    datum_from_value(args, value)
}

/// Converts a value of the module and counts its size, because every use is a copy.
fn datum_from_value(args: &TemplateArgs<'_>, value: Value) -> TemplateResult {
    let datum = Datum::from_value(value);
    spend_datum(args.budget, &datum)?;
    Ok(datum)
}

fn not_a(args: &TemplateArgs<'_>, expected: &str, datum: &Datum) -> FunctionError {
    args.refuse(format!("the parameter is {}, not {expected}", datum.kind_name()))
}

/// Implements `lookup PATH`: an exported value, which keeps its kind but prints as text.
pub(crate) fn lookup(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let path = args.text(0)?;
    let value = args.scope.lookup(&path).map_err(|error| args.scope_failure(error))?;
    Ok(as_original(datum_from_value(args, value)?))
}

/// Implements `local NAME`.
pub(crate) fn local(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let path = local_path(&args.text(0)?);
    let value = args.scope.lookup(&path).map_err(|error| args.scope_failure(error))?;
    Ok(as_original(datum_from_value(args, value)?))
}

/// Implements `env NAME`.
pub(crate) fn env(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let name = args.text(0)?;
    Ok(match args.scope.machine() {
        Ok(()) => Datum::text(args.scope.env(&name)),
        Err(unknown) => Datum::plain(Data::Unknown(unknown)),
    })
}

/// Implements `path`: a record of the folders that relative paths may start from.
///
/// A folder without a value is an error only where it is used.
pub(crate) fn path(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let folder = |base: BasePath| (Arc::from(base.name()), folder(args, base));
    Ok(Datum::plain(Data::Map(BasePath::ALL.into_iter().map(folder).collect())))
}

pub(crate) fn field_of_path(args: &mut TemplateArgs<'_>, name: &str) -> TemplateResult {
    let base = BasePath::ALL.into_iter().find(|base| base.name() == name);
    Ok(base.map_or(Datum::plain(Data::Nil), |base| folder(args, base)))
}

fn folder(args: &TemplateArgs<'_>, base: BasePath) -> Datum {
    let missing = |error| {
        let kind = LanguageErrorKind::Scope { function: Some("path"), error };
        Datum::missing(LanguageError { kind, range: args.place.clone() })
    };
    args.scope.path(base).map_or_else(missing, Datum::from_value)
}

/// Implements `platform`.
pub(crate) fn platform(args: &mut TemplateArgs<'_>) -> TemplateResult {
    Ok(match args.scope.machine() {
        Ok(()) => Datum::from_platform(args.scope.platform()),
        Err(unknown) => Datum::plain(Data::Unknown(unknown)),
    })
}

pub(crate) fn field_of_platform(args: &mut TemplateArgs<'_>, name: &str) -> TemplateResult {
    if let Err(unknown) = args.scope.machine() {
        return Ok(Datum::plain(Data::Unknown(unknown)));
    }
    let value = Platform::template_place(name).map(|place| args.scope.platform().value(place));
    Ok(value.map_or(Datum::plain(Data::Nil), Datum::from_value))
}

/// Implements `each`: a record of `key` and `value`.
pub(crate) fn each(args: &mut TemplateArgs<'_>) -> TemplateResult {
    if let Some(unknown) = args.scope.each_later() {
        return Ok(Datum::plain(Data::Unknown(unknown)));
    }
    let Each { key, value } = each_of(args)?;
    Ok(Datum::from_value(Value::from([("key", Value::String(key.clone())), ("value", value.clone())])))
}

pub(crate) fn field_of_each(args: &mut TemplateArgs<'_>, name: &str) -> TemplateResult {
    if let Some(unknown) = args.scope.each_later() {
        return Ok(Datum::plain(Data::Unknown(unknown)));
    }
    let Each { key, value } = each_of(args)?;
    Ok(if name == "key" { Datum::text(key.clone()) } else { Datum::from_value(value.clone()) })
}

fn each_of<'a>(args: &TemplateArgs<'a>) -> Result<&'a Each, FunctionError> {
    args.scope.each().ok_or_else(|| args.refuse("there is no `for_each` here"))
}

/// Implements `split SEP STRING`; an empty separator splits between characters.
pub(crate) fn split(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let (separator, text) = (args.text(0)?, args.text(1)?);
    // Every part becomes a separate value and is counted as one.
    let parts = if separator.is_empty() { text.len() } else { text.matches(&*separator).count() };
    args.budget.spend(parts)?;
    if separator.is_empty() {
        return Ok(Datum::list(text.chars().map(|c| Datum::text(c.encode_utf8(&mut [0; 4]).to_owned()))));
    }
    Ok(Datum::list(text.split(&*separator).map(Datum::text)))
}

/// Implements `join SEP LIST`; any other value is printed as it is.
pub(crate) fn join(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let separator = args.text(0)?;
    let items = match &args.get(1).data {
        Data::List(items) => items.clone(),
        _ => Rc::from([args.get(1).clone()]),
    };
    args.spend(separator.len().saturating_mul(items.len()))?;
    let mut sink = Sink::default();
    for (index, item) in items.iter().enumerate() {
        sink.text.push_str(if index == 0 { "" } else { &separator });
        sink.value(item)?;
    }
    Ok(sink.into_datum())
}

/// Implements `jsonify VALUE`.
pub(crate) fn jsonify(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let mut sink = Sink::default();
    json(&mut sink, args.get(0));
    Ok(sink.into_datum())
}

/// Implements `not VALUE`.
pub(crate) fn not(args: &mut TemplateArgs<'_>) -> TemplateResult {
    Ok(Datum::plain(Data::Bool(!args.get(0).is_true())))
}

/// Implements `call FUNCTION ARG..`, which always fails because no value is a function, as in Go.
pub(crate) fn call(args: &mut TemplateArgs<'_>) -> TemplateResult {
    Err(args.wrong(0, "a function"))
}

/// Implements `print VALUE..`: adds a space between two values if neither is text.
pub(crate) fn print(args: &mut TemplateArgs<'_>) -> TemplateResult {
    Ok(printed(args)?.into_datum())
}

fn printed(args: &TemplateArgs<'_>) -> Result<Sink, NoText> {
    let mut sink = Sink::default();
    let mut after_text = true;
    for value in args.values {
        let is_text = value.textual || matches!(value.data, Data::Text(_) | Data::Null);
        sink.text.push_str(if after_text || is_text { "" } else { " " });
        sink.value(value)?;
        after_text = is_text;
    }
    Ok(sink)
}

/// Implements `println VALUE..`: separates all values with spaces and ends the line.
pub(crate) fn println(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let mut sink = Sink::default();
    for (index, value) in args.values.iter().enumerate() {
        sink.text.push_str(if index == 0 { "" } else { " " });
        sink.value(value)?;
    }
    sink.text.push('\n');
    Ok(sink.into_datum())
}

/// Implements `html VALUE..`.
pub(crate) fn html(args: &mut TemplateArgs<'_>) -> TemplateResult {
    escaped(args, escape::html)
}

/// Implements `js VALUE..`.
pub(crate) fn js(args: &mut TemplateArgs<'_>) -> TemplateResult {
    escaped(args, escape::js)
}

/// Implements `urlquery VALUE..`.
pub(crate) fn urlquery(args: &mut TemplateArgs<'_>) -> TemplateResult {
    escaped(args, escape::url_query)
}

fn escaped(args: &TemplateArgs<'_>, escape: fn(&str, &mut String)) -> TemplateResult {
    let mut sink = printed(args)?;
    let mut text = String::with_capacity(sink.text.len());
    escape(&sink.text, &mut text);
    sink.text = text;
    Ok(sink.into_datum())
}
