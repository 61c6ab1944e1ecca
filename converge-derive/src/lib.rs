//! Derive macros of the Converge SDK.
//!
//! Use them through `converge-core` and `converge-controller`, which re-export them beside the traits that
//! they implement.
//!
//! A definition passes through four steps: `ast` (parsing), `attr` (attributes), `check` (combinations that
//! are not allowed) and `expand` (code generation). `ctxt` collects the errors of all steps. The derives of
//! stored types are in the folder `stored`.
//!
//! The pages of the derives have examples. The crate `usage` runs them, because it has the needed
//! dependencies; the tests of this crate skip them.

mod ast;
mod attr;
mod check;
mod error_collector;
mod expand;
mod stored_types;
mod ty;

use proc_macro::TokenStream;
use proc_macro2::{Group, Ident, TokenTree};

#[cfg_attr(not(doctest), doc = include_str!("../docs/preparer.md"))]
#[proc_macro_derive(Preparer, attributes(preparer, hcl))]
pub fn preparer(input: TokenStream) -> TokenStream {
    derive_for("converge_core", input, expand::preparer::expand)
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/preparer.md"))]
#[proc_macro_derive(SdkPreparer, attributes(preparer, hcl))]
pub fn sdk_preparer(input: TokenStream) -> TokenStream {
    derive_for("converge_sdk", input, expand::preparer::expand)
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/export.md"))]
#[proc_macro_derive(Export, attributes(export, re_export_as))]
pub fn export(input: TokenStream) -> TokenStream {
    derive_for("converge_core", input, expand::export::expand)
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/export.md"))]
#[proc_macro_derive(SdkExport, attributes(export, re_export_as))]
pub fn sdk_export(input: TokenStream) -> TokenStream {
    derive_for("converge_sdk", input, expand::export::expand)
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/block.md"))]
#[proc_macro_derive(HclBlock, attributes(hcl))]
pub fn hcl_block(input: TokenStream) -> TokenStream {
    derive_for("converge_core", input, expand::block::expand)
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/block.md"))]
#[proc_macro_derive(SdkHclBlock, attributes(hcl))]
pub fn sdk_hcl_block(input: TokenStream) -> TokenStream {
    derive_for("converge_sdk", input, expand::block::expand)
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/enum.md"))]
#[proc_macro_derive(HclEnum, attributes(hcl))]
pub fn hcl_enum(input: TokenStream) -> TokenStream {
    derive_for("converge_core", input, expand::enums::expand)
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/enum.md"))]
#[proc_macro_derive(SdkHclEnum, attributes(hcl))]
pub fn sdk_hcl_enum(input: TokenStream) -> TokenStream {
    derive_for("converge_sdk", input, expand::enums::expand)
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/text.md"))]
#[proc_macro_derive(HclText, attributes(hcl))]
pub fn hcl_text(input: TokenStream) -> TokenStream {
    derive_for("converge_core", input, expand::text::expand)
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/text.md"))]
#[proc_macro_derive(SdkHclText, attributes(hcl))]
pub fn sdk_hcl_text(input: TokenStream) -> TokenStream {
    derive_for("converge_sdk", input, expand::text::expand)
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/stored_resource.md"))]
#[proc_macro_derive(StoredResource, attributes(stored))]
pub fn stored_resource(input: TokenStream) -> TokenStream {
    derive(input, stored_types::expand_resource)
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/stored_message.md"))]
#[proc_macro_derive(StoredMessage, attributes(stored))]
pub fn stored_message(input: TokenStream) -> TokenStream {
    derive(input, stored_types::expand_message)
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/stored_enum.md"))]
#[proc_macro_derive(StoredEnum, attributes(stored))]
pub fn stored_enum(input: TokenStream) -> TokenStream {
    derive(input, stored_types::expand_enum)
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/stored_oneof.md"))]
#[proc_macro_derive(StoredOneof, attributes(stored))]
pub fn stored_oneof(input: TokenStream) -> TokenStream {
    derive(input, stored_types::expand_oneof)
}

/// Derives code whose paths lead to the crate `facade`, the one that the user has.
fn derive_for(
    facade: &str,
    input: TokenStream,
    expand: fn(&syn::DeriveInput) -> proc_macro2::TokenStream,
) -> TokenStream {
    fn set_facade(facade: &str, tokens: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
        let set = |tree| match tree {
            TokenTree::Ident(ident) if ident == "__converge" => Ident::new(facade, ident.span()).into(),
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), set_facade(facade, group.stream()));
                inner.set_span(group.span());
                inner.into()
            }
            other => other,
        };
        tokens.into_iter().map(set).collect()
    }
    match syn::parse(input) {
        Ok(input) => set_facade(facade, expand(&input)).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

fn derive(input: TokenStream, expand: fn(&syn::DeriveInput) -> proc_macro2::TokenStream) -> TokenStream {
    match syn::parse(input) {
        Ok(input) => expand(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}
