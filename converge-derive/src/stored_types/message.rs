//! Code generation of `#[derive(StoredMessage)]` and `#[derive(StoredResource)]`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Path};

use super::attrs::{Attrs, MESSAGE, RESOURCE};
use super::field::{self, Field};
use super::names::{FullName, TypeName};
use super::numbers::{self, Number};
use super::reserved::Reserved;
use super::types;
use crate::attr::names::closest;
use crate::error_collector::Ctxt;
use crate::expand::local;
use crate::{ast, error_collector};

struct Message<'a> {
    input: &'a DeriveInput,
    full_name: FullName,
    fields: Vec<Field<'a>>,
    reserved: Reserved,
}

struct Resource {
    name: TypeName,
    scope: Option<Ident>,
    /// The hooks from [`HOOKS`] with the functions of the author.
    hooks: Vec<(String, Path)>,
}

const SCOPES: [(&str, &str); 3] =
    [("cluster", "Cluster"), ("partition", "Partition"), ("namespace", "Namespace")];

/// The hooks: the fields of `TypedHooks`, their function types, and whether these have a parameter.
const HOOKS: [(&str, &str, bool); 5] = [
    ("validate", "Validate", true),
    ("mutate", "Mutate", true),
    ("authorize_read", "AuthorizeRead", true),
    ("authorize_write", "AuthorizeWrite", true),
    ("authorize_list", "AuthorizeList", false),
];

