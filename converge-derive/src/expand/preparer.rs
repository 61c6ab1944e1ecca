//! Code generation of `#[derive(Preparer)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{DeriveInput, Ident, LitStr, Type};

use super::{fields, local};
use crate::attr::{Reach, ResourceAttrs};
use crate::check::{HclFields, hcl_fields, meta_arguments};
use crate::{ast, error_collector, ty};

pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let ((attrs, fields), errors) = error_collector::collect(|cx| {
        let attrs = ResourceAttrs::read(cx, input);
        ast::no_generics(cx, input, "Preparer");
        let fields = hcl_fields(cx, ast::named_fields(cx, input, "Preparer"), &attrs.sets);
        meta_arguments(cx, &fields.given);
        (attrs, fields)
    });
    match (&attrs.name, &attrs.task) {
        (Some(name), Some(task)) if errors.is_empty() => implementation(input, name, task, &attrs, &fields),
        _ => stub(input, &attrs, &errors),
    }
}

fn implementation(
    input: &DeriveInput,
    name: &LitStr,
    task: &Type,
    attrs: &ResourceAttrs,
    fields: &HclFields<'_>,
) -> TokenStream {
    let ident = &input.ident;
    let doc = ast::doc(&input.attrs);
    let source = local("fields");
    let block = fields::block_kind(&fields.given);
    let (imports, take_fields) = (fields::imports(&fields.given), fields::take_all(fields, &source));
    let registration = attrs.register.then(|| {
        // The span makes the compiler report a missing `Resource` on the type.
        let call =
            quote_spanned!(ident.span()=> ::__converge::macro_support::Registration::for_resource::<#ident>());
        quote!(::__converge::macro_support::inventory::submit! { #call })
    });
    let capabilities = capabilities(attrs);
    let (resource, unsaid) = (resource(ident, attrs), refuse_unlisted_impls(ident, task, attrs));
    let names = fields::names(Some(fields));
    let lock = attrs.lock.as_ref().map(|name| {
        quote! {
            const LOCK: ::core::option::Option<&'static str> = ::core::option::Option::Some(#name);
        }
    });
    let needs = (!attrs.needs.is_empty()).then(|| {
        // The span makes the compiler report a type that threads cannot share.
        let needs = attrs
            .needs
            .iter()
            .map(|ty| quote_spanned!(ty.span()=> ::__converge::macro_support::Need::for_type::<#ty>()));
        quote!(const NEEDS: &'static [::__converge::macro_support::Need] = &[#(#needs),*];)
    });
    let reach = |name: &str, reach: Option<Reach>| {
        let name = quote::format_ident!("{name}");
        let word = quote::format_ident!("{}", if reach? == Reach::Named { "Named" } else { "Anything" });
        let reach = quote!(::__converge::macro_support::Reach);
        Some(
            quote!(const #name: ::core::option::Option<#reach> = ::core::option::Option::Some(#reach::#word);),
        )
    };
    let (reads, changes) = (reach("READS", attrs.reads), reach("CHANGES", attrs.changes));
    let example = attrs.example.as_ref().map(|file| {
        // The span makes the compiler report a missing file on its name.
        let text = quote_spanned!(file.span()=> ::core::include_str!(#file));
        quote!(const EXAMPLE: &'static str = #text;)
    });
    quote! {
        #[automatically_derived]
        impl ::__converge::Preparer for #ident {
            const NAME: &'static str = #name;
            type Task = #task;
            const DOC: &'static str = #doc;
            #lock
            #needs
            #example
            #reads
            #changes
            #names

            fn block() -> ::__converge::macro_support::BlockKind {
                #block
            }

            fn from_fields(
                mut #source: ::__converge::macro_support::Fields<'_>,
            ) -> ::core::result::Result<Self, ::std::vec::Vec<::__converge::macro_support::FieldError>> {
                #imports
                ::__converge::macro_support::Fields::check_shape(&mut #source);
                #take_fields
            }

            #capabilities
        }

        #resource

        #unsaid

        #registration
    }
}

/// Returns the optional abilities of the resource and its task.
///
/// If an ability is not implemented, the compiler reports that on its word.
fn capabilities(attrs: &ResourceAttrs) -> TokenStream {
    let capability = |function: &str, gives: TokenStream, value: TokenStream| {
        let function = quote::format_ident!("{function}");
        quote! {
            fn #function() -> ::core::option::Option<::__converge::macro_support::#gives> {
                ::core::option::Option::Some(#value)
            }
        }
    };
    let validator = attrs.validate.as_ref().map(|word| {
        let validate = quote_spanned!(word.span()=> <Self as ::__converge::Validate>::validate);
        capability("validator", quote!(Validator<Self>), validate)
    });
    let footprinter = attrs.footprint.as_ref().map(|word| {
        let footprint = quote_spanned!(word.span()=> <Self as ::__converge::HasFootprint>::footprint);
        capability("footprinter", quote!(Footprinter<Self>), footprint)
    });
    let refresher = attrs.refresh.as_ref().map(|word| {
        let refresher = quote_spanned!(word.span()=> ::__converge::macro_support::Refresher::for_task());
        capability("refresher", quote!(Refresher<Self::Task>), refresher)
    });
    let batcher = attrs.batch.as_ref().map(|word| {
        let batcher = quote_spanned!(word.span()=> ::__converge::macro_support::Batcher::for_task());
        capability("batcher", quote!(Batcher<Self::Task>), batcher)
    });
    quote!(#validator #footprinter #refresher #batcher)
}

/// Refuses implementations of abilities that `#[preparer(..)]` does not mention.
///
/// Nothing would call them.
fn refuse_unlisted_impls(ident: &Ident, task: &Type, attrs: &ResourceAttrs) -> TokenStream {
    // `Self` is not available outside an impl.
    let task = if ty::is_self(task, ident) { quote!(#ident) } else { quote!(#task) };
    let checks = [
        (&attrs.validate, "Validates", quote!(#ident), ("Validate", "validate")),
        (&attrs.footprint, "Footprints", quote!(#ident), ("HasFootprint", "footprint")),
        (&attrs.refresh, "Refreshes", task.clone(), ("Refresh", "refresh")),
        (&attrs.batch, "Batches", task, ("Batch", "batch")),
    ];
    let checks = checks.into_iter().filter(|(word, ..)| word.is_none()).map(|(_, probe, ty, (name, word))| {
        let probe = quote::format_ident!("{probe}");
        let ty_name = ty.to_string().replace(' ', "");
        let message = format!(
            "`{ty_name}` implements `{name}`, which nothing calls: write `{word}` in `#[preparer(..)]` of `{ident}`"
        );
        let span = ident.span();
        // Each check is separate, so that all errors are reported.
        quote_spanned! {span=>
            const _: () = {
                #[allow(unused_imports)]
                use ::__converge::macro_support::SaysNothing as _;
                ::core::assert!(!::__converge::macro_support::#probe::<#ty>::IS, #message);
            };
        }
    });
    quote!(#(#checks)*)
}

/// Returns the marker that makes a resource its own task, so that the author needs no `prepare`.
///
/// The implementation of `Resource` for the marker is in `converge-core`. If the author also implements
/// `Resource`, the error then names the missing word.
fn resource(ident: &Ident, attrs: &ResourceAttrs) -> Option<TokenStream> {
    let task = attrs.task.as_ref().filter(|task| attrs.prepare.is_none() && ty::is_self(task, ident))?;
    Some(quote_spanned! {task.span()=>
        #[automatically_derived]
        impl ::__converge::macro_support::TaskIsSelfAndTheWordPrepareIsMissing for #ident {}
    })
}

fn stub(input: &DeriveInput, attrs: &ResourceAttrs, errors: &[syn::Error]) -> TokenStream {
    let (ident, task) = (&input.ident, attrs.task.as_ref());
    let resource = resource(ident, attrs).filter(|_| input.generics.params.is_empty());
    let names = fields::names(None);
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    // A borrowing resource has its error already and should not get another one.
    let is_static =
        if where_clause.is_some() { quote!(, Self: 'static) } else { quote!(where Self: 'static) };
    let borrows = input.generics.lifetimes().next().map(|_| is_static);
    // Without a task, the type that the author's `prepare` returns cannot be named here. An error inside the
    // type keeps the compiler from comparing it with others.
    let (in_place, apart) = match (task, errors.split_first()) {
        (None, Some((first, rest))) => {
            let first = first.to_compile_error();
            (quote!([(); { #first }]), rest)
        }
        (task, _) => (quote!(#task), errors),
    };
    let errors = error_collector::compile_errors(apart);
    quote! {
        #errors

        #[automatically_derived]
        impl #impl_generics ::__converge::Preparer for #ident #ty_generics #where_clause #borrows {
            const NAME: &'static str = "";
            type Task = #in_place;
            const DOC: &'static str = "";
            #names

            fn block() -> ::__converge::macro_support::BlockKind {
                ::__converge::macro_support::BlockKind {
                    fields: ::std::vec::Vec::new(),
                    rules: ::std::vec::Vec::new(),
                }
            }

            fn from_fields(
                _: ::__converge::macro_support::Fields<'_>,
            ) -> ::core::result::Result<Self, ::std::vec::Vec<::__converge::macro_support::FieldError>> {
                ::core::result::Result::Err(::std::vec::Vec::new())
            }
        }

        #resource
    }
}
