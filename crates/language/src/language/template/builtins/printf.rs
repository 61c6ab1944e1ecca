//! The function `printf`, with Go's verbs for the values that templates have.
//!
//! Verbs: `%v %s %q %x %X %d %o %O %b %c %U %t %e %E %f %F %g %G %T %%`. Flags: `- + # 0` and space. Width
//! and precision are numbers or `*`, and `%[2]d` or `%[2]*d` chooses an argument. A list or a map applies the
//! verb to each of its items.
//!
//! A mistake that Go reports in the output, such as `%!d(string=a)`, `%!d(MISSING)` and `%!(EXTRA int=1)`, is
//! an error here. `%p` and `%#v` are not supported: `%#v` prints as `%v`.

use std::ops::RangeInclusive;
use std::str::Chars;

use crate::language::data::datum::{Data, Datum};
use crate::language::data::sink::{NoText, Sink};
use crate::language::functions::FunctionError;
use crate::language::functions::template_arguments::{TemplateArgs, TemplateResult, printed};
use crate::language::go_format::verb::{self, Spec, flags};
use crate::types::platform::Platform;

/// The maximum width that Go pads to.
const MAX_WIDTH: i64 = 1_000_000;

/// Implements `printf FORMAT VALUE..`.
pub(crate) fn printf(args: &mut TemplateArgs<'_>) -> TemplateResult {
    let format = args.text(0)?;
    let mut printer = Printer { next: 1, ..Printer::default() };
    let mut rest: &str = &format;
    while let Some(percent) = rest.find('%') {
        printer.sink.text.push_str(&rest[..percent]);
        let mut chars = rest[percent + 1..].chars();
        printer.directive(args, &mut chars)?;
        rest = chars.as_str();
    }
    printer.sink.text.push_str(rest);
    if !printer.reordered && printer.next < args.values.len() {
        return Err(args.refuse_at(printer.next, "the format has no verb for this value"));
    }
    Ok(printer.sink.into_datum())
}

/// The reason why a verb cannot print a value.
enum Unprintable {
    /// The verb does not print values of this kind.
    Verb(String),
    /// The value has no text.
    Value(NoText),
}

impl From<NoText> for Unprintable {
    fn from(reason: NoText) -> Self {
        Self::Value(reason)
    }
}

/// All supported verbs.
const VERBS: &str = "vsqxXdoObcUteEfFgGT";

#[derive(Default)]
struct Printer {
    sink: Sink,
    /// The index of the argument that the next verb prints.
    next: usize,
    /// Whether an argument was chosen by its number; unused arguments are then no error.
    reordered: bool,
    /// Whether the directive chooses an argument that does not exist, or at an invalid position.
    bad_index: bool,
}

impl Printer {
    fn directive(&mut self, args: &mut TemplateArgs<'_>, chars: &mut Chars<'_>) -> Result<(), FunctionError> {
        let mut spec = flags(chars);
        self.bad_index = false;
        let mut chosen = self.index(args.values.len(), chars);
        let width = match self.argument(args, chars, -MAX_WIDTH..=MAX_WIDTH)? {
            Some(width) => {
                chosen = false;
                Some(width)
            }
            None => digits(chars).inspect(|_| self.bad_index |= chosen),
        };
        spec.minus |= width.is_some_and(i64::is_negative);
        spec.width = width.and_then(|width| usize::try_from(width.unsigned_abs()).ok());
        if chars.as_str().starts_with('.') {
            chars.next();
            self.bad_index |= chosen;
            chosen = self.index(args.values.len(), chars);
            let precision = match self.argument(args, chars, 0..=MAX_WIDTH)? {
                Some(precision) => {
                    chosen = false;
                    precision
                }
                None => digits(chars).unwrap_or(0),
            };
            spec.precision = usize::try_from(precision).ok();
        }
        if !chosen {
            self.index(args.values.len(), chars);
        }
        args.spend(spec.width.unwrap_or(0).saturating_add(spec.precision.unwrap_or(0)))?;
        let Some(verb) = chars.next() else {
            return Err(args.refuse_at(0, "the format ends inside of a verb; `%%` is a percent sign"));
        };
        if verb == '%' {
            self.sink.text.push('%');
            return Ok(());
        }
        if self.bad_index {
            return Err(args.refuse_at(0, format!("`%{verb}` chooses a value that does not exist")));
        }
        if !VERBS.contains(verb) {
            return Err(args.refuse_at(0, format!("there is no verb `%{verb}`; `%%` is a percent sign")));
        }
        let Some(datum) = args.values.get(self.next) else {
            let message = format!("there is no value for the verb {}, `%{verb}`", self.next);
            return Err(args.refuse_at(0, message));
        };
        match self.value(datum, verb, spec, true) {
            Ok(()) => {}
            Err(Unprintable::Verb(message)) => return Err(args.refuse_at(self.next, message)),
            Err(Unprintable::Value(reason)) => {
                return Err(FunctionError::from(reason).at(self.next));
            }
        }
        self.next += 1;
        Ok(())
    }

