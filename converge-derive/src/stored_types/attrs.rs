//! Parsing of `#[stored(..)]`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitInt, LitStr, Meta, Path, Token};

use crate::attr::names::closest;
use crate::error_collector::Ctxt;

/// A key with an example for messages.
pub(super) struct Key {
    name: &'static str,
    example: &'static str,
}

/// A place for attributes, with the keys that are valid there.
pub(super) struct Place {
    on: &'static str,
    keys: &'static [Key],
}

const fn key(name: &'static str, example: &'static str) -> Key {
    Key { name, example }
}

const GROUP: Key = key("group", r#"group = "demo""#);
const VERSION: Key = key("version", r#"version = "v1""#);
const RESERVED: Key = key("reserved", "reserved(2, 5..=7)");
const RESERVED_NAMES: Key = key("reserved_names", r#"reserved_names("old")"#);

pub(super) const RESOURCE: Place = Place {
    on: "a resource",
    keys: &[
        GROUP,
        VERSION,
        key("kind", r#"kind = "Artist""#),
        key("scope", "scope = namespace"),
        key("validate", "validate = Album::check"),
        key("mutate", "mutate = Album::defaults"),
        key("authorize", "authorize(read = may_read, write = may_write, list = may_list)"),
        RESERVED,
        RESERVED_NAMES,
    ],
};

pub(super) const MESSAGE: Place = Place {
    on: "a message or an enum",
    keys: &[
        GROUP,
        VERSION,
        key("package", r#"package = "converge.shared""#),
        key("name", r#"name = "Length""#),
        RESERVED,
        RESERVED_NAMES,
    ],
};

pub(super) const FIELD: Place =
    Place { on: "a field", keys: &[key("tag", "tag = 1"), key("oneof", "oneof(2, 3)")] };

/// The place for variants of an enum of numbers.
pub(super) const VARIANT: Place = Place { on: "a variant", keys: &[] };

pub(super) const ONEOF: Place = Place { on: "an enum of fields", keys: &[] };

/// The place for variants of an enum of fields.
pub(super) const MEMBER: Place =
    Place { on: "a variant", keys: &[key("tag", "tag = 1"), key("name", r#"name = "text""#)] };

const PLACES: [&Place; 3] = [&RESOURCE, &MESSAGE, &FIELD];

impl Place {
    fn find(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    fn help(&self, name: &str) -> String {
        if let Some(close) = closest(name, self.keys.iter().map(|key| key.name)) {
            return format!("did you mean `{close}`?");
        }
        if let Some(place) = PLACES.iter().find(|place| place.find(name).is_some()) {
            return format!("it belongs on {}", place.on);
        }
        let names: Vec<_> = self.keys.iter().map(|key| format!("`{}`", key.name)).collect();
        match names.as_slice() {
            [] => format!("{} has no attributes", self.on),
            [only] => format!("expected {only}"),
            names => format!("expected one of {}", names.join(", ")),
        }
    }
}

/// The parsed value of a key.
enum Given {
    /// `key = value`
    Value(Expr),
    /// `key(..)`
    List(TokenStream),
}

/// The keys of all `#[stored(..)]` attributes on one definition.
///
/// Each key is known there and appears once.
pub(super) struct Attrs {
    place: &'static Place,
    items: Vec<(Ident, Given)>,
    broken: Vec<String>,
}

impl Attrs {
    pub(super) fn read(cx: &Ctxt, attrs: &[Attribute], place: &'static Place) -> Self {
        let mut read = Self { place, items: Vec::new(), broken: Vec::new() };
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("stored")) {
            let Meta::List(list) = &attr.meta else {
                let example = place.keys.first().map_or("..", |key| key.example);
                cx.error(attr, format!("write what it says in parentheses: `#[stored({example})]`"));
                continue;
            };
            let parsed = (|input: ParseStream<'_>| {
                read.read_list(cx, input);
                Ok(())
            })
            .parse2(list.tokens.clone());
            if let Err(error) = parsed {
                cx.push(error);
            }
        }
        read
    }

    fn read_list(&mut self, cx: &Ctxt, input: ParseStream<'_>) {
        while !input.is_empty() {
            let name = input.fork().call(Ident::parse_any).ok();
            if let Err(error) = self.read_item(cx, input) {
                self.broken.extend(name.map(|name| name.to_string()));
                cx.push(error);
            }
            // The rest of a malformed item must not hide the next item.
            while !input.is_empty() && !input.peek(Token![,]) {
                if input.parse::<proc_macro2::TokenTree>().is_err() {
                    return;
                }
            }
            if input.parse::<Option<Token![,]>>().is_err() {
                return;
            }
        }
    }

    fn read_item(&mut self, cx: &Ctxt, input: ParseStream<'_>) -> syn::Result<()> {
        if !input.peek(Ident::peek_any) {
            return Err(input.error("expected the name of an attribute of `#[stored(..)]`"));
        }
        let name = Ident::parse_any(input)?;
        let Some(key) = self.place.find(&name.to_string()) else {
            let help = self.place.help(&name.to_string());
            cx.error(&name, format!("unknown attribute `{name}` in `#[stored(..)]`: {help}"));
            return Ok(());
        };
        let value = if input.parse::<Option<Token![=]>>()?.is_some() {
            Given::Value(input.parse().map_err(|error| syn::Error::new(error.span(), form(key)))?)
        } else if input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            Given::List(content.parse()?)
        } else {
            return Err(syn::Error::new_spanned(&name, form(key)));
        };
        if !input.is_empty() && !input.peek(Token![,]) {
            return Err(input.error("expected `,`"));
        }
        if self.items.iter().any(|(have, _)| *have == name) {
            cx.error(&name, format!("`{name}` is written twice: remove one"));
        } else {
            self.items.push((name, value));
        }
        Ok(())
    }

    /// Returns the identifier of a key, if the key is written.
    pub(super) fn written(&self, name: &str) -> Option<&Ident> {
        self.items.iter().map(|(have, _)| have).find(|have| *have == name)
    }

    fn given(&self, name: &str) -> Option<&Given> {
        self.items.iter().find(|(have, _)| have == name).map(|(_, given)| given)
    }

    /// Returns the text of `key = "text"`.
    pub(super) fn text(&self, cx: &Ctxt, name: &str) -> Option<LitStr> {
        match bare(self.value(cx, name)?) {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
            other => self.wrong(cx, name, other),
        }
    }

    /// Returns the word of `key = word`.
    pub(super) fn word(&self, cx: &Ctxt, name: &str) -> Option<Path> {
        match bare(self.value(cx, name)?) {
            Expr::Path(path) => Some(path.path.clone()),
            other => self.wrong(cx, name, other),
        }
    }

    /// Returns the number of `key = 1`.
    pub(super) fn number(&self, cx: &Ctxt, name: &str) -> Option<LitInt> {
        match bare(self.value(cx, name)?) {
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => Some(number.clone()),
            other => self.wrong(cx, name, other),
        }
    }

    /// Returns the entries of `key(name = path, ..)`; each name must be known and appear once.
    pub(super) fn paths(&self, cx: &Ctxt, name: &str, names: &[&str]) -> Vec<(String, Path)> {
        let mut paths: Vec<(String, Path)> = Vec::new();
        for expr in self.list(cx, name) {
            let Expr::Assign(assign) = &expr else {
                self.wrong::<()>(cx, name, &expr);
                continue;
            };
            let (Expr::Path(key), Expr::Path(path)) = (bare(&assign.left), bare(&assign.right)) else {
                self.wrong::<()>(cx, name, &expr);
                continue;
            };
            let text = key.path.to_token_stream().to_string();
            if paths.iter().any(|(have, _)| *have == text) {
                cx.error(key, format!("`{text}` is written twice: remove one"));
            } else if names.contains(&text.as_str()) {
                paths.push((text, path.path.clone()));
            } else {
                let help = closest(&text, names.iter().copied()).map_or_else(
                    || format!("expected one of {}", names.join(", ")),
                    |close| format!("did you mean `{close}`?"),
                );
                cx.error(key, format!("unknown hook `{text}` in `{name}(..)`: {help}"));
            }
        }
        paths
    }

    /// Returns the entries of `key(a, b)`.
    pub(super) fn list(&self, cx: &Ctxt, name: &str) -> Vec<Expr> {
        let list = match self.given(name) {
            Some(Given::List(tokens)) => tokens.clone(),
            Some(Given::Value(value)) => {
                return self.wrong(cx, name, value).unwrap_or_default();
            }
            None => return Vec::new(),
        };
        match Punctuated::<Expr, Token![,]>::parse_terminated.parse2(list) {
            Ok(list) => list.into_iter().map(|expr| bare(&expr).clone()).collect(),
            Err(error) => {
                cx.push(error);
                Vec::new()
            }
        }
    }

    /// Reports a missing key on `tokens`, unless the key was already reported as malformed.
    pub(super) fn missing(&self, cx: &Ctxt, name: &str, tokens: &dyn ToTokens) {
        if self.written(name).is_none() && !self.broken.iter().any(|broken| broken == name) {
            let example = self.place.find(name).map_or(name, |key| key.example);
            let tokens = tokens.to_token_stream();
            cx.error(tokens, format!("`{name}` is missing: write `#[stored({example})]`"));
        }
    }

    pub(super) fn is_broken(&self, name: &str) -> bool {
        self.broken.iter().any(|broken| broken == name)
    }

    fn value(&self, cx: &Ctxt, name: &str) -> Option<&Expr> {
        match self.given(name)? {
            Given::Value(value) => Some(value),
            Given::List(list) => {
                let span = self.written(name).map_or_else(|| list.span(), Ident::span);
                let key = self.place.find(name)?;
                cx.push(syn::Error::new(span, form(key)));
                None
            }
        }
    }

    fn wrong<T>(&self, cx: &Ctxt, name: &str, value: &Expr) -> Option<T> {
        let key = self.place.find(name)?;
        cx.error(value, form(key));
        None
    }
}

/// Removes the invisible groups around tokens that a `macro_rules` macro passes on.
pub(super) fn bare(mut expr: &Expr) -> &Expr {
    while let Expr::Group(group) = expr {
        expr = &group.expr;
    }
    expr
}

fn form(key: &Key) -> String {
    format!("`{}` is written as `{}`", key.name, key.example)
}
