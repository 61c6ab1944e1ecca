//! Parsing of `#[hcl(..)]` on a variant of an enum of words.

use syn::{LitStr, Variant};

use super::Items;
use super::names::HCL_VARIANT;
use crate::error_collector::Ctxt;

pub(crate) struct VariantAttrs {
    pub(crate) name: Option<LitStr>,
    pub(crate) aliases: Vec<(String, LitStr)>,
}

impl VariantAttrs {
    pub(crate) fn read(cx: &Ctxt, variant: &Variant) -> Self {
        let items = Items::read(cx, &variant.attrs, &HCL_VARIANT);
        Self { name: items.text("name"), aliases: items.aliases(cx) }
    }
}
