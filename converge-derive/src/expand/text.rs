//! `#[derive(HclText)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::DeriveInput;

use super::local;
use super::value::{from_value, from_value_stub, to_plain_value};
use crate::{ast, ctxt};

pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let ((), errors) = ctxt::collect(|cx| {
        ast::no_generics(cx, input, "HclText");
        for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("hcl")) {
            cx.error(attr, "`HclText` has no attributes: what a text may be is for `FromStr` to say");
        }
    });
    let (from_value, to_value) = if errors.is_empty() {
        let (ident, value, conversion) = (&input.ident, local("value"), local("conversion"));
        let kind = quote!(::converge_core::macro_support::Kind::String);
        // What the type lacks is said on its name.
        let read = quote_spanned!(ident.span()=> ::converge_core::macro_support::read_text::<Self>(#value, #conversion));
        let write = quote_spanned!(ident.span()=> ::converge_core::macro_support::write_text::<Self>(self));
        (from_value(input, &kind, [&value, &conversion], &read), to_plain_value(input, &write))
    } else {
        let null = quote!(::converge_core::macro_support::Value::Null);
        (from_value_stub(input), to_plain_value(input, &null))
    };
    let errors = ctxt::compile_errors(&errors);
    quote! {
        #errors

        #from_value

        #to_value
    }
}
