//! `printf`, with Go's verbs for the values that templates have.
//!
//! Verbs: `%v %s %q %x %X %d %o %O %b %c %U %t %e %E %f %F %g %G %T %%`. Flags: `- + # 0` and space. Width and
//! precision are numbers or `*`, and `%[2]d` or `%[2]*d` chooses an argument. A list or a map applies the verb to
//! each of its items. What Go writes into the text for a mistake, such as `%!d(string=a)`,
//! `%!d(MISSING)` and `%!(EXTRA int=1)`, is an error here. `%p` and `%#v` are not supported: `%#v` prints as `%v`.

use std::ops::RangeInclusive;
use std::str::Chars;

use super::super::data::datum::{Data, Datum};
use super::super::data::escape::{is_printable, quote, quote_char, write_to};
use super::super::data::float;
use super::super::data::sink::{NoText, Sink};
use super::call::{BuiltinArgs, BuiltinError, BuiltinResult, printed};
use crate::types::value::Value;

/// The widest that Go pads to.
const MAX_WIDTH: i64 = 1_000_000;

/// `printf FORMAT VALUE..`
pub(crate) fn printf(args: &mut BuiltinArgs<'_>) -> BuiltinResult {
    let format = args.text(0)?;
    let mut printer = Printer { next: 1, ..Printer::default() };
    let mut rest: &str = &format;
    while let Some(at) = rest.find('%') {
        printer.sink.text.push_str(&rest[..at]);
        let mut chars = rest[at + 1..].chars();
        printer.directive(args, &mut chars)?;
        rest = chars.as_str();
    }
    printer.sink.text.push_str(rest);
    if !printer.reordered && printer.next < args.values.len() {
        return Err(args.refuse_at(printer.next, "the format has no verb for this value"));
    }
    Ok(printer.sink.into_datum())
}

/// What stands between `%` and the verb.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag that may be written")]
pub(crate) struct Spec {
    minus: bool,
    plus: bool,
    pub(crate) sharp: bool,
    zero: bool,
    space: bool,
    pub(crate) width: Option<usize>,
    pub(crate) precision: Option<usize>,
}

/// One value as a verb prints it, for callers with a format parser of their own.
///
/// # Errors
///
/// The verb prints no such value.
pub(crate) fn print_one(value: Value, verb: char, spec: Spec) -> Result<String, String> {
    let mut printer = Printer::default();
    match printer.value(&Datum::from_value(value), verb, spec, true) {
        Ok(()) => Ok(printer.sink.text),
        Err(Unprintable::Verb(message)) => Err(message),
        Err(Unprintable::Value(reason)) => Err(reason.into_parts().0.to_string()),
    }
}

/// Why a verb does not print a value.
enum Unprintable {
    /// It prints no values of this kind.
    Verb(String),
    /// The value has no text.
    Value(NoText),
}

impl From<NoText> for Unprintable {
    fn from(reason: NoText) -> Self {
        Self::Value(reason)
    }
}

/// Every verb.
const VERBS: &str = "vsqxXdoObcUteEfFgGT";

#[derive(Default)]
struct Printer {
    sink: Sink,
    /// The argument that the next verb prints.
    next: usize,
    /// Whether an argument was chosen by its number: then those that no verb used are no mistake.
    reordered: bool,
    /// Whether the directive chooses an argument that there is not, or chooses it at the wrong place.
    bad_index: bool,
}

