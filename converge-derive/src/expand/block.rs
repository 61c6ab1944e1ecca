//! `#[derive(HclBlock)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use super::{fields, local};
use crate::attr::{misplaced, names::HCL_FIELD};
use crate::check::hcl_fields;
use crate::ctxt::Ctxt;
use crate::{ast, ctxt, ty};

/// The implementation, or the errors with a stub.
pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let (fields, errors) = ctxt::collect(|cx| {
        misplaced(cx, &input.attrs, &HCL_FIELD);
        ast::no_generics(cx, input, "HclBlock");
        let fields = ast::named_fields(cx, input, "HclBlock");
        not_inside_itself(cx, input, &fields);
        hcl_fields(cx, fields)
    });
    let source = local("fields");
    let (kind, body) = if errors.is_empty() {
        let block = fields::block_kind(&fields);
        let take = fields::take(&fields, &source);
        let kind = quote!(::converge_core::schema::Kind::Block(::std::boxed::Box::new(#block)));
        let (imports, value) = (fields::imports(), local("value"));
        let body = quote! {
            fn from_value(
                #value: ::converge_core::Value,
                _: &::converge_core::value::Conversion,
            ) -> ::core::result::Result<Self, ::std::vec::Vec<::converge_core::value::FieldError>> {
                #imports
                ::converge_core::__private::block(#value, |mut #source| { #take })
            }
        };
        (kind, body)
    } else {
        let body = quote! {
            fn from_value(
                _: ::converge_core::Value,
                _: &::converge_core::value::Conversion,
            ) -> ::core::result::Result<Self, ::std::vec::Vec<::converge_core::value::FieldError>> {
                ::core::result::Result::Err(::std::vec::Vec::new())
            }
        };
        (quote!(::converge_core::schema::Kind::Any), body)
    };
    let errors = ctxt::compile_errors(&errors);
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #errors

        #[automatically_derived]
        impl #impl_generics ::converge_core::FromValue for #ident #ty_generics #where_clause {
            fn kind() -> ::converge_core::schema::Kind {
                #kind
            }

            #body
        }

        #[automatically_derived]
        impl #impl_generics ::converge_core::__private::Block for #ident #ty_generics #where_clause {}
    }
}

/// The description of a block holds that of the blocks inside it, so it would have no end.
fn not_inside_itself(cx: &Ctxt, input: &DeriveInput, fields: &[ast::Field<'_>]) {
    for field in fields.iter().filter(|field| ty::mentions(field.ty, &input.ident)) {
        cx.error(field.ty, "a block cannot contain itself: write a second struct for the inner block");
    }
}
