//! Code generation of `#[derive(StoredEnum)]`.

use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Fields, Ident, Variant};

use super::attrs::{Attrs, MESSAGE, VARIANT};
use super::names::{FullName, screaming};
use super::reserved::{self, Reserved};
use crate::error_collector::Ctxt;
use crate::{ast, error_collector};

struct Value<'a> {
    ident: &'a Ident,
    name: String,
    number: i32,
    doc: String,
}

struct Enum<'a> {
    input: &'a DeriveInput,
    full_name: FullName,
    values: Vec<Value<'a>>,
    reserved: Reserved,
}

pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let (output, errors) = error_collector::collect(|cx| {
        ast::no_generics(cx, input, "StoredEnum");
        let attrs = Attrs::read(cx, &input.attrs, &MESSAGE);
        let full_name = FullName::read(cx, input, &attrs);
        let reserved = Reserved::read(cx, &attrs, &(i32::MIN..=i32::MAX));
        let values = values(cx, input, &full_name, &reserved);
        Enum { input, full_name, values, reserved }
    });
    let code = if errors.is_empty() { output.implementation() } else { TokenStream::new() };
    let errors = error_collector::compile_errors(&errors);
    quote!(#errors #code)
}

fn values<'a>(
    cx: &Ctxt,
    input: &'a DeriveInput,
    full_name: &FullName,
    reserved: &Reserved,
) -> Vec<Value<'a>> {
    let Data::Enum(data) = &input.data else {
        cx.error(&input.ident, "`StoredEnum` is for enums: derive `StoredMessage` for a struct of fields");
        return Vec::new();
    };
    let mut names: BTreeMap<String, &Ident> = BTreeMap::new();
    let mut values = Vec::new();
    for variant in &data.variants {
        Attrs::read(cx, &variant.attrs, &VARIANT);
        if !matches!(variant.fields, Fields::Unit) {
            let message = format!(
                "`{}` holds values, but a value of a protobuf enum is a number: write the variant without fields, or derive \
                 `StoredOneof` for fields of which one is there",
                variant.ident
            );
            cx.error(&variant.fields, message);
        }
        let ident = &variant.ident;
        let name = format!("{}_{}", screaming(&full_name.name), screaming(&ast::unraw(ident)));
        if let Some(first) = names.insert(name.clone(), ident) {
            let message = format!("this and `{first}` would both be called `{name}`: rename one of them");
            cx.error(ident, message);
        }
        if reserved.has_name(&name) {
            let message = format!("the name `{name}` is reserved: a removed name cannot be used again");
            cx.error(ident, message);
        }
        let Some(number) = number(cx, variant, data.variants.iter()) else { continue };
        if reserved.has_number(number) {
            let message = format!("the number {number} is reserved: a removed number cannot be used again");
            cx.error(ident, message);
        }
        values.push(Value { ident, name, number, doc: ast::doc(&variant.attrs) });
    }
    let all_have_numbers = values.len() == data.variants.len();
    if all_have_numbers && values.iter().all(|value| value.number != 0) {
        let message = "no variant has the number 0, which is what a missing field means: write one, such as \
                       `Unspecified = 0`";
        cx.error(&input.ident, message);
    }
    values
}

/// Returns the explicit number of a variant.
fn number<'v>(cx: &Ctxt, variant: &Variant, variants: impl Iterator<Item = &'v Variant>) -> Option<i32> {
    let number_of =
        |variant: &Variant| variant.discriminant.as_ref().and_then(|(_, expr)| reserved::number(expr));
    let Some((_, expr)) = &variant.discriminant else {
        let next = variants.filter_map(number_of).max().map_or(0, |max| max.saturating_add(1));
        let ident = &variant.ident;
        cx.error(ident, format!("the variant `{ident}` has no number: write `{ident} = {next}`"));
        return None;
    };
    let number = number_of(variant);
    if number.is_none() {
        let message = "write the number as a literal of at most 32 bits: it stands for the variant in bytes";
        cx.error(expr, message);
    }
    number
}

