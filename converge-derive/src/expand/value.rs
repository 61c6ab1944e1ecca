//! Implementations of the two value traits, shared by the derives.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::DeriveInput;

/// Returns the implementation of `FromValue`.
///
/// The arguments are the patterns for a value and a conversion; `more` contains further items.
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
        impl #impl_generics ::__converge::macro_support::FromValue for #ident #ty_generics #where_clause {
            fn kind() -> ::__converge::macro_support::Kind {
                #kind
            }

            fn from_value(
                #value: ::__converge::macro_support::Value,
                #conversion: &::__converge::macro_support::Conversion,
            ) -> ::core::result::Result<Self, ::std::vec::Vec<::__converge::macro_support::FieldError>> {
                #body
            }

            #more
        }
    }
}

/// Returns the stub of `FromValue` that accompanies errors.
pub(super) fn from_value_stub(input: &DeriveInput) -> TokenStream {
    let (kind, ignored) = (quote!(::__converge::macro_support::Kind::Any), quote!(_));
    let body = quote!(::core::result::Result::Err(::std::vec::Vec::new()));
    from_value(input, &kind, [&ignored, &ignored], &body, None)
}

pub(super) fn to_value(input: &DeriveInput, shape: &TokenStream, body: &TokenStream) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics ::__converge::macro_support::ToValue for #ident #ty_generics #where_clause {
            fn shape() -> ::__converge::macro_support::Shape {
                #shape
            }

            fn to_value(&self) -> ::__converge::macro_support::Value {
                #body
            }
        }
    }
}

pub(super) fn to_plain_value(input: &DeriveInput, body: &TokenStream) -> TokenStream {
    to_value(input, &quote!(::__converge::macro_support::Shape::Plain), body)
}
