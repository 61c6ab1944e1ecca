//! Code generation of `#[derive(HclBlock)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::DeriveInput;

use super::value::{from_value, from_value_stub};
use super::{fields, local};
use crate::attr::FieldSet;
use crate::check::{HclFields, hcl_fields};
use crate::error_collector::Ctxt;
use crate::{ast, error_collector, ty};

pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let (fields, errors) = error_collector::collect(|cx| {
        let sets = FieldSet::read_block(cx, input);
        ast::no_generics(cx, input, "HclBlock");
        let fields = ast::named_fields(cx, input, "HclBlock");
        not_inside_itself(cx, input, &fields);
        hcl_fields(cx, fields, &sets)
    });
    let implementation = if errors.is_empty() { implementation(input, &fields) } else { stub(input) };
    let errors = error_collector::compile_errors(&errors);
    quote!(#errors #implementation)
}

fn implementation(input: &DeriveInput, fields: &HclFields<'_>) -> TokenStream {
    let (value, ignored, block) = (local("value"), quote!(_), local("BLOCK"));
    let kind = quote! {
        ::__converge::macro_support::Kind::Block(::std::boxed::Box::new(::core::clone::Clone::clone(
            <Self as ::__converge::macro_support::Block>::block(),
        )))
    };
    let read = quote!(::__converge::macro_support::block::<Self>(#value));
    let (depth, ident) = (depth(fields), &input.ident);
    let from_value = from_value(input, &kind, [&value, &ignored], &read, Some(&depth));
    let description = fields::block_kind(&fields.given);
    let description = quote! {
        static #block: ::std::sync::OnceLock<::__converge::macro_support::BlockKind> =
            ::std::sync::OnceLock::new();
        ::std::sync::OnceLock::get_or_init(&#block, || #description)
    };
    let (imports, locals) = (fields::imports(&fields.given), [local("fields"), local("at")]);
    let take_fields = fields::take_block(fields, locals.each_ref());
    let body = quote!(#imports #take_fields);
    let block = implement_block(
        input,
        &fields::names(Some(fields)),
        &description,
        locals.each_ref().map(|name| name as &dyn ToTokens),
        &body,
    );
    // The compiler evaluates the constant only if something uses it.
    let depth = quote!(const _: usize = <#ident as ::__converge::macro_support::FromValue>::BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER;);
    quote!(#from_value #block #depth)
}

/// Returns the constant for the nesting depth of blocks.
///
/// The constant cannot be evaluated if blocks contain each other.
fn depth(fields: &HclFields<'_>) -> TokenStream {
    let types = fields.given.iter().map(|field| field.field.ty);
    quote! {
        const BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER: usize = {
            #[allow(unused_imports)]
            use ::__converge::macro_support::NoBlocks as _;
            ::__converge::macro_support::deeper(&[#(::__converge::macro_support::BlocksIn::<#types>::DEPTH),*])
        };
    }
}

/// Returns implementations without content that accompany errors.
fn stub(input: &DeriveInput) -> TokenStream {
    let (from_value, block) = (from_value_stub(input), local("BLOCK"));
    let description = quote! {
        static #block: ::__converge::macro_support::BlockKind = ::__converge::macro_support::BlockKind {
            fields: ::std::vec::Vec::new(),
            rules: ::std::vec::Vec::new(),
        };
        &#block
    };
    let ignored = quote!(_);
    let block = implement_block(
        input,
        &fields::names(None),
        &description,
        [&ignored, &ignored],
        &quote!(::core::option::Option::None),
    );
    quote!(#from_value #block)
}

/// Returns the implementation of `Block`; the names are the parameters of its function.
fn implement_block(
    input: &DeriveInput,
    names: &TokenStream,
    description: &TokenStream,
    [source, at]: [&dyn ToTokens; 2],
    take: &TokenStream,
) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics ::__converge::macro_support::Block for #ident #ty_generics #where_clause {
            #names

            fn block() -> &'static ::__converge::macro_support::BlockKind {
                #description
            }

            fn take(
                #source: &mut ::__converge::macro_support::Fields<'_>,
                #at: &mut usize,
            ) -> ::core::option::Option<Self> {
                #take
            }
        }
    }
}

/// Reports a block that contains itself, because its description would be infinite.
fn not_inside_itself(cx: &Ctxt, input: &DeriveInput, fields: &[ast::Field<'_>]) {
    for field in fields.iter().filter(|field| ty::mentions(field.ty, &input.ident)) {
        cx.error(field.ty, "a block cannot contain itself: write a second struct for the inner block");
    }
}
