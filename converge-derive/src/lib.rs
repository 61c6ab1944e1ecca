//! Derive macros of the Converge SDK.
use proc_macro::TokenStream;

/// Preparer.
#[proc_macro_derive(Preparer, attributes(preparer, hcl))]
pub fn preparer(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}
/// Export.
#[proc_macro_derive(Export, attributes(export, re_export_as))]
pub fn export(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}
/// HclBlock.
#[proc_macro_derive(HclBlock, attributes(hcl))]
pub fn hcl_block(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}
/// HclEnum.
#[proc_macro_derive(HclEnum, attributes(hcl))]
pub fn hcl_enum(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}
