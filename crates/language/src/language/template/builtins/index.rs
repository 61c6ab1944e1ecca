//! The functions `index`, `slice` and `len`.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use crate::diagnostic::close_names;
use crate::language::actual_value::Actual;
use crate::language::data::datum::{Data, Datum};
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};
use crate::language::functions::FunctionError;
use crate::language::functions::template_arguments::{TemplateArgs, TemplateResult};

/// Implements `index VALUE KEY..`: an item of a list, an entry of a map, or a byte of a string.
///
/// Each further key applies to the previous result.
pub(crate) fn index(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let mut datum = args.as_original(0)?;
    for argument in 1..args.values.len() {
        let secret = datum.secret;
        datum = match &datum.data {
            Data::List(items) => {
                let position = position(args, argument, items.len(), false)?;
                items.get(position).cloned().unwrap_or(Datum::plain(Data::Null))
            }
            Data::Text(text) => {
                let position = position(args, argument, text.len(), false)?;
                Datum::plain(Data::Int(text.as_bytes().get(position).copied().unwrap_or(0).into()))
            }
            Data::Map(items) => {
                let key = args.text(argument)?;
                match Datum::entry(items, &key) {
                    Some(item) => item.clone(),
                    None => no_key(&key, items, args.place.clone()),
                }
            }
            // Everything inside a missing value is missing, as in Go.
            Data::Unknown(_) | Data::Missing(_) => return Ok(datum),
            _ => {
                let found = Actual::Name(datum.kind_name());
                let expected = "a list, a map or a string";
                return Err(Kind::Argument { function: args.function, expected, found }.into());
            }
        }
        .marked(secret);
    }
    Ok(datum)
}

/// Returns the result for a key that a map does not have.
pub(crate) fn no_key(key: &str, items: &[(Arc<str>, Datum)], range: Range<u32>) -> Datum {
    let close = close_names(key, items.iter().map(|(name, _)| name.as_ref()));
    Datum::missing(LanguageError { kind: Kind::NoKey { key: key.to_owned(), close }, range })
}

/// Implements `slice VALUE FROM TO`: a part of a list or of the bytes of a string.
pub(crate) fn slice(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let datum = args.as_original(0)?;
    let length = match &datum.data {
        Data::List(items) => items.len(),
        Data::Text(_) if args.values.len() > 3 => {
            return Err(args.refuse("a string cannot be sliced with a capacity"));
        }
        Data::Text(text) => text.len(),
        _ => return Err(args.wrong(0, "a list or a string")),
    };
    let bound = |at: usize, default: usize| {
        if at < args.values.len() { position(args, at, length, true) } else { Ok(default) }
    };
    let (from, to, capacity) = (bound(1, 0)?, bound(2, length)?, bound(3, length)?);
    if from > to || to > capacity {
        return Err(args.refuse(format!("the bounds {from} and {to} are in the wrong order")));
    }
    match &datum.data {
        Data::List(items) => Ok(Datum::plain(Data::List(Rc::from(items.get(from..to).unwrap_or_default())))),
        Data::Text(text) => match text.get(from..to) {
            Some(substring) => Ok(Datum::text(substring)),
            None => Err(args.refuse("a bound is inside of a character")),
        },
        _ => Err(args.wrong(0, "a list or a string")),
    }
}

/// Implements `len VALUE`: the number of items, entries or bytes.
pub(crate) fn len(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let length = match &args.as_original(0)?.data {
        Data::Null => 0,
        Data::Text(text) => text.len(),
        Data::List(items) => items.len(),
        Data::Map(items) => items.len(),
        _ => return Err(args.wrong(0, "a list, a map or a string")),
    };
    Ok(Datum::plain(Data::Int(i64::try_from(length).unwrap_or(i64::MAX))))
}

/// Returns an argument as a position below `length`; a `bound` may equal `length`.
fn position(
    args: &TemplateArgs<'_>,
    argument: usize,
    length: usize,
    bound: bool,
) -> Result<usize, FunctionError> {
    let Data::Int(index) = args.get(argument).data else { return Err(args.wrong(argument, "an integer")) };
    usize::try_from(index)
        .ok()
        .filter(|position| *position < length || bound && *position == length)
        .ok_or_else(|| Kind::OutOfRange { index, length }.into())
}
