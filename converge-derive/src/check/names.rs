//! Checks that names are unique and valid.

use quote::ToTokens;

use super::field::HclField;
use crate::error_collector::Ctxt;

/// The fields that the language itself reads in every resource.
const RESERVED: [&str; 1] = ["depends"];

pub(crate) struct Names {
    taken: Vec<(String, String)>,
    what: &'static str,
    fold_case: bool,
}

impl Names {
    /// Creates an empty set; `what` is the word for one of the names in messages.
    pub(crate) fn new(subject: &'static str) -> Self {
        Self { taken: Vec::new(), what: subject, fold_case: false }
    }

    /// Treats names that differ only in case as equal.
    pub(crate) fn fold_case(self) -> Self {
        Self { fold_case: true, ..self }
    }

    /// Reserves a name for `owner`, or reports on `tokens` that the name is taken.
    pub(crate) fn take(&mut self, cx: &Ctxt, name: &str, owner: &str, tokens: &dyn ToTokens) {
        let is_same =
            |have: &str| if self.fold_case { have.eq_ignore_ascii_case(name) } else { have == name };
        if let Some((have, first)) = self.taken.iter().find(|(have, _)| is_same(have)) {
            let case = if have == name { "" } else { " (case does not count)" };
            let message = format!(
                "the name `{name}`{case} is taken by the {} `{first}`: rename one of them",
                self.what
            );
            cx.error(tokens.to_token_stream(), message);
        } else {
            self.taken.push((name.to_owned(), owner.to_owned()));
        }
    }
}

/// Reports a name that cannot be written in a module.
pub(crate) fn identifier(cx: &Ctxt, name: &str, tokens: &dyn ToTokens) {
    let mut chars = name.chars();
    let has_start = chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    if !has_start || !chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
        let message = format!(
            "{name:?} cannot be written as a name in a module: use letters, digits, _ and -, beginning with a \
             letter or _"
        );
        cx.error(tokens.to_token_stream(), message);
    }
}

/// The arguments of every resource that a field of the same name would replace.
const META_ARGUMENTS: [&str; 6] = ["group", "timeout", "retry", "when", "for_each", "on_change_of"];

/// Reports fields that replace an argument of every resource without an explicit `name = ".."`.
pub(crate) fn meta_arguments(cx: &Ctxt, fields: &[HclField<'_>]) {
    let plain_fields =
        fields.iter().filter(|field| field.attrs.embed.is_none() && field.attrs.name.is_none());
    for field in plain_fields.filter(|field| META_ARGUMENTS.contains(&field.name.as_str())) {
        let name = &field.name;
        let message = format!(
            "`{name}` is an argument that every resource takes, and this field takes its place: write another name, or \
             `#[hcl(name = \"{name}\")]` when that is meant"
        );
        cx.error(field.field.ident, message);
    }
}

pub(super) fn check(cx: &Ctxt, fields: &[HclField<'_>]) {
    let mut names = Names::new("field");
    let reserved = |name: &str, tokens: &dyn ToTokens| {
        if RESERVED.contains(&name) {
            let message = format!(
                "`{name}` is part of the module language and cannot name a field: write another name with \
                 `#[hcl(name = \"..\")]`"
            );
            cx.error(tokens.to_token_stream(), message);
        }
    };
    for field in fields.iter().filter(|field| field.attrs.embed.is_none()) {
        let tokens = field.name_tokens();
        identifier(cx, &field.name, tokens);
        reserved(&field.name, tokens);
        names.take(cx, &field.name, &field.field.name, tokens);
    }
    for field in fields {
        for (alias, literal) in &field.attrs.aliases {
            identifier(cx, alias, literal);
            reserved(alias, literal);
            names.take(cx, alias, &field.field.name, literal);
        }
    }
}