impl Printer {
    fn directive(&mut self, args: &mut BuiltinArgs<'_>, chars: &mut Chars<'_>) -> Result<(), BuiltinError> {
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
            return Err(args.refuse_at(0, format!("`%{verb}` chooses a value that is not there")));
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
                return Err(BuiltinError { argument: Some(self.next), ..reason.into() });
            }
        }
        self.next += 1;
        Ok(())
    }

    /// Takes `[2]`, which chooses an argument, and says whether a number was written.
    fn index(&mut self, count: usize, chars: &mut Chars<'_>) -> bool {
        let Some(rest) = chars.as_str().strip_prefix('[') else { return false };
        self.reordered = true;
        // An opening bracket without its end is skipped alone, as Go does.
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

    /// A width or a precision that is the next argument (`*`).
    fn argument(
        &mut self,
        args: &BuiltinArgs<'_>,
        chars: &mut Chars<'_>,
        range: RangeInclusive<i64>,
    ) -> Result<Option<i64>, BuiltinError> {
        if !chars.as_str().starts_with('*') {
            return Ok(None);
        }
        chars.next();
        let index = self.next;
        self.next += 1;
        let Some(datum) = args.values.get(index) else {
            return Err(args.refuse_at(0, "there is no value for `*`"));
        };
        self.sink.mark(datum);
        match datum.data {
            Data::Int(number) if range.contains(&number) => Ok(Some(number)),
            _ => {
                let (from, to) = range.into_inner();
                Err(args.refuse_at(index, format!("`*` needs a whole number from {from} to {to}")))
            }
        }
    }

    fn value(&mut self, datum: &Datum, verb: char, spec: Spec, outer: bool) -> Result<(), Unprintable> {
        self.sink.mark(datum);
        match &datum.data {
            Data::Nil => return Err(NoText::Nil.into()),
            Data::Missing(_) => self.sink.value(datum)?,
            Data::Null if !outer => return Err(NoText::NullItem.into()),
            _ if verb == 'T' => self.text(type_name(datum), 's', spec),
            Data::Unknown(_) => {}
            Data::Null => match verb {
                's' | 'v' | 'q' | 'x' | 'X' => self.text("", verb, spec),
                _ => return Err(refused(verb, datum)),
            },
            // As in the original, where all parameters are text.
            Data::Bool(_) | Data::Int(_) | Data::Float(_) if datum.textual && matches!(verb, 's' | 'q') => {
                let text = printed(datum)?.text;
                self.text(&text, verb, spec);
            }
            Data::Bool(value) if matches!(verb, 't' | 'v') => {
                let spec = Spec { precision: None, zero: false, ..spec };
                self.pad(if *value { "true" } else { "false" }, spec);
            }
            Data::Int(value) if verb == 'U' => {
                let text = code_point(*value, spec);
                self.pad(&text, Spec { zero: false, ..spec });
            }
            Data::Int(value) => match integer(*value, verb, spec) {
                Some(text) => {
                    self.pad_number(&text, Spec { zero: spec.zero && spec.precision.is_none(), ..spec });
                }
                None => return Err(refused(verb, datum)),
            },
            Data::Float(value) if matches!(verb, 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'v') => {
                self.float(*value, verb, spec);
            }
            Data::Text(text) if matches!(verb, 's' | 'v' | 'q' | 'x' | 'X') => self.text(text, verb, spec),
            Data::Bool(_) | Data::Float(_) | Data::Text(_) => return Err(refused(verb, datum)),
            Data::List(items) => self.items(items.iter(), ['[', ']'], verb, spec)?,
            Data::Platform(fields) => {
                self.items(fields.iter().map(|(_, item)| item), ['{', '}'], verb, spec)?;
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

    fn text(&mut self, text: &str, verb: char, spec: Spec) {
        let cut = match spec.precision {
            Some(precision) if matches!(verb, 'x' | 'X') => {
                return self.hex(&text.as_bytes()[..precision.min(text.len())], verb, spec);
            }
            Some(precision) => text.char_indices().nth(precision).map_or(text, |(at, _)| &text[..at]),
            None => text,
        };
        match verb {
            'x' | 'X' => self.hex(cut.as_bytes(), verb, spec),
            'q' => {
                let mut quoted = String::new();
                let raw = spec.sharp && cut.chars().all(|c| c != '`' && (c == '\t' || is_printable(c)));
                if raw {
                    write_to(&mut quoted, format_args!("`{cut}`"));
                } else {
                    quote(cut, spec.plus, &mut quoted);
                }
                self.pad(&quoted, spec);
            }
            _ => self.pad(cut, spec),
        }
    }

    fn hex(&mut self, bytes: &[u8], verb: char, spec: Spec) {
        let prefix = match (spec.sharp, verb) {
            (false, _) => "",
            (true, 'x') => "0x",
            (true, _) => "0X",
        };
        let mut text = String::with_capacity(bytes.len() * 2);
        for (index, byte) in bytes.iter().enumerate() {
            if index > 0 && spec.space {
                text.push(' ');
            }
            if index == 0 || spec.space {
                text.push_str(prefix);
            }
            match verb {
                'x' => write_to(&mut text, format_args!("{byte:02x}")),
                _ => write_to(&mut text, format_args!("{byte:02X}")),
            }
        }
        self.pad(&text, spec);
    }

    fn float(&mut self, value: f64, verb: char, spec: Spec) {
        let verb = if verb == 'v' { 'g' } else { verb };
        let precision = match spec.precision {
            None if spec.sharp && matches!(verb, 'g' | 'G') => Some(6),
            precision => precision,
        };
        let mut text = float::with_verb(value, verb, precision, spec.sharp);
        if !text.starts_with(['-', '+']) {
            text.insert_str(
                0,
                if spec.plus {
                    "+"
                } else if spec.space {
                    " "
                } else {
                    ""
                },
            );
        } else if text.starts_with('+') && !spec.plus {
            text.remove(0);
        }
        // There is no number of zeros in front of an infinity.
        self.pad_number(&text, Spec { zero: spec.zero && value.is_finite(), ..spec });
    }

    /// Pads with zeros behind the sign, or as text.
    fn pad_number(&mut self, text: &str, spec: Spec) {
        let Some(width) = spec.width.filter(|_| spec.zero && !spec.minus) else {
            return self.pad(text, Spec { zero: false, ..spec });
        };
        let sign = usize::from(text.starts_with(['-', '+', ' ']));
        let (sign, digits) = text.split_at(sign);
        let (prefix, digits) = match digits.get(..2) {
            Some("0x" | "0X" | "0b" | "0o") => digits.split_at(2),
            _ => ("", digits),
        };
        // Go counts a prefix on top of the width.
        let zeros = width.saturating_sub(sign.len() + digits.len());
        self.sink.text.push_str(sign);
        self.sink.text.push_str(prefix);
        self.sink.text.extend(std::iter::repeat_n('0', zeros));
        self.sink.text.push_str(digits);
    }

    fn pad(&mut self, text: &str, spec: Spec) {
        let missing = spec.width.map_or(0, |width| width.saturating_sub(text.chars().count()));
        let fill = if spec.zero && !spec.minus { '0' } else { ' ' };
        if !spec.minus {
            self.sink.text.extend(std::iter::repeat_n(fill, missing));
        }
        self.sink.text.push_str(text);
        if spec.minus {
            self.sink.text.extend(std::iter::repeat_n(' ', missing));
        }
    }
}

/// The verb prints no values of this kind.
fn refused(verb: char, datum: &Datum) -> Unprintable {
    Unprintable::Verb(format!("`%{verb}` cannot print {}; `%v` prints any value", datum.kind_name()))
}

/// A width or a precision that is written.
fn digits(chars: &mut Chars<'_>) -> Option<i64> {
    let text = chars.as_str();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *chars = rest.chars();
    digits.parse().ok().filter(|number| (0..=MAX_WIDTH).contains(number))
}

/// The flags of a verb.
pub(crate) fn flags(chars: &mut Chars<'_>) -> Spec {
    let mut spec = Spec::default();
    loop {
        let flag = match chars.as_str().chars().next() {
            Some('-') => &mut spec.minus,
            Some('+') => &mut spec.plus,
            Some('#') => &mut spec.sharp,
            Some('0') => &mut spec.zero,
            Some(' ') => &mut spec.space,
            _ => return spec,
        };
        *flag = true;
        chars.next();
    }
}

/// The name of the Go type that stands for a value.
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

/// An integer with its sign, prefix and leading zeros; `None` for a verb that prints no integer.
fn integer(value: i64, verb: char, spec: Spec) -> Option<String> {
    let magnitude = value.unsigned_abs();
    let (prefix, digits) = match verb {
        'd' | 'v' => ("", magnitude.to_string()),
        'b' => (if spec.sharp { "0b" } else { "" }, format!("{magnitude:b}")),
        'o' => (if spec.sharp { "0" } else { "" }, format!("{magnitude:o}")),
        'O' => ("0o", format!("{magnitude:o}")),
        'x' => (if spec.sharp { "0x" } else { "" }, format!("{magnitude:x}")),
        'X' => (if spec.sharp { "0X" } else { "" }, format!("{magnitude:X}")),
        'c' => return Some(character(value).to_string()),
        'q' => {
            let mut text = String::from("'");
            quote_char(character(value), '\'', spec.plus, &mut text);
            text.push('\'');
            return Some(text);
        }
        _ => return None,
    };
    let sign = match (value < 0, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    };
    if spec.precision == Some(0) && value == 0 {
        return Some(String::new());
    }
    let zeros = spec.precision.unwrap_or(0).saturating_sub(digits.len());
    Some(format!("{sign}{prefix}{:0<zeros$}{digits}", ""))
}

/// `U+0041`, and with `#` also the character, where it can be seen.
fn code_point(value: i64, spec: Spec) -> String {
    let digits = spec.precision.unwrap_or(0).max(4);
    let mut text = format!("U+{value:0digits$X}");
    if spec.sharp
        && let Some(seen) =
            u32::try_from(value).ok().and_then(char::from_u32).filter(|seen| is_printable(*seen))
    {
        write_to(&mut text, format_args!(" '{seen}'"));
    }
    text
}

fn character(code: i64) -> char {
    u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}
