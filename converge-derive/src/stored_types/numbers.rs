//! Numbers of fields.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use proc_macro2::Span;
use syn::{Expr, ExprLit, Ident, Lit, LitInt};

use super::attrs::{Attrs, FIELD};
use super::names;
use super::reserved::Reserved;
use crate::ast::Field;
use crate::error_collector::Ctxt;

/// The valid field numbers of protobuf, 29 bits.
pub(super) const FIELD_NUMBERS: RangeInclusive<i32> = 1..=536_870_911;
/// The numbers that protobuf reserves for itself.
const RESERVED_BY_PROTOBUF: RangeInclusive<i32> = 19_000..=19_999;

/// The number or numbers of a struct field in the encoding.
pub(super) enum Number {
    /// A single field: `tag = 1`.
    One(u32),
    /// The fields of a oneof: `oneof(2, 3)`.
    Oneof(Vec<u32>),
}

/// The numbers and names used in one message, each of which must be unique.
pub(super) struct Taken<'a> {
    cx: &'a Ctxt,
    reserved: &'a Reserved,
    /// The word for the members in messages: field or variant.
    what: &'static str,
    numbers: BTreeMap<i32, Ident>,
    in_json: BTreeMap<String, Ident>,
}

impl Number {
    pub(super) fn all(&self) -> &[u32] {
        match self {
            Self::One(number) => std::slice::from_ref(number),
            Self::Oneof(numbers) => numbers,
        }
    }

    pub(super) fn is_oneof(&self) -> bool {
        matches!(self, Self::Oneof(_))
    }
}

impl<'a> Taken<'a> {
    pub(super) fn new(cx: &'a Ctxt, reserved: &'a Reserved, subject: &'static str) -> Self {
        Self { cx, reserved, what: subject, numbers: BTreeMap::new(), in_json: BTreeMap::new() }
    }

    /// Checks the name of a field, which is `ident` unless another one is written.
    pub(super) fn name(&mut self, name: &str, ident: &Ident, span: Span) {
        let Self { cx, reserved, .. } = *self;
        names::check_field(cx, name, span);
        if reserved.has_name(name) {
            let message = format!("the name `{name}` is reserved: a removed name cannot be used again");
            cx.push(syn::Error::new(span, message));
        }
        let json = names::json(name);
        if let Some(first) = self.in_json.get(&json) {
            let message =
                format!("in JSON, this and `{first}` would both be called `{json}`: rename one of them");
            cx.push(syn::Error::new(span, message));
        } else {
            self.in_json.insert(json, ident.clone());
        }
    }

    /// Reserves a number for a field.
    pub(super) fn number(&mut self, literal: &LitInt, ident: &Ident) -> Option<u32> {
        let Self { cx, reserved, what, .. } = *self;
        let number = literal.base10_parse::<i32>().ok().filter(|number| FIELD_NUMBERS.contains(number));
        let Some(number) = number else {
            let message = format!(
                "{} is not the number of a field: it is from 1 to {}",
                literal.base10_digits(),
                FIELD_NUMBERS.end()
            );
            cx.error(literal, message);
            return None;
        };
        if RESERVED_BY_PROTOBUF.contains(&number) {
            let message = format!(
                "protobuf keeps the numbers from {} to {} for itself",
                RESERVED_BY_PROTOBUF.start(),
                RESERVED_BY_PROTOBUF.end()
            );
            cx.error(literal, message);
        } else if reserved.has_number(number) {
            let message = format!("the number {number} is reserved: a removed number cannot be used again");
            cx.error(literal, message);
        } else if let Some(first) = self.numbers.insert(number, ident.clone()) {
            cx.error(literal, format!("the number {number} is taken by the {what} `{first}`"));
        } else {
            return Some(number.unsigned_abs());
        }
        None
    }

    pub(super) fn missing(&self, members: &[(&str, &Ident)]) {
        // The suggested number follows the largest one, because smaller ones may have been used in the past.
        let reserved = self.reserved.numbers.iter().map(|range| *range.end());
        let used = self.numbers.keys().copied().chain(reserved);
        for (next, (name, ident)) in (used.max().unwrap_or(0) + 1..).zip(members) {
            let message =
                format!("the {} `{name}` has no number: write `#[stored(tag = {next})]` above it", self.what);
            self.cx.error(ident, message);
        }
    }
}

/// Reads the number of each field, if there is one, and checks that numbers and names are unique.
pub(super) fn read<'a, 'b>(
    cx: &Ctxt,
    fields: &'b [Field<'a>],
    reserved: &Reserved,
) -> Vec<(&'b Field<'a>, Option<Number>)> {
    let mut registry = Taken::new(cx, reserved, "field");
    let mut missing = Vec::new();
    let mut numbered = Vec::new();
    for field in fields {
        registry.name(&field.name, field.ident, field.ident.span());
        let attrs = Attrs::read(cx, field.attrs, &FIELD);
        if let Some(attribute) = attrs.written("oneof") {
            if attrs.written("tag").is_some() {
                cx.error(attribute, "`tag` and `oneof` both say the number: remove one");
            }
            let numbers = oneof(cx, &attrs, attribute, field.ident, &mut registry);
            numbered.push((field, Some(Number::Oneof(numbers))));
            continue;
        }
        let number = if let Some(literal) = attrs.number(cx, "tag") {
            registry.number(&literal, field.ident)
        } else {
            if attrs.written("tag").is_none() && !attrs.is_broken("tag") && !attrs.is_broken("oneof") {
                missing.push((field.name.as_str(), field.ident));
            }
            None
        };
        numbered.push((field, number.map(Number::One)));
    }
    registry.missing(&missing);
    numbered
}

/// Reads `oneof(2, 3)`.
fn oneof(cx: &Ctxt, attrs: &Attrs, attribute: &Ident, field: &Ident, registry: &mut Taken<'_>) -> Vec<u32> {
    let count = cx.count();
    let mut numbers = Vec::new();
    for expr in attrs.list(cx, "oneof") {
        match &expr {
            Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => {
                numbers.extend(registry.number(literal, field));
            }
            other => cx.error(other, "write the numbers of the variants: `oneof(2, 3)`"),
        }
    }
    if numbers.is_empty() && cx.count() == count {
        cx.error(attribute, "write the numbers of the variants: `oneof(2, 3)`");
    }
    numbers
}