impl Enum<'_> {
    fn implementation(&self) -> TokenStream {
        let Self { input, full_name: FullName { package, name }, values, reserved } = self;
        let (ident, doc) = (&input.ident, ast::doc(&input.attrs));
        let idents: Vec<_> = values.iter().map(|value| value.ident).collect();
        let numbers: Vec<_> = values.iter().map(|value| Literal::i32_unsuffixed(value.number)).collect();
        let (names, docs) = (values.iter().map(|value| &value.name), values.iter().map(|value| &value.doc));
        let zero = values.iter().find(|value| value.number == 0).map(|value| value.ident);
        let value = value_implementation(ident);
        quote! {
            #[automatically_derived]
            impl ::core::default::Default for #ident {
                /// The variant with the number 0, which is what a missing field means.
                fn default() -> Self {
                    Self::#zero
                }
            }

            #[automatically_derived]
            impl ::converge_controller::StoredEnum for #ident {
                const PACKAGE: &'static str = #package;
                const NAME: &'static str = #name;

                fn number(self) -> i32 {
                    match self {
                        #(Self::#idents => #numbers,)*
                    }
                }

                fn from_number(__number: i32) -> ::core::option::Option<Self> {
                    match __number {
                        #(#numbers => ::core::option::Option::Some(Self::#idents),)*
                        _ => ::core::option::Option::None,
                    }
                }

                fn descriptor() -> ::converge_controller::protobuf::EnumDescriptor {
                    ::converge_controller::protobuf::EnumDescriptor {
                        package: #package,
                        name: #name,
                        rust_name: ::core::any::type_name::<Self>(),
                        doc: #doc,
                        values: ::std::vec::Vec::from([#(
                            ::converge_controller::protobuf::EnumValueDescriptor {
                                name: #names,
                                number: #numbers,
                                doc: #docs,
                            }
                        ),*]),
                        reserved: #reserved,
                    }
                }
            }

            #value
        }
    }
}

/// Returns the implementation of `Value`, for fields of this type in messages.
fn value_implementation(ident: &Ident) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::converge_controller::protobuf::Value for #ident {
            fn encode(&self, __tag: u32, __buf: &mut impl ::converge_controller::macro_support::bytes::BufMut) {
                ::converge_controller::macro_support::encode_enum(*self, __tag, __buf);
            }

            fn encoded_len(&self, __tag: u32) -> usize {
                ::converge_controller::macro_support::enum_len(*self, __tag)
            }

            fn decode(
                _: ::core::option::Option<Self>,
                __wire_type: ::converge_controller::macro_support::prost::encoding::WireType,
                __buf: &mut impl ::converge_controller::macro_support::bytes::Buf,
                __context: ::converge_controller::macro_support::prost::encoding::DecodeContext,
            ) -> ::core::result::Result<Self, ::converge_controller::macro_support::prost::DecodeError> {
                ::converge_controller::macro_support::decode_enum(__wire_type, __buf, __context)
            }

            fn absent()
            -> ::core::result::Result<Self, ::converge_controller::macro_support::prost::DecodeError> {
                ::core::result::Result::Ok(::core::default::Default::default())
            }

            fn is_default(&self) -> bool {
                ::converge_controller::StoredEnum::number(*self) == 0
            }

            fn field_type() -> ::converge_controller::protobuf::FieldType {
                ::converge_controller::protobuf::FieldType::enumeration::<Self>()
            }

            fn encode_list(
                __list: &[Self],
                __tag: u32,
                __buf: &mut impl ::converge_controller::macro_support::bytes::BufMut,
            ) {
                ::converge_controller::macro_support::encode_enums(__list, __tag, __buf);
            }

            fn list_len(__list: &[Self], __tag: u32) -> usize {
                ::converge_controller::macro_support::enums_len(__list, __tag)
            }

            fn decode_list(
                __list: &mut ::std::vec::Vec<Self>,
                __wire_type: ::converge_controller::macro_support::prost::encoding::WireType,
                __buf: &mut impl ::converge_controller::macro_support::bytes::Buf,
                __context: ::converge_controller::macro_support::prost::encoding::DecodeContext,
            ) -> ::core::result::Result<(), ::converge_controller::macro_support::prost::DecodeError> {
                ::converge_controller::macro_support::decode_enums(__list, __wire_type, __buf, __context)
            }
        }
    }
}
