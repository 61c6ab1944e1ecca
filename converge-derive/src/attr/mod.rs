//! Parsing of `#[hcl(..)]`, `#[preparer(..)]`, `#[export(..)]` and `#[re_export_as = ".."]`.
//!
//! Errors are collected and parsing continues with the next item, so these functions return no errors.

mod export;
mod field;
mod footprint;
pub(crate) mod names;
mod number;
mod resource;
mod sets;
mod text;
mod variant;

use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitBool, LitStr, Meta, Token, Type};

pub(crate) use export::{ExportAttrs, ExportKind};
pub(crate) use field::{FieldAttrs, Relation, RelationKind, RequiredWhen, WhenAbsent};
pub(crate) use footprint::{FootprintAttr, FootprintName};
use names::{Known, PREPARER, Place, Takes};
pub(crate) use number::Number;
pub(crate) use resource::{Reach, ResourceAttrs};
pub(crate) use sets::FieldSet;
pub(crate) use text::TextAttrs;
pub(crate) use variant::VariantAttrs;

use crate::error_collector::Ctxt;

/// The parsed value of an item, in the form that the item takes.
enum Given {
    Nothing,
    Text(LitStr),
    Number(Number),
    Bool(LitBool),
    Literal(Expr),
    Type(Type),
}

struct Item {
    name: Ident,
    given: Given,
}

/// The items of all attributes with the same name on one definition.
///
/// Each item is known. It appears once, unless it declares a set of fields.
#[derive(Default)]
struct Items {
    items: Vec<Item>,
    broken: Vec<Ident>,
}

