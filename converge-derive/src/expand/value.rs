//! How the derives of values implement the two traits of values.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::DeriveInput;

/// `FromValue`; the arguments are the patterns that its function takes a value and a conversion by. `more` are further functions.
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

/// What stands for `FromValue` beside errors.
pub(super) fn from_value_stub(input: &DeriveInput) -> TokenStream {
    let (kind, ignored) = (quote!(::converge_core::macro_support::Kind::Any), quote!(_));
    let body = quote!(::core::result::Result::Err(::std::vec::Vec::new()));
    from_value(input, &kind, [&ignored, &ignored], &body, None)
}

/// `ToValue`.
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

/// `ToValue` of a type whose values have no parts.
pub(super) fn to_plain_value(input: &DeriveInput, body: &TokenStream) -> TokenStream {
    to_value(input, &quote!(::converge_core::macro_support::Shape::Plain), body)
}
