//! `#[derive(HclText)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::DeriveInput;

use super::local;
use crate::{ast, ctxt};

/// The implementation, or the errors with a stub.
pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let ((), errors) = ctxt::collect(|cx| {
        ast::no_generics(cx, input, "HclText");
        for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("hcl")) {
            cx.error(attr, "`HclText` has no attributes: what a text may be is for `FromStr` to say");
        }
    });
    let (ident, value, conversion) = (&input.ident, local("value"), local("conversion"));
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let (read, write) = if errors.is_empty() {
        // What the type lacks is said on its name.
        (
            quote_spanned!(ident.span()=> ::converge_core::__private::read_text::<Self>(#value, #conversion)),
            quote_spanned!(ident.span()=> ::converge_core::__private::write_text::<Self>(self)),
        )
    } else {
        let read = quote! {{
            let _ = (#value, #conversion);
            ::core::result::Result::Err(::std::vec::Vec::new())
        }};
        (read, quote!(::converge_core::Value::Null))
    };
    let errors = ctxt::compile_errors(&errors);
    quote! {
        #errors

        #[automatically_derived]
        impl #impl_generics ::converge_core::FromValue for #ident #ty_generics #where_clause {
            fn kind() -> ::converge_core::schema::Kind {
                ::converge_core::schema::Kind::String
            }

            fn from_value(
                #value: ::converge_core::Value,
                #conversion: &::converge_core::value::Conversion,
            ) -> ::core::result::Result<Self, ::std::vec::Vec<::converge_core::value::FieldError>> {
                #read
            }
        }

        #[automatically_derived]
        impl #impl_generics ::converge_core::ToValue for #ident #ty_generics #where_clause {
            fn shape() -> ::converge_core::schema::Shape {
                ::converge_core::schema::Shape::Plain
            }

            fn to_value(&self) -> ::converge_core::Value {
                #write
            }
        }
    }
}
