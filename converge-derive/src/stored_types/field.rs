//! Code generation for a field of a message.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use super::names::json;
use super::numbers::Number;
use super::reserved::Reserved;
use super::types::spelled;

pub(super) struct Field<'a> {
    pub(super) ident: &'a Ident,
    pub(super) name: String,
    pub(super) number: Number,
    /// The type of the field; for a oneof, the enum of its fields.
    pub(super) ty: &'a syn::Type,
    pub(super) doc: String,
}

impl Field<'_> {
    /// Returns the path of a method of `Field`.
    ///
    /// Its span makes the compiler report errors on the type.
    fn method(&self, name: &str) -> TokenStream {
        let (ty, name) = (self.ty, Ident::new(name, self.ty.span()));
        if self.number.is_oneof() {
            quote_spanned!(ty.span()=> <#ty as ::converge_controller::StoredOneof>::#name)
        } else {
            quote_spanned!(ty.span()=> <#ty as ::converge_controller::protobuf::Field>::#name)
        }
    }

    pub(super) fn encode(&self, number: u32) -> TokenStream {
        let ident = self.ident;
        if self.number.is_oneof() {
            let encode = self.method("encode_in_order");
            return quote!(#encode(self.#ident.as_ref(), #number, __buf));
        }
        let encode = self.method("encode");
        quote!(#encode(&self.#ident, #number, __buf))
    }

    pub(super) fn encoded_len(&self) -> TokenStream {
        let ident = self.ident;
        match &self.number {
            Number::One(number) => {
                let len = self.method("encoded_len");
                quote!(#len(&self.#ident, #number))
            }
            Number::Oneof(_) => {
                let len = self.method("len");
                quote!(#len(self.#ident.as_ref()))
            }
        }
    }

    /// Returns the match arm that decodes the field by its number.
    pub(super) fn merge(&self) -> TokenStream {
        let (ident, name, merge) = (self.ident, &self.name, self.method("merge"));
        match &self.number {
            Number::One(number) => quote! {
                #number => ::core::result::Result::map_err(
                    #merge(&mut self.#ident, __wire_type, __buf, __context),
                    |__error| ::converge_controller::macro_support::within(&__error, #name),
                )
            },
            Number::Oneof(numbers) => quote! {
                #(#numbers)|* => #merge(&mut self.#ident, __tag, __wire_type, __buf, __context)
            },
        }
    }

    fn descriptor(&self) -> TokenStream {
        let (Self { name, doc, .. }, shape, number) = (self, self.method("shape"), self.number.all());
        quote! {
            ::converge_controller::protobuf::FieldDescriptor {
                name: #name,
                number: #(#number)*,
                doc: #doc,
                shape: #shape(),
                oneof: ::core::option::Option::None,
            }
        }
    }

    pub(super) fn clear(&self) -> TokenStream {
        let ident = self.ident;
        if self.number.is_oneof() {
            return quote!(self.#ident = ::core::option::Option::None);
        }
        let clear = self.method("clear");
        quote!(#clear(&mut self.#ident))
    }
}

pub(super) fn descriptors(fields: &[Field<'_>]) -> TokenStream {
    let is_oneof = |field: &Field<'_>| field.number.is_oneof();
    let lists = fields.chunk_by(|one, next| !is_oneof(one) && !is_oneof(next)).map(|together| {
        if let [field @ Field { name, number: Number::Oneof(_), .. }] = together {
            let fields_of = field.method("fields_of");
            return quote!(#fields_of(#name));
        }
        let fields = together.iter().map(Field::descriptor);
        quote!(::std::vec::Vec::from([#(#fields),*]))
    });
    let lists: Vec<_> = lists.collect();
    match lists.as_slice() {
        [] => quote!(::std::vec::Vec::new()),
        [only] => only.clone(),
        lists => quote!([#(#lists),*].concat()),
    }
}

/// Returns compile-time assertions about the enums of oneofs, which the derive cannot see.
///
/// The numbers must equal those in the attribute, and no name may be taken.
pub(super) fn check_oneofs(fields: &[Field<'_>], reserved: &Reserved) -> TokenStream {
    let is_oneof = |field: &&Field<'_>| field.number.is_oneof();
    let names: Vec<_> = fields.iter().map(|field| json(&field.name)).collect();
    let reserved: Vec<_> = reserved.names.iter().map(|name| json(name)).collect();
    let mut checks = TokenStream::new();
    let oneofs: Vec<_> = fields.iter().filter(is_oneof).collect();
    for (index, field) in oneofs.iter().enumerate() {
        let (ty, numbers, spelled) = (field.ty, field.number.all(), spelled(field.ty));
        let assert = |holds: TokenStream, message: String| {
            quote_spanned! {ty.span()=>
                const _: () = ::core::assert!(::converge_controller::macro_support::#holds, #message);
            }
        };
        let oneof = quote_spanned!(ty.span()=> <#ty as ::converge_controller::StoredOneof>);
        checks.extend(assert(
            quote!(same_numbers(#oneof::NUMBERS, &[#(#numbers),*])),
            format!(
                "the variants of `{spelled}` have other numbers: write those of all of them in `oneof(..)`"
            ),
        ));
        checks.extend(assert(
            quote!(names_differ(#oneof::JSON_NAMES, &[#(#names),*])),
            format!("in JSON, a variant of `{spelled}` would be called as a field of the message: rename one of them"),
        ));
        checks.extend(assert(
            quote!(names_differ(#oneof::JSON_NAMES, &[#(#reserved),*])),
            format!("the name of a variant of `{spelled}` is reserved: a removed name cannot be used again"),
        ));
        for other in &oneofs[..index] {
            let other = other.ty;
            checks.extend(assert(
                quote!(names_differ(#oneof::JSON_NAMES, <#other as ::converge_controller::StoredOneof>::JSON_NAMES)),
                format!(
                    "in JSON, a variant of `{spelled}` would be called as one of another oneof: rename one of them"
                ),
            ));
        }
    }
    checks
}
