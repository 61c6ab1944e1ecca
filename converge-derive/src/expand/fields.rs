//! Code generation for fields of resources and blocks: their descriptions and their values.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprArray, ExprLit, Lit};

use super::local;
use crate::attr::{FieldAttrs, FootprintAttr, FootprintName, Number, RelationKind, RequiredWhen, WhenAbsent};
use crate::check::{HclField, HclFields, Rule, rules};
use crate::ty::{self, Leaf};

/// Returns the expression for a `BlockKind`.
pub(super) fn block_kind(fields: &[HclField<'_>]) -> TokenStream {
    let pair_rules = rules(fields).into_iter().map(rule);
    let conditional = fields
        .iter()
        .flat_map(|field| field.attrs.when.iter().map(|when| required_when(fields, field, when)));
    let rules: Vec<_> = pair_rules.chain(conditional).collect();
    if fields.iter().all(|field| field.attrs.embed.is_none()) {
        let descriptions = fields.iter().map(description);
        return quote! {
            ::__converge::macro_support::BlockKind {
                fields: ::std::vec::Vec::from([#(#descriptions),*]),
                rules: ::std::vec::Vec::from([#(#rules),*]),
            }
        };
    }
    let block = local("block");
    let add = fields.iter().map(|field| {
        if field.attrs.embed.is_some() {
            let ty = field.field.ty;
            let embed = quote_spanned!(ty.span()=> ::__converge::macro_support::embed::<#ty>);
            return quote!(#embed(&mut #block););
        }
        let description = description(field);
        quote!(::std::vec::Vec::push(&mut #block.fields, #description);)
    });
    quote! {{
        let mut #block = ::__converge::macro_support::BlockKind {
            fields: ::std::vec::Vec::new(),
            rules: ::std::vec::Vec::from([#(#rules),*]),
        };
        #(#add)*
        #block
    }}
}

/// Returns the names of the fields for checks at compile time.
///
/// Without fields, the names are unknown and every name is accepted.
pub(super) fn names(fields: Option<&HclFields<'_>>) -> TokenStream {
    let support = quote!(::__converge::macro_support);
    let Some(fields) = fields else {
        return quote!(const NAMES: #support::FieldNames = #support::FieldNames::ANY;);
    };
    let (embedded, direct_fields): (Vec<_>, Vec<_>) =
        fields.given.iter().partition(|field| field.attrs.embed.is_some());
    let field_names = direct_fields.iter().map(|field| &field.name);
    let embedded = embedded.iter().map(|field| field.field.ty);
    quote! {
        const NAMES: #support::FieldNames = {
            #[allow(unused_imports)]
            use #support::AnyNames as _;
            #support::FieldNames::new(&[#(#field_names),*], &[#(#support::EmbeddedNames::<#embedded>::NAMES),*])
        };
    }
}

/// Returns imports that prevent a second error for an unsupported field type.
///
/// See `Absence` and `Embedded`.
pub(super) fn imports(fields: &[HclField<'_>]) -> TokenStream {
    let embeds = fields.iter().any(|field| field.attrs.embed.is_some());
    let no_block = embeds.then(|| {
        quote!(
            #[allow(unused_imports)]
            use ::__converge::macro_support::NoBlock as _;
        )
    });
    quote! {
        #[allow(unused_imports)]
        use ::__converge::macro_support::NoField as _;
        #no_block
    }
}

/// Returns the statements that take all values of a resource from the `Fields` in `source`.
pub(super) fn take_all(fields: &HclFields<'_>, source: &proc_macro2::Ident) -> TokenStream {
    let has_embedded = fields.given.iter().any(|field| field.attrs.embed.is_some());
    let offset = has_embedded.then(|| local("at"));
    let start = offset.as_ref().map(|offset| quote!(let mut #offset = 0_usize;));
    let parts =
        Taken::new(fields, &quote!(&mut #source), offset.as_ref().map(|offset| quote!(#offset)).as_ref());
    let Taken { takes, unpack, build } = parts;
    let errors =
        quote!(::core::result::Result::Err(::__converge::macro_support::Fields::into_errors(#source)));
    let unpack = unpack.map(|unpack| quote!(#unpack else { return #errors; };));
    quote! {
        #start
        #takes
        #unpack
        if ::__converge::macro_support::Fields::has_errors(&#source) {
            return #errors;
        }
        ::core::result::Result::Ok(#build)
    }
}

/// Returns the statements that take the values of a block, starting at the index in `at`.
///
/// The generated code returns `None` if an error was recorded.
pub(super) fn take_block(fields: &HclFields<'_>, [source, at]: [&proc_macro2::Ident; 2]) -> TokenStream {
    let Taken { takes, unpack, build } = Taken::new(fields, &quote!(#source), Some(&quote!(*#at)));
    let unpack = unpack.map(|unpack| quote!(#unpack else { return ::core::option::Option::None; };));
    quote! {
        #takes
        #unpack
        ::core::option::Option::Some(#build)
    }
}

/// The generated parts that take the fields of a struct.
struct Taken {
    /// The statements that take each field into a local variable, which is `None` after an error.
    takes: TokenStream,
    /// The pattern `let (Some(..), ..) = (..)` without its `else`, if there are fields.
    unpack: Option<TokenStream>,
    build: TokenStream,
}

impl Taken {
    /// Generates the parts; `source` is a `&mut Fields`.
    ///
    /// Only the compiler knows the number of fields in an embedded type, so `at` is then the place that holds
    /// the next index.
    fn new(all_fields: &HclFields<'_>, source: &TokenStream, offset: Option<&TokenStream>) -> Self {
        let fields = &all_fields.given;
        let locals: Vec<_> = (0..fields.len()).map(|index| local(&format!("field_{index}"))).collect();
        let statements = fields.iter().zip(&locals).enumerate().map(|(index, (field, local))| {
            let (absent, ty) = (absent(field), field.field.ty);
            if field.attrs.embed.is_some() {
                let take_fn = quote_spanned!(ty.span()=> ::__converge::macro_support::Embedded::<#ty>::take);
                return quote!(let #local = #take_fn(#source, &mut #offset););
            }
            let (index, step) = match offset {
                Some(offset) => (quote!(#offset), Some(quote!(#offset += 1;))),
                None => (quote!(#index), None),
            };
            let from_value =
                quote_spanned!(ty.span()=> <#ty as ::__converge::macro_support::FromValue>::from_value);
            quote! {
                let #local =
                    ::__converge::macro_support::Fields::take_with(#source, #index, #from_value, #absent);
                #step
            }
        });
        let statements = statements.collect();
        let unpack = (!fields.is_empty())
            .then(|| quote!(let (#(::core::option::Option::Some(#locals),)*) = (#(#locals,)*)));
        let names = fields.iter().map(|field| field.field.ident);
        let skipped = all_fields.skipped.iter().map(|field| {
            let (name, ty) = (field.ident, field.ty);
            // The span makes the compiler report a missing default on the type.
            let absent = quote_spanned!(ty.span()=> <#ty as ::__converge::macro_support::Absent>::absent);
            quote!(#name: #absent(),)
        });
        Self { takes: statements, unpack, build: quote!(Self { #(#names: #locals,)* #(#skipped)* }) }
    }
}

/// Returns the value of a field that is not written.
///
/// There is none if the field is required or has its own default.
fn absent(field: &HclField<'_>) -> TokenStream {
    let ty = field.field.ty;
    if field.attrs.required.is_some() || matches!(field.attrs.default, Some(WhenAbsent::Literal(_))) {
        return quote!(|| ::core::option::Option::None);
    }
    let absent = quote_spanned!(ty.span()=> ::__converge::macro_support::Absence::<#ty>::value);
    quote!(|| #absent())
}

fn description(field: &HclField<'_>) -> TokenStream {
    let (name, doc, ty) = (&field.name, &field.field.doc, field.field.ty);
    let kind = quote_spanned!(ty.span()=> <#ty as ::__converge::macro_support::FromValue>::kind);
    let from_value = quote_spanned!(ty.span()=> <#ty as ::__converge::macro_support::FromValue>::from_value);
    let (local, value, conversion) = (local("field"), local("value"), local("conversion"));
    let new = quote! {
        ::__converge::macro_support::field(#name, #doc, #kind(), |#value, #conversion| {
            #from_value(#value, #conversion).map(::core::mem::drop)
        })
    };
    let settings = settings(field);
    if settings.is_empty() {
        return new;
    }
    let words = words(field);
    let settings = settings.into_iter().map(|(name, value)| {
        let name = proc_macro2::Ident::new(name, Span::call_site());
        quote!(#local.#name = #value;)
    });
    quote! {{
        #words
        let mut #local = #new;
        #(#settings)*
        #local
    }}
}

/// Returns the checks at compile time that the default and `removes` are words of an enum.
fn words(field: &HclField<'_>) -> TokenStream {
    let default = match &field.attrs.default {
        Some(WhenAbsent::Literal(Expr::Lit(ExprLit { lit: Lit::Str(word), .. }))) => Some(("default", word)),
        _ => None,
    };
    let removes = field.attrs.removes.as_ref().map(|word| ("removes", word));
    let checks = default.into_iter().chain(removes).map(|(attribute, word)| {
        check_word(field.field.ty, &word.value(), &format!("`{attribute} = {:?}`", word.value()), word.span())
    });
    checks.collect()
}

/// Returns the check at compile time that a word is one of the type, if that is an enum.
fn check_word(ty: &syn::Type, word: &str, shown: &str, span: Span) -> TokenStream {
    if ty::leaf(ty) != Leaf::Other {
        return TokenStream::new();
    }
    let ty_name = ty.to_token_stream().to_string().replace(' ', "");
    let message = format!("{shown} names no variant of `{ty_name}`: write one of its words");
    let words = quote!(<#ty as ::__converge::macro_support::FromValue>::WORDS);
    quote_spanned!(span=> const _: () = ::__converge::macro_support::check_word(#words, #word, #message);)
}

/// Returns the members of `Field` that the attributes set.
fn settings(field: &HclField<'_>) -> Vec<(&'static str, TokenStream)> {
    // The exhaustive pattern makes sure that no new attribute is forgotten here.
    let FieldAttrs {
        name: _,
        embed: _,
        skip: _,
        aliases,
        required,
        nonempty,
        relations: _,
        when: _,
        valid_values,
        base,
        default,
        min,
        max,
        pattern,
        expects,
        sensitive,
        deprecated,
        footprint,
        removes,
    } = &field.attrs;
    let some = |value: &dyn ToTokens| quote!(::core::option::Option::Some(#value));
    let mut settings = Vec::new();
    let mut flag = |name, set: bool| {
        if set {
            settings.push((name, quote!(true)));
        }
    };
    flag("required", required.is_some());
    flag("nonempty", nonempty.is_some());
    flag("sensitive", sensitive.is_some());
    let mut set = |name, value: Option<TokenStream>| settings.extend(value.map(|value| (name, value)));
    let aliases: Vec<_> = aliases.iter().map(|(alias, _)| alias).collect();
    set("aliases", (!aliases.is_empty()).then(|| quote!(&[#(#aliases),*])));
    set("valid_values", valid_values.as_ref().map(|(values, _)| quote!(&[#(#values),*])));
    let integer = |number: &Number| number.whole.and_then(|number| u32::try_from(number).ok());
    set("base", base.as_ref().and_then(integer).map(|base| some(&Literal::u32_unsuffixed(base))));
    let bound =
        |number: &Option<Number>| number.as_ref().map(|number| some(&Literal::f64_unsuffixed(number.value)));
    set("min", bound(min));
    set("max", bound(max));
    match pattern {
        Some(pattern) => {
            set("pattern", Some(some(pattern)));
            set("expects", expects.as_ref().map(|expects| some(expects)));
        }
        // A type of the author may have a pattern, which then applies to the field.
        None if ty::leaf(ty::innermost(field.field.ty)) == Leaf::Other => {
            let ty = field.field.ty;
            let rule = quote_spanned!(ty.span()=> <#ty as ::__converge::macro_support::FromValue>::text_rule);
            let rule = quote!(#rule());
            set("pattern", Some(quote!(#rule.map(|rule| rule.pattern))));
            set("expects", Some(quote!(#rule.and_then(|rule| rule.expects))));
        }
        None => {}
    }
    set("deprecated", deprecated.as_ref().map(|deprecated| some(deprecated)));
    set("removes", removes.as_ref().map(|word| some(word)));
    let rules = footprint.iter().map(|rule| footprint_rule(rule, field.field.ty));
    set("footprint", (!footprint.is_empty()).then(|| quote!(::std::vec::Vec::from([#(#rules),*]))));
    if let Some(WhenAbsent::Literal(literal)) = default {
        let secret = sensitive.as_ref().map(|_| quote!(.into_secret()));
        let value = value_of(literal);
        set("default", Some(some(&quote!(#value #secret))));
    }
    settings
}

fn footprint_rule(rule: &FootprintAttr, ty: &syn::Type) -> TokenStream {
    let path = quote!(::__converge::macro_support);
    let verb = proc_macro2::Ident::new(rule.verb.words().1, Span::call_site());
    let kind = &rule.kind;
    let none = || quote!(::core::option::Option::None);
    let aspect =
        rule.aspect.as_ref().map_or_else(none, |aspect| quote!(::core::option::Option::Some(#aspect)));
    let name = match &rule.name {
        FootprintName::Field(field) => quote!(Field(#field)),
        FootprintName::Fixed(name) => quote!(Fixed(#name)),
        FootprintName::Own => {
            let (value, conversion, kind_arg, add, read) =
                (local("value"), local("conversion"), local("of"), local("add"), local("read"));
            let from_value =
                quote_spanned!(ty.span()=> <#ty as ::__converge::macro_support::FromValue>::from_value);
            // The span makes the compiler report a missing `Names` on the type.
            let names = quote_spanned!(ty.span()=> <#ty as ::__converge::macro_support::Names>::names);
            quote! {
                Own(|#value, #conversion, #kind_arg, #add| {
                    if let ::core::result::Result::Ok(#read) = #from_value(#value, #conversion) {
                        #names(&#read, #kind_arg, #add);
                    }
                })
            }
        }
    };
    quote!(#path::FootprintRule::new(#path::Verb::#verb, #kind, #aspect, #path::NameSource::#name))
}

/// Returns the `Value` of a checked literal.
fn value_of(literal: &Expr) -> TokenStream {
    let value = quote!(::__converge::macro_support::Value);
    if let Some(number) = Number::read(literal) {
        let Some(integer) = number.whole else {
            let float = Literal::f64_unsuffixed(number.value);
            return quote!(#value::Float(#float));
        };
        if let Ok(integer) = i64::try_from(integer) {
            let integer = Literal::i64_unsuffixed(integer);
            return quote!(#value::Int(#integer));
        }
        // Text can hold a number of any size and is read as a number.
        let text = integer.to_string();
        return quote!(#value::string(#text));
    }
    match literal {
        Expr::Lit(ExprLit { lit: Lit::Bool(lit), .. }) => quote!(#value::Bool(#lit)),
        Expr::Array(ExprArray { elems, .. }) => {
            let items = elems.iter().map(value_of);
            quote!(#value::List(::std::vec::Vec::from([#(#items),*])))
        }
        literal => quote!(#value::string(#literal)),
    }
}

fn rule(rule: Rule<'_>) -> TokenStream {
    let path = quote!(::__converge::macro_support::Rule);
    match rule {
        Rule::Set(kind, names) => {
            let variant = match kind {
                RelationKind::RequiredOneOf => quote!(RequiredOneOf),
                RelationKind::RequiredTogether => quote!(RequiredTogether),
                _ => quote!(MutuallyExclusive),
            };
            quote!(#path::#variant(&[#(#names),*]))
        }
        Rule::Pair { kind: RelationKind::Requires, field, other } => {
            quote!(#path::Requires { field: #field, needs: #other })
        }
        Rule::Pair { field, other, .. } => quote!(#path::ConflictsWith { field: #field, other: #other }),
    }
}

/// Returns the rule of `required_if` or `required_unless`.
fn required_when(fields: &[HclField<'_>], field: &HclField<'_>, condition: &RequiredWhen) -> TokenStream {
    let support = quote!(::__converge::macro_support);
    let (value, conversion) = (local("value"), local("conversion"));
    let conditions = condition.conditions.iter().map(|(name, is)| {
        let other = fields.iter().find(|field| field.name == *name);
        let (Some(is), Some(other)) = (is, other) else {
            return quote!(#support::Condition::written(#name));
        };
        let ty = other.field.ty;
        let absent = absent(other);
        // The span makes the compiler report on the condition if values of the type cannot be compared.
        let is_it = quote_spanned!(condition.literal.span()=> #support::is::<#ty>);
        let shown = format!("`{name}={is}` in `{}`", condition.attribute());
        let word = check_word(ty, is, &shown, condition.literal.span());
        quote! {{
            #word
            #support::Condition::is(#name, #is, |#value, #conversion| {
                #[allow(unused_imports)]
                use #support::NoField as _;
                #is_it(#value, #conversion, #is, #absent)
            })
        }}
    });
    let name = &field.name;
    let (rule, member) = if condition.unless {
        (quote!(RequiredUnless), quote!(unless))
    } else {
        (quote!(RequiredIf), quote!(when))
    };
    quote!(#support::Rule::#rule { field: #name, #member: ::std::vec::Vec::from([#(#conditions),*]) })
}
