//! Rules that one attribute alone cannot tell.

mod names;
mod relations;
mod values;

use syn::LitStr;

pub(crate) use names::{Names, identifier};
pub(crate) use relations::{Rule, rules};

use crate::ast::Field;
use crate::attr::FieldAttrs;
use crate::ctxt::Ctxt;

/// A field of a resource or of a block, with everything known about it.
#[derive(Debug)]
pub(crate) struct HclField<'a> {
    pub(crate) field: Field<'a>,
    pub(crate) attrs: FieldAttrs,
    /// Its name in modules.
    pub(crate) name: String,
}

impl HclField<'_> {
    /// The tokens that gave the field its name, for messages.
    pub(crate) fn name_tokens(&self) -> &dyn quote::ToTokens {
        match &self.attrs.name {
            Some(literal) => literal,
            None => self.field.ident,
        }
    }
}

/// Reads and checks the fields of a resource or block.
pub(crate) fn hcl_fields<'a>(cx: &Ctxt, fields: Vec<Field<'a>>) -> Vec<HclField<'a>> {
    let fields: Vec<_> = fields
        .into_iter()
        .map(|field| {
            let attrs = FieldAttrs::read(cx, &field);
            let name = attrs.name.as_ref().map_or_else(|| field.name.clone(), LitStr::value);
            HclField { field, attrs, name }
        })
        .collect();
    names::check(cx, &fields);
    relations::check(cx, &fields);
    for field in fields.iter().filter(|field| field.attrs.embed.is_none()) {
        values::check(cx, field);
    }
    fields
}

/// Reports a `pub` field without a doc comment: what authors' users see must be described.
pub(crate) fn documented(cx: &Ctxt, field: &Field<'_>, what: &str) {
    if field.is_pub && field.doc.is_empty() {
        let message =
            format!("the public {what} `{}` has no documentation: write `/// ..` above it", field.name);
        cx.error(field.ident, message);
    }
}
