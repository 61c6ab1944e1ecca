//! Checks of rules that involve more than one attribute.

mod field;
mod footprint;
mod names;
mod relations;
#[cfg(test)]
mod tests;
mod values;

use syn::LitStr;

pub(crate) use field::{HclField, documented};
pub(crate) use names::{Names, identifier, meta_arguments};
pub(crate) use relations::{Rule, rules};
pub(crate) use values::text_pattern;

use crate::ast::Field;
use crate::attr::{FieldAttrs, FieldSet};
use crate::error_collector::Ctxt;

pub(crate) struct HclFields<'a> {
    /// The fields that modules write.
    pub(crate) given: Vec<HclField<'a>>,
    /// The fields that modules do not write.
    pub(crate) skipped: Vec<Field<'a>>,
}

pub(crate) fn hcl_fields<'a>(cx: &Ctxt, fields: Vec<Field<'a>>, sets: &[FieldSet]) -> HclFields<'a> {
    let (skipped, mut fields): (Vec<_>, Vec<_>) = fields
        .into_iter()
        .map(|field| {
            let attrs = FieldAttrs::read(cx, &field);
            let name = attrs.name.as_ref().map_or_else(|| field.name.clone(), LitStr::value);
            HclField { field, attrs, name }
        })
        .partition(|field| field.attrs.skip.is_some());
    names::check(cx, &fields);
    relations::check(cx, &fields);
    relations::check_sets(cx, &fields, sets);
    for field in fields.iter().filter(|field| field.attrs.embed.is_none()) {
        values::check(cx, field);
        footprint::check(cx, field);
    }
    relations::expand_required_groups(&mut fields);
    relations::attach_sets(&mut fields, sets);
    HclFields { given: fields, skipped: skipped.into_iter().map(|field| field.field).collect() }
}
