//! Code generation of `#[derive(HclText)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Fields, Type};

use super::local;
use super::value::{from_value, from_value_stub, to_plain_value};
use crate::attr::TextAttrs;
use crate::check::text_pattern;
use crate::{ast, error_collector};

pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let (attrs, errors) = error_collector::collect(|cx| {
        ast::no_generics(cx, input, "HclText");
        let attrs = TextAttrs::read(cx, input);
        text_pattern(cx, attrs.pattern.as_ref(), attrs.expects.as_ref());
        attrs
    });
    if !errors.is_empty() {
        let null = quote!(::__converge::macro_support::Value::Null);
        let (from_value, to_value) = (from_value_stub(input), to_plain_value(input, &null));
        let errors = error_collector::compile_errors(&errors);
        return quote!(#errors #from_value #to_value);
    }
    match (only_field(input), &attrs.pattern) {
        (Some(inner), Some(_)) => around_a_text(input, &attrs, inner),
        _ => by_parsing(input, &attrs),
    }
}

/// Returns the type in a struct with one unnamed field.
fn only_field(input: &DeriveInput) -> Option<&Type> {
    let Data::Struct(data) = &input.data else { return None };
    let Fields::Unnamed(fields) = &data.fields else { return None };
    fields.unnamed.first().filter(|_| fields.unnamed.len() == 1).map(|field| &field.ty)
}

/// Returns the code that matches text before calling `read`, and the function `text_rule`.
///
/// `read` is a function of a value and a conversion.
fn matched(attrs: &TextAttrs, read: &TokenStream) -> Option<(TokenStream, TokenStream)> {
    let (support, matcher) = (quote!(::__converge::macro_support), local("MATCHER"));
    let (value, conversion) = (local("value"), local("conversion"));
    let pattern = attrs.pattern.as_ref()?;
    let none = || quote!(::core::option::Option::None);
    let expects =
        attrs.expects.as_ref().map_or_else(none, |expects| quote!(::core::option::Option::Some(#expects)));
    let body = quote! {
        static #matcher: #support::TextMatcher = #support::TextMatcher::new(#pattern, #expects);
        #support::TextMatcher::read(&#matcher, #value, #conversion, #read)
    };
    let rule = quote! {
        fn text_rule() -> ::core::option::Option<#support::TextRule> {
            ::core::option::Option::Some(#support::TextRule { pattern: #pattern, expects: #expects })
        }
    };
    Some((body, rule))
}

/// Generates the conversion with `FromStr` and `Display`.
fn by_parsing(input: &DeriveInput, attrs: &TextAttrs) -> TokenStream {
    let (ident, value, conversion) = (&input.ident, local("value"), local("conversion"));
    let kind = quote!(::__converge::macro_support::Kind::String);
    // The span makes the compiler report missing traits on the name of the type.
    let read = quote_spanned!(ident.span()=> ::__converge::macro_support::read_text::<Self>);
    let (body, rule) = match matched(attrs, &read) {
        Some((body, rule)) => (body, Some(rule)),
        None => (quote!(#read(#value, #conversion)), None),
    };
    let from_value = from_value(input, &kind, [&value, &conversion], &body, rule.as_ref());
    quote! {
        #from_value

        // Only exported types need `Display`; a bound with a lifetime is checked only where it is used.
        #[automatically_derived]
        impl ::__converge::macro_support::ToValue for #ident
        where
            for<'__text> #ident: ::__converge::macro_support::WriteText,
        {
            fn shape() -> ::__converge::macro_support::Shape {
                ::__converge::macro_support::Shape::Plain
            }

            fn to_value(&self) -> ::__converge::macro_support::Value {
                ::__converge::macro_support::write_text::<Self>(self)
            }
        }
    }
}

/// Generates the conversion of a struct around a text that matches a pattern.
///
/// The struct's own `FromStr` and `Display` take precedence; otherwise its text is read and written.
fn around_a_text(input: &DeriveInput, attrs: &TextAttrs, inner: &Type) -> TokenStream {
    let (value, conversion) = (local("value"), local("conversion"));
    let support = quote!(::__converge::macro_support);
    let of_inner = |name: &str| {
        let name = quote::format_ident!("{name}");
        quote_spanned!(inner.span()=> <#inner as ::__converge::macro_support::FromValue>::#name)
    };
    let (kind, read) = (of_inner("kind"), of_inner("from_value"));
    let read = quote! {
        |#value, #conversion| {
            use #support::ReadInner as _;
            #support::ReadAround::<Self>::read(#value, #conversion, |#value, #conversion| {
                #read(#value, #conversion).map(Self)
            })
        }
    };
    let Some((body, rule)) = matched(attrs, &read) else { return by_parsing(input, attrs) };
    let from_value = from_value(input, &quote!(#kind()), [&value, &conversion], &body, Some(&rule));
    let to_value = quote_spanned!(inner.span()=> <#inner as ::__converge::macro_support::ToValue>::to_value);
    let to_value = quote! {
        use #support::WriteInner as _;
        #support::WriteAround::<Self>::write(self, |#value| #to_value(&#value.0))
    };
    let to_value = to_plain_value(input, &to_value);
    quote! {
        #from_value

        #to_value
    }
}