pub(crate) fn expand_message(input: &DeriveInput) -> TokenStream {
    let (message, errors) = error_collector::collect(|cx| {
        let attrs = Attrs::read(cx, &input.attrs, &MESSAGE);
        let full_name = FullName::read(cx, input, &attrs);
        Message::read(cx, input, "StoredMessage", full_name, &attrs)
    });
    let (message, errors) = (message.or_stub(&errors), error_collector::compile_errors(&errors));
    let Some(message) = message else { return errors };
    let (codec, value, stored) = (message.codec(), message.value(), message.stored(None));
    let oneofs = field::check_oneofs(&message.fields, &message.reserved);
    quote!(#errors #codec #value #stored #oneofs)
}

pub(crate) fn expand_resource(input: &DeriveInput) -> TokenStream {
    let ((message, resource), errors) = error_collector::collect(|cx| {
        let attrs = Attrs::read(cx, &input.attrs, &RESOURCE);
        let name = TypeName::read(cx, input, &attrs);
        let message = Message::read(cx, input, "StoredResource", name.full_name(), &attrs);
        let scope = scope(cx, input, &attrs);
        (message, Resource { name, scope, hooks: hooks(cx, &attrs) })
    });
    let resource = if errors.is_empty() { resource } else { Resource::stub() };
    let (message, errors) = (message.or_stub(&errors), error_collector::compile_errors(&errors));
    let Some(message) = message else { return errors };
    let (codec, stored, resource) =
        (message.codec(), message.stored(Some(&resource)), resource.implementation(input));
    let oneofs = field::check_oneofs(&message.fields, &message.reserved);
    quote!(#errors #codec #stored #resource #oneofs)
}

fn scope(cx: &Ctxt, input: &DeriveInput, attrs: &Attrs) -> Option<Ident> {
    attrs.missing(cx, "scope", &input.ident);
    let word = attrs.word(cx, "scope")?;
    let text = word.to_token_stream().to_string();
    if let Some((_, variant)) = SCOPES.iter().find(|(name, _)| *name == text) {
        return Some(Ident::new(variant, word.span()));
    }
    let help = closest(&text, SCOPES.iter().map(|(name, _)| *name)).map_or_else(
        || "write `cluster`, `partition` or `namespace`".to_owned(),
        |name| format!("did you mean `{name}`?"),
    );
    cx.error(&word, format!("`{text}` is not a scope: {help}"));
    None
}

fn hooks(cx: &Ctxt, attrs: &Attrs) -> Vec<(String, Path)> {
    let mut hooks = Vec::new();
    for name in ["validate", "mutate"] {
        hooks.extend(attrs.word(cx, name).map(|path| (name.to_owned(), path)));
    }
    for (name, path) in attrs.paths(cx, "authorize", &["read", "write", "list"]) {
        hooks.push((format!("authorize_{name}"), path));
    }
    hooks
}

impl<'a> Message<'a> {
    fn read(cx: &Ctxt, input: &'a DeriveInput, derive: &str, full_name: FullName, attrs: &Attrs) -> Self {
        ast::no_generics(cx, input, derive);
        let fields = ast::named_fields(cx, input, derive);
        let reserved = Reserved::read(cx, attrs, &numbers::FIELD_NUMBERS);
        let mut read = Vec::new();
        for (field, number) in numbers::read(cx, &fields, &reserved) {
            let ty = match number {
                Some(Number::Oneof(_)) => types::oneof(cx, field.ty),
                Some(Number::One(_)) | None => {
                    types::check(cx, field.ty);
                    Some(field.ty)
                }
            };
            if let (Some(number), Some(ty)) = (number, ty) {
                let (name, doc) = (field.name.clone(), field.doc.clone());
                read.push(Field { ident: field.ident, name, number, ty, doc });
            }
        }
        Self { input, full_name, fields: read, reserved }
    }

    /// After errors, replaces the message by one without fields.
    ///
    /// This prevents further errors of the compiler.
    ///
    /// A generic type has no stub.
    fn or_stub(self, errors: &[syn::Error]) -> Option<Self> {
        if errors.is_empty() {
            return Some(self);
        }
        let is_generic = !self.input.generics.params.is_empty();
        (!is_generic).then(|| Self { fields: Vec::new(), reserved: Reserved::default(), ..self })
    }

    fn implement(&self, implemented: &TokenStream, body: &TokenStream) -> TokenStream {
        let ident = &self.input.ident;
        quote! {
            #[automatically_derived]
            impl #implemented for #ident {
                #body
            }
        }
    }

    /// Returns the implementation of `prost::Message`, with the fields in the order of their numbers.
    fn codec(&self) -> TokenStream {
        let mut numbers: Vec<_> = self
            .fields
            .iter()
            .flat_map(|field| field.number.all().iter().map(move |number| (*number, field)))
            .collect();
        numbers.sort_by_key(|(number, _)| *number);
        let encode: Vec<_> = numbers.iter().map(|(number, field)| field.encode(*number)).collect();
        let mut fields: Vec<_> = self.fields.iter().collect();
        fields.sort_by_key(|field| field.number.all().iter().min().copied());
        let (merge, len, clear) = (
            fields.iter().map(|field| field.merge()),
            fields.iter().map(|field| field.encoded_len()),
            fields.iter().map(|field| field.clear()),
        );
        let unused = fields.is_empty().then(|| quote!(let _ = __buf;));
        let implemented = quote!(::converge_controller::macro_support::prost::Message);
        self.implement(
            &implemented,
            &quote! {
                fn encode_raw(&self, __buf: &mut impl ::converge_controller::macro_support::bytes::BufMut) {
                    #unused
                    #(#encode;)*
                }

                fn merge_field(
                    &mut self,
                    __tag: u32,
                    __wire_type: ::converge_controller::macro_support::prost::encoding::WireType,
                    __buf: &mut impl ::converge_controller::macro_support::bytes::Buf,
                    __context: ::converge_controller::macro_support::prost::encoding::DecodeContext,
                ) -> ::core::result::Result<(), ::converge_controller::macro_support::prost::DecodeError> {
                    match __tag {
                        #(#merge,)*
                        _ => ::converge_controller::macro_support::prost::encoding::skip_field(
                            __wire_type, __tag, __buf, __context,
                        ),
                    }
                }

                fn encoded_len(&self) -> usize {
                    0 #(+ #len)*
                }

                fn clear(&mut self) {
                    #(#clear;)*
                }
            },
        )
    }

    /// Returns the implementation of `Value`, for fields of this type in other messages.
    fn value(&self) -> TokenStream {
        self.implement(
            &quote!(::converge_controller::protobuf::Value),
            &quote! {
                fn encode(&self, __tag: u32, __buf: &mut impl ::converge_controller::macro_support::bytes::BufMut) {
                    ::converge_controller::macro_support::prost::encoding::message::encode(__tag, self, __buf);
                }

                fn encoded_len(&self, __tag: u32) -> usize {
                    ::converge_controller::macro_support::prost::encoding::message::encoded_len(__tag, self)
                }

                fn decode(
                    __earlier: ::core::option::Option<Self>,
                    __wire_type: ::converge_controller::macro_support::prost::encoding::WireType,
                    __buf: &mut impl ::converge_controller::macro_support::bytes::Buf,
                    __context: ::converge_controller::macro_support::prost::encoding::DecodeContext,
                ) -> ::core::result::Result<Self, ::converge_controller::macro_support::prost::DecodeError> {
                    ::converge_controller::macro_support::decode_message(__earlier, __wire_type, __buf, __context)
                }

                fn absent()
                -> ::core::result::Result<Self, ::converge_controller::macro_support::prost::DecodeError> {
                    ::core::result::Result::Ok(::converge_controller::macro_support::default_message())
                }

                fn is_default(&self) -> bool {
                    ::converge_controller::macro_support::prost::Message::encoded_len(self) == 0
                }

                fn field_type() -> ::converge_controller::protobuf::FieldType {
                    ::converge_controller::protobuf::FieldType::message::<Self>()
                }
            },
        )
    }

    /// Returns the implementation of `StoredMessage` with the descriptor.
    fn stored(&self, resource: Option<&Resource>) -> TokenStream {
        let FullName { package, name } = &self.full_name;
        let (doc, reserved) = (ast::doc(&self.input.attrs), &self.reserved);
        let fields = field::descriptors(&self.fields);
        let oneofs = self.fields.iter().filter(|field| field.number.is_oneof()).map(|Field { name, doc, .. }| {
            quote!(::converge_controller::protobuf::OneofDescriptor { name: #name, doc: #doc })
        });
        let resource = if resource.is_some() {
            quote! {
                ::core::option::Option::Some(::converge_controller::protobuf::ResourceOptions {
                    resource_type: ::core::clone::Clone::clone(
                        <Self as ::converge_controller::StoredResource>::resource_type(),
                    ),
                    scope: <Self as ::converge_controller::StoredResource>::SCOPE,
                })
            }
        } else {
            quote!(::core::option::Option::None)
        };
        self.implement(
            &quote!(::converge_controller::StoredMessage),
            &quote! {
                const PACKAGE: &'static str = #package;
                const NAME: &'static str = #name;

                fn descriptor() -> ::converge_controller::protobuf::MessageDescriptor {
                    ::converge_controller::protobuf::MessageDescriptor {
                        package: #package,
                        name: #name,
                        rust_name: ::core::any::type_name::<Self>(),
                        doc: #doc,
                        fields: #fields,
                        oneofs: ::std::vec::Vec::from([#(#oneofs),*]),
                        reserved: #reserved,
                        resource: #resource,
                    }
                }
            },
        )
    }
}

impl Resource {
    fn stub() -> Self {
        let name = TypeName { group: "stub".to_owned(), version: "v1".to_owned(), kind: "Stub".to_owned() };
        Self { name, scope: None, hooks: Vec::new() }
    }

    fn implementation(&self, input: &DeriveInput) -> TokenStream {
        let ident = &input.ident;
        let TypeName { group, version, kind } = &self.name;
        let hook = local("hook");
        let hooks = HOOKS.iter().map(|(name, alias, generics)| {
            let (field, alias) = (Ident::new(name, ident.span()), Ident::new(alias, ident.span()));
            let generics = generics.then(|| quote!(::<Self>));
            let hook_path = self.hooks.iter().find(|(have, _)| have == name).map(|(_, path)| path);
            hook_path.map_or_else(
                || quote!(#field: ::core::option::Option::None),
                |path| {
                    let shape =
                        quote_spanned!(path.span()=> ::converge_controller::registry::#alias #generics);
                    quote_spanned!(path.span()=> #field: ::core::option::Option::Some({
                        let #hook: #shape = #path;
                        #hook
                    }))
                },
            )
        });
        let hooks = (!self.hooks.is_empty()).then(|| {
            quote! {
                fn hooks() -> ::converge_controller::registry::TypedHooks<Self> {
                    ::converge_controller::registry::TypedHooks {
                        #(#hooks,)*
                    }
                }
            }
        });
        let scope = self.scope.clone().unwrap_or_else(|| Ident::new("Cluster", ident.span()));
        quote! {
            #[automatically_derived]
            impl ::converge_controller::StoredResource for #ident {
                const SCOPE: ::converge_controller::Scope = ::converge_controller::Scope::#scope;

                fn resource_type() -> &'static ::converge_controller::Type {
                    static __TYPE: ::std::sync::OnceLock<::converge_controller::Type> = ::std::sync::OnceLock::new();
                    ::std::sync::OnceLock::get_or_init(&__TYPE, || {
                        ::converge_controller::macro_support::resource_type(#group, #version, #kind)
                    })
                }

                #hooks
            }
        }
    }
}
