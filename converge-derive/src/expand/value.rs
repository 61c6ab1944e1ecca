//! Implementations of the two value traits, shared by the derives.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::DeriveInput;

/// Returns the implementation of `FromValue`.
///
/// The arguments are the patterns for a value and a conversion; `more` contains further functions.
pub(super) fn from_value(
    input: &DeriveInput,
    kind: &TokenStream,
    [value, conversion]: [&dyn ToTokens; 2],
    body: &TokenStream,
    more: Option<&TokenStream>,
) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics ::converge_core::macro_support::FromValue for #ident #ty_generics #where_clause {
            fn kind() -> ::converge_core::macro_support::Kind {
                #kind
            }

            fn from_value(
                #value: ::converge_core::macro_support::Value,
                #conversion: &::converge_core::macro_support::Conversion,
            ) -> ::core::result::Result<Self, ::std::vec::Vec<::converge_core::macro_support::FieldError>> {
                #body
            }

            #more
        }
    }
}

/// Returns the stub of `FromValue` that accompanies errors.
pub(super) fn from_value_stub(input: &DeriveInput) -> TokenStream {
    let (kind, ignored) = (quote!(::converge_core::macro_support::Kind::Any), quote!(_));
    let body = quote!(::core::result::Result::Err(::std::vec::Vec::new()));
    from_value(input, &kind, [&ignored, &ignored], &body, None)
}

pub(super) fn to_value(input: &DeriveInput, shape: &TokenStream, body: &TokenStream) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics ::converge_core::macro_support::ToValue for #ident #ty_generics #where_clause {
            fn shape() -> ::converge_core::macro_support::Shape {
                #shape
            }

            fn to_value(&self) -> ::converge_core::macro_support::Value {
                #body
            }
        }
    }
}

pub(super) fn to_plain_value(input: &DeriveInput, body: &TokenStream) -> TokenStream {
    to_value(input, &quote!(::converge_core::macro_support::Shape::Plain), body)
}
