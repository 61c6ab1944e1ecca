//! Checks of attributes against the type of their field.

use quote::ToTokens as _;
use syn::{Expr, ExprLit, Lit, LitStr};

use super::field::{HclField, documented};
use crate::attr::{Number, RelationKind, WhenAbsent};
use crate::error_collector::Ctxt;
use crate::ty::{self, Leaf};

pub(super) fn check(cx: &Ctxt, field: &HclField<'_>) {
    documented(cx, &field.field, "field");
    option_of_option(cx, field);
    secrecy(cx, field);
    presence(cx, field);
    together(cx, field);
    base(cx, field);
    bounds(cx, field);
    zero(cx, field);
    removes(cx, field);
    pattern(cx, field);
    valid_values(cx, field);
    if let Some(WhenAbsent::Literal(literal)) = &field.attrs.default {
        default(cx, field, literal);
    }
}

/// Refuses nested options, because a module either writes a value or does not.
fn option_of_option(cx: &Ctxt, field: &HclField<'_>) {
    let is_option = |ty| matches!(ty::last_segment(ty), Some((name, _)) if name == "Option");
    if let Some((_, generics)) = ty::last_segment(field.field.ty)
        && is_option(field.field.ty)
        && let [inner] = generics[..]
        && is_option(inner)
    {
        cx.error(
            field.field.ty,
            "a value is written or it is not, so `Some(None)` never comes: write one `Option`",
        );
    }
}

fn secrecy(cx: &Ctxt, field: &HclField<'_>) {
    match (&field.attrs.sensitive, ty::is_secret(field.field.ty)) {
        (Some(_), false) => {
            cx.error(field.field.ty, "a sensitive field keeps its value in a `Secret`: write `Secret<..>`");
        }
        (None, true) => {
            cx.error(field.field.ty, "a field with a `Secret` is sensitive: write `#[hcl(sensitive)]` on it");
        }
        _ => {}
    }
}

fn together(cx: &Ctxt, field: &HclField<'_>) {
    let attrs = &field.attrs;
    if field.is_always_written() {
        if let Some(deprecated) = &attrs.deprecated {
            cx.error(
                deprecated,
                "a field that must be written cannot be deprecated: remove `required` or `deprecated`",
            );
        }
        for group in attrs.relations.iter().filter(|relation| relation.kind == RelationKind::RequiredOneOf) {
            let message = format!(
                "`{}` is `required`, so one of these is always written: remove `required` or `required_one_of`",
                field.name
            );
            cx.error(&group.literal, message);
        }
    }
    for condition in &attrs.when {
        let attribute = condition.attribute();
        if field.is_always_written() {
            cx.error(
                &condition.literal,
                format!("a `required` field is always written: remove `required` or `{attribute}`"),
            );
        }
        let message =
            format!("a field with a `default` need never be written: remove `default` or `{attribute}`");
        match &attrs.default {
            Some(WhenAbsent::OfType(word)) => cx.error(word, message),
            Some(WhenAbsent::Literal(literal)) => cx.error(literal, message),
            None => {}
        }
    }
    if let Some((_, literal)) = &attrs.valid_values {
        let describe = |attribute: &str| {
            format!(
                "`valid_values` says all that is accepted, so `{attribute}` beside it says nothing: remove one of them"
            )
        };
        if attrs.pattern.is_some() {
            cx.error(literal, describe("pattern"));
        }
        if attrs.min.is_some() || attrs.max.is_some() {
            cx.error(literal, describe(if attrs.min.is_some() { "min" } else { "max" }));
        }
    }
    let number = attrs.min.as_ref().or(attrs.max.as_ref()).or(attrs.base.as_ref());
    if let Some(number) = number.filter(|_| attrs.pattern.is_some() && leaf(field) == Leaf::Other) {
        cx.error(number, "this is for numbers, and `pattern` is for text: remove one of them");
    }
    if let (Some(nonempty), Leaf::Bool | Leaf::Time) = (&attrs.nonempty, ty::leaf(field.field.ty)) {
        cx.error(
            nonempty,
            "`nonempty` is for text, numbers, lists and maps: remove it, or change the type of the field",
        );
    }
}

