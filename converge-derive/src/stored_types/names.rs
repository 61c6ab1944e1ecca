//! Names of stored types, with the rules of `converge_controller::Naming`.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{DeriveInput, LitStr};

use super::attrs::Attrs;
use crate::ast;
use crate::error_collector::Ctxt;

/// The package and name of a message or an enum.
pub(super) struct FullName {
    pub(super) package: String,
    pub(super) name: String,
}

/// The group, version and kind of a resource.
pub(super) struct TypeName {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
}

impl TypeName {
    pub(super) fn read(cx: &Ctxt, input: &DeriveInput, attrs: &Attrs) -> Self {
        let (group, version) = group_and_version(cx, input, attrs);
        let kind = match attrs.text(cx, "kind") {
            Some(kind) => {
                check_kind(cx, &kind.value(), &kind, "kind");
                kind.value()
            }
            None => own_name(cx, input, "kind"),
        };
        Self { group, version, kind }
    }

    pub(super) fn full_name(&self) -> FullName {
        FullName { package: package(&self.group, &self.version), name: self.kind.clone() }
    }
}

impl FullName {
    /// Reads the name of a message or enum, which states its package or its group and version.
    pub(super) fn read(cx: &Ctxt, input: &DeriveInput, attrs: &Attrs) -> Self {
        let package = if let Some(attribute) = attrs.written("package") {
            for other in ["group", "version"].into_iter().filter_map(|name| attrs.written(name)) {
                cx.error(other, format!("`{other}` and `package` both say the package: remove one"));
            }
            let package = attrs.text(cx, "package");
            if let Some(package) = &package {
                check_package(cx, package);
            }
            package.map_or_else(|| attribute.to_string(), |package| package.value())
        } else {
            let (group, version) = group_and_version(cx, input, attrs);
            package(&group, &version)
        };
        let name = match attrs.text(cx, "name") {
            Some(name) => {
                check_kind(cx, &name.value(), &name, "name");
                name.value()
            }
            None => own_name(cx, input, "name"),
        };
        Self { package, name }
    }
}

fn package(group: &str, version: &str) -> String {
    format!("converge.{group}.{version}")
}

fn group_and_version(cx: &Ctxt, input: &DeriveInput, attrs: &Attrs) -> (String, String) {
    let read = |name: &str, fits: fn(&str) -> bool, rule: &str| {
        attrs.missing(cx, name, &input.ident);
        let Some(text) = attrs.text(cx, name) else { return String::new() };
        if !fits(&text.value()) {
            cx.error(&text, format!("{:?} is not a {name}: {rule}", text.value()));
        }
        text.value()
    };
    let group = read(
        "group",
        is_group,
        "it is written in snake_case, 2 characters or more: a-z, 0-9 and _, a letter first",
    );
    let version =
        read("version", is_version, "it is written as v1 or v2beta1: v, then a-z and 0-9, a digit last");
    (group, version)
}

/// Returns the name of the struct or enum, if no other name is given.
fn own_name(cx: &Ctxt, input: &DeriveInput, key: &str) -> String {
    let name = ast::unraw(&input.ident);
    check_kind(cx, &name, &input.ident, key);
    name
}

fn check_kind(cx: &Ctxt, kind: &str, tokens: &dyn ToTokens, key: &str) {
    let rule = "it is written in PascalCase, 2 characters or more: A-Z, a-z and 0-9, a capital first";
    if !is_kind(kind) {
        cx.error(tokens.to_token_stream(), format!("{kind:?} is not a {key}: {rule}"));
    }
}

fn check_package(cx: &Ctxt, package: &LitStr) {
    let is_part = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_lowercase())
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    if !package.value().split('.').all(is_part) {
        let message = format!(
            "{:?} is not a package: write parts of a-z, 0-9 and _, each beginning with a letter, joined by dots",
            package.value()
        );
        cx.error(package, message);
    }
}

fn is_group(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn is_version(text: &str) -> bool {
    text.strip_prefix('v').is_some_and(|rest| {
        rest.ends_with(|last: char| last.is_ascii_digit())
            && rest.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    })
}

fn is_kind(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Converts `LinuxLSBLike` to `LINUX_LSB_LIKE`.
pub(super) fn screaming(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut word = String::new();
    for (index, c) in chars.iter().enumerate() {
        let after_small = index > 0 && !chars[index - 1].is_uppercase() && chars[index - 1] != '_';
        let before_small = index > 0
            && chars[index - 1] != '_'
            && chars.get(index + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (after_small || before_small) {
            word.push('_');
        }
        word.extend(c.to_uppercase());
    }
    word
}

/// Returns the JSON name of a field, which must be unique in a message.
pub(super) fn json(name: &str) -> String {
    let mut capital = false;
    let mut word = String::new();
    for c in name.chars() {
        match (c, capital) {
            ('_', _) => capital = true,
            (c, true) => {
                word.extend(c.to_uppercase());
                capital = false;
            }
            (c, false) => word.push(c),
        }
    }
    word
}

pub(super) fn check_field(cx: &Ctxt, name: &str, span: Span) {
    let fits = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !fits {
        let message = format!(
            "{name:?} is not a name for a field of a message: write it in snake_case: a-z, 0-9 and _, a letter first"
        );
        cx.push(syn::Error::new(span, message));
    }
}
