//! Code generation of `#[derive(Export)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, LitStr, Type};

use super::local;
use super::value::to_value;
use crate::attr::{ExportAttrs, ExportKind, misplaced, names::EXPORT};
use crate::check::{Names, documented, identifier};
use crate::error_collector::Ctxt;
use crate::{ast, error_collector, ty};

struct Exported<'a> {
    field: ast::Field<'a>,
    kind: ExportKind,
    name: String,
    computed: bool,
}

pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let (exported, errors) = error_collector::collect(|cx| {
        misplaced(cx, &input.attrs, &EXPORT);
        let fields = ast::named_fields(cx, input, "Export");
        exported(cx, fields)
    });
    let (fields, exports) = (local("fields"), local("exports"));
    let errors_or_none = error_collector::compile_errors(&errors);
    // Embedded exports come last, because the names of the struct itself take precedence.
    let in_order: Vec<_> = if errors.is_empty() {
        let (embedded, direct_exports): (Vec<_>, Vec<_>) =
            exported.iter().partition(|exported| exported.kind == ExportKind::Embed);
        direct_exports.into_iter().chain(embedded).collect()
    } else {
        Vec::new()
    };
    let describe = in_order.iter().map(|exported| exported.describe(&fields));
    let statements = in_order.iter().map(|exported| exported.give(&exports));
    let binding = |name: &proc_macro2::Ident, new: TokenStream, body: Vec<TokenStream>| {
        if body.is_empty() { new } else { quote!(let mut #name = #new; #(#body)* #name) }
    };
    let describe = binding(&fields, quote!(::std::vec::Vec::new()), describe.collect());
    let give_body =
        binding(&exports, quote!(::__converge::macro_support::Exports::new()), statements.collect());
    let shape = quote! {
        ::__converge::macro_support::Shape::Struct(<Self as ::__converge::Export>::export_fields())
    };
    let to_value = to_value(input, &shape, &quote!(::__converge::Export::export_value(self)));
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #errors_or_none

        #[automatically_derived]
        impl #impl_generics ::__converge::Export for #ident #ty_generics #where_clause {
            fn export_fields() -> ::std::vec::Vec<::__converge::macro_support::ExportField> {
                #describe
            }

            fn exports(&self) -> ::__converge::macro_support::Exports {
                #give_body
            }
        }

        #to_value
    }
}

fn exported<'a>(cx: &Ctxt, fields: Vec<ast::Field<'a>>) -> Vec<Exported<'a>> {
    let mut names = Names::new("export").fold_case();
    let mut exported = Vec::new();
    for field in fields {
        let Some(attrs) = ExportAttrs::read(cx, &field) else { continue };
        // Embedded exports have their own documentation.
        if attrs.kind != ExportKind::Embed {
            documented(cx, &field, "export");
        }
        if ty::has_trait_object(field.ty) {
            let message = "a trait object is not exported, as nothing says what its exports are: remove the \
                           attribute, or give the field a type that derives `Export`";
            cx.error(field.ty, message);
        }
        let name = attrs.name.as_ref().map_or_else(|| field.name.clone(), LitStr::value);
        if attrs.kind != ExportKind::Embed {
            match &attrs.name {
                Some(literal) => {
                    identifier(cx, &name, literal);
                    names.take(cx, &name, &field.name, literal);
                }
                None => names.take(cx, &name, &field.name, field.ident),
            }
        }
        exported.push(Exported { kind: attrs.kind, name, computed: attrs.computed.is_some(), field });
    }
    exported
}

impl Exported<'_> {
    fn describe(&self, fields: &proc_macro2::Ident) -> TokenStream {
        let (name, doc, ty) = (&self.name, &self.field.doc, self.field.ty);
        let export_fields = quote_spanned!(ty.span()=> <#ty as ::__converge::Export>::export_fields);
        let shape = match self.kind {
            ExportKind::Value => {
                let shape = quote_spanned!(ty.span()=> <#ty as ::__converge::macro_support::ToValue>::shape);
                quote!(#shape())
            }
            ExportKind::ReExport => quote!(::__converge::macro_support::Shape::Struct(#export_fields())),
            ExportKind::Embed => {
                let (name, computed) = (type_name(ty), self.computed);
                return quote! {
                    ::__converge::macro_support::embed_fields(&mut #fields, #name, #export_fields(), #computed);
                };
            }
        };
        let computed = self.computed.then(|| quote!(.into_computed()));
        quote! {
            #fields.push(::__converge::macro_support::ExportField::new(#name, #doc, #shape) #computed);
        }
    }

    fn give(&self, exports: &proc_macro2::Ident) -> TokenStream {
        let (name, ty, ident) = (&self.name, self.field.ty, self.field.ident);
        match self.kind {
            ExportKind::Value => {
                let to_value =
                    quote_spanned!(ty.span()=> <#ty as ::__converge::macro_support::ToValue>::to_value);
                quote!(#exports.insert(#name, #to_value(&self.#ident));)
            }
            ExportKind::ReExport => {
                let value = quote_spanned!(ty.span()=> <#ty as ::__converge::Export>::export_value);
                quote!(#exports.insert(#name, #value(&self.#ident));)
            }
            ExportKind::Embed => {
                let inner = quote_spanned!(ty.span()=> <#ty as ::__converge::Export>::exports);
                let name = type_name(ty);
                quote!(#exports.embed(#name, #inner(&self.#ident));)
            }
        }
    }
}

/// Returns the name under which an embedded struct is reachable if one of its names is taken.
fn type_name(ty: &Type) -> String {
    ty::last_segment(ty::unwrap(ty, &["Option", "Box", "Arc"])).map_or_else(String::new, |(name, _)| name)
}