fn presence(cx: &Ctxt, field: &HclField<'_>) {
    if let (true, Some(default)) = (field.is_always_written(), &field.attrs.default) {
        let message =
            "a `required` field is always written, so it cannot have a `default`: remove one of them";
        match default {
            WhenAbsent::OfType(word) => cx.error(word, message),
            WhenAbsent::Literal(literal) => cx.error(literal, message),
        }
    }
}

fn base(cx: &Ctxt, field: &HclField<'_>) {
    let Some(base) = &field.attrs.base else { return };
    match ty::leaf(ty::innermost(field.field.ty)) {
        Leaf::Int { .. } | Leaf::Other => {}
        _ => cx.error(base, "`base` is for integers only: remove it, or change the type of the field"),
    }
    if !base.whole.is_some_and(|base| (2..=36).contains(&base)) {
        cx.error(base, "a base is a whole number from 2 to 36: write `base = 8` for octal");
    }
    let default = match &field.attrs.default {
        Some(WhenAbsent::Literal(literal)) => Number::read(literal),
        _ => None,
    };
    for number in default.iter().chain(&field.attrs.min).chain(&field.attrs.max) {
        decimal_in_base(cx, number, radix(field));
    }
}

/// Refuses a decimal number that may be meant in the base of its field: `755` for `0o755`.
fn decimal_in_base(cx: &Ctxt, number: &Number, radix: u32) {
    let prefix = match radix {
        2 => "0b",
        8 => "0o",
        16 => "0x",
        _ => return,
    };
    let written = number.to_token_stream().to_string();
    let digits = written.trim_start_matches(['-', ' ']).replace('_', "");
    let Some(whole) = number.whole.map(i128::unsigned_abs) else { return };
    if whole < u128::from(radix) || digits.starts_with(prefix) {
        return;
    }
    let same = match radix {
        2 => format!("{whole:b}"),
        8 => format!("{whole:o}"),
        _ => format!("{whole:x}"),
    };
    let meant =
        u128::from_str_radix(&digits, radix).map(|_| format!(", or `{prefix}{digits}` if you mean that"));
    let message = format!(
        "{written} is decimal, and modules write this field in base {radix}: write `{prefix}{same}`{}",
        meant.unwrap_or_default()
    );
    cx.error(number, message);
}

fn bounds(cx: &Ctxt, field: &HclField<'_>) {
    let (min, max) = (&field.attrs.min, &field.attrs.max);
    for (bound, name) in [(min, "min"), (max, "max")] {
        let Some(bound) = bound else { continue };
        match leaf(field) {
            Leaf::Int { min, max } => {
                if bound.whole.is_none_or(|bound| bound < min || bound > max) {
                    let message =
                        format!("`{name}` does not fit the type of the field, which holds {min} to {max}");
                    cx.error(bound, message);
                }
            }
            Leaf::Float | Leaf::Duration | Leaf::Other => {}
            _ => {
                let message =
                    format!("`{name}` is for numbers and durations only: remove it, or change the type");
                cx.error(bound, message);
            }
        }
    }
    if let (Some(min), Some(max)) = (min, max)
        && min.value > max.value
    {
        cx.error(min, "`min` is greater than `max`: no value would be accepted; swap them");
    }
}

/// Refuses bounds without the value of a field that is not written.
fn zero(cx: &Ctxt, field: &HclField<'_>) {
    let attrs = &field.attrs;
    let is_number = matches!(ty::leaf(field.field.ty), Leaf::Int { .. } | Leaf::Float | Leaf::Duration);
    let is_optional = matches!(ty::last_segment(field.field.ty), Some((name, _)) if name == "Option");
    let has_literal = matches!(attrs.default, Some(WhenAbsent::Literal(_)));
    if !is_number || is_optional || has_literal || attrs.required.is_some() {
        return;
    }
    let excluding = [
        attrs.min.as_ref().filter(|min| min.value > 0.0).map(|min| ("min", min)),
        attrs.max.as_ref().filter(|max| max.value < 0.0).map(|max| ("max", max)),
    ];
    for (name, bound) in excluding.into_iter().flatten() {
        let message = format!(
            "`{}` is 0 where a module does not write it, which `{name}` excludes: write `Option<..>`, `required` or \
             `default = ..`",
            field.name
        );
        cx.error(bound, message);
    }
}

