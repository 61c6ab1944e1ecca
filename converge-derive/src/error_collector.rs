//! A collector of the errors in a definition, so that all of them are reported together.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// A collector of errors.
///
/// Only [`collect`] creates one and always returns the errors, so they cannot be lost.
pub(crate) struct Ctxt {
    errors: RefCell<Vec<syn::Error>>,
}

impl Ctxt {
    /// Reports an error on the whole range of `tokens`.
    pub(crate) fn error(&self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn count(&self) -> usize {
        self.errors.borrow().len()
    }

    pub(crate) fn push(&self, error: syn::Error) {
        self.errors.borrow_mut().push(error);
    }
}

/// Runs `work` and returns its result with the reported errors.
pub(crate) fn collect<T>(work: impl FnOnce(&Ctxt) -> T) -> (T, Vec<syn::Error>) {
    let cx = Ctxt { errors: RefCell::new(Vec::new()) };
    let result = work(&cx);
    (result, cx.errors.into_inner())
}

/// Returns the tokens that make the compiler show the errors.
pub(crate) fn compile_errors(errors: &[syn::Error]) -> TokenStream {
    errors.iter().map(syn::Error::to_compile_error).collect()
}
