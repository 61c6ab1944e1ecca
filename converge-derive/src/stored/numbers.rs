//! The numbers of fields.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use syn::Ident;

use super::attrs::{Attrs, FIELD};
use super::names;
use super::reserved::Reserved;
use crate::ast::Field;
use crate::ctxt::Ctxt;

/// The numbers that protobuf has for fields: 29 bits.
pub(super) const FIELD_NUMBERS: RangeInclusive<i32> = 1..=536_870_911;
/// What protobuf keeps for itself.
const KEPT: RangeInclusive<i32> = 19_000..=19_999;

/// Reads the number of each field, and checks that numbers and names mean one thing.
pub(super) fn read<'a, 'b>(
    cx: &Ctxt,
    fields: &'b [Field<'a>],
    reserved: &Reserved,
) -> Vec<(&'b Field<'a>, u32)> {
    let mut taken: BTreeMap<i32, &Ident> = BTreeMap::new();
    let mut in_json: BTreeMap<String, &Ident> = BTreeMap::new();
    let mut without = Vec::new();
    let mut numbered = Vec::new();
    for field in fields {
        check_name(cx, field, reserved, &mut in_json);
        let attrs = Attrs::read(cx, field.attrs, &FIELD);
        let Some(literal) = attrs.number(cx, "tag") else {
            if attrs.written("tag").is_none() && !attrs.is_broken("tag") {
                without.push(field);
            }
            continue;
        };
        let number = literal.base10_parse::<i32>().ok().filter(|number| FIELD_NUMBERS.contains(number));
        let Some(number) = number else {
            let message = format!(
                "{} is not the number of a field: it is from 1 to {}",
                literal.base10_digits(),
                FIELD_NUMBERS.end()
            );
            cx.error(&literal, message);
            continue;
        };
        if KEPT.contains(&number) {
            let message =
                format!("protobuf keeps the numbers from {} to {} for itself", KEPT.start(), KEPT.end());
            cx.error(&literal, message);
        } else if reserved.has_number(number) {
            let message =
                format!("the number {number} is reserved: a number that was used once is not used again");
            cx.error(&literal, message);
        } else if let Some(first) = taken.insert(number, field.ident) {
            cx.error(&literal, format!("the number {number} is taken by the field `{first}`"));
        } else {
            numbered.push((field, number.unsigned_abs()));
        }
    }
    // After the largest: what is below may have been used before.
    let used = taken.keys().copied().chain(reserved.numbers.iter().map(|range| *range.end()));
    for (next, field) in (used.max().unwrap_or(0) + 1..).zip(without) {
        let message =
            format!("the field `{}` has no number: write `#[stored(tag = {next})]` above it", field.name);
        cx.error(field.ident, message);
    }
    numbered
}

fn check_name<'b>(
    cx: &Ctxt,
    field: &'b Field<'_>,
    reserved: &Reserved,
    in_json: &mut BTreeMap<String, &'b Ident>,
) {
    names::check_field(cx, &field.name, field.ident.span());
    if reserved.has_name(&field.name) {
        let message =
            format!("the name `{}` is reserved: a name that was used once is not used again", field.name);
        cx.error(field.ident, message);
    }
    let json = names::json(&field.name);
    if let Some(first) = in_json.get(&json) {
        let message =
            format!("in JSON, this and `{first}` would both be called `{json}`: rename one of them");
        cx.error(field.ident, message);
    } else {
        in_json.insert(json, field.ident);
    }
}
