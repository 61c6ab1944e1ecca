//! Code generation of `#[derive(HclEnum)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Fields, Ident, LitStr};

use super::local;
use super::value::{from_value, from_value_stub, to_plain_value};
use crate::attr::{VariantAttrs, misplaced, names::HCL_VARIANT};
use crate::check::Names;
use crate::error_collector::Ctxt;
use crate::{ast, error_collector};

struct Word<'a> {
    ident: &'a Ident,
    name: String,
    aliases: Vec<String>,
}

pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let (words, errors) = error_collector::collect(|cx| {
        misplaced(cx, &input.attrs, &HCL_VARIANT);
        ast::no_generics(cx, input, "HclEnum");
        words(cx, input)
    });
    if errors.is_empty() { implementation(input, &words) } else { stub(input, &errors) }
}

fn words<'a>(cx: &Ctxt, input: &'a DeriveInput) -> Vec<Word<'a>> {
    let Data::Enum(data) = &input.data else {
        let message = "`HclEnum` is for enums: derive `HclBlock` for a struct of fields";
        cx.error(&input.ident, message);
        return Vec::new();
    };
    if data.variants.is_empty() {
        cx.error(&input.ident, "an enum without variants accepts no word: add a variant for each word");
    }
    let mut names = Names::new("variant");
    data.variants
        .iter()
        .map(|variant| {
            if !matches!(variant.fields, Fields::Unit) {
                let message = format!(
                    "`{}` holds values, but a word holds none: write the variant without fields, or derive \
                     `HclBlock` for a struct",
                    variant.ident
                );
                cx.error(&variant.fields, message);
            }
            let attrs = VariantAttrs::read(cx, variant);
            let name = attrs.name.as_ref().map_or_else(|| kebab(&ast::unraw(&variant.ident)), LitStr::value);
            let owner = variant.ident.to_string();
            match &attrs.name {
                Some(literal) if name.is_empty() => {
                    cx.error(literal, "a word has at least one letter: write it");
                }
                Some(literal) => names.take(cx, &name, &owner, literal),
                None => names.take(cx, &name, &owner, &variant.ident),
            }
            for (alias, literal) in &attrs.aliases {
                names.take(cx, alias, &owner, literal);
            }
            let aliases = attrs.aliases.into_iter().map(|(alias, _)| alias).collect();
            Word { ident: &variant.ident, name, aliases }
        })
        .collect()
}

/// Converts a name to kebab case: `LinuxLSBLike` becomes `linux-lsb-like`.
fn kebab(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut word = String::new();
    for (index, &c) in chars.iter().enumerate() {
        let after_lower = index > 0 && !chars[index - 1].is_uppercase() && chars[index - 1] != '_';
        let before_lower = chars.get(index + 1).is_some_and(|next| next.is_lowercase());
        if c == '_' {
            word.push('-');
        } else {
            if c.is_uppercase() && index > 0 && chars[index - 1] != '_' && (after_lower || before_lower) {
                word.push('-');
            }
            word.extend(c.to_lowercase());
        }
    }
    word
}

fn implementation(input: &DeriveInput, words: &[Word<'_>]) -> TokenStream {
    let (ident, vis) = (&input.ident, &input.vis);
    let names: Vec<_> = words.iter().map(|word| &word.name).collect();
    let variants = words.iter().map(|word| word.ident);
    let read = words.iter().map(|Word { ident, name, aliases }| {
        quote!(#name #(| #aliases)* => ::core::option::Option::Some(Self::#ident))
    });
    let (value, word, ignored) = (local("value"), local("word"), quote!(_));
    let kind = quote!(::__converge::macro_support::Kind::Enum(&[#(#names),*]));
    let body = quote! {
        ::__converge::macro_support::word(#value, &[#(#names),*], |#word| match #word {
            #(#read,)*
            _ => ::core::option::Option::None,
        })
    };
    let words = quote!(const WORDS: &'static [&'static str] = &[#(#names),*];);
    let from_value = from_value(input, &kind, [&value, &ignored], &body, Some(&words));
    let to_value = to_plain_value(input, &quote!(::__converge::macro_support::Value::string(self.as_str())));
    quote! {
        #[automatically_derived]
        impl #ident {
            /// The word that modules write for it.
            #vis const fn as_str(&self) -> &'static str {
                match self {
                    #(Self::#variants => #names,)*
                }
            }
        }

        #from_value

        #to_value
    }
}

fn stub(input: &DeriveInput, errors: &[syn::Error]) -> TokenStream {
    let (ident, vis) = (&input.ident, &input.vis);
    let errors = error_collector::compile_errors(errors);
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let from_value = from_value_stub(input);
    let to_value = to_plain_value(input, &quote!(::__converge::macro_support::Value::Null));
    quote! {
        #errors

        #[automatically_derived]
        impl #impl_generics #ident #ty_generics #where_clause {
            /// The word that modules write for it.
            #vis const fn as_str(&self) -> &'static str {
                ""
            }
        }

        #from_value

        #to_value
    }
}

#[cfg(test)]
mod tests {
    use super::kebab;

    #[test]
    fn variants_become_kebab_case() {
        for (variant, word) in [
            ("Present", "present"),
            ("NotFound", "not-found"),
            ("LinuxLSBLike", "linux-lsb-like"),
            ("Sha256", "sha256"),
            ("MD5", "md5"),
            ("Snake_Case", "snake-case"),
            ("A", "a"),
        ] {
            assert_eq!(kebab(variant), word);
        }
    }
}