/// Checks that `removes` names a value that the field accepts.
fn removes(cx: &Ctxt, field: &HclField<'_>) {
    let (Some(removes), Some((values, _))) = (&field.attrs.removes, &field.attrs.valid_values) else {
        return;
    };
    if !values.contains(&removes.value()) {
        cx.error(removes, "`removes` is not one of `valid_values`: add it there, or change it");
    }
}

fn pattern(cx: &Ctxt, field: &HclField<'_>) {
    if let Some(pattern) = &field.attrs.pattern
        && !matches!(leaf(field), Leaf::Text | Leaf::Other)
    {
        cx.error(pattern, "`pattern` is for text only: remove it, or change the type of the field");
    }
    text_pattern(cx, field.attrs.pattern.as_ref(), field.attrs.expects.as_ref());
}

pub(crate) fn text_pattern(cx: &Ctxt, pattern: Option<&LitStr>, expects: Option<&LitStr>) {
    let Some(pattern) = pattern else {
        if let Some(expects) = expects {
            cx.error(expects, "`expects` says in words what a `pattern` means: write that too");
        }
        return;
    };
    if let Err(error) = regex_lite::Regex::new(&pattern.value()) {
        cx.error(pattern, format!("not a regular expression: {error}"));
    }
}

fn valid_values(cx: &Ctxt, field: &HclField<'_>) {
    let Some((values, literal)) = &field.attrs.valid_values else { return };
    if leaf(field) == Leaf::Time {
        cx.error(
            literal,
            "`valid_values` is for text, numbers, durations and bools: remove it, or change the type",
        );
        return;
    }
    for value in values {
        if let Some(reason) = wrong_word(field, value) {
            cx.error(literal, format!("{value:?} in `valid_values` {reason}: correct or remove it"));
        }
    }
}

/// Returns the reason why a text is not a value of the field's type or of its items.
pub(super) fn wrong_word(field: &HclField<'_>, value: &str) -> Option<String> {
    let radix = radix(field);
    match leaf(field) {
        Leaf::Int { min, max } => match i128::from_str_radix(value, radix) {
            Ok(number) if (min..=max).contains(&number) => None,
            Ok(_) => Some(format!("is outside the range of its type, {min} to {max}")),
            Err(_) if radix == 10 => Some("is not an integer".to_owned()),
            Err(_) => Some(format!("is not an integer in base {radix}")),
        },
        Leaf::Float => value.parse::<f64>().is_err().then(|| "is not a number".to_owned()),
        Leaf::Bool => (!matches!(value, "true" | "false")).then(|| "is neither true nor false".to_owned()),
        Leaf::Duration => (!is_duration(value)).then(|| "is not a duration such as \"1m30s\"".to_owned()),
        _ => None,
    }
}

/// Whether a text has the form of a duration: `90`, `1m30s`, `1.5h`.
fn is_duration(text: &str) -> bool {
    let text = text.strip_prefix('+').unwrap_or(text);
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return !text.is_empty();
    }
    let mut rest = text;
    while !rest.is_empty() {
        let unit_start = rest.trim_start_matches(is_number);
        let number = &rest[..rest.len() - unit_start.len()];
        rest = unit_start.trim_start_matches(|c| !is_number(c));
        let unit = &unit_start[..unit_start.len() - rest.len()];
        let is_unit = matches!(unit, "h" | "m" | "s" | "ms" | "us" | "\u{b5}s" | "\u{3bc}s" | "ns");
        if !is_unit || number.parse::<f64>().is_err() {
            return false;
        }
    }
    true
}

/// Returns the type to which value attributes apply.
///
/// It is the item type of lists, sets and maps, or the type itself.
fn leaf(field: &HclField<'_>) -> Leaf {
    ty::leaf(ty::innermost(field.field.ty))
}

fn radix(field: &HclField<'_>) -> u32 {
    let base = field.attrs.base.as_ref().and_then(|base| base.whole);
    base.and_then(|base| u32::try_from(base).ok()).filter(|base| (2..=36).contains(base)).unwrap_or(10)
}

