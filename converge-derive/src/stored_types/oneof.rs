//! Code generation of `#[derive(StoredOneof)]`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Ident, Type, Variant};

use super::attrs::{Attrs, MEMBER, ONEOF};
use super::names::{json, screaming};
use super::numbers::Taken;
use super::reserved::Reserved;
use super::types;
use crate::error_collector::Ctxt;
use crate::{ast, error_collector};

struct Member<'a> {
    ident: &'a Ident,
    name: String,
    number: u32,
    ty: &'a Type,
    doc: String,
}

pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let (members, errors) = error_collector::collect(|cx| {
        ast::no_generics(cx, input, "StoredOneof");
        Attrs::read(cx, &input.attrs, &ONEOF);
        members(cx, input)
    });
    let code = if errors.is_empty() { implementation(&input.ident, &members) } else { TokenStream::new() };
    let errors = error_collector::compile_errors(&errors);
    quote!(#errors #code)
}

fn members<'a>(cx: &Ctxt, input: &'a DeriveInput) -> Vec<Member<'a>> {
    let Data::Enum(data) = &input.data else {
        cx.error(&input.ident, "`StoredOneof` is for enums: derive `StoredMessage` for a struct of fields");
        return Vec::new();
    };
    if data.variants.is_empty() {
        cx.error(&input.ident, "a oneof is one of some fields: write a variant for each");
    }
    let reserved = Reserved::default();
    let mut registry = Taken::new(cx, &reserved, "variant");
    let (mut missing, mut members) = (Vec::new(), Vec::new());
    let variants: Vec<_> =
        data.variants.iter().map(|variant| (variant, ast::unraw(&variant.ident))).collect();
    for (variant, raw_name) in &variants {
        let (ident, attrs) = (&variant.ident, Attrs::read(cx, &variant.attrs, &MEMBER));
        let (name, span) = name(cx, &attrs, ident, raw_name);
        registry.name(&name, ident, span);
        let ty = held(cx, variant);
        let Some(literal) = attrs.number(cx, "tag") else {
            if attrs.written("tag").is_none() && !attrs.is_broken("tag") {
                missing.push((raw_name.as_str(), ident));
            }
            continue;
        };
        let number = registry.number(&literal, ident);
        if let (Some(number), Some(ty)) = (number, ty) {
            members.push(Member { ident, name, number, ty, doc: ast::doc(&variant.attrs) });
        }
    }
    registry.missing(&missing);
    members
}

fn name(cx: &Ctxt, attrs: &Attrs, ident: &Ident, raw_name: &str) -> (String, Span) {
    attrs.text(cx, "name").map_or_else(
        || (screaming(raw_name).to_lowercase(), ident.span()),
        |name| (name.value(), name.span()),
    )
}

/// Returns the type of the only value in a variant.
fn held<'a>(cx: &Ctxt, variant: &'a Variant) -> Option<&'a Type> {
    let ident = &variant.ident;
    match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            let ty = &fields.unnamed[0].ty;
            types::check_member(cx, ty);
            return Some(ty);
        }
        Fields::Unit => {
            let message = format!(
                "`{ident}` holds nothing: write `{ident}(bool)`, or `{ident}(T)` with a struct `T` with \
                 `#[derive(StoredMessage)]` that has no fields"
            );
            cx.error(ident, message);
        }
        Fields::Unnamed(_) | Fields::Named(_) => {
            let message = format!(
                "`{ident}` holds several values, and a field one: write `{ident}(T)` with a struct `T` with \
                 `#[derive(StoredMessage)]`"
            );
            cx.error(&variant.fields, message);
        }
    }
    None
}

fn implementation(ident: &Ident, members: &[Member<'_>]) -> TokenStream {
    let idents: Vec<_> = members.iter().map(|member| member.ident).collect();
    let numbers: Vec<_> = members.iter().map(|member| member.number).collect();
    let names: Vec<_> = members.iter().map(|member| &member.name).collect();
    let json_names = members.iter().map(|member| json(&member.name));
    let docs = members.iter().map(|member| &member.doc);
    let call = |method: &str| -> Vec<_> { members.iter().map(|member| member.method(method)).collect() };
    let (encode, len, decode, field_type) =
        (call("encode"), call("encoded_len"), call("decode"), call("field_type"));
    quote! {
        #[automatically_derived]
        impl ::converge_controller::StoredOneof for #ident {
            const NUMBERS: &'static [u32] = &[#(#numbers),*];
            const JSON_NAMES: &'static [&'static str] = &[#(#json_names),*];

            fn number(&self) -> u32 {
                match self {
                    #(Self::#idents(_) => #numbers,)*
                }
            }

            fn encode(&self, __buf: &mut impl ::converge_controller::macro_support::bytes::BufMut) {
                match self {
                    #(Self::#idents(__held) => #encode(__held, #numbers, __buf),)*
                }
            }

            fn encoded_len(&self) -> usize {
                match self {
                    #(Self::#idents(__held) => #len(__held, #numbers),)*
                }
            }

            fn merge(
                __oneof: &mut ::core::option::Option<Self>,
                __tag: u32,
                __wire_type: ::converge_controller::macro_support::prost::encoding::WireType,
                __buf: &mut impl ::converge_controller::macro_support::bytes::Buf,
                __context: ::converge_controller::macro_support::prost::encoding::DecodeContext,
            ) -> ::core::result::Result<(), ::converge_controller::macro_support::prost::DecodeError> {
                match __tag {
                    #(#numbers => {
                        let __earlier = match ::core::option::Option::take(__oneof) {
                            ::core::option::Option::Some(Self::#idents(__held)) => {
                                ::core::option::Option::Some(__held)
                            }
                            _ => ::core::option::Option::None,
                        };
                        let __held = ::core::result::Result::map_err(
                            #decode(__earlier, __wire_type, __buf, __context),
                            |__error| ::converge_controller::macro_support::within(&__error, #names),
                        )?;
                        *__oneof = ::core::option::Option::Some(Self::#idents(__held));
                        ::core::result::Result::Ok(())
                    })*
                    _ => ::converge_controller::macro_support::prost::encoding::skip_field(
                        __wire_type, __tag, __buf, __context,
                    ),
                }
            }

            fn fields() -> ::std::vec::Vec<::converge_controller::protobuf::FieldDescriptor> {
                ::std::vec::Vec::from([#(
                    ::converge_controller::protobuf::FieldDescriptor {
                        name: #names,
                        number: #numbers,
                        doc: #docs,
                        shape: ::converge_controller::protobuf::Shape {
                            label: ::converge_controller::protobuf::Label::Single,
                            ty: #field_type(),
                        },
                        oneof: ::core::option::Option::None,
                    }
                ),*])
            }
        }
    }
}

impl Member<'_> {
    /// Returns the path of a method of `Value`.
    ///
    /// Its span makes the compiler report errors on the type.
    fn method(&self, name: &str) -> TokenStream {
        let (ty, name) = (self.ty, Ident::new(name, self.ty.span()));
        quote_spanned!(ty.span()=> <#ty as ::converge_controller::protobuf::Value>::#name)
    }
}