    /// Parses `[2]`, which chooses an argument; returns whether a number was written.
    fn index(&mut self, count: usize, chars: &mut Chars<'_>) -> bool {
        let Some(rest) = chars.as_str().strip_prefix('[') else { return false };
        self.reordered = true;
        // An opening bracket without a closing one is skipped alone, as in Go.
        let (number, rest) = match rest.split_once(']') {
            Some((number, after)) if rest.len() > 1 => (number, after),
            _ => ("", rest),
        };
        *chars = rest.chars();
        let mut number = number.chars();
        let index = digits(&mut number).filter(|_| number.as_str().is_empty());
        match index.and_then(|index| usize::try_from(index).ok()) {
            Some(index) if (1..count).contains(&index) => self.next = index,
            _ => self.bad_index = true,
        }
        index.is_some()
    }

    /// Reads a width or a precision from the next argument (`*`).
    fn argument(
        &mut self,
        args: &TemplateArgs<'_>,
        chars: &mut Chars<'_>,
        range: RangeInclusive<i64>,
    ) -> Result<Option<i64>, FunctionError> {
        if !chars.as_str().starts_with('*') {
            return Ok(None);
        }
        chars.next();
        let index = self.next;
        self.next += 1;
        let Some(datum) = args.values.get(index) else {
            return Err(args.refuse_at(0, "there is no value for `*`"));
        };
        self.sink.taint.note(datum);
        match datum.data {
            Data::Int(number) if range.contains(&number) => Ok(Some(number)),
            _ => {
                let (from, to) = range.into_inner();
                Err(args.refuse_at(index, format!("`*` needs a whole number from {from} to {to}")))
            }
        }
    }

    fn value(&mut self, datum: &Datum, verb: char, spec: Spec, outer: bool) -> Result<(), Unprintable> {
        self.sink.taint.note(datum);
        match &datum.data {
            Data::Nil => return Err(NoText::Nil.into()),
            Data::Missing(_) => self.sink.value(datum)?,
            Data::Null if !outer => return Err(NoText::NullItem.into()),
            _ if verb == 'T' => verb::text(&mut self.sink.text, type_name(datum), 's', spec),
            Data::Unknown(_) => {}
            Data::Null => match verb {
                's' | 'v' | 'q' | 'x' | 'X' => verb::text(&mut self.sink.text, "", verb, spec),
                _ => return Err(refused(verb, datum)),
            },
            // In the original Converge all parameters are text.
            Data::Bool(_) | Data::Int(_) | Data::Float(_) if datum.textual && matches!(verb, 's' | 'q') => {
                let text = printed(datum)?.text;
                verb::text(&mut self.sink.text, &text, verb, spec);
            }
            Data::Bool(value) if matches!(verb, 't' | 'v') => {
                verb::bool(&mut self.sink.text, *value, spec);
            }
            Data::Int(value) => {
                if !verb::integer(&mut self.sink.text, *value, verb, spec) {
                    return Err(refused(verb, datum));
                }
            }
            Data::Float(value) if matches!(verb, 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'v') => {
                verb::float(&mut self.sink.text, *value, verb, spec);
            }
            Data::Text(text) if matches!(verb, 's' | 'v' | 'q' | 'x' | 'X') => {
                verb::text(&mut self.sink.text, text, verb, spec);
            }
            Data::Bool(_) | Data::Float(_) | Data::Text(_) => return Err(refused(verb, datum)),
            Data::List(items) => self.items(items.iter(), ['[', ']'], verb, spec)?,
            Data::Platform(fields) => {
                let fields = fields.iter().take(Platform::ORIGINAL);
                self.items(fields.map(|(_, item)| item), ['{', '}'], verb, spec)?;
            }
            Data::Map(items) => {
                self.sink.text.push_str("map[");
                for (index, (name, item)) in items.iter().enumerate() {
                    self.sink.text.push_str(if index == 0 { "" } else { " " });
                    self.value(&Datum::text(name.clone()), verb, spec, false)?;
                    self.sink.text.push(':');
                    self.value(item, verb, spec, false)?;
                }
                self.sink.text.push(']');
            }
        }
        Ok(())
    }

    fn items<'a>(
        &mut self,
        items: impl Iterator<Item = &'a Datum>,
        [open, close]: [char; 2],
        verb: char,
        spec: Spec,
    ) -> Result<(), Unprintable> {
        self.sink.text.push(open);
        for (index, item) in items.enumerate() {
            self.sink.text.push_str(if index == 0 { "" } else { " " });
            self.value(item, verb, spec, false)?;
        }
        self.sink.text.push(close);
        Ok(())
    }
}

/// Returns the error for a verb that does not print values of this kind.
fn refused(verb: char, datum: &Datum) -> Unprintable {
    Unprintable::Verb(format!("`%{verb}` cannot print {}; `%v` prints any value", datum.kind_name()))
}

/// Parses a literal width or precision.
fn digits(chars: &mut Chars<'_>) -> Option<i64> {
    let text = chars.as_str();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *chars = rest.chars();
    digits.parse().ok().filter(|number| (0..=MAX_WIDTH).contains(number))
}

/// Returns the name of the Go type that corresponds to a value.
fn type_name(datum: &Datum) -> &'static str {
    match datum.data {
        Data::Nil | Data::Missing(_) => "nil",
        Data::Null | Data::Text(_) | Data::Unknown(_) => "string",
        Data::Bool(_) => "bool",
        Data::Int(_) => "int",
        Data::Float(_) => "float64",
        Data::List(_) => "[]interface {}",
        Data::Map(_) => "map[string]interface {}",
        Data::Platform(_) => "platform.Platform",
    }
}
