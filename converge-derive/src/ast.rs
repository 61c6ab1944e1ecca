//! The parsed definition under a derive, as far as all derives read it alike.

use syn::{Attribute, Data, DeriveInput, Expr, ExprLit, Fields, Ident, Lit, Meta, Type};

use crate::error_collector::Ctxt;

pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    /// The name of the field without `r#`.
    pub(crate) name: String,
    pub(crate) ty: &'a Type,
    pub(crate) attrs: &'a [Attribute],
    pub(crate) doc: String,
}

/// Returns the fields of a struct with named fields.
///
/// A unit struct has none; any other item is an error.
pub(crate) fn named_fields<'a>(cx: &Ctxt, input: &'a DeriveInput, derive: &str) -> Vec<Field<'a>> {
    let reason = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => return fields.named.iter().filter_map(Field::new).collect(),
            Fields::Unit => return Vec::new(),
            Fields::Unnamed(_) => "a tuple struct, whose fields have no names",
        },
        Data::Enum(_) => "an enum",
        Data::Union(_) => "a union",
    };
    let help = match (derive, &input.data) {
        ("HclBlock", Data::Enum(_)) => "derive `HclEnum` for a choice of words",
        ("StoredMessage", Data::Enum(_)) => {
            "derive `StoredEnum` for a choice of numbers, or `StoredOneof` for a choice of fields"
        }
        _ => "write a struct with named fields",
    };
    cx.error(&input.ident, format!("`{derive}` cannot be derived for {reason}: {help}"));
    Vec::new()
}

impl<'a> Field<'a> {
    fn new(field: &'a syn::Field) -> Option<Self> {
        let ident = field.ident.as_ref()?;
        Some(Self { ident, name: unraw(ident), ty: &field.ty, attrs: &field.attrs, doc: doc(&field.attrs) })
    }
}

/// Reports type parameters, for derives of types that have a single name in modules.
pub(crate) fn no_generics(cx: &Ctxt, input: &DeriveInput, derive: &str) {
    if !input.generics.params.is_empty() {
        let message =
            format!("`{derive}` cannot be derived for a generic type: write a struct for each concrete type");
        cx.error(&input.generics.params, message);
    }
}

pub(crate) fn unraw(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}

/// Returns the text of the doc comments: the lines without the space after `///`.
pub(crate) fn doc(attrs: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attr in attrs {
        if let Meta::NameValue(meta) = &attr.meta
            && meta.path.is_ident("doc")
            && let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &meta.value
        {
            lines.extend(
                text.value().split('\n').map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned()),
            );
        }
    }
    lines.join("\n").trim().to_owned()
}