impl Items {
    fn read(cx: &Ctxt, attrs: &[Attribute], place: &Place) -> Self {
        let mut items = Self::default();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident(place.attribute)) {
            match &attr.meta {
                Meta::List(list) => {
                    let parsed = (|input: ParseStream<'_>| {
                        items.read_list(cx, input, place);
                        Ok(())
                    })
                    .parse2(list.tokens.clone());
                    if let Err(error) = parsed {
                        cx.push(error);
                    }
                }
                // `#[export]` without a list is valid.
                Meta::Path(_) if place.attribute == names::EXPORT.attribute => {}
                meta => {
                    let (name, example) = (place.attribute, place.known[0].example);
                    cx.error(meta, format!("write what it says in parentheses: `#[{name}({example})]`"));
                }
            }
        }
        items
    }

    fn read_list(&mut self, cx: &Ctxt, input: ParseStream<'_>, place: &Place) {
        while !input.is_empty() {
            let name = input.fork().call(Ident::parse_any).ok();
            match read_item(cx, input, place) {
                Ok(Some(item))
                    if self.find(&item.name.to_string()).is_some() && !names::declares_set(&item.name) =>
                {
                    let known = place.find(&item.name.to_string());
                    let help = match known.map(|known| known.takes) {
                        Some(Takes::Types) => "write all types in one pair of parentheses",
                        _ => "remove one",
                    };
                    cx.error(&item.name, format!("`{}` is written twice: {help}", item.name));
                }
                Ok(Some(item)) => self.items.push(item),
                Ok(None) => {}
                Err(error) => {
                    self.broken.extend(name);
                    cx.push(error);
                }
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

    fn find(&self, name: &str) -> Option<&Item> {
        self.items.iter().find(|item| item.name == name)
    }

    fn flag(&self, name: &str) -> Option<&Ident> {
        self.find(name).map(|item| &item.name)
    }

    /// Returns a word that no other item may accompany, and reports any other item.
    fn alone(&self, cx: &Ctxt, name: &str) -> Option<&Ident> {
        let word = self.flag(name)?;
        for other in self.items.iter().filter(|item| item.name != name) {
            let message = match name {
                "skip" => format!("modules do not write a field with `skip`: remove it, or `{}`", other.name),
                _ => format!("`{name}` stands alone: write `{}` on a field of the type", other.name),
            };
            cx.error(&other.name, message);
        }
        Some(word)
    }

    fn text(&self, name: &str) -> Option<LitStr> {
        match &self.find(name)?.given {
            Given::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// Returns the texts of an item that may appear several times.
    fn texts(&self, name: &str) -> Vec<LitStr> {
        let items = self.items.iter().filter(|item| item.name == name);
        let text = |item: &Item| match &item.given {
            Given::Text(text) => Some(text.clone()),
            _ => None,
        };
        items.filter_map(text).collect()
    }

    fn number(&self, name: &str) -> Option<Number> {
        match &self.find(name)?.given {
            Given::Number(number) => Some(number.clone()),
            _ => None,
        }
    }

    fn bool(&self, name: &str) -> Option<bool> {
        match &self.find(name)?.given {
            Given::Bool(value) => Some(value.value),
            _ => None,
        }
    }

    /// Returns the aliases, each with the literal that lists it.
    fn aliases(&self, cx: &Ctxt) -> Vec<(String, LitStr)> {
        let Some(literal) = self.text("alias") else { return Vec::new() };
        let names = split(cx, "alias", &literal);
        names.into_iter().map(|name| (name, literal.clone())).collect()
    }

    /// Reports a missing item, unless the item was already reported as malformed.
    fn missing(&self, cx: &Ctxt, attr: &Attribute, name: &str) {
        if self.broken.iter().any(|broken| broken == name) {
            return;
        }
        let example = PREPARER.find(name).map_or(name, |known| known.example);
        cx.error(attr, format!("`{name}` is missing: write `{example}`"));
    }

    fn ty(&self, name: &str) -> Option<Type> {
        match &self.find(name)?.given {
            Given::Type(ty) => Some(ty.clone()),
            _ => None,
        }
    }
}

/// Reads one item, or returns `None` if the item was reported.
fn read_item(cx: &Ctxt, input: ParseStream<'_>, place: &Place) -> syn::Result<Option<Item>> {
    if !input.peek(Ident::peek_any) {
        let name = place.attribute;
        // The original's tags have the name alone: `hcl:"user"`.
        if input.peek(LitStr) && place.find("name").is_some() {
            let text = input.fork().parse::<LitStr>()?.value();
            return Err(input.error(format!("a name has a key here: write `#[{name}(name = {text:?})]`")));
        }
        return Err(input.error(format!("expected the name of an attribute of `#[{name}(..)]`")));
    }
    let name = Ident::parse_any(input)?;
    let Some(known) = place.find(&name.to_string()) else {
        let help = place.help(&name.to_string());
        cx.error(&name, format!("unknown attribute `{name}` in `#[{}(..)]`: {help}", place.attribute));
        return Ok(None);
    };
    let given = if input.parse::<Option<Token![=]>>()?.is_some() {
        read_value(input, known)?
    } else if matches!(known.takes, Takes::Nothing | Takes::MaybeLiteral) {
        Given::Nothing
    } else {
        return Err(syn::Error::new_spanned(&name, form(known)));
    };
    if !input.is_empty() && !input.peek(Token![,]) {
        return Err(input.error("expected `,`"));
    }
    Ok(Some(Item { name, given }))
}

fn read_value(input: ParseStream<'_>, known: &Known) -> syn::Result<Given> {
    if matches!(known.takes, Takes::Type | Takes::Types) {
        return input.parse().map(Given::Type).map_err(|error| syn::Error::new(error.span(), form(known)));
    }
    let mut expr: Expr = input.parse().map_err(|error| syn::Error::new(error.span(), form(known)))?;
    // Tokens passed through a `macro_rules` macro are wrapped in an invisible group.
    while let Expr::Group(group) = expr {
        expr = *group.expr;
    }
    let lit = match &expr {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        _ => None,
    };
    match (known.takes, lit) {
        (Takes::Text, Some(Lit::Str(text))) => Ok(Given::Text(text.clone())),
        (Takes::Bool, Some(Lit::Bool(value))) => Ok(Given::Bool(value.clone())),
        (Takes::Number, _) => match Number::read(&expr) {
            Some(number) => Ok(Given::Number(number)),
            None => Err(syn::Error::new_spanned(&expr, form(known))),
        },
        (Takes::MaybeLiteral, _) => Ok(Given::Literal(expr)),
        _ => Err(syn::Error::new_spanned(&expr, form(known))),
    }
}

fn form(known: &Known) -> String {
    let takes = match known.takes {
        Takes::Nothing => "takes no value",
        Takes::Text => "takes a text",
        Takes::Number => "takes a number",
        Takes::Bool => "takes true or false",
        Takes::MaybeLiteral => "takes a literal or nothing",
        Takes::Type => "takes a type",
        Takes::Types => "takes a type, or several in parentheses",
    };
    format!("`{}` {takes}: write `{}`", known.name, known.example)
}

/// Reports attributes with this name at a place where they have no meaning.
pub(crate) fn misplaced(cx: &Ctxt, attrs: &[Attribute], place: &Place) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(place.attribute)) {
        cx.error(attr, format!("`#[{}(..)]` belongs on {}", place.attribute, place.on));
    }
}

/// Splits a list in a text at commas and trims its entries.
fn split(cx: &Ctxt, attribute: &str, literal: &LitStr) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for entry in literal.value().split(',').map(str::trim) {
        if entry.is_empty() {
            cx.error(literal, format!("`{attribute}` has an empty entry: write single commas between names"));
            return Vec::new();
        }
        if entries.iter().any(|have| have == entry) {
            cx.error(literal, format!("`{entry}` is in the list twice: remove one"));
        } else {
            entries.push(entry.to_owned());
        }
    }
    entries
}
