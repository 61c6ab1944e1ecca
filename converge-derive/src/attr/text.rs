//! Parsing of `#[hcl(..)]` on a text type.

use syn::{DeriveInput, LitStr};

use super::Items;
use super::names::HCL_TEXT;
use crate::error_collector::Ctxt;

pub(crate) struct TextAttrs {
    pub(crate) pattern: Option<LitStr>,
    pub(crate) expects: Option<LitStr>,
}

impl TextAttrs {
    pub(crate) fn read(cx: &Ctxt, input: &DeriveInput) -> Self {
        let items = Items::read(cx, &input.attrs, &HCL_TEXT);
        Self { pattern: items.text("pattern"), expects: items.text("expects") }
    }
}
