//! Parsing of `#[export(..)]` and `#[re_export_as = ".."]` on a field of a task.

use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta};

use super::Items;
use super::names::EXPORT;
use crate::ast::Field;
use crate::error_collector::Ctxt;

pub(crate) struct ExportAttrs {
    pub(crate) kind: ExportKind,
    /// The name of the export, if it differs from the field.
    pub(crate) name: Option<LitStr>,
    pub(crate) computed: Option<Ident>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportKind {
    /// A value under a name.
    Value,
    /// The exports of the field, as exports of the containing struct.
    Embed,
    /// The exports of the field, under a common name.
    ReExport,
}

impl ExportAttrs {
    /// Reads the attributes; returns `None` if the field is not exported.
    pub(crate) fn read(cx: &Ctxt, field: &Field<'_>) -> Option<Self> {
        let find = |name: &str| field.attrs.iter().find(|attr| attr.path().is_ident(name));
        let re_export = find("re_export_as");
        if find(EXPORT.attribute).is_none() && re_export.is_none() {
            return None;
        }
        let items = Items::read(cx, field.attrs, &EXPORT);
        let computed = items.flag("computed").cloned();
        let (embed, name) = (items.flag("embed"), items.text("name"));
        if let Some(attr) = re_export {
            for other in embed.into_iter().chain(items.flag("name")) {
                let message = format!("`{other}` and `re_export_as` exclude each other: remove one");
                cx.error(other, message);
            }
            let name = re_export_name(cx, field.attrs, attr)?;
            return Some(Self { kind: ExportKind::ReExport, name: Some(name), computed });
        }
        if embed.is_some()
            && let Some(name) = items.flag("name")
        {
            let message = "an embedded field has no name of its own: remove `name` or `embed`";
            cx.error(name, message);
        }
        let kind = if embed.is_some() { ExportKind::Embed } else { ExportKind::Value };
        Some(Self { kind, name, computed })
    }
}

fn re_export_name(cx: &Ctxt, attrs: &[Attribute], first: &Attribute) -> Option<LitStr> {
    if let Some(second) = attrs.iter().filter(|attr| attr.path().is_ident("re_export_as")).nth(1) {
        cx.error(second, "`re_export_as` is written twice: remove one");
    }
    if let Meta::NameValue(meta) = &first.meta
        && let Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) = &meta.value
    {
        return Some(name.clone());
    }
    cx.error(first, "`re_export_as` takes a text: write `#[re_export_as = \"status\"]`");
    None
}