/// Checks that the field's type can be read from the default.
fn default(cx: &Ctxt, field: &HclField<'_>, literal: &Expr) {
    let before = cx.count();
    literal_fits(cx, field.field.ty, radix(field), literal);
    if cx.count() > before {
        return;
    }
    if let Expr::Array(array) = literal {
        for element in &array.elems {
            default_is_accepted(cx, field, element);
        }
    } else {
        default_is_accepted(cx, field, literal);
    }
}

fn default_is_accepted(cx: &Ctxt, field: &HclField<'_>, literal: &Expr) {
    if let Some(number) = Number::read(literal) {
        let (min, max) = (&field.attrs.min, &field.attrs.max);
        let is_below = min.as_ref().is_some_and(|min| number.value < min.value);
        let is_above = max.as_ref().is_some_and(|max| number.value > max.value);
        if is_below || is_above {
            cx.error(literal, "the default is outside of `min` and `max`: change one of them");
        }
    }
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = literal else { return };
    if let Some((values, _)) = &field.attrs.valid_values
        && matches!(leaf(field), Leaf::Text)
        && !values.contains(&text.value())
    {
        cx.error(literal, "the default is not one of `valid_values`: add it there, or change it");
    }
    let pattern =
        field.attrs.pattern.as_ref().and_then(|pattern| regex_lite::Regex::new(&pattern.value()).ok());
    if pattern.is_some_and(|pattern| !pattern.is_match(&text.value())) {
        cx.error(literal, "the default does not match `pattern`: change one of them");
    }
}

fn literal_fits(cx: &Ctxt, ty: &syn::Type, radix: u32, literal: &Expr) {
    if let Expr::Array(array) = literal {
        match (ty::leaf(ty), ty::item(ty)) {
            (Leaf::List, Some(item)) => {
                for element in &array.elems {
                    literal_fits(cx, item, radix, element);
                }
            }
            (Leaf::Other, _) => {}
            _ => cx.error(literal, "the default is a list, but the field is not: write a single value"),
        }
        return;
    }
    let number = Number::read(literal);
    let lit = match literal {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        _ => None,
    };
    if number.is_none() && !matches!(lit, Some(Lit::Str(_) | Lit::Bool(_))) {
        let message = "a default is a text, a number, a bool or a list of these: write such a literal, or implement \
                       `Default` for the type and write `default` alone";
        cx.error(literal, message);
        return;
    }
    let expected = match (ty::leaf(ty), &number, lit) {
        (Leaf::Other | Leaf::Duration | Leaf::Float, Some(_), _)
        | (Leaf::Other, ..)
        | (Leaf::Bool, _, Some(Lit::Bool(_)))
        | (Leaf::Text | Leaf::Time, _, Some(Lit::Str(_))) => return,
        (Leaf::Duration, _, Some(Lit::Str(text))) if is_duration(&text.value()) => return,
        (Leaf::Int { min, max }, Some(number), _) => match number.whole {
            Some(integer) if (min..=max).contains(&integer) => return,
            Some(_) => format!("a number from {min} to {max}"),
            None => "a whole number".to_owned(),
        },
        (Leaf::Int { .. }, _, Some(Lit::Str(text))) if radix != 10 => {
            if i128::from_str_radix(&text.value(), radix).is_ok() {
                return;
            }
            format!("an integer in base {radix}")
        }
        (Leaf::Int { .. }, ..) => "a whole number".to_owned(),
        (Leaf::Float, ..) => "a number".to_owned(),
        (Leaf::Bool, ..) => "true or false".to_owned(),
        (Leaf::Text, ..) => "a text in quotes".to_owned(),
        (Leaf::Duration, ..) => "seconds, or a text such as \"1m30s\"".to_owned(),
        (Leaf::Time, ..) => "a text such as \"2030-01-31\"".to_owned(),
        (Leaf::List, ..) => "a list such as `[\"a\", \"b\"]`".to_owned(),
        (Leaf::Map, ..) => "no literal: write `default` alone for an empty map".to_owned(),
    };
    cx.error(literal, format!("the default does not fit the type of the field: write {expected}"));
}
