//! `#[derive(HclBlock)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use super::value::{from_value, from_value_stub};
use super::{fields, local};
use crate::attr::{misplaced, names::HCL_FIELD};
use crate::check::hcl_fields;
use crate::ctxt::Ctxt;
use crate::{ast, ctxt, ty};

pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let (fields, errors) = ctxt::collect(|cx| {
        misplaced(cx, &input.attrs, &HCL_FIELD);
        ast::no_generics(cx, input, "HclBlock");
        let fields = ast::named_fields(cx, input, "HclBlock");
        not_inside_itself(cx, input, &fields);
        hcl_fields(cx, fields)
    });
    let from_value = if errors.is_empty() {
        let (source, value, ignored) = (local("fields"), local("value"), quote!(_));
        let (block, imports) = (fields::block_kind(&fields), fields::imports());
        let take = fields::take(&fields, &source);
        let kind = quote!(::converge_core::macro_support::Kind::Block(::std::boxed::Box::new(#block)));
        let body = quote! {
            #imports
            ::converge_core::macro_support::block(#value, |mut #source| { #take })
        };
        from_value(input, &kind, [&value, &ignored], &body)
    } else {
        from_value_stub(input)
    };
    let errors = ctxt::compile_errors(&errors);
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #errors

        #from_value

        #[automatically_derived]
        impl #impl_generics ::converge_core::macro_support::Block for #ident #ty_generics #where_clause {}
    }
}

/// The description of a block holds that of the blocks inside it, so it would have no end.
fn not_inside_itself(cx: &Ctxt, input: &DeriveInput, fields: &[ast::Field<'_>]) {
    for field in fields.iter().filter(|field| ty::mentions(field.ty, &input.ident)) {
        cx.error(field.ty, "a block cannot contain itself: write a second struct for the inner block");
    }
}
